#include "dojima/gateway/messages/field_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "dojima/fix/dictionary.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {
namespace {

struct FieldName {
  std::string_view native, fix;
  fix::Tag tag = 0;
  fix::Tag earlier = 0;      // where the message does not have that one
  bool is_in_group = false;  // of the message, not beside its other fields
};
constexpr std::array k_names{
    FieldName{.native = "Account", .fix = "Account(1)", .tag = tag::k_account},
    FieldName{
        .native = "TraderID", .fix = "PartyID(448) of PartyRole(452)=100", .tag = tag::k_party_id, .is_in_group = true},
    FieldName{.native = "ClearingAccount", .fix = "AccountType(581)", .tag = tag::k_account_type},
    FieldName{.native = "InstrumentID", .fix = "Symbol(55)", .tag = tag::k_symbol},
    FieldName{.native = "MiFIDFlags", .fix = "NoOrderAttributes(2593)", .tag = tag::k_order_attribute_count},
    FieldName{.native = "PartyRoleQualifiers",
              .fix = "PartyRoleQualifier(2376), which PartyID(448) from 4 needs",
              .tag = tag::k_party_role_qualifier,
              .is_in_group = true},
    FieldName{.native = "OrderType", .fix = "OrdType(40)", .tag = tag::k_ord_type},
    FieldName{.native = "TIF", .fix = "TimeInForce(59)", .tag = tag::k_time_in_force},
    FieldName{.native = "ExpireDateTime", .fix = "ExpireDate(432) or ExpireTime(126)", .tag = tag::k_expire_time},
    FieldName{.native = "Side", .fix = "Side(54)", .tag = tag::k_side},
    FieldName{.native = "OrderQty", .fix = "OrderQty(38)", .tag = tag::k_order_qty},
    FieldName{.native = "DisplayQty",
              .fix = "MaxFloor(111) or DisplayQty(1138)",
              .tag = tag::k_display_qty,
              .earlier = tag::k_max_floor},
    FieldName{.native = "LimitPrice", .fix = "Price(44)", .tag = tag::k_price},
    FieldName{
        .native = "Capacity", .fix = "OrderCapacity(528)", .tag = tag::k_order_capacity, .earlier = tag::k_rule_80a},
    FieldName{.native = "OrderSubType", .fix = "OrdType(40)", .tag = tag::k_ord_type},
    FieldName{.native = "Anonymity", .fix = "PreTradeAnonymity(1091)", .tag = tag::k_pre_trade_anonymity},
    FieldName{.native = "StopPrice", .fix = "StopPx(99)", .tag = tag::k_stop_px},
    FieldName{.native = "PassiveOnlyOrder", .fix = "PassiveOnlyOrder(27010)", .tag = tag::k_passive_only_order},
    FieldName{
        .native = "ClientID", .fix = "PartyID(448) of PartyRole(452)=3", .tag = tag::k_party_id, .is_in_group = true},
    FieldName{.native = "InvestmentDecisionMaker",
              .fix = "PartyID(448) of PartyRole(452)=122",
              .tag = tag::k_party_id,
              .is_in_group = true},
    FieldName{.native = "ExecutingTrader",
              .fix = "PartyID(448) of PartyRole(452)=12",
              .tag = tag::k_party_id,
              .is_in_group = true},
    FieldName{.native = "GroupID", .fix = "GroupID(27017)", .tag = tag::k_group_id},
    FieldName{.native = "MinimumQuantity", .fix = "MinQty(110)", .tag = tag::k_min_qty},
    FieldName{.native = "Offset", .fix = "Offset(27018)", .tag = tag::k_offset},
    FieldName{.native = "PeggedExecInst", .fix = "PeggedExecInst(27021)", .tag = tag::k_pegged_exec_inst},
    FieldName{.native = "OwnerType", .fix = "OwnerType(522)", .tag = tag::k_owner_type},
    FieldName{.native = "BidPrice", .fix = "BidPx(132)", .tag = tag::k_bid_px},
    FieldName{.native = "BidSize", .fix = "BidSize(134)", .tag = tag::k_bid_size},
    FieldName{.native = "AskPrice", .fix = "OfferPx(133)", .tag = tag::k_offer_px},
    FieldName{.native = "AskSize", .fix = "OfferSize(135)", .tag = tag::k_offer_size},
    FieldName{.native = "Segment", .fix = "MarketSegmentID(1300)", .tag = tag::k_market_segment_id},
};

/// Null: a client fills no such field.
[[nodiscard]] const FieldName* find(std::string_view native) noexcept {
  constexpr std::size_t k_cut_at = 20;
  const auto found = std::ranges::find_if(k_names, [=](const FieldName& name) {
    return name.native == native || (native.size() == k_cut_at && name.native.starts_with(native));
  });
  return found == k_names.end() ? nullptr : &*found;
}

}  // namespace

std::string_view fix_name_of(std::string_view native) noexcept {
  const FieldName* const name = find(native);
  return name == nullptr ? std::string_view{} : name->fix;
}

fix::Tag fix_tag_of(std::string_view native, FixVersion version, fix::MsgType type,
                    market::TimeInForce time_in_force) noexcept {
  const FieldName* const name = find(native);
  if (name == nullptr) return 0;
  const fix::Dictionary& dictionary = order_entry_dictionary(version);
  const fix::MessageFacts* const message = dictionary.message(type);
  const auto has = [&](fix::Tag tag) {
    if (name->is_in_group) return dictionary.field(tag) != nullptr;
    return message != nullptr && message->shape->find(tag) != nullptr;
  };
  const bool is_date = name->tag == tag::k_expire_time && time_in_force == market::TimeInForce::good_till_date;
  for (const fix::Tag tag : {is_date ? tag::k_expire_date : name->tag, name->earlier})
    if (tag != 0 && has(tag)) return tag;
  return 0;
}

}  // namespace dojima::gateway
