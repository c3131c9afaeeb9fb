#include <array>
#include <charconv>
#include <initializer_list>

#include "dojima/mit/identifiers.hpp"
#include "dojima/mit/lse_21_2_codec.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit::lse_21_2 {
namespace {

using market::OwnerReport;
using market::OwnerReportKind;
using time::Time;

constexpr std::int64_t k_second = 1'000'000'000;

/// The first rule that a message breaks, with the protocol's code for it.
struct Fault {
  std::int32_t code = code::k_success;
  const char* name = nullptr;
  Error error;
  [[nodiscard]] bool is_none() const noexcept { return name == nullptr; }
};

/// Characters of ClientOrderID and Account: null and 32-126 without # / ; \.
consteval std::array<bool, 256> identifier_characters() {
  std::array<bool, 256> allowed{};
  allowed[0] = true;
  for (std::size_t c = 32; c <= 126; ++c) allowed[c] = true;
  for (const char c : {'#', '/', ';', '\\'}) allowed[static_cast<unsigned char>(c)] = false;
  return allowed;
}

constexpr std::array<bool, 256> k_identifier_characters = identifier_characters();

/// Checks a message field by field. Only the first broken rule counts, so rules stand in the order in which the
/// protocol applies them.
class Rules {
 public:
  explicit Rules(Bytes message) noexcept : message_(message) {}

  template <class Field>
  Rules& require(bool holds, Field field, std::int64_t got, const char* expected,
                 std::int32_t code = code::k_value_invalid, ErrorCode kind = ErrorCode::out_of_range) noexcept {
    if (!holds && fault_.is_none()) [[unlikely]]
      fault_ = {code, field.name, {kind, field.offset, field.offset, got, expected}};
    return *this;
  }

  /// Characters 0 to 127, in the whole field.
  template <std::size_t Width>
  Rules& ascii(TextField<Width> field) noexcept {
    std::byte all{0};
    for (const std::byte c : message_.subspan(field.offset, Width)) all |= c;
    return require((all & std::byte{0x80}) == std::byte{0}, field, 0, "characters 0 to 127", code::k_value_invalid,
                   ErrorCode::malformed);
  }

  /// Characters that ClientOrderID and Account may have.
  template <std::size_t Width>
  Rules& identifier(TextField<Width> field) noexcept {
    bool holds = true;
    for (const std::byte c : message_.subspan(field.offset, Width))
      holds = holds && k_identifier_characters[std::to_integer<std::size_t>(c)];
    return require(holds, field, 0, "characters 32 to 126 without # / ; \\", code::k_value_invalid,
                   ErrorCode::malformed);
  }

  template <std::size_t Width>
  Rules& present(TextField<Width> field) noexcept {
    return require(message_[field.offset] != std::byte{0}, field, 0, "a value", code::k_value_missing,
                   ErrorCode::missing);
  }

  template <class T, Wire Type>
  Rules& at_least(NumberField<T, Type> field, std::int64_t least, std::int32_t code = code::k_value_invalid) noexcept {
    const std::int64_t value = load(message_, field);
    return require(value >= least, field, value, least == 0 ? "0 or more" : "1 or more", code);
  }

  template <class T, Wire Type>
  Rules& one_of(NumberField<T, Type> field, std::initializer_list<int> values) noexcept {
    const T value = load(message_, field);
    bool holds = false;
    for (const int allowed : values) holds = holds || value == static_cast<T>(allowed);
    return require(holds, field, value, "a value of the field's table");
  }

  /// No order id, or one in base 62.
  Rules& order_id(TextField<k_order_id_width> field) noexcept {
    const Text<k_order_id_width> text = load(message_, field);
    return require(text.is_empty() || parse_base62(text.view()).has_value(), field, 0, "an order id in base 62",
                   code::k_value_invalid, ErrorCode::malformed);
  }

