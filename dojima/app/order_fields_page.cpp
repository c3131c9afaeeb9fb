#include "dojima/app/order_fields_page.hpp"

#include <array>
#include <fmt/core.h>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/fix/dictionary.hpp"
#include "dojima/gateway/fix_version.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::app {
namespace {

namespace tag = gateway::tag;
using gateway::FixVersion, gateway::k_fix_versions, gateway::order_entry_dictionary;

/// What docs/gateway.md maps to the venue, in its order.
constexpr std::array k_fields = {tag::k_cl_ord_id,
                                 tag::k_orig_cl_ord_id,
                                 tag::k_order_id,
                                 tag::k_symbol,
                                 tag::k_security_id,
                                 tag::k_security_id_source,
                                 tag::k_side,
                                 tag::k_transact_time,
                                 tag::k_order_qty,
                                 tag::k_ord_type,
                                 tag::k_price,
                                 tag::k_stop_px,
                                 tag::k_time_in_force,
                                 tag::k_expire_date,
                                 tag::k_expire_time,
                                 tag::k_max_floor,
                                 tag::k_display_qty,
                                 tag::k_display_method,
                                 tag::k_min_qty,
                                 tag::k_account,
                                 tag::k_account_type,
                                 tag::k_order_capacity,
                                 tag::k_rule_80a,
                                 tag::k_order_origination,
                                 tag::k_pre_trade_anonymity,
                                 tag::k_owner_type,
                                 tag::k_trading_session_count,
                                 tag::k_passive_only_order,
                                 tag::k_group_id,
                                 tag::k_offset,
                                 tag::k_pegged_exec_inst};

constexpr std::array k_quote_fields = {tag::k_quote_id,           tag::k_symbol,         tag::k_security_id,
                                       tag::k_security_id_source, tag::k_bid_px,         tag::k_bid_size,
                                       tag::k_offer_px,           tag::k_offer_size,     tag::k_quote_response_level,
                                       tag::k_account_type,       tag::k_order_capacity, tag::k_no_party_ids,
                                       tag::k_pegged_exec_inst};
constexpr std::array k_quote_cancel_fields = {tag::k_quote_id, tag::k_quote_cancel_type, tag::k_no_quote_entries};

struct Request {
  fix::MsgType type;
  std::string_view name;
  std::span<const fix::Tag> fields = k_fields;
};
constexpr std::array k_requests = {Request{fix::type::k_new_order_single, "NewOrderSingle"},
                                   Request{fix::type::k_order_cancel_replace_request, "OrderCancelReplaceRequest"},
                                   Request{fix::type::k_order_cancel_request, "OrderCancelRequest"},
                                   Request{fix::type::k_quote, "Quote", k_quote_fields},
                                   Request{fix::type::k_quote_cancel, "QuoteCancel", k_quote_cancel_fields}};

struct OrderKind {
  std::string_view words;
  std::vector<std::pair<fix::Tag, std::string_view>> values;  // empty: any, the field must be there
};

/// How an order says what it is.
std::vector<OrderKind> order_kinds() {
  return {{"market", {{tag::k_ord_type, "1"}}},
          {"limit", {{tag::k_ord_type, "2"}}},
          {"stop", {{tag::k_ord_type, "3"}}},
          {"stop limit", {{tag::k_ord_type, "4"}}},
          {"pegged to the mid", {{tag::k_ord_type, "P"}}},
          {"offset from the closing price", {{tag::k_ord_type, "F"}, {tag::k_offset, ""}}},
          {"iceberg", {{tag::k_ord_type, "2"}, {tag::k_max_floor, ""}}},
          {"iceberg with peaks of random size",
           {{tag::k_ord_type, "2"}, {tag::k_display_method, "3"}, {tag::k_display_qty, ""}}},
          {"hidden (111=0)", {{tag::k_ord_type, "2"}, {tag::k_max_floor, ""}}},
          {"passive only", {{tag::k_ord_type, "2"}, {tag::k_passive_only_order, ""}}},
          {"for the day", {{tag::k_time_in_force, "0"}}},
          {"immediate or cancel", {{tag::k_time_in_force, "3"}}},
          {"fill or kill", {{tag::k_time_in_force, "4"}}},
          {"at the opening", {{tag::k_time_in_force, "2"}}},
          {"at the close", {{tag::k_time_in_force, "7"}}},
          {"until a date", {{tag::k_time_in_force, "6"}, {tag::k_expire_date, ""}}},
          {"until an instant", {{tag::k_time_in_force, "6"}, {tag::k_expire_time, ""}}},
          {"good for the intraday auction", {{tag::k_time_in_force, "8"}}},
          {"good for the next auction", {{tag::k_time_in_force, "9"}}},
          {"good for scheduled auctions", {{tag::k_time_in_force, "C"}}},
          {"auction volume discovery", {{tag::k_time_in_force, "D"}}},
          {"volume discovery and closing price cross", {{tag::k_time_in_force, "E"}}},
          {"closing price cross", {{tag::k_trading_session_count, ""}, {tag::k_trading_session_id, "a"}}}};
}

bool has(const fix::Dictionary& dictionary, const OrderKind& kind) {
  const fix::Shape& shape = *dictionary.message(fix::type::k_new_order_single)->shape;
  for (const auto& [field, value] : kind.values) {
    // TradingSessionID is inside a group of the order.
    if (field != tag::k_trading_session_id && shape.find(field) == nullptr) return false;
    const fix::FieldFacts* const facts = dictionary.field(field);
    if (facts == nullptr || (!value.empty() && !facts->allows(value))) return false;
  }
  return true;
}

std::string_view where(FixVersion version, const OrderKind& kind) {
  if (has(gateway::published_dictionary(version), kind)) return "yes";
  return has(order_entry_dictionary(version), kind) ? "extension" : "–";
}

std::string_view where(FixVersion version, fix::MsgType type, fix::Tag field) {
  const fix::Member* const member = order_entry_dictionary(version).message(type)->shape->find(field);
  if (member == nullptr) return "–";
  if (gateway::published_dictionary(version).message(type)->shape->find(field) == nullptr) return "extension";
  return member->is(fix::Member::k_required) ? "required" : "yes";
}

std::string words_of(const OrderKind& kind) {
  std::string words;
  for (const auto& [field, value] : kind.values)
    words += fmt::format("{}{}{}", words.empty() ? "" : ", ", field, value.empty() ? "" : fmt::format("={}", value));
  return words;
}

std::string_view field_name_of(fix::Tag field) {
  for (const FixVersion version : {FixVersion::fix_5_0_sp2, FixVersion::fix_4_4, FixVersion::fix_4_2})
    if (const fix::FieldFacts* const facts = order_entry_dictionary(version).field(field)) return facts->name;
  return "";
}

void add_kinds(std::string& page) {
  page += "## Orders\n\n| order | fields | 4.2 | 4.4 | 5.0 SP2 |\n|---|---|---|---|---|\n";
  for (const OrderKind& kind : order_kinds()) {
    page += fmt::format("| {} | {} |", kind.words, words_of(kind));
    for (const FixVersion version : k_fix_versions) page += fmt::format(" {} |", where(version, kind));
    page += '\n';
  }
}

void add_fields(const Request& request, std::string& page) {
  page += fmt::format("\n## {} `{}`\n\n| tag | field | 4.2 | 4.4 | 5.0 SP2 |\n|---:|---|---|---|---|\n", request.name,
                      fix::text_of(request.type).view());
  for (const fix::Tag field : request.fields) {
    std::string cells;
    bool is_known = false;
    for (const FixVersion version : k_fix_versions) {
      const std::string_view cell = where(version, request.type, field);
      is_known |= cell != "–";
      cells += fmt::format(" {} |", cell);
    }
    if (is_known) page += fmt::format("| {} | {} |{}\n", field, field_name_of(field), cells);
  }
}

}  // namespace

std::string order_fields_page() {
  std::string page =
      "# Orders and their fields, by FIX version\n\n"
      "Written from the dictionaries that the gateway holds requests against (`dojima/app/order_fields_page.cpp`); a "
      "test\n"
      "compares. *required*, *yes*: as published; *extension*: the gateway's addition to the published dictionary\n"
      "([gateway.md](gateway.md#the-extension-of-the-dictionaries)); –: the session refuses it. What each field "
      "becomes at\n"
      "the venue is in [gateway.md](gateway.md#requests-fix-to-mit203), what a venue does with an order in which phase "
      "in\n"
      "[auction-table.md](auction-table.md).\n\n"
      "A version that can say it is not a venue that does it: Dojima's own venue refuses 59=D and 59=E (auctions with\n"
      "volume discovery), which the protocol carries, with 58=20005 not offered by the venue.\n\n";
  add_kinds(page);
  for (const Request& request : k_requests) add_fields(request, page);
  return page;
}

}  // namespace dojima::app
