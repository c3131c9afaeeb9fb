#pragma once

// Kinds of reports as the ExecType of an ExecutionReport, there and back. Stateless, no allocation.

#include "dojima/market/report.hpp"
#include "dojima/mit/codec/codec_tables.hpp"

namespace dojima::mit {

/// BIT-9.4 has no ExecType 9: there a parked order is new, with OrderStatus 9.
template <class D>
[[nodiscard]] constexpr bool has_suspended() noexcept {
  return has_value(D::ExecutionReport::exec_type, '9');
}

/// Null: no kind of an ExecutionReport.
template <class D>
[[nodiscard]] char exec_type_of(market::OwnerReportKind kind) noexcept {
  using enum market::OwnerReportKind;
  switch (kind) {
    case accepted:
      return '0';
    case traded:
      return 'F';
    case cancelled:
      return '4';
    case replaced:
      return '5';
    case expired:
      return 'C';
    case rejected:
      return '8';
    case suspended:
      return has_suspended<D>() ? '9' : '0';
    case restated:
      return 'D';
    case trade_cancelled:
      return 'H';
    default:
      return '\0';
  }
}

/// None: no ExecType of the dialect.
template <class D>
[[nodiscard]] market::OwnerReportKind kind_of(char exec_type) noexcept {
  using enum market::OwnerReportKind;
  switch (exec_type) {
    case '0':
      return accepted;
    case 'F':
      return traded;
    case '4':
      return cancelled;
    case '5':
      return replaced;
    case 'C':
      return expired;
    case '8':
      return rejected;
    case '9':
      return has_suspended<D>() ? suspended : none;
    case 'D':
      return restated;
    case 'H':
      return trade_cancelled;
    default:
      return none;
  }
}

/// Whether the code of a report travels with it.
[[nodiscard]] inline bool has_code(market::OwnerReportKind kind) noexcept {
  return kind == market::OwnerReportKind::rejected || kind == market::OwnerReportKind::expired;
}

}  // namespace dojima::mit
