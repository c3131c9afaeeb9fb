#include "dojima/simulate/tape.hpp"

namespace dojima::simulate {
namespace {

/// FNV-1a, a 64-bit word at a time.
std::uint64_t mixed(std::uint64_t digest, std::uint64_t word) {
  for (int byte = 0; byte < 8; ++byte) digest = (digest ^ (word >> (8 * byte) & 0xff)) * 1099511628211ULL;
  return digest;
}

}  // namespace

void Tape::on_reports(std::span<const market::BookReport> reports, time::Time now) {
  for (const market::BookReport& report : reports) {
    if (report.kind != market::BookReportKind::traded) continue;
    ++trades_;
    volume_ += static_cast<std::uint64_t>(report.quantity.lots);
    digest_ = mixed(digest_, report.instrument);
    digest_ = mixed(digest_, report.order.value);
    digest_ = mixed(digest_, report.other.value);
    digest_ = mixed(digest_, static_cast<std::uint64_t>(report.price.units));
    digest_ = mixed(digest_, static_cast<std::uint64_t>(report.quantity.lots));
  }
  mirror_.on_reports(reports, now);
}

}  // namespace dojima::simulate
