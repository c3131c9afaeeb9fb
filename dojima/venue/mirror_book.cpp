#include "dojima/venue/mirror_book.hpp"

namespace dojima::venue {

/// A mirror has nothing to report.
class MirrorBook::NoReports final : public book::ReportBuffer {
 public:
  NoReports() : ReportBuffer(1) {}

 private:
  void drain(std::span<const market::BookReport>, Time) override {}
};

MirrorBook::MirrorBook(std::span<const market::Instrument> instruments, const VenueLimits& limits)
    : instruments_(instruments.begin(), instruments.end()),
      orders_({.capacity = limits.orders, .ids = book::Ids::foreign}),
      no_reports_(std::make_unique<NoReports>()),
      book_of_instrument_(instruments.size()) {
  for (const market::Instrument& instrument : instruments_) {
    static_cast<void>(book_of_instrument_.insert(instrument.id, static_cast<std::uint32_t>(books_.size())));
    books_.push_back(
        std::make_unique<book::Book>(instrument, orders_, *no_reports_, book::BookLimits{.levels = limits.levels}));
  }
}

MirrorBook::~MirrorBook() = default;

void MirrorBook::on_reports(std::span<const market::BookReport> reports, Time) {
  for (const market::BookReport& report : reports) {
    ++reports_seen_;
    if (report.kind == market::BookReportKind::rejected) continue;
    const std::uint32_t* at = book_of_instrument_.find(report.instrument);
    const bool is_fitting = at != nullptr && books_[*at]->mirror(report);
    if (!is_fitting && !misfit_) misfit_ = report;
  }
}

const book::Book* MirrorBook::book(std::uint32_t instrument) const noexcept {
  const std::uint32_t* at = book_of_instrument_.find(instrument);
  return at != nullptr ? books_[*at].get() : nullptr;
}

std::uint64_t MirrorBook::crossings() const noexcept {
  std::uint64_t count = 0;
  for (const auto& book : books_) count += book->crossings().count;
  return count;
}

const char* MirrorBook::mismatch(const Partition& partition) const {
  if (misfit_) return "a report did not fit the rebuilt book";
  for (const market::Instrument& instrument : partition.instruments()) {
    const book::Book* original = partition.book(instrument.id);
    const book::Book* rebuilt = book(instrument.id);
    if (rebuilt == nullptr) return "the mirror lacks an instrument";
    if (const char* wrong = original->inconsistency()) return wrong;
    if (const char* wrong = rebuilt->inconsistency()) return wrong;
    if (original->digest() != rebuilt->digest()) return "the rebuilt book differs from the book";
  }
  return nullptr;
}

}  // namespace dojima::venue
