#pragma once

// Writes ExecutionReports and OrderCancelRejects, for any dialect that has tables (codec_tables.hpp), in two ways that
// give the same bytes: `write` patches the fields of a report into the image of an empty message, for values that every
// dialect can carry, which `is_carried` says in one test; `compose` looks at each field and says which one cannot be
// carried. Instantiated once per dialect, in its own source. Stateless, no allocation.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "dojima/mit/codec/composer.hpp"

namespace dojima::mit {

/// Start byte, length and type of a message; nulls in all its fields.
template <class Message>
[[nodiscard]] consteval std::array<std::byte, Message::k_size> empty_message() {
  std::array<std::byte, Message::k_size> bytes{};
  constexpr auto length = static_cast<std::uint16_t>(Message::k_size - k_uncounted);
  bytes[0] = k_start_of_message;
  bytes[k_length_offset] = static_cast<std::byte>(length & 0xff);
  bytes[k_length_offset + 1] = static_cast<std::byte>(length >> 8);
  bytes[k_type_offset] = static_cast<std::byte>(Message::k_type);
  return bytes;
}

/// Words of an empty message, and where they stand.
template <class Message>
struct EmptyWords {
  struct Word {
    std::uint64_t bytes = 0;
    std::uint16_t offset = 0;
  };
  std::array<Word, Message::k_size / sizeof(std::uint64_t) + 1> words{};
  std::size_t count = 0;
};

/// A mark for each byte of a message that has a field of these.
template <class Message, class... Fields>
[[nodiscard]] consteval std::array<bool, Message::k_size> bytes_of(const Fields&... fields) {
  std::array<bool, Message::k_size> marks{};
  (..., std::fill_n(marks.begin() + fields.offset, fields.info().width, true));
  return marks;
}

/// Those that cover what is not `written` of an empty message. What else is in them is written behind them.
template <class Message>
[[nodiscard]] consteval EmptyWords<Message> words_beside(const std::array<bool, Message::k_size>& written) {
  const auto bytes = empty_message<Message>();
  EmptyWords<Message> found;
  for (std::size_t at = 0; at < Message::k_size; ++at) {
    if (written[at]) continue;
    auto& word = found.words[found.count++];
    word.offset = static_cast<std::uint16_t>(std::min(at, Message::k_size - sizeof word.bytes));
    for (std::size_t byte = 0; byte < sizeof word.bytes; ++byte)
      word.bytes |= std::to_integer<std::uint64_t>(bytes[word.offset + byte]) << (8 * byte);
    at = word.offset + sizeof word.bytes - 1;
  }
  return found;
}

template <class D>
class ReportWriter {
  using M = typename D::ExecutionReport;
  using Refusal = typename D::OrderCancelReject;
  using OwnerReportKind = market::OwnerReportKind;

 public:
  /// The bytes written of a report that is carried; 0, and nothing was written: encode() says why not. `Kind`: the
  /// report's, where that is known; none: any. A number in a register, where a Result would go through memory.
  template <OwnerReportKind Kind = OwnerReportKind::none>
  [[gnu::noinline]] static std::size_t write_carried(const market::OwnerReport& report, std::int32_t code,
                                                     Room room) noexcept {
    if (room.size() < M::k_size || !is_carried(report)) [[unlikely]]
      return 0;
    write<Kind>(report, code, room.first(M::k_size));
    return M::k_size;
  }
  [[gnu::noinline]] static std::size_t write_carried_cancel_reject(const market::OwnerReport& report, std::int32_t code,
                                                                   Room room) noexcept {
    if (room.size() < Refusal::k_size || !is_carried(report)) [[unlikely]]
      return 0;
    write_cancel_reject(report, code, room.first(Refusal::k_size));
    return Refusal::k_size;
  }

  /// The bytes written; an Error that names a value which the dialect cannot carry, or `no_room`.
  static Result<std::size_t> encode(const market::OwnerReport& report, std::int32_t code, Room room) {
    if (const std::size_t size = write_carried(report, code, room); size != 0) return size;
    return compose(report, code, room);
  }
  static Result<std::size_t> encode_cancel_reject(const market::OwnerReport& report, std::int32_t code, Room room) {
    if (const std::size_t size = write_carried_cancel_reject(report, code, room); size != 0) return size;
    return compose_cancel_reject(report, code, room);
  }

