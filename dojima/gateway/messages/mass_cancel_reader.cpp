#include "dojima/gateway/messages/mass_cancel_reader.hpp"

#include <array>

#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/values.hpp"

namespace dojima::gateway {
namespace {

using fix::MessageView;

// MassCancelRejectReason(532).
constexpr std::uint16_t k_not_supported = 0, k_unknown_security = 1, k_other = 99;
constexpr Reasons k_mass_cancel_reasons{k_unknown_security, k_not_supported, k_other, k_other};

/// Whether the firm's orders are meant.
[[nodiscard]] std::expected<bool, Refusal> read_scope(const MessageView& view) noexcept {
  constexpr std::array k_members{tag::k_target_party_id, tag::k_target_party_id_source, tag::k_target_party_role};
  const Result<fix::Group> targets = view.group(tag::k_target_party_count, k_members);
  if (!targets) return unreadable(targets.error());
  if (targets->size() == 0) return false;
  const std::string_view role = (*targets)[0].find(tag::k_target_party_role).value_or("");
  if (targets->size() > 1 || (role != "76" && role != "1"))
    return refuse(k_not_supported, tag::k_target_party_role, "one TargetPartyRole, 76 or 1, is supported");
  return role == "1";
}

Read read_group(const MessageView& view, std::uint8_t& group) noexcept {
  if (!view.has(tag::k_group_id)) return missing(tag::k_group_id, "GroupID(27017) is required for this type");
  return read_number(view, tag::k_group_id, 1, 255, k_mass_cancel_reasons, "GroupID must be 1 to 255", group);
}

Read read_segment(const MessageView& view, Text<4>& segment) noexcept {
  if (!view.has(tag::k_market_segment_id))
    return missing(tag::k_market_segment_id, "MarketSegmentID(1300) is required for this type");
  return read_text(view, tag::k_market_segment_id, k_mass_cancel_reasons,
                   "MarketSegmentID must have at most 4 characters", segment);
}

}  // namespace

Read read_mass_cancel(const MessageView& view, const SymbolTable& symbols, market::MassCancel& command) noexcept {
  const auto is_firm = read_scope(view);
  if (!is_firm) return Refused(is_firm.error());
  command.is_account = *is_firm;
  if (view.has(tag::k_side)) return refuse(k_not_supported, tag::k_side, "a mass cancel is of both sides");
  const std::string_view type = view.find(tag::k_mass_cancel_request_type).value_or("");
  const bool has_instrument = type == "1" || type == "57", has_group = type == "56" || type == "57";
  if (has_instrument) {
    const auto instrument = read_instrument(view, symbols, k_mass_cancel_reasons);
    if (!instrument) return Refused(instrument.error());
    command.header.instrument = *instrument;
  }
  if (has_group) {
    if (Read read = read_group(view, command.group); !read) return read;
  }
  if (type == "9") return read_segment(view, command.segment);
  if (type == "57" && !command.is_account)
    return refuse(k_not_supported, tag::k_mass_cancel_request_type, "type 57 is supported for the firm only");
  if (type != "7" && !has_instrument && !has_group)
    return refuse(k_not_supported, tag::k_mass_cancel_request_type, "MassCancelRequestType is not supported");
  return {};
}

}  // namespace dojima::gateway
