#pragma once

// Writes the report of any kind, for any dialect that has tables (codec_tables.hpp): which message it is.
// execution_report_writer.hpp and answer_writer.hpp have what is in it. Instantiated once per dialect, in its own
// source. Stateless, no allocation.

#include <cstddef>

#include "dojima/mit/codec/answer_writer.hpp"
#include "dojima/mit/codec/execution_report_writer.hpp"

namespace dojima::mit {

template <class D>
class ReportWriter {
  using OwnerReportKind = market::OwnerReportKind;
  using Executions = ExecutionReportWriter<D>;
  using Answers = AnswerWriter<D>;

 public:
  /// The bytes written of a report that every dialect carries and that comes often; 0, and nothing was written: see
  /// encode(). A number in a register, where a Result would go through memory.
  static std::size_t write(const market::OwnerReport& report, std::int32_t code, Room room) noexcept {
    switch (report.kind) {
      case OwnerReportKind::accepted:
        return Executions::template write_carried<OwnerReportKind::accepted>(report, code, room);
      case OwnerReportKind::traded:
        return Executions::template write_carried<OwnerReportKind::traded>(report, code, room);
      case OwnerReportKind::cancelled:
      case OwnerReportKind::replaced:
      case OwnerReportKind::expired:
      case OwnerReportKind::rejected:
      case OwnerReportKind::restated:
      case OwnerReportKind::trade_cancelled:
      case OwnerReportKind::suspended:
        return Executions::write_carried(report, code, room);
      case OwnerReportKind::request_rejected:
        return Answers::write_carried_cancel_reject(report, code, room);
      case OwnerReportKind::business_rejected:
      case OwnerReportKind::mass_cancelled:
      case OwnerReportKind::trade_corrected:
      case OwnerReportKind::none:
        break;
    }
    return 0;
  }

  /// The bytes written; an Error that names a value which the dialect cannot carry, or `no_room`.
  static Result<std::size_t> encode(const market::OwnerReport& report, std::int32_t code, Room room) {
    switch (report.kind) {
      case OwnerReportKind::accepted:
      case OwnerReportKind::traded:
      case OwnerReportKind::cancelled:
      case OwnerReportKind::replaced:
      case OwnerReportKind::expired:
      case OwnerReportKind::rejected:
      case OwnerReportKind::restated:
      case OwnerReportKind::trade_cancelled:
      case OwnerReportKind::suspended:
        return Executions::encode(report, code, room);
      case OwnerReportKind::request_rejected:
        return Answers::encode_cancel_reject(report, code, room);
      case OwnerReportKind::business_rejected:
        return Answers::encode_business_reject(report, code, room);
      case OwnerReportKind::mass_cancelled:
        return Answers::encode_mass_cancel_report(report, code, room);
      case OwnerReportKind::trade_corrected:
      case OwnerReportKind::none:
        break;
    }
    return refuse_kind(report);
  }

 private:
  [[gnu::noinline]] static Result<std::size_t> refuse_kind(const market::OwnerReport& report) {
    return fail(ErrorCode::not_supported, 0, 0, number_of(report.kind), "a kind of report that the dialect has");
  }
};

}  // namespace dojima::mit
