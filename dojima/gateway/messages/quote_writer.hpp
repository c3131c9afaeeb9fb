#pragma once

// Reports on a client's quotes beside the ExecutionReports of both sides: QuoteStatusReport(AI), in FIX 4.2
// QuoteAcknowledgement(b). Pure functions, no allocation.

#include <cstdint>
#include <string_view>

#include "dojima/fix/message.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

/// QuoteStatus(297), as far as it is used.
enum class QuoteStatus : std::uint8_t { accepted = 0, cancelled_for_symbol = 1, cancelled_all = 4, rejected = 5 };

struct QuoteStatusReport {
  std::string_view quote_id;  ///< empty: the message had none
  std::string_view symbol;    ///< empty: of several instruments
  QuoteStatus status = QuoteStatus::accepted;
  std::uint16_t reason = 0;  ///< QuoteRejectReason(300) of one that was rejected
  std::string_view text;     ///< empty: none
  time::Time time{};
};

[[nodiscard]] constexpr fix::MsgType quote_status_type(FixVersion version) noexcept {
  return version == FixVersion::fix_4_2 ? fix::type::k_quote_acknowledgement : fix::type::k_quote_status_report;
}
void write_quote_status(fix::Writer& writer, const ReportForm& form, const QuoteStatusReport& report) noexcept;

}  // namespace dojima::gateway