  [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

 private:
  Bytes message_;
  Fault fault_;
};

/// Order ids that passed their rule; 0 for none.
[[nodiscard]] std::uint64_t id_in(Bytes message, TextField<k_order_id_width> field) noexcept {
  return parse_base62(load(message, field).view()).value_or(0);
}

[[nodiscard]] Time seconds_in(Bytes message, UInt32Field field) noexcept {
  return time::from_nanoseconds(load(message, field) * k_second);
}

// Requests
// -------------------------------------------------------------------------------------------------------------

Fault check_logon(Bytes message) {
  using M = Logon;
  return Rules(message)
      .ascii(M::user_name)
      .present(M::user_name)
      .ascii(M::password)
      .present(M::password)
      .ascii(M::new_password)
      .one_of(M::message_version, {1})
      .fault();
}

void read_logon(Bytes message, Inbound& request) {
  using M = Logon;
  mit::Logon& logon = begin(request, Inbound::Kind::logon, request.logon);
  logon.user = load(message, M::user_name);
  logon.password = load(message, M::password);
  logon.new_password = load(message, M::new_password);
}

Fault check_logout(Bytes message) {
  return Rules(message).ascii(Logout::reason).fault();
}

/// ClientID, InvestmentDecisionMaker and ExecutingTrader are short codes from here on; below stand reserved values.
constexpr std::uint32_t k_first_short_code = 4;

/// The qualifier of party 0, 1 or 2 must say what a short code stands for.
[[nodiscard]] bool is_qualified(std::uint8_t qualifiers, unsigned party, std::uint32_t id) noexcept {
  return id < k_first_short_code || (qualifiers >> (2 * party) & 3) != 0;
}

/// Level 1: every field by itself, in wire order.
void check_new_order_values(Rules& rules, Bytes message) {
  using M = NewOrder;
  const std::uint8_t mifid = load(message, M::mifid_flags);
  const std::uint8_t qualifiers = load(message, M::party_role_qualifiers);
  const std::uint8_t tif = load(message, M::tif);
  const std::uint32_t client = load(message, M::client_id);
  const std::uint32_t decision_maker = load(message, M::investment_decision_maker);
  const std::uint32_t trader = load(message, M::executing_trader);
  const bool is_pegged = load(message, M::order_sub_type) == static_cast<std::uint8_t>(market::OrderSubType::pegged);
  rules.identifier(M::client_order_id)
      .present(M::client_order_id)
      .ascii(M::trader_id)
      .identifier(M::account)
      .one_of(M::clearing_account, {1, 3})
      .at_least(M::instrument_id, 1)
      .require((mifid & 0xf8) == 0, M::mifid_flags, mifid, "bits 3 to 7 zero")
      .require((qualifiers & 0xc0) == 0, M::party_role_qualifiers, qualifiers, "bits 6 and 7 zero")
      .one_of(M::order_type, {1, 2, 3, 4})
      .require(is_time_in_force(tif), M::tif, tif, "a value of the TIF table")
      .one_of(M::side, {1, 2})
      .at_least(M::order_qty, 1)
      .at_least(M::display_qty, 0)
      .one_of(M::capacity, {1, 2, 3})
      .one_of(M::auto_cancel, {0, 1})
      .one_of(M::order_sub_type, {0, 5, 51, 55})
      .one_of(M::anonymity, {0, 1})
      .one_of(M::passive_only_order, {0, 1, 2, 3, 99, 100})
      .require(client != 3, M::client_id, client, "0, 1, 2 or a short code from 4")
      .require(decision_maker == 0 || decision_maker >= k_first_short_code, M::investment_decision_maker,
               decision_maker, "0 or a short code from 4");
  if (is_pegged) rules.at_least(M::minimum_quantity, 0);
  rules.require(trader >= 3, M::executing_trader, trader, "3 or a short code from 4");
  if (is_pegged) rules.one_of(M::pegged_exec_inst, {0, 1, 2});
  rules.one_of(M::owner_type, {0, 1, 2});
}

/// Level 2: what a field must be because of others.
void check_new_order_conditions(Rules& rules, Bytes message) {
  using M = NewOrder;
  const std::uint8_t qualifiers = load(message, M::party_role_qualifiers);
  const std::uint8_t type = load(message, M::order_type);
  const bool is_offset = load(message, M::order_sub_type) == static_cast<std::uint8_t>(market::OrderSubType::offset);
  rules.require(is_qualified(qualifiers, 0, load(message, M::client_id)) &&
                    is_qualified(qualifiers, 1, load(message, M::investment_decision_maker)) &&
                    is_qualified(qualifiers, 2, load(message, M::executing_trader)),
                M::party_role_qualifiers, qualifiers, "a qualifier for every short code");
  if (type == 2 || type == 4) rules.at_least(M::limit_price, is_offset ? 0 : 1);
  if (type == 3 || type == 4) rules.at_least(M::stop_price, 1);
}

Fault check_new_order(Bytes message) {
  Rules rules(message);
  check_new_order_values(rules, message);
  check_new_order_conditions(rules, message);
  return rules.fault();
}

/// Fields that do not apply to the kind of order are ignored: they become 0.
void read_new_order(Bytes message, Inbound& request) {
  using M = NewOrder;
  using market::OrderSubType, market::OrderType, market::TimeInForce;
  market::NewOrder& order = begin(request, Inbound::Kind::new_order, request.new_order);
  order.header.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id));

