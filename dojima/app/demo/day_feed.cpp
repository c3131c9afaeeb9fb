#include "dojima/app/demo/day_feed.hpp"

#include <chrono>
#include <fmt/core.h>
#include <random>

#include "dojima/mitch/feed_writer.hpp"

namespace dojima::app::demo {
namespace {

/// A line loses one datagram in so many; never both lines the same, as there is no channel to ask for it again.
constexpr std::uint64_t k_lost_one_in = 20;
constexpr std::size_t k_feed_orders = 1 << 17;

mitch::FeedClientOptions feed_options(const VenueConfig& config) {
  return {.user = "DEMO",
          .password = "demo",
          .books = {.instruments = config.instruments.size(), .orders = k_feed_orders, .levels = config.levels},
          .groups = simulate::Exchange::partition_numbers(config).size()};
}

std::vector<mitch::DisplayedOrder> orders_at_venue(const book::Book& book, market::Side side) {
  std::vector<mitch::DisplayedOrder> orders;
  book.each_resting(side, [&](const book::RestingOrder& order) {
    if (order.place == book::Place::lit && order.displayed.lots > 0)
      orders.push_back({.id = order.id.value,
                        .side = side,
                        .price = order.price,
                        .quantity = static_cast<std::uint32_t>(order.displayed.lots)});
  });
  return orders;
}

}  // namespace

/// Both lines of a group, and what they lose.
class DayFeed::Lines final : public mitch::FeedSink {
 public:
  Lines(mitch::FeedClient& client, const sched::Scheduler& scheduler, std::uint64_t seed)
      : client_(client), scheduler_(scheduler), random_(seed) {}

  void on_unit(Bytes unit) override {
    ++units_;
    const std::uint64_t draw = random_() % (2 * k_lost_one_in);
    for (std::size_t line = 0; line < mitch::FeedClient::k_lines; ++line) {
      if (draw == line)
        ++lost_;
      else
        client_.line(line).on_datagram(unit, scheduler_.now());
    }
  }
  [[nodiscard]] std::uint64_t units() const noexcept { return units_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  mitch::FeedClient& client_;
  const sched::Scheduler& scheduler_;
  std::mt19937_64 random_;
  std::uint64_t units_ = 0, lost_ = 0;
};

std::size_t DayFeed::timers(const Settings& settings) {
  return settings.has_feed ? mitch::FeedClient::timers(feed_options(venue_config(settings))) : 0;
}

DayFeed::DayFeed(const Settings& settings, const simulate::Exchange& exchange, sched::Scheduler& scheduler)
    : exchange_(exchange), client_(feed_options(venue_config(settings)), scheduler, nullptr, *this) {
  client_.start(scheduler.now());
  for (venue::Partition* const partition : exchange.partitions()) {
    Group& group = groups_.emplace_back();
    group.lines = std::make_unique<Lines>(client_, scheduler, settings.seed + partition->app_id());
    group.data = std::make_unique<venue::MarketData>(
        *partition, *group.lines,
        venue::MarketDataOptions{.orders = k_feed_orders, .midnight = exchange.midnight_of(scheduler.now())});
    group.data->start(scheduler.now());
  }
}

DayFeed::~DayFeed() {
  client_.stop();
}

void DayFeed::on_notice(const mitch::FeedNotice& notice, time::Time) {
  using mitch::FeedNoticeKind;
  if (notice.kind == FeedNoticeKind::misfit || notice.kind == FeedNoticeKind::given_up ||
      notice.kind == FeedNoticeKind::recovering)
    ++given_up_;
}

/// Empty: the reader's books of this partition are the venue's.
std::string DayFeed::mismatch(std::size_t group) const {
  const venue::Partition& partition = *exchange_.partitions()[group];
  const char number = static_cast<char>('0' + partition.app_id());
  const mitch::BookBuilder* const books = client_.books(number);
  if (books == nullptr) return fmt::format("nothing of group {} came", number);
  if (!client_.is_live(number)) return fmt::format("something of group {} is missing", number);
  if (client_.next(number) != groups_[group].data->messages() + 1)
    return fmt::format("{} messages of group {} were published, and the reader is at {}",
                       groups_[group].data->messages(), number, client_.next(number) - 1);
  for (const market::Instrument& instrument : partition.instruments()) {
    const auto read = books->find(instrument.id);
    if (!read) return fmt::format("the reader knows no {}", instrument.symbol);
    for (const market::Side side : {market::Side::buy, market::Side::sell}) {
      std::vector<mitch::DisplayedOrder> shown;
      read->each_order(side, [&shown](const mitch::DisplayedOrder& order) { shown.push_back(order); });
      if (shown != orders_at_venue(*partition.book(instrument.id), side))
        return fmt::format("the {} side of {} is another one", side == market::Side::buy ? "buy" : "sell",
                           instrument.symbol);
    }
  }
  return {};
}

simulate::Check DayFeed::verify() const {
  std::uint64_t units = 0, lost = 0, orders = 0, unpublished = 0;
  std::string wrong;
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    units += groups_[group].lines->units();
    lost += groups_[group].lines->lost();
    unpublished += groups_[group].data->unpublished();
    orders += exchange_.partitions()[group]->live_orders();
    if (wrong.empty()) wrong = mismatch(group);
  }
  if (wrong.empty() && (given_up_ != 0 || unpublished != 0))
    wrong = fmt::format("{} books were given up, {} facts could not be published", given_up_, unpublished);
  return {"a reader of the market data has the venue's books", wrong.empty(),
          wrong.empty() ? fmt::format("{} messages in {} units, {} of them lost on one of two lines; {} open orders",
                                      client_.counts().messages, units, lost, orders)
                        : wrong};
}

}  // namespace dojima::app::demo
