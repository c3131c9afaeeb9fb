#include "dojima/venue/feed/feed_tap.hpp"

#include <new>
#include <type_traits>
#include <utility>

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
    if (is_public(report)) put(report, report.sequence, now);
}

/// Nobody sees it before release(): the two threads meet once a turn, not at every event.
template <class What>
void FeedTap::put(const What& what, Sequence command, Time time) {
  last_put_ = command.value;
  const bool is_in_ring = overflow_.empty() && ring_.stage_in_place([&](FeedEvent& place) {
    new (&place) FeedEvent{FeedEvent::What(std::in_place_type<What>, what), command, time};
  });
  if (!is_in_ring) overflow_.push_back({FeedEvent::What(std::in_place_type<What>, what), command, time});
}

void FeedTap::on_status(const market::SymbolStatus& status) {
  put(status, status.sequence, status.time);
}
void FeedTap::on_auction_info(const market::AuctionInfo& info) {
  put(info, info.sequence, info.time);
}
void FeedTap::on_auction_trade(const market::AuctionTrade& trade) {
  put(trade, trade.sequence, trade.time);
}
void FeedTap::on_trade_break(const market::TradeBreak& broken) {
  put(broken, broken.sequence, broken.time);
}
void FeedTap::on_day_start(const market::DayStart& start) {
  put(start, start.sequence, start.time);
}

bool FeedTap::release() {
  while (!overflow_.empty() && ring_.stage_in_place([this](FeedEvent& place) { place = overflow_.front(); }))
    overflow_.pop_front();
  ring_.publish();
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
