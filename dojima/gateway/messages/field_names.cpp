#include "dojima/gateway/messages/field_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace dojima::gateway {
namespace {

struct FieldName {
  std::string_view native, fix;
};
constexpr std::array k_names{
    FieldName{"Account", "Account(1)"},
    FieldName{"TraderID", "PartyID(448) of PartyRole(452)=100"},
    FieldName{"ClearingAccount", "AccountType(581)"},
    FieldName{"InstrumentID", "Symbol(55)"},
    FieldName{"MiFIDFlags", "NoOrderAttributes(2593)"},
    FieldName{"PartyRoleQualifiers", "PartyRoleQualifier(2376), which PartyID(448) from 4 needs"},
    FieldName{"OrderType", "OrdType(40)"},
    FieldName{"TIF", "TimeInForce(59)"},
    FieldName{"ExpireDateTime", "ExpireDate(432) or ExpireTime(126)"},
    FieldName{"Side", "Side(54)"},
    FieldName{"OrderQty", "OrderQty(38)"},
    FieldName{"DisplayQty", "MaxFloor(111) or DisplayQty(1138)"},
    FieldName{"LimitPrice", "Price(44)"},
    FieldName{"Capacity", "OrderCapacity(528)"},
    FieldName{"OrderSubType", "OrdType(40)"},
    FieldName{"Anonymity", "PreTradeAnonymity(1091)"},
    FieldName{"StopPrice", "StopPx(99)"},
    FieldName{"PassiveOnlyOrder", "PassiveOnlyOrder(27010)"},
    FieldName{"ClientID", "PartyID(448) of PartyRole(452)=3"},
    FieldName{"InvestmentDecisionMaker", "PartyID(448) of PartyRole(452)=122"},
    FieldName{"ExecutingTrader", "PartyID(448) of PartyRole(452)=12"},
    FieldName{"GroupID", "GroupID(27017)"},
    FieldName{"MinimumQuantity", "MinQty(110)"},
    FieldName{"Offset", "Offset(27018)"},
    FieldName{"PeggedExecInst", "PeggedExecInst(27021)"},
    FieldName{"OwnerType", "OwnerType(522)"},
    FieldName{"BidPrice", "BidPx(132)"},
    FieldName{"BidSize", "BidSize(134)"},
    FieldName{"AskPrice", "OfferPx(133)"},
    FieldName{"AskSize", "OfferSize(135)"},
    FieldName{"Segment", "MarketSegmentID(1300)"},
};

}  // namespace

std::string_view fix_name_of(std::string_view native) noexcept {
  constexpr std::size_t k_cut_at = 20;
  const auto found = std::ranges::find_if(k_names, [=](const FieldName& name) {
    return name.native == native || (native.size() == k_cut_at && name.native.starts_with(native));
  });
  return found == k_names.end() ? std::string_view{} : found->fix;
}

}  // namespace dojima::gateway