  market::OrderTerms& terms = order.terms;
  terms.type = static_cast<OrderType>(load(message, M::order_type));
  terms.sub_type = static_cast<OrderSubType>(load(message, M::order_sub_type));
  terms.time_in_force = static_cast<TimeInForce>(load(message, M::tif));
  if (terms.type == OrderType::limit || terms.type == OrderType::stop_limit)
    terms.limit.units = load(message, M::limit_price);
  if (terms.type == OrderType::stop || terms.type == OrderType::stop_limit)
    terms.stop.units = load(message, M::stop_price);
  terms.quantity.lots = load(message, M::order_qty);
  terms.displayed.lots = load(message, M::display_qty);
  if (terms.sub_type == OrderSubType::pegged) {
    terms.minimum.lots = load(message, M::minimum_quantity);
    terms.peg = load(message, M::pegged_exec_inst);
  }
  if (terms.time_in_force == TimeInForce::good_till_date || terms.time_in_force == TimeInForce::good_till_time)
    terms.expiry = seconds_in(message, M::expire_date_time);
  if (terms.sub_type == OrderSubType::offset) terms.offset_bp = load(message, M::offset);
  terms.group = load(message, M::group_id);
  terms.side = static_cast<market::Side>(load(message, M::side));
  terms.passive = load(message, M::passive_only_order);
  terms.capacity = static_cast<market::Capacity>(load(message, M::capacity));
  if (load(message, M::auto_cancel) != 0) terms.flags |= market::k_auto_cancel;
  if (load(message, M::anonymity) != 0) terms.flags |= market::k_named;
  terms.owner_type = load(message, M::owner_type);

  market::OrderLabels& labels = order.labels;
  labels.client_order_id = load(message, M::client_order_id);
  labels.account = load(message, M::account);
  labels.trader = load(message, M::trader_id);
  labels.clearing = load(message, M::clearing_account);
  labels.mifid = load(message, M::mifid_flags);
  labels.roles = load(message, M::party_role_qualifiers);
  labels.client = load(message, M::client_id);
  labels.decision_maker = load(message, M::investment_decision_maker);
  labels.executing_trader = load(message, M::executing_trader);
}

Fault check_replace(Bytes message) {
  using M = OrderCancelReplaceRequest;
  return Rules(message)
      .identifier(M::client_order_id)
      .present(M::client_order_id)
      .ascii(M::original_client_order_id)
      .order_id(M::order_id)
      .at_least(M::instrument_id, 1)
      .one_of(M::reserved_2, {0})
      .at_least(M::order_qty, 1, code::k_replace_quantity)
      .at_least(M::display_qty, 0)
      .identifier(M::account)
      .one_of(M::reserved_3, {0})
      .one_of(M::side, {1, 2})
      .one_of(M::passive_only_order, {0, 1, 2, 3, 99, 100})
      .at_least(M::minimum_quantity, 0)
      .fault();
}

