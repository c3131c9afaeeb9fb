#include "dojima/app/trade/fix/fix_report.hpp"

#include <fmt/core.h>
#include <string_view>

#include "dojima/app/trade/fix/tags.hpp"
#include "dojima/app/trade/words.hpp"
#include "dojima/fix/value.hpp"

namespace dojima::app {
namespace {

using fix::MessageView;

constexpr fix::MsgType k_security_list = fix::msg_type("y"), k_trading_session_status = fix::msg_type("h"),
                       k_user_response = fix::msg_type("BF");

std::string text_in(const MessageView& message, fix::Tag tag) {
  return std::string(message.find(tag).value_or(std::string_view{}));
}

template <class Value>
std::optional<Value> optional_of(const Result<Value>& read) {
  return read ? std::optional<Value>(*read) : std::nullopt;
}

std::int64_t number_or_none(const MessageView& message, fix::Tag tag) {
  return message.integer(tag).value_or(0);
}

/// What a value means in the dictionary, as small words: "PARTIALLY_FILLED" as "partially filled".
std::string meaning(const fix::Dictionary& dictionary, fix::Tag tag, std::string_view value) {
  const fix::FieldFacts* const facts = dictionary.field(tag);
  std::string words = facts == nullptr ? std::string{} : lower(facts->meaning_of(value));
  for (char& character : words)
    if (character == '_') character = ' ';
  return words.empty() ? std::string(value) : words;
}

TradeReportKind kind_of(const MessageView& message) {
  const std::string_view type = message.find(tag::k_exec_type).value_or("");
  const std::string_view transaction = message.find(tag::k_exec_trans_type).value_or("0");
  const bool is_parked = message.find(tag::k_ord_status) == "9";
  // FIX 4.2 says with ExecTransType what later versions say with ExecType.
  if (transaction == "1") return TradeReportKind::busted;
  if (transaction == "2") return TradeReportKind::corrected;
  if (transaction == "3" || type == "I") return TradeReportKind::status;
  if (type.size() != 1) return TradeReportKind::other;
  switch (type.front()) {
    case '0':
      return is_parked ? TradeReportKind::parked : TradeReportKind::accepted;
    case '1':
    case '2':
    case 'F':
      return TradeReportKind::traded;
    case '4':
      return TradeReportKind::cancelled;
    case '5':
      return TradeReportKind::replaced;
    case '8':
      return TradeReportKind::rejected;
    case '9':
      return TradeReportKind::parked;
    case 'C':
      return TradeReportKind::expired;
    case 'D':
      return TradeReportKind::restated;
    case 'G':
      return TradeReportKind::corrected;
    case 'H':
      return TradeReportKind::busted;
    default:
      return TradeReportKind::other;
  }
}

/// What the venue's own fields say.
std::string venue_fields_in(const MessageView& message) {
  struct Named {
    fix::Tag tag;
    const char* name;
  };
  constexpr std::array k_named{Named{tag::k_trade_liquidity_indicator, "liquidity"},
                               Named{tag::k_trade_match_number, "match"}, Named{tag::k_type_of_trade, "type of trade"}};
  std::string text;
  for (const Named& each : k_named)
    if (const auto value = message.find(each.tag))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", each.name, *value);
  return text;
}

char liquidity_in(const MessageView& message) {
  if (const auto letter = message.find(tag::k_trade_liquidity_indicator); letter && letter->size() == 1)
    return letter->front();
  switch (number_or_none(message, tag::k_last_liquidity_ind)) {
    case 1:
      return 'A';
    case 2:
      return 'R';
    case 4:
      return 'C';
    default:
      return '\0';
  }
}

std::string counterparty_in(const MessageView& message) {
  if (const auto broker = message.find(tag::k_contra_broker)) return std::string(*broker);
  const auto parties = message.group(tag::k_no_party_ids, fix::k_party_members);
  if (!parties) return {};
  for (std::size_t index = 0; index < parties->size(); ++index)
    if ((*parties)[index].find(tag::k_party_role) == "17")
      return std::string((*parties)[index].find(tag::k_party_id).value_or(""));
  return {};
}

Result<void> read_trade(const MessageView& message, TradeReport& report) {
  const auto quantity = message.quantity(tag::k_last_qty);
  const auto price = message.price(tag::k_last_px);
  if (!quantity) return std::unexpected(quantity.error());
  if (!price) return std::unexpected(price.error());
  report.last_quantity = *quantity;
  report.last_price = *price;
  report.trade_id = text_in(message, message.has(tag::k_trd_match_id) ? tag::k_trd_match_id : tag::k_secondary_exec_id);
  report.counterparty = counterparty_in(message);
  report.liquidity = liquidity_in(message);
  report.venue_fields = venue_fields_in(message);
  return {};
}

void read_order(const MessageView& message, TradeReport& report) {
  report.side = message.find(tag::k_side) == "2" ? market::Side::sell : market::Side::buy;
  report.total = optional_of(message.quantity(tag::k_order_qty));
  report.leaves = optional_of(message.quantity(tag::k_leaves_qty));
  report.executed = optional_of(message.quantity(tag::k_cum_qty));
  report.average = optional_of(message.price(tag::k_avg_px));
  report.limit = optional_of(message.price(tag::k_price));
  report.stop = optional_of(message.price(tag::k_stop_px));
  report.displayed =
      optional_of(message.quantity(message.has(tag::k_display_qty) ? tag::k_display_qty : tag::k_max_floor));
  if (message.find(tag::k_display_method) == "4") report.displayed = market::Quantity{};
}

Result<TradeReport> read_execution(const MessageView& message, const fix::Dictionary& dictionary) {
  TradeReport report{.kind = kind_of(message)};
  if (const auto leaves = message.quantity(tag::k_leaves_qty); !leaves) return std::unexpected(leaves.error());
  read_order(message, report);
  report.execution_id = text_in(message, tag::k_exec_id);
  report.reference_id = text_in(message, tag::k_exec_ref_id);
  report.reason = number_or_none(message, tag::k_ord_rej_reason);
  report.status = meaning(dictionary, tag::k_ord_status, text_in(message, tag::k_ord_status));
  if (report.kind == TradeReportKind::status) {
    // An answer to a question about many names it by 584, to one about one by 790, which FIX 4.2 lacks.
    const bool is_of_many = message.has(tag::k_mass_status_req_id);
    report.original_id = text_in(message, tag::k_cl_ord_id);
    report.id = text_in(message, is_of_many ? tag::k_mass_status_req_id : tag::k_ord_status_req_id);
    report.is_last = !is_of_many || message.is_set(tag::k_is_last_report);
    return report;
  }
  if (report.kind != TradeReportKind::traded && report.kind != TradeReportKind::corrected) return report;
  if (const auto read = read_trade(message, report); !read) return std::unexpected(read.error());
  return report;
}

TradeReport read_securities(const MessageView& message, const fix::Dictionary& dictionary) {
  TradeReport report{.kind = TradeReportKind::answer, .id = text_in(message, tag::k_security_req_id)};
  report.is_last = !message.has(tag::k_is_last_fragment) || message.is_set(tag::k_is_last_fragment);
  if (const auto list = message.group(tag::k_no_related_sym, dictionary))
    for (std::size_t index = 0; index < list->size(); ++index)
      report.lines.push_back(fmt::format("{} {}", (*list)[index].find(tag::k_symbol).value_or("?"),
                                         (*list)[index].find(tag::k_security_id).value_or("")));
  if (report.lines.empty())
    report.lines.push_back("no securities: " + meaning(dictionary, tag::k_security_request_result,
                                                       text_in(message, tag::k_security_request_result)));
  return report;
}

TradeReport read_other_answer(const MessageView& message, const fix::Dictionary& dictionary) {
  const bool is_user = message.msg_type() == k_user_response;
  const fix::Tag status = is_user ? tag::k_user_status : tag::k_trad_ses_status;
  const std::string text = text_in(message, is_user ? tag::k_user_status_text : tag::k_text);
  const std::string value = text_in(message, status);
  const std::string what = is_user ? "user " + text_in(message, tag::k_username) : std::string("trading session");
  // Neither enumeration names its first value everywhere.
  const std::string words = !is_user && value == "0" ? "unknown" : meaning(dictionary, status, value);
  TradeReport report{.kind = TradeReportKind::answer,
                     .id = text_in(message, is_user ? tag::k_user_request_id : tag::k_trad_ses_req_id)};
  report.lines.push_back(fmt::format("{}: {}{}", what, words, text.empty() ? "" : ", " + text));
  return report;
}

TradeReport read_mass_cancel(const MessageView& message) {
  const bool is_refused = message.find(tag::k_mass_cancel_response) == "0";
  TradeReport report{.kind = is_refused ? TradeReportKind::request_rejected : TradeReportKind::mass_cancelled};
  report.id = text_in(message, tag::k_cl_ord_id);
  report.text = text_in(message, tag::k_text);
  report.reason = number_or_none(message, tag::k_mass_cancel_reject_reason);
  return report;
}

/// What became of a quote as a whole, or of taking quotes back.
TradeReport read_quote_status(const MessageView& message) {
  const std::string_view status = message.find(tag::k_quote_status).value_or("");
  TradeReport report{.kind = status == "5" ? TradeReportKind::request_rejected : TradeReportKind::answer};
  report.id = text_in(message, tag::k_quote_id);
  report.text = text_in(message, tag::k_text);
  report.reason = number_or_none(message, tag::k_quote_reject_reason);
  if (report.kind == TradeReportKind::answer)
    report.lines.push_back(status == "0" ? "the quote was taken" : "the quotes were taken back");
  return report;
}

}  // namespace

Result<TradeReport> read_fix_report(const MessageView& message, const fix::Dictionary& dictionary) {
  const fix::MsgType what = message.msg_type();
  if (what == k_security_list) return read_securities(message, dictionary);
  if (what == k_user_response || what == k_trading_session_status) return read_other_answer(message, dictionary);
  if (what == fix::type::k_order_mass_cancel_report) return read_mass_cancel(message);
  if (what == fix::type::k_quote_status_report || what == fix::type::k_quote_acknowledgement)
    return read_quote_status(message);
  TradeReport report;
  if (what == fix::type::k_execution_report) {
    auto read = read_execution(message, dictionary);
    if (!read) return read;
    report = *std::move(read);
  } else if (what == fix::type::k_order_cancel_reject) {
    report.kind = TradeReportKind::change_rejected;
    report.reason = number_or_none(message, tag::k_cxl_rej_reason);
  } else if (what == fix::type::k_business_message_reject) {
    report.kind = TradeReportKind::request_rejected;
    report.reason = number_or_none(message, tag::k_business_reject_reason);
    report.id = text_in(message, tag::k_business_reject_ref_id);
    report.text = text_in(message, tag::k_text);
    return report;
  } else {
    return fail(ErrorCode::not_supported, tag::k_msg_type, 0, static_cast<std::int64_t>(what), "an answer to an order");
  }
  if (report.kind != TradeReportKind::status) {
    report.id = text_in(message, tag::k_cl_ord_id);
    report.original_id = text_in(message, tag::k_orig_cl_ord_id);
  }
  report.order_id = text_in(message, tag::k_order_id);
  report.symbol = text_in(message, tag::k_symbol);
  report.text = text_in(message, tag::k_text);
  return report;
}

}  // namespace dojima::app
