#pragma once

// Writes what answers a request and is no ExecutionReport: OrderCancelReject, BusinessReject, OrderMassCancelReport.
// For any dialect that has tables (codec_tables.hpp). Instantiated once per dialect, in its own source. Stateless, no
// allocation.

#include <cstddef>

#include "dojima/mit/codec/carried_report.hpp"
#include "dojima/mit/codec/composer.hpp"
#include "dojima/mit/codec/empty_message.hpp"

namespace dojima::mit {

/// An OrderCancelReject is patched into an empty one where it can be, as ExecutionReports are, else composed: a client
/// may send many changes that come too late. The others are composed.
template <class D>
class AnswerWriter {
  using Refusal = typename D::OrderCancelReject;

 public:
  /// The bytes written of a report that is carried; 0, and nothing was written: encode_cancel_reject() says why not.
  [[gnu::noinline]] static std::size_t write_carried_cancel_reject(const market::OwnerReport& report, std::int32_t code,
                                                                   Room room) noexcept {
    if (room.size() < Refusal::k_size || !is_carried_by_all(report)) [[unlikely]]
      return 0;
    write_cancel_reject(report, code, room.first(Refusal::k_size));
    return Refusal::k_size;
  }

  /// The bytes written; an Error that names a value which the dialect cannot carry, or `no_room`.
  static Result<std::size_t> encode_cancel_reject(const market::OwnerReport& report, std::int32_t code, Room room) {
    if (const std::size_t size = write_carried_cancel_reject(report, code, room); size != 0) return size;
    return compose_cancel_reject(report, code, room);
  }

  static void write_cancel_reject(const market::OwnerReport& report, std::int32_t code, Room whole) noexcept {
    const Room message(whole.data(), Refusal::k_size);
    static constexpr EmptyWords<Refusal> k_empty = words_beside<Refusal>(
        bytes_of<Refusal>(Refusal::app_id, Refusal::sequence_no, Refusal::client_order_id, Refusal::order_id,
                          Refusal::cancel_reject_reason, Refusal::transact_time));
    write_empty<k_empty>(message);
    store(message, Refusal::app_id, report.partition);
    patch(message, Refusal::sequence_no, report.sequence.value);
    store(message, Refusal::client_order_id, report.client_order_id);
    if (report.order.value != 0)
      patch_id(message, Refusal::order_id, report.order.value);
    else
      store(message, Refusal::order_id, k_no_order);
    store(message, Refusal::cancel_reject_reason, code);
    store(message, Refusal::transact_time, instant_of<D>(report.time));
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

  [[gnu::noinline]] static Result<std::size_t> encode_business_reject(const market::OwnerReport& report,
                                                                      std::int32_t code, Room room) {
    using M = typename D::BusinessReject;
    Composer<M> composer(room);
    composer.put(M::app_id, report.partition)
        .put(M::sequence_no, report.sequence)
        .put(M::reject_code, code)
        .put(M::client_order_id, report.client_order_id)
        .put_id(M::order_id, report.order.value)
        .put_instant(M::transact_time, report.time, D::k_fraction_ns);
    return composer.size();
  }

  [[gnu::noinline]] static Result<std::size_t> encode_mass_cancel_report(const market::OwnerReport& report,
                                                                         std::int32_t code, Room room) {
    using M = typename D::OrderMassCancelReport;
    const bool is_accepted = report.reason == market::Reason::none;
    Composer<M> composer(room);
    composer.put(M::app_id, report.partition)
        .put(M::sequence_no, report.sequence)
        .put(M::client_order_id, report.client_order_id)
        .put(M::mass_cancel_response, is_accepted ? k_mass_cancel_accepted : k_mass_cancel_rejected)
        .put(M::mass_cancel_reject_reason, is_accepted ? 0 : code)
        .put_instant(M::transact_time, report.time, D::k_fraction_ns);
    return composer.size();
  }

 private:
  static constexpr auto k_no_order = Text<k_order_id_width>::cut("NONE");
  /// MassCancelResponse.
  static constexpr std::uint8_t k_mass_cancel_rejected = 0;
  static constexpr std::uint8_t k_mass_cancel_accepted = 7;
};

}  // namespace dojima::mit