void read_replace(Bytes message, Inbound& request) {
  using M = OrderCancelReplaceRequest;
  market::Replace& replace = begin(request, Inbound::Kind::replace, request.replace);
  replace.header.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id));
  replace.order.value = id_in(message, M::order_id);
  replace.limit.units = load(message, M::limit_price);
  replace.stop.units = load(message, M::stop_price);
  replace.quantity.lots = load(message, M::order_qty);
  replace.displayed.lots = load(message, M::display_qty);
  replace.minimum.lots = load(message, M::minimum_quantity);
  replace.expiry = seconds_in(message, M::expire_date_time);
  replace.offset_bp = load(message, M::offset);
  replace.side = static_cast<market::Side>(load(message, M::side));
  replace.group = load(message, M::group_id);
  replace.passive = static_cast<std::uint8_t>(load(message, M::passive_only_order));
  replace.client_order_id = load(message, M::client_order_id);
  replace.original_client_order_id = load(message, M::original_client_order_id);
  replace.account = load(message, M::account);
}

Fault check_cancel(Bytes message) {
  using M = OrderCancelRequest;
  return Rules(message)
      .identifier(M::client_order_id)
      .present(M::client_order_id)
      .ascii(M::original_client_order_id)
      .order_id(M::order_id)
      .at_least(M::instrument_id, 1)
      .one_of(M::side, {1, 2})
      .require(message[M::rfq_id.offset] == std::byte{0}, M::rfq_id, 0, "null: there are no RFQ quotes to cancel")
      .fault();
}

void read_cancel(Bytes message, Inbound& request) {
  using M = OrderCancelRequest;
  market::Cancel& cancel = begin(request, Inbound::Kind::cancel, request.cancel);
  cancel.header.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id));
  cancel.order.value = id_in(message, M::order_id);
  cancel.client_order_id = load(message, M::client_order_id);
  cancel.original_client_order_id = load(message, M::original_client_order_id);
  cancel.side = static_cast<market::Side>(load(message, M::side));
}

/// A fault of the header: the rest of the message cannot be trusted.
Fault header_fault(const char* name, std::size_t offset, std::int64_t got, const char* expected) {
  return {
      code::k_value_invalid,
      name,
      {ErrorCode::malformed, static_cast<std::uint16_t>(offset), static_cast<std::uint32_t>(offset), got, expected}};
}

/// Whether the frame is one of `Message`.
template <class Message>
Fault check_size(Bytes message) {
  if (message.size() == Message::k_size) return {};
  return header_fault("MessageLength", k_length_offset, static_cast<std::int64_t>(message.size()),
                      "the exact length of the message type");
}

Fault unknown_type(char type) {
  return header_fault("MessageType", k_type_offset, static_cast<unsigned char>(type), "a message type that is offered");
}

/// Checks, then reads. `ids` is where a refused request's ClientOrderID stands, when it can be read at all.
template <class Message>
Fault decode_as(Bytes message, Inbound& request, Fault (*check)(Bytes), void (*read)(Bytes, Inbound&)) {
  Fault fault = check_size<Message>(message);
  if (fault.is_none()) fault = check(message);
  if (fault.is_none()) read(message, request);
  return fault;
}

Fault decode_any(Bytes message, char type, Inbound& request) {
  switch (type) {
    case NewOrder::k_type:
      return decode_as<NewOrder>(message, request, check_new_order, read_new_order);
    case OrderCancelReplaceRequest::k_type:
      return decode_as<OrderCancelReplaceRequest>(message, request, check_replace, read_replace);
    case OrderCancelRequest::k_type:
      return decode_as<OrderCancelRequest>(message, request, check_cancel, read_cancel);
    case Logon::k_type:
      return decode_as<Logon>(message, request, check_logon, read_logon);
    case Logout::k_type:
      return decode_as<Logout>(message, request, check_logout, [](Bytes bytes, Inbound& logout) {
        begin(logout, Inbound::Kind::logout, logout.logout).reason = load(bytes, Logout::reason);
      });
    case Heartbeat::k_type:
      request.kind = Inbound::Kind::heartbeat;
      return check_size<Heartbeat>(message);
    default:
      return unknown_type(type);
  }
}

