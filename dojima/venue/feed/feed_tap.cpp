#include "dojima/venue/feed/feed_tap.hpp"

#include <type_traits>

namespace dojima::venue {
namespace {

/// Whether the feed says anything of it.
bool is_public(const market::BookReport& report) noexcept {
  using Kind = market::BookReportKind;
  return report.kind != Kind::accepted && report.kind != Kind::rejected && report.kind != Kind::parked;
}

}  // namespace

void FeedEvent::write_to(MarketDataWriter& writer) const {
  std::visit(
      [&](const auto& fact) {
        using Fact = std::remove_cvref_t<decltype(fact)>;
        if constexpr (std::is_same_v<Fact, market::BookReport>)
          writer.write(fact, time);
        else if constexpr (!std::is_same_v<Fact, market::DayStart>)
          writer.write(fact);
      },
      what);
}

FeedTap::FeedTap(Partition& partition, std::size_t ring) : partition_(partition), ring_(ring) {
  partition.observe(this);
  partition.publish(this);
  durable_.store(partition.durable().value, std::memory_order_release);
}

FeedTap::~FeedTap() {
  partition_.dismiss(static_cast<const ReportSink*>(this));
  partition_.dismiss(static_cast<const FeedSink*>(this));
}

void FeedTap::on_reports(std::span<const market::BookReport> reports, Time now) {
  for (const market::BookReport& report : reports)
    if (is_public(report)) put({report, report.sequence, now});
}

void FeedTap::put(const FeedEvent& event) {
  last_put_ = event.command.value;
  if (!overflow_.empty() || !ring_.push(event)) overflow_.push_back(event);
}

bool FeedTap::release() {
  while (!overflow_.empty() && ring_.push(overflow_.front())) overflow_.pop_front();
  waiting_.store(overflow_.size(), std::memory_order_relaxed);
  const std::uint64_t durable = partition_.durable().value;
  durable_.store(durable, std::memory_order_release);
  const bool is_something = !overflow_.empty() || (last_put_ > notified_ && durable > notified_);
  if (is_something) notified_ = durable;
  return is_something;
}

bool FeedTap::pop(FeedEvent& event) {
  if (!is_held_ && !ring_.pop(held_)) return false;
  is_held_ = held_.command.value > durable_.load(std::memory_order_acquire);
  if (is_held_) return false;
  event = held_;
  return true;
}

}  // namespace dojima::venue
