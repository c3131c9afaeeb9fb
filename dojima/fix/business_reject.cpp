#include "dojima/fix/business_reject.hpp"

#include <array>
#include <charconv>

#include "dojima/fix/rules.hpp"
#include "dojima/fix/session/version_rules.hpp"

namespace dojima::fix {

Writer& route_back(Writer& writer, const MessageView& question) noexcept {
  struct Turn {
    Tag from, to;
  };
  constexpr std::array k_turns{Turn{tag::k_deliver_to_comp_id, tag::k_on_behalf_of_comp_id},
                               Turn{tag::k_deliver_to_sub_id, tag::k_on_behalf_of_sub_id},
                               Turn{tag::k_on_behalf_of_comp_id, tag::k_deliver_to_comp_id},
                               Turn{tag::k_on_behalf_of_sub_id, tag::k_deliver_to_sub_id},
                               Turn{tag::k_deliver_to_location_id, tag::k_on_behalf_of_location_id},
                               Turn{tag::k_on_behalf_of_location_id, tag::k_deliver_to_location_id}};
  for (const Turn& turn : k_turns) {
    if (const auto value = question.find(turn.from); value && !value->empty()) writer.field(turn.to, *value);
  }
  return writer;
}

Result<market::Sequence> business_reject(Session& session, const MessageView& view, BusinessRejectReason reason,
                                         std::string_view text) noexcept {
  if (!find_version_rules(session.config().begin_string)->has_details)
    return session.reject(view, RejectReason::other, 0, text.empty() ? text_of(reason) : text);
  Writer writer = session.begin(type::k_business_message_reject);
  route_back(writer, view);
  writer.field(tag::k_ref_seq_num, view.msg_seq_num().value_or(market::Sequence{}));
  writer.field(tag::k_text, text.empty() ? text_of(reason) : text);
  writer.field(tag::k_ref_msg_type, view.find(tag::k_msg_type).value_or(std::string_view{}));
  if (const auto id = view.find(tag::k_cl_ord_id); id && !id->empty()) writer.field(tag::k_business_reject_ref_id, *id);
  writer.field(tag::k_business_reject_reason, static_cast<unsigned>(reason));
  return session.send(writer);
}

bool reject_missing_conditional(Session& session, const MessageView& view) noexcept {
  const Tag tag = missing_conditional(view);
  if (tag == 0) return false;
  constexpr auto k_reason = BusinessRejectReason::conditionally_required_field_missing;
  char text[64];
  const std::string_view name = text_of(k_reason);
  char* at = text + name.copy(text, name.size());
  at = text + (std::string_view(" (").copy(at, 2) + static_cast<std::size_t>(at - text));
  at = std::to_chars(at, text + sizeof text - 1, tag).ptr;
  *at++ = ')';
  static_cast<void>(business_reject(session, view, k_reason, {text, static_cast<std::size_t>(at - text)}));
  return true;
}

}  // namespace dojima::fix