/// ClientOrderID is the first field of these three, so it could be read unless the fault is its own or the header's.
constexpr auto k_client_order_id = NewOrder::client_order_id;
static_assert(OrderCancelReplaceRequest::client_order_id.offset == k_client_order_id.offset &&
              OrderCancelRequest::client_order_id.offset == k_client_order_id.offset);

void fill_refusal(Bytes message, char type, const Fault& fault, mit::Reject& refusal) {
  refusal = {.code = fault.code, .reason = Text<30>::cut(fault.name), .type = type};
  const bool has_id =
      type == NewOrder::k_type || type == OrderCancelReplaceRequest::k_type || type == OrderCancelRequest::k_type;
  if (has_id && fault.error.offset > k_client_order_id.offset)
    refusal.client_order_id = load(message, k_client_order_id);
}

// Replies
// --------------------------------------------------------------------------------------------------------------

[[nodiscard]] OwnerReportKind kind_of(char exec_type) noexcept {
  switch (exec_type) {
    case '0':
      return OwnerReportKind::accepted;
    case 'F':
      return OwnerReportKind::traded;
    case '4':
      return OwnerReportKind::cancelled;
    case '5':
      return OwnerReportKind::replaced;
    case 'C':
      return OwnerReportKind::expired;
    case '8':
      return OwnerReportKind::rejected;
    default:
      return OwnerReportKind::none;
  }
}

/// Nanoseconds below a second, in the high word.
void check_instant(Rules& rules, Bytes message, UInt64Field field) {
  const std::uint64_t nanoseconds = load(message, field) >> 32;
  rules.require(nanoseconds < std::uint64_t{k_second}, field, static_cast<std::int64_t>(nanoseconds),
                "nanoseconds below one second");
}

[[nodiscard]] Time instant_in(Bytes message, UInt64Field field) noexcept {
  const std::uint64_t both = load(message, field);
  const auto seconds = static_cast<std::int64_t>(both & 0xffff'ffff);
  return time::from_nanoseconds(seconds * k_second + static_cast<std::int64_t>(both >> 32));
}

[[nodiscard]] market::Sequence sequence_in(Bytes message, Int32Field field) noexcept {
  return {static_cast<std::uint64_t>(load(message, field))};
}

Fault check_execution_report(Bytes message) {
  using M = ExecutionReport;
  Rules rules(message);
  const char exec_type = load(message, M::exec_type);
  rules.at_least(M::sequence_no, 0)
      .order_id(M::execution_id)
      .ascii(M::client_order_id)
      .order_id(M::order_id)
      .require(kind_of(exec_type) != OwnerReportKind::none, M::exec_type, exec_type, "ExecType 0 4 5 8 C or F",
               code::k_value_invalid, ErrorCode::not_supported)
      .one_of(M::order_status, {0, 1, 2, 4, 6, 8, 9})
      .at_least(M::executed_qty, 0)
      .at_least(M::leaves_qty, 0)
      .at_least(M::display_qty, 0)
      .at_least(M::instrument_id, 0)
      .one_of(M::side, {0, 1, 2})
      .ascii(M::counterparty);
  check_instant(rules, message, M::transact_time);
  return rules.one_of(M::capacity, {0, 1, 2, 3}).order_id(M::public_order_id).at_least(M::minimum_quantity, 0).fault();
}

void read_execution_report(Bytes message, Outbound& reply) {
  using M = ExecutionReport;
  Report& read = begin(reply, Outbound::Kind::report, reply.report);
  read.code = load(message, M::order_reject_code);
  OwnerReport& report = read.report;
  report.sequence = sequence_in(message, M::sequence_no);
  report.time = instant_in(message, M::transact_time);
  report.order.value = id_in(message, M::order_id);
  report.public_order.value = id_in(message, M::public_order_id);
  report.execution = id_in(message, M::execution_id);
  report.trade = load(message, M::trade_match_id);
  report.price.units = load(message, M::executed_price);
  report.quantity.lots = load(message, M::executed_qty);
  report.leaves.lots = load(message, M::leaves_qty);
  report.displayed.lots = load(message, M::display_qty);
  report.minimum.lots = load(message, M::minimum_quantity);
  report.client_order_id = load(message, M::client_order_id);
  report.counterparty = load(message, M::counterparty);
  report.partition = load(message, M::app_id);
  report.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id));
  report.kind = kind_of(load(message, M::exec_type));
  report.status = static_cast<market::OrderStatus>(load(message, M::order_status));
  report.side = static_cast<market::Side>(load(message, M::side));
  report.reason = reason_of(read.code);
  report.capacity = static_cast<market::Capacity>(load(message, M::capacity));
  report.liquidity = load(message, M::trade_liquidity_indicator);
  report.restatement = load(message, M::restatement_reason);
  report.peg = load(message, M::pegged_exec_inst);
  report.owner_type = load(message, M::owner_type);
  report.waiver = load(message, M::waiver_flags);
  report.last_market = load(message, M::last_market);
  report.type_of_trade = load(message, M::type_of_trade);
}

