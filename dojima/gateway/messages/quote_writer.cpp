#include "dojima/gateway/messages/quote_writer.hpp"

#include "dojima/gateway/messages/quote_reader.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {

/// FIX 4.4 has no QuoteRejectReason in its AI, 4.2 no reason "other"; the text says why in any case.
void write_quote_status(fix::Writer& writer, const ReportForm& form, const QuoteStatusReport& report) noexcept {
  const bool is_old = form.version == FixVersion::fix_4_2;
  if (!report.quote_id.empty()) writer.field(tag::k_quote_id, report.quote_id);
  writer.field(tag::k_quote_status, static_cast<unsigned>(report.status));
  const bool is_rejected = report.status == QuoteStatus::rejected;
  const bool has_reason = is_old ? report.reason != quote_reject::k_other : form.version == FixVersion::fix_5_0_sp2;
  if (is_rejected && has_reason) writer.field(tag::k_quote_reject_reason, unsigned{report.reason});
  // FIX 4.4 wants an instrument, "[N/A]" where there is none.
  if (!is_old) writer.field(tag::k_symbol, report.symbol.empty() ? std::string_view{"[N/A]"} : report.symbol);
  if (!is_old) writer.field(tag::k_transact_time, report.time);
  if (!report.text.empty()) writer.field(tag::k_text, report.text);
}

}  // namespace dojima::gateway
