#pragma once

// Writes ExecutionReports, for any dialect that has tables (codec_tables.hpp), in two ways that give the same bytes:
// `write` patches the fields of a report into the image of an empty message, for values that every dialect can carry,
// which one test says; `compose` looks at each field and says which one cannot be carried. Instantiated once per
// dialect, in its own source. Stateless, no allocation.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "dojima/mit/codec/carried_report.hpp"
#include "dojima/mit/codec/composer.hpp"
#include "dojima/mit/codec/empty_message.hpp"
#include "dojima/mit/codec/exec_types.hpp"

namespace dojima::mit {

template <class D>
class ExecutionReportWriter {
  using M = typename D::ExecutionReport;
  using OwnerReportKind = market::OwnerReportKind;

 public:
  /// The bytes written of a report that is carried; 0, and nothing was written: encode() says why not. `Kind`: the
  /// report's, where that is known; none: any. A number in a register, where a Result would go through memory.
  template <OwnerReportKind Kind = OwnerReportKind::none>
  [[gnu::noinline]] static std::size_t write_carried(const market::OwnerReport& report, std::int32_t code,
                                                     Room room) noexcept {
    if (room.size() < M::k_size || !is_carried_by_all(report)) [[unlikely]]
      return 0;
    write<Kind>(report, code, room.first(M::k_size));
    return M::k_size;
  }
  /// The bytes written; an Error that names a value which the dialect cannot carry, or `no_room`.
  static Result<std::size_t> encode(const market::OwnerReport& report, std::int32_t code, Room room) {
    if (const std::size_t size = write_carried(report, code, room); size != 0) return size;
    return compose(report, code, room);
  }

  /// Of a report that is carried, into exactly its bytes.
  template <OwnerReportKind Kind = OwnerReportKind::none>
  static void write(const market::OwnerReport& report, std::int32_t code, Room whole) noexcept {
    const OwnerReportKind kind = Kind != OwnerReportKind::none ? Kind : report.kind;
    const Room message(whole.data(), M::k_size);  // a length that the compiler knows
    static constexpr EmptyWords<M> k_empty = words_beside<M>(written());
    write_empty<k_empty>(message);
    store(message, M::app_id, report.partition);
    patch(message, M::sequence_no, report.sequence.value);
    if (report.execution != 0) [[likely]]
      write_execution_id(report.execution, reinterpret_cast<char*>(message.data()) + M::execution_id.offset);
    else
      store(message, M::execution_id, {});
    store(message, M::client_order_id, report.client_order_id);
    write_order_ids(report, message);
    store(message, M::exec_type, exec_type_of<D>(kind));
    if (report.reference != 0) [[unlikely]]
      patch_id(message, M::execution_report_ref_id, report.reference);
    patch(message, M::order_status, report.status);
    store(message, M::order_reject_code, has_code(kind) ? code : 0);
    store(message, M::executed_price, report.price.units);
    patch(message, M::executed_qty, bits_of(report.quantity));
    patch(message, M::leaves_qty, bits_of(report.leaves));
    patch(message, M::waiver_flags, report.waiver);
    patch(message, M::display_qty, bits_of(report.displayed));
    patch(message, M::instrument_id, report.instrument);
    patch(message, M::restatement_reason, report.restatement);
    patch(message, M::side, report.side);
    store(message, M::counterparty, report.counterparty);
    store(message, M::trade_liquidity_indicator, report.liquidity);
    store(message, M::trade_match_id, report.trade);
    store(message, M::transact_time, instant_of<D>(report.time));
    patch(message, M::type_of_trade, report.type_of_trade);
    if constexpr (requires { M::pegged_exec_inst; }) patch(message, M::pegged_exec_inst, report.peg);
    if constexpr (requires { M::owner_type; }) patch(message, M::owner_type, report.owner_type);
    if constexpr (requires { M::last_market; }) patch(message, M::last_market, report.last_market);
    if constexpr (requires { M::capacity; }) patch(message, M::capacity, report.capacity);
    if constexpr (requires { M::minimum_quantity; }) patch(message, M::minimum_quantity, bits_of(report.minimum));
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
        .put(M::exec_type, exec_type_of<D>(report.kind))
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

 private:
  /// OrderID and PublicOrderID, which are the same at our venue.
  [[gnu::always_inline]] static void write_order_ids(const market::OwnerReport& report, Room message) noexcept {
    const std::uint64_t order = report.order.value, shown = report.public_order.value;
    patch_id_or_none(message, M::order_id, order);
    if (shown == order) [[likely]]
      std::memcpy(message.data() + M::public_order_id.offset, message.data() + M::order_id.offset, k_order_id_width);
    else
      patch_id_or_none(message, M::public_order_id, shown);
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
};

}  // namespace dojima::mit