/// The OrderID of `9` and `j`: "NONE", though base 62 by its letters, is no order.
[[nodiscard]] std::uint64_t id_or_none_in(Bytes message, TextField<k_order_id_width> field) noexcept {
  return load(message, field).view() == "NONE" ? 0 : id_in(message, field);
}

Fault check_cancel_reject(Bytes message) {
  using M = OrderCancelReject;
  Rules rules(message);
  rules.at_least(M::sequence_no, 0).ascii(M::client_order_id).order_id(M::order_id);
  check_instant(rules, message, M::transact_time);
  return rules.fault();
}

void read_cancel_reject(Bytes message, Outbound& reply) {
  using M = OrderCancelReject;
  Report& read = begin(reply, Outbound::Kind::report, reply.report);
  read.code = load(message, M::cancel_reject_reason);
  OwnerReport& report = read.report;
  report.kind = OwnerReportKind::request_rejected;
  report.sequence = sequence_in(message, M::sequence_no);
  report.time = instant_in(message, M::transact_time);
  report.order.value = id_or_none_in(message, M::order_id);
  report.client_order_id = load(message, M::client_order_id);
  report.partition = load(message, M::app_id);
  report.reason = reason_of(read.code);
}

Fault check_business_reject(Bytes message) {
  using M = BusinessReject;
  Rules rules(message);
  rules.at_least(M::sequence_no, 0).ascii(M::client_order_id).order_id(M::order_id);
  check_instant(rules, message, M::transact_time);
  return rules.fault();
}

void read_business_reject(Bytes message, Outbound& reply) {
  using M = BusinessReject;
  Report& read = begin(reply, Outbound::Kind::report, reply.report);
  read.code = load(message, M::reject_code);
  OwnerReport& report = read.report;
  report.kind = OwnerReportKind::business_rejected;
  report.sequence = sequence_in(message, M::sequence_no);
  report.time = instant_in(message, M::transact_time);
  report.order.value = id_or_none_in(message, M::order_id);
  report.client_order_id = load(message, M::client_order_id);
  report.partition = load(message, M::app_id);
  report.reason = reason_of(read.code);
}

/// The text is for people; a client that cannot read it can still trade.
[[nodiscard]] std::int32_t days_in(Bytes message) noexcept {
  const Text<30> text = load(message, LogonReply::password_expiry_day_count);
  const std::string_view digits = text.view();
  std::int32_t days = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), days);
  const bool is_whole = error == std::errc{} && end == digits.data() + digits.size() && days >= 0;
  return is_whole ? days : mit::LogonReply::k_days_not_stated;
}

void read_logon_reply(Bytes message, Outbound& reply) {
  mit::LogonReply& read = begin(reply, Outbound::Kind::logon_reply, reply.logon_reply);
  read.code = load(message, LogonReply::reject_code);
  read.days = days_in(message);
}

