#include "dojima/gateway/messages/mass_cancel_reader.hpp"

#include <algorithm>
#include <array>
#include <string_view>

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
  if (targets->size() > 1)
    return refuse_value(k_not_supported, tag::k_target_party_count,
                        "NoTargetPartyIDs(1461)=% is not supported: the orders of one party at a time", view);
  const std::string_view role = (*targets)[0].find(tag::k_target_party_role).value_or("(none)");
  if (role != "76" && role != "1")
    return refuse_value(k_not_supported, tag::k_target_party_role,
                        "TargetPartyRole(1464)=% is not supported: the venue has 76, the client's own orders, and 1, "
                        "its firm's",
                        role);
  return role == "1";
}

Read read_group(const MessageView& view, std::string_view type, std::uint8_t& group) noexcept {
  if (!view.has(tag::k_group_id))
    return missing(tag::k_group_id, "GroupID(27017) is required for MassCancelRequestType(530)=%", type);
  return read_number(view, tag::k_group_id, 1, 255, k_mass_cancel_reasons, "GroupID(27017)=% is out of range: 1 to 255",
                     group);
}

Read read_segment(const MessageView& view, std::string_view type, Text<4>& segment) noexcept {
  if (!view.has(tag::k_market_segment_id))
    return missing(tag::k_market_segment_id, "MarketSegmentID(1300) is required for MassCancelRequestType(530)=%",
                   type);
  return read_text(view, tag::k_market_segment_id, k_mass_cancel_reasons,
                   "MarketSegmentID(1300)=% is too long: at most 4 characters", segment);
}

/// What would narrow a mass cancel, were it of another type: without it more would be cancelled than the client says.
Read check_narrowing(const MessageView& view, std::string_view type) noexcept {
  struct Field {
    fix::Tag tag;
    bool is_used;
    const char* text;
  };
  const bool has_instrument = type == "1" || type == "57";
  for (const Field& field : {Field{tag::k_symbol, has_instrument,
                                   "Symbol(55)=% does not fit MassCancelRequestType(530)=%: 1 and 57 have it"},
                             Field{tag::k_security_id, has_instrument,
                                   "SecurityID(48)=% does not fit MassCancelRequestType(530)=%: 1 and 57 have it"},
                             Field{tag::k_market_segment_id, type == "9",
                                   "MarketSegmentID(1300)=% does not fit MassCancelRequestType(530)=%: 9 has it"},
                             Field{tag::k_group_id, type == "56" || type == "57",
                                   "GroupID(27017)=% does not fit MassCancelRequestType(530)=%: 56 and 57 have it"}})
    if (!field.is_used && view.find(field.tag).value_or("[N/A]") != "[N/A]")
      return refuse_value(k_other, field.tag, field.text, view, type);
  return {};
}

}  // namespace

Read read_mass_cancel(const MessageView& view, const SymbolTable& symbols, market::MassCancel& command) noexcept {
  const auto is_firm = read_scope(view);
  if (!is_firm) return Refused(is_firm.error());
  command.is_account = *is_firm;
  if (view.has(tag::k_side))
    return refuse_value(k_not_supported, tag::k_side, "Side(54)=% is not supported: a mass cancel is of both sides",
                        view);
  const std::string_view type = said_of(view, tag::k_mass_cancel_request_type);
  constexpr std::array<std::string_view, 5> k_types{"1", "7", "9", "56", "57"};
  if (std::ranges::find(k_types, type) == k_types.end())
    return refuse_value(k_not_supported, tag::k_mass_cancel_request_type,
                        "MassCancelRequestType(530)=% is not supported: the venue has 1, 7, 9, 56 and 57", type);
  if (Read read = check_narrowing(view, type); !read) return read;
  const bool has_instrument = type == "1" || type == "57", has_group = type == "56" || type == "57";
  if (has_instrument) {
    const auto instrument = read_instrument(view, symbols, k_mass_cancel_reasons);
    if (!instrument) return Refused(instrument.error());
    command.header.instrument = *instrument;
  }
  if (has_group) {
    if (Read read = read_group(view, type, command.group); !read) return read;
  }
  if (type == "9") return read_segment(view, type, command.segment);
  if (type == "57" && !command.is_account)
    return refuse_value(k_not_supported, tag::k_mass_cancel_request_type,
                        "MassCancelRequestType(530)=% needs TargetPartyRole(1464)=1, the firm: here it is %", type,
                        view.has(tag::k_target_party_count) ? "76" : "(none)");
  return {};
}

}  // namespace dojima::gateway