  /// Whether no value of the report is such that some dialect could not carry it.
  [[nodiscard, gnu::always_inline]] static bool is_carried(const market::OwnerReport& report) noexcept {
    // Numbers that are neither negative nor above 31 bits, or-ed.
    const std::uint64_t numbers = report.sequence.value | bits(report.quantity) | bits(report.leaves) |
                                  bits(report.displayed) | bits(report.minimum) | report.instrument;
    const std::uint64_t characters = all_characters(report);
    const auto nanoseconds = static_cast<std::uint64_t>(time::nanoseconds_of(report.time));
    return numbers <= k_most_number && (characters & 0x8080'8080'8080'8080) == 0 && nanoseconds < k_time_end &&
           static_cast<std::uint8_t>(report.side) < 128;
  }

  /// Of a report that is carried, into exactly its bytes.
  template <OwnerReportKind Kind = OwnerReportKind::none>
  static void write(const market::OwnerReport& report, std::int32_t code, Room whole) noexcept {
    const OwnerReportKind kind = Kind != OwnerReportKind::none ? Kind : report.kind;
    const Room message(whole.data(), M::k_size);  // a length that the compiler knows
    static constexpr EmptyWords<M> k_empty = words_beside<M>(written());
    write_empty<k_empty>(message);
    store(message, M::app_id, report.partition);
    put(message, M::sequence_no, report.sequence.value);
    if (report.execution != 0) [[likely]]
      write_execution_id(report.execution, reinterpret_cast<char*>(message.data()) + M::execution_id.offset);
    else
      store(message, M::execution_id, {});
    store(message, M::client_order_id, report.client_order_id);
    write_order_ids(report, message);
    store(message, M::exec_type, exec_type_of(kind));
    if (report.reference != 0) [[unlikely]]
      write_id(message, M::execution_report_ref_id, report.reference);
    put(message, M::order_status, report.status);
    store(message, M::order_reject_code, has_code(kind) ? code : 0);
    store(message, M::executed_price, report.price.units);
    put(message, M::executed_qty, bits(report.quantity));
    put(message, M::leaves_qty, bits(report.leaves));
    put(message, M::waiver_flags, report.waiver);
    put(message, M::display_qty, bits(report.displayed));
    put(message, M::instrument_id, report.instrument);
    put(message, M::restatement_reason, report.restatement);
    put(message, M::side, report.side);
    store(message, M::counterparty, report.counterparty);
    store(message, M::trade_liquidity_indicator, report.liquidity);
    store(message, M::trade_match_id, report.trade);
    store(message, M::transact_time, instant(report.time));
    put(message, M::type_of_trade, report.type_of_trade);
    if constexpr (requires { M::pegged_exec_inst; }) put(message, M::pegged_exec_inst, report.peg);
    if constexpr (requires { M::owner_type; }) put(message, M::owner_type, report.owner_type);
    if constexpr (requires { M::last_market; }) put(message, M::last_market, report.last_market);
    if constexpr (requires { M::capacity; }) put(message, M::capacity, report.capacity);
    if constexpr (requires { M::minimum_quantity; }) put(message, M::minimum_quantity, bits(report.minimum));
  }

  /// Of any report. Fields of the record that the dialect does not have are left out.
  [[gnu::noinline]] static Result<std::size_t> compose(const market::OwnerReport& report, std::int32_t code,
                                                       Room room) {
    Composer<M> composer(room);
    composer.put(M::app_id, report.partition)
        .put(M::sequence_no, report.sequence)
        .put_id(M::execution_id, report.execution)
        .put(M::client_order_id, report.client_order_id)
        .put_id(M::order_id, report.order.value)
        .put(M::exec_type, exec_type_of(report.kind))
        .put_id(M::execution_report_ref_id, report.reference)
        .put(M::order_status, number_of(report.status))
        .put(M::order_reject_code, has_code(report.kind) ? code : 0)
        .put(M::executed_price, report.price.units)
        .put(M::executed_qty, report.quantity.lots)
        .put(M::leaves_qty, report.leaves.lots)
        .put(M::waiver_flags, report.waiver)
        .put(M::display_qty, report.displayed.lots)
        .put(M::instrument_id, report.instrument)
        .put(M::restatement_reason, report.restatement)
        .put(M::side, number_of(report.side))
        .put(M::counterparty, report.counterparty)
        .put(M::trade_liquidity_indicator, report.liquidity)
        .put(M::trade_match_id, report.trade)
        .put_instant(M::transact_time, report.time, D::k_fraction_ns)
        .put(M::type_of_trade, report.type_of_trade)
        .put_id(M::public_order_id, report.public_order.value);
    if constexpr (requires { M::pegged_exec_inst; }) composer.put(M::pegged_exec_inst, report.peg);
    if constexpr (requires { M::owner_type; }) composer.put(M::owner_type, report.owner_type);
    if constexpr (requires { M::last_market; }) composer.put(M::last_market, report.last_market);
    if constexpr (requires { M::capacity; }) composer.put(M::capacity, number_of(report.capacity));
    if constexpr (requires { M::minimum_quantity; }) composer.put(M::minimum_quantity, report.minimum.lots);
    return composer.size();
  }

  static void write_cancel_reject(const market::OwnerReport& report, std::int32_t code, Room whole) noexcept {
    const Room message(whole.data(), Refusal::k_size);
    static constexpr EmptyWords<Refusal> k_empty = words_beside<Refusal>(
        bytes_of<Refusal>(Refusal::app_id, Refusal::sequence_no, Refusal::client_order_id, Refusal::order_id,
                          Refusal::cancel_reject_reason, Refusal::transact_time));
    write_empty<k_empty>(message);
    store(message, Refusal::app_id, report.partition);
    put(message, Refusal::sequence_no, report.sequence.value);
    store(message, Refusal::client_order_id, report.client_order_id);
    if (report.order.value != 0)
      write_id(message, Refusal::order_id, report.order.value);
    else
      store(message, Refusal::order_id, k_no_order);
    store(message, Refusal::cancel_reject_reason, code);
    store(message, Refusal::transact_time, instant(report.time));
  }

  [[gnu::noinline]] static Result<std::size_t> compose_cancel_reject(const market::OwnerReport& report,
                                                                     std::int32_t code, Room room) {
    Composer<Refusal> composer(room);
    composer.put(Refusal::app_id, report.partition)
        .put(Refusal::sequence_no, report.sequence)
        .put(Refusal::client_order_id, report.client_order_id)
        .put_id(Refusal::order_id, report.order.value)
        .put(Refusal::cancel_reject_reason, code)
        .put_instant(Refusal::transact_time, report.time, D::k_fraction_ns);
    if (report.order.value == 0) composer.put(Refusal::order_id, k_no_order);
    return composer.size();
  }

 private:
  static constexpr auto k_no_order = Text<k_order_id_width>::cut("NONE");
  static constexpr std::uint64_t k_most_number = std::numeric_limits<std::int32_t>::max();
  static constexpr std::uint64_t k_time_end = (std::uint64_t{1} << 32) * k_second;  // seconds of 32 bits

  [[nodiscard]] static std::uint64_t bits(market::Quantity quantity) noexcept {
    return static_cast<std::uint64_t>(quantity.lots);
  }
  /// The characters of both texts, which stand side by side, or-ed eight at a time; one counts twice.
  [[nodiscard]] static std::uint64_t all_characters(const market::OwnerReport& report) noexcept {
    constexpr std::size_t k_begin = offsetof(market::OwnerReport, client_order_id);
    constexpr std::size_t k_end = offsetof(market::OwnerReport, counterparty) + sizeof report.counterparty;
    static_assert(offsetof(market::OwnerReport, counterparty) == k_begin + sizeof report.client_order_id);
    const auto eight_at = [&report](std::size_t at) {
      std::uint64_t word = 0;
      std::memcpy(&word, reinterpret_cast<const char*>(&report) + at, sizeof word);
      return word;
    };
    std::uint64_t all = eight_at(k_end - sizeof(std::uint64_t));
    for (std::size_t at = k_begin; at < k_end - sizeof(std::uint64_t); at += sizeof(std::uint64_t)) all |= eight_at(at);
    return all;
  }

  template <class T, Wire Type, class Value>
  static void put(Room message, NumberField<T, Type> field, Value value) noexcept {
    store(message, field, static_cast<T>(value));
  }
  [[gnu::always_inline]] static void write_id(Room message, TextField<k_order_id_width> field,
                                              std::uint64_t id) noexcept {
    write_order_id(id, reinterpret_cast<char*>(message.data()) + field.offset);
  }
  [[gnu::always_inline]] static void write_id_or_none(Room message, TextField<k_order_id_width> field,
                                                      std::uint64_t id) noexcept {
    if (id != 0) [[likely]]
      write_id(message, field, id);
    else
      store(message, field, {});
  }
  /// OrderID and PublicOrderID, which are the same at our venue.
  [[gnu::always_inline]] static void write_order_ids(const market::OwnerReport& report, Room message) noexcept {
    const std::uint64_t order = report.order.value, shown = report.public_order.value;
    write_id_or_none(message, M::order_id, order);
    if (shown == order) [[likely]]
      std::memcpy(message.data() + M::public_order_id.offset, message.data() + M::order_id.offset, k_order_id_width);
    else
      write_id_or_none(message, M::public_order_id, shown);
  }
  /// Where `write` writes, whatever the report.
  [[nodiscard]] static consteval std::array<bool, M::k_size> written() {
    auto marks = bytes_of<M>(M::app_id, M::sequence_no, M::execution_id, M::client_order_id, M::order_id, M::exec_type,
                             M::order_status, M::order_reject_code, M::executed_price, M::executed_qty, M::leaves_qty,
                             M::waiver_flags, M::display_qty, M::instrument_id, M::restatement_reason, M::side,
                             M::counterparty, M::trade_liquidity_indicator, M::trade_match_id, M::transact_time,
                             M::type_of_trade, M::public_order_id);
    const auto add = [&marks](const auto& field) {
      std::fill_n(marks.begin() + field.offset, field.info().width, true);
    };
    if constexpr (requires { M::pegged_exec_inst; }) add(M::pegged_exec_inst);
    if constexpr (requires { M::owner_type; }) add(M::owner_type);
    if constexpr (requires { M::last_market; }) add(M::last_market);
    if constexpr (requires { M::capacity; }) add(M::capacity);
    if constexpr (requires { M::minimum_quantity; }) add(M::minimum_quantity);
    return marks;
  }
  template <const auto& Empty>
  [[gnu::always_inline]] static void write_empty(Room message) noexcept {
    [&message]<std::size_t... Number>(std::index_sequence<Number...>) {
      (..., store_little(message, Empty.words[Number].offset, Empty.words[Number].bytes));
    }(std::make_index_sequence<Empty.count>{});
  }
  [[nodiscard]] static std::uint64_t instant(time::Time at) noexcept {
    const auto nanoseconds = static_cast<std::uint64_t>(time::nanoseconds_of(at));
    return nanoseconds / k_second | nanoseconds % k_second / D::k_fraction_ns << 32;
  }

  /// Whether the code of a report travels with it.
  [[nodiscard]] static bool has_code(OwnerReportKind kind) noexcept {
    return kind == OwnerReportKind::rejected || kind == OwnerReportKind::expired;
  }

  /// BIT-9.4 has no ExecType 9: there a parked order is new, with OrderStatus 9.
  [[nodiscard]] static constexpr bool has_suspended() noexcept { return has_value(M::exec_type, '9'); }

  [[nodiscard]] static char exec_type_of(OwnerReportKind kind) noexcept {
    switch (kind) {
      case OwnerReportKind::accepted:
        return '0';
      case OwnerReportKind::traded:
        return 'F';
      case OwnerReportKind::cancelled:
        return '4';
      case OwnerReportKind::replaced:
        return '5';
      case OwnerReportKind::expired:
        return 'C';
      case OwnerReportKind::rejected:
        return '8';
      case OwnerReportKind::suspended:
        return has_suspended() ? '9' : '0';
      case OwnerReportKind::restated:
        return 'D';
      case OwnerReportKind::trade_cancelled:
        return 'H';
      default:
        return '\0';
    }
  }
};

}  // namespace dojima::mit