Fault check_reject(Bytes message) {
  return Rules(message).ascii(Reject::reject_reason).ascii(Reject::client_order_id).fault();
}

void read_reject(Bytes message, Outbound& reply) {
  mit::Reject& read = begin(reply, Outbound::Kind::reject, reply.reject);
  read.code = load(message, Reject::reject_code);
  read.reason = load(message, Reject::reject_reason);
  read.type = load(message, Reject::rejected_message_type);
  read.client_order_id = load(message, Reject::client_order_id);
}

void read_logout_reply(Bytes message, Outbound& reply) {
  begin(reply, Outbound::Kind::logout, reply.logout).reason = load(message, Logout::reason);
}

void read_system_status(Bytes message, Outbound& reply) {
  mit::SystemStatus& read = begin(reply, Outbound::Kind::system_status, reply.system_status);
  read.partition = load(message, SystemStatus::app_id);
  read.status = load(message, SystemStatus::app_status);
}

Fault check_nothing(Bytes) {
  return {};
}

template <class Message>
Fault decode_reply_as(Bytes message, Outbound& reply, Fault (*check)(Bytes), void (*read)(Bytes, Outbound&)) {
  Fault fault = check_size<Message>(message);
  if (fault.is_none()) fault = check(message);
  if (fault.is_none()) read(message, reply);
  return fault;
}

Fault decode_any_reply(Bytes message, char type, Outbound& reply) {
  switch (type) {
    case ExecutionReport::k_type:
      return decode_reply_as<ExecutionReport>(message, reply, check_execution_report, read_execution_report);
    case OrderCancelReject::k_type:
      return decode_reply_as<OrderCancelReject>(message, reply, check_cancel_reject, read_cancel_reject);
    case BusinessReject::k_type:
      return decode_reply_as<BusinessReject>(message, reply, check_business_reject, read_business_reject);
    case Reject::k_type:
      return decode_reply_as<Reject>(message, reply, check_reject, read_reject);
    case LogonReply::k_type:
      return decode_reply_as<LogonReply>(message, reply, check_nothing, read_logon_reply);
    case Logout::k_type:
      return decode_reply_as<Logout>(message, reply, check_logout, read_logout_reply);
    case SystemStatus::k_type:
      return decode_reply_as<SystemStatus>(message, reply, check_nothing, read_system_status);
    case Heartbeat::k_type:
      reply.kind = Outbound::Kind::heartbeat;
      return check_size<Heartbeat>(message);
    default:
      return unknown_type(type);
  }
}

/// The type of a message whose header agrees with its bytes.
Result<char> type_of(Bytes message) {
  const Result<Frame> frame = read_frame(message, k_longest);
  if (!frame) return std::unexpected(frame.error());
  if (frame->size != message.size())
    return fail(ErrorCode::malformed, k_length_offset, k_length_offset, static_cast<std::int64_t>(frame->size),
                "the length of the message");
  return frame->type;
}

}  // namespace

Result<void> decode_request(Bytes message, Inbound& request, mit::Reject& refusal) {
  request.kind = Inbound::Kind::none;
  const Result<char> type = type_of(message);
  if (!type) {
    refusal = {.code = code::k_value_invalid,
               .reason = Text<30>::cut(type.error().offset == 0 ? "StartOfMessage" : "MessageLength")};
    return std::unexpected(type.error());
  }
  const Fault fault = decode_any(message, *type, request);
  if (fault.is_none()) return {};
  request.kind = Inbound::Kind::none;
  fill_refusal(message, *type, fault, refusal);
  return std::unexpected(fault.error);
}

Result<void> decode_reply(Bytes message, Outbound& reply) {
  reply.kind = Outbound::Kind::none;
  const Result<char> type = type_of(message);
  if (!type) return std::unexpected(type.error());
  const Fault fault = decode_any_reply(message, *type, reply);
  if (fault.is_none()) return {};
  reply.kind = Outbound::Kind::none;
  return std::unexpected(fault.error);
}

}  // namespace dojima::mit::lse_21_2
