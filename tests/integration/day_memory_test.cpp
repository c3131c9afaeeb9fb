// A whole trading day of the road in virtual time, auctions included, with clients that trade all the time: behind the
// first hours neither venue nor gateway nor sessions take more memory.

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/journal/simulated_disk.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/simulate/exchange.hpp"

namespace dojima::integration {
namespace {

using namespace std::chrono_literals;
using time::Time;

constexpr std::uint32_t k_clients = 4;
constexpr Time k_midnight = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20};
const link::Address k_fix{"gateway", 1}, k_venue{"venue", 2};

[[nodiscard]] std::string name_of(std::uint32_t client) {
  return "CLIENT" + std::to_string(client + 1);
}

/// A client that has at most so many orders and remembers nothing else: it enters one where a place is free, and
/// changes or cancels the one that is there. A ClOrdID says the place: "7-123".
class SmallClient final : public fix::Handler {
 public:
  SmallClient(sched::Scheduler& scheduler, std::uint32_t number)
      : session(scheduler,
                {.role = fix::Role::initiator, .sender_comp_id = name_of(number), .target_comp_id = "DOJIMA"}, *this),
        random_(number) {}

  void act(Time now) {
    const std::size_t at = draw(k_places);
    Place& place = places_[at];
    if (!session.is_logged_on() || place.is_pending) return;
    const bool is_cancel = place.present != 0 && draw(2) == 0;
    const char type = place.present == 0 ? 'D' : is_cancel ? 'F' : 'G';
    if (type == 'D') place.side = draw(2) == 0 ? '1' : '2', place.symbol = draw(2) == 0 ? "ALPHA" : "BETA";
    fix::Writer writer = session.begin(type == 'D'   ? fix::type::k_new_order_single
                                       : type == 'F' ? fix::type::k_order_cancel_request
                                                     : fix::type::k_order_cancel_replace_request);
    place.requested = ++last_;
    writer.field(fix::tag::k_cl_ord_id, id(at, place.requested));
    if (type != 'D') writer.field(fix::tag::k_orig_cl_ord_id, id(at, place.present));
    writer.field(fix::tag::k_symbol, place.symbol).field(fix::tag::k_side, place.side);
    writer.field(fix::tag::k_transact_time, now);
    if (type != 'F') {
      writer.field(fix::tag::k_order_qty, 1 + draw(100)).field(fix::tag::k_ord_type, '2');
      writer.field(fix::tag::k_price, market::Price{static_cast<std::int64_t>(95 + draw(11)) * market::k_price_scale});
    }
    ASSERT_TRUE(session.send(writer).has_value());
    place.is_pending = true;
    ++sent;
  }

  // fix::Handler
  void on_logon(fix::Session&, Time) override {}
  void on_logout(fix::Session&, std::string_view, Time) override { ++logouts; }
  void on_message(fix::Session&, const fix::MessageView& view, Time) override {
    const std::string_view text = view.find(fix::tag::k_cl_ord_id).value_or("");
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) return;
    std::size_t at = 0;
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + dash, at);
    std::from_chars(text.data() + dash + 1, text.data() + text.size(), number);
    Place& place = places_[at];
    const bool is_answer = place.is_pending && number == place.requested;
    if (is_answer) {
      place.is_pending = false;
      ++answered;
    }
    if (view.msg_type() != fix::type::k_execution_report) return;
    const std::string_view status = view.find(fix::tag::k_ord_status).value_or("");
    const bool is_over = status == "2" || status == "4" || status == "8" || status == "C";
    if (is_over) {
      // The answer to a change that is under way follows.
      place.present = 0;
      traded += status == "2" ? 1u : 0u;
    } else if (is_answer) {
      place.present = number;
    }
  }
  void on_trouble(fix::Session&, const Error&) override {}

  fix::Session session;
  std::uint64_t sent = 0, answered = 0, traded = 0;
  int logouts = 0;

 private:
  static constexpr std::size_t k_places = 48;
  struct Place {
    std::uint64_t present = 0, requested = 0;
    const char* symbol = "";
    char side = '1';
    bool is_pending = false;
  };

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  std::string_view id(std::size_t at, std::uint64_t number) {
    char* const dash = std::to_chars(text_.data(), text_.data() + 4, at).ptr;
    *dash = '-';
    char* const end = std::to_chars(dash + 1, text_.data() + text_.size(), number).ptr;
    return {text_.data(), static_cast<std::size_t>(end - text_.data())};
  }

  std::mt19937_64 random_;
  std::array<Place, k_places> places_{};
  std::array<char, 32> text_{};
  std::uint64_t last_ = 0;
};

simulate::ExchangeConfig venue_config() {
  simulate::ExchangeConfig config;
  config.orders = 1 << 10;
  config.levels = 256;
  config.reports = 1 << 13;
  config.maximum_lag = 1 << 12;
  config.full_reports = true;
  config.segments = {{.name = "RICE",
                      .timetable = {.start_of_day = 7h,
                                    .opening_call = 7h + 50min,
                                    .opening = 8h,
                                    .intraday_call = 12h,
                                    .intraday = 12h + 2min,
                                    .closing_call = 16h + 30min,
                                    .closing = 16h + 35min,
                                    .cross_end = 16h + 40min,
                                    .end_of_day = 17h + 15min,
                                    .random_end = 30s,
                                    .extension = 5min,
                                    .halt = 5min,
                                    .reopening_call = 5min},
                      .bands = {.static_bp = 1000, .dynamic_bp = 500}}};
  for (const char* symbol : {"ALPHA", "BETA"})
    config.instruments.push_back({.id = static_cast<std::uint32_t>(7 + config.instruments.size()),
                                  .symbol = symbol,
                                  .partition = static_cast<std::uint8_t>(1 + config.instruments.size()),
                                  .segment = "RICE",
                                  .ticks = {{{market::k_price_scale}, {market::k_price_scale}}},
                                  .highest = {200 * market::k_price_scale},
                                  .reference = {100 * market::k_price_scale},
                                  .maximum_quantity = {1'000'000}});
  for (std::uint32_t client = 0; client < k_clients; ++client)
    config.users.push_back({.name = name_of(client), .password = "rice-1730"});
  return config;
}

gateway::GatewayConfig gateway_config() {
  gateway::GatewayConfig config;
  for (std::uint32_t client = 0; client < k_clients; ++client)
    config.clients.push_back(
        {.comp_id = name_of(client), .venue_user = name_of(client), .venue_password = "rice-1730"});
  config.symbols = {{"ALPHA", 7}, {"BETA", 8}};
  config.limits = {.orders = 512,
                   .requests = 2048,
                   .remembered_ids = 1024,
                   .store_messages = 512,
                   .store_bytes = 1 << 18,
                   .pending_links = 8};
  return config;
}

/// What is taken at one time of the day.
struct Sample {
  std::uint64_t heap = 0, resident = 0, disk = 0;
};

class TradingDay final : public sched::Source {
 public:
  /// `rate`: what the clients try in a second, all together.
  explicit TradingDay(std::uint64_t rate)
      : step_(std::chrono::nanoseconds{1s} / static_cast<std::int64_t>(rate)),
        scheduler_(2048, k_midnight + 6h + 55min),
        network_(scheduler_, {.input_capacity = 1 << 14, .output_capacity = 1 << 16}),
        exchange_(venue_config(), scheduler_) {
    auto opened = fix::JournalStores::open(disk_, {.name = "day",
                                                   .segment_bytes = std::size_t{1} << 20,
                                                   .disk_bytes = std::uint64_t{1} << 24,
                                                   .messages_per_session = 512,
                                                   .messages = 4096,
                                                   .state_bytes = std::uint64_t{1} << 20,
                                                   .on_state = [this](Bytes piece) { return saved_.apply(piece); }});
    if (!opened) throw std::runtime_error(opened.error().what);
    stores_ = std::move(*opened);
    work();
    gateway_.emplace(gateway_config(), network_, scheduler_,
                     gateway::GatewayParts{.stores = stores_.get(), .saved = &saved_});
    for (std::uint32_t client = 0; client < k_clients; ++client)
      clients_.push_back(std::make_unique<SmallClient>(scheduler_, client));
  }

  /// From 7:00 to 17:10.
  void run() {
    const auto venue = exchange_.start(network_, k_venue);
    ASSERT_TRUE(venue && gateway_->start(k_fix, *venue));
    exchange_.start_days(scheduler_.now());
    for (const auto& client : clients_) network_.connect(k_fix, client->session);
    std::vector<sched::Source*> sources;
    for (const auto& clock : exchange_.clocks()) sources.push_back(clock.get());
    sources.insert(sources.end(), {&exchange_.front(), this, &network_});
    sched::EventPacer pacer(scheduler_.now());
    sched::Loop loop(scheduler_, pacer, sources);
    samples_.reserve(32);
    next_act_ = k_midnight + 7h;
    next_sample_ = k_midnight + 7h + 30min;
    while (scheduler_.now() < k_midnight + 17h + 10min && loop.turn() != sched::Loop::Turn::done) {
    }
    gateway_->stop("end");
    for (const auto& client : clients_) client->session.logout("end");
    exchange_.front().logout_all("end");
    next_act_ = next_sample_ = time::k_never;
    while (scheduler_.now() < k_midnight + 17h + 12min && loop.turn() != sched::Loop::Turn::done) {
    }
  }

  // sched::Source
  [[nodiscard]] Time next_time() override { return std::min(next_act_, next_sample_); }
  std::size_t deliver(Time now) override {
    while (next_act_ <= now) {
      if (!is_closing(now)) clients_[next_++ % k_clients]->act(now);
      next_act_ += step_;
    }
    if (next_sample_ <= now) take_sample();
    work();
    return 1;
  }
  std::size_t finish(Time) override {
    stores_->deliver();
    return 0;
  }

  [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }
  [[nodiscard]] const std::vector<std::unique_ptr<SmallClient>>& clients() const { return clients_; }
  [[nodiscard]] const gateway::GatewayCounters& counters() const { return gateway_->counters(); }

 private:
  /// Nothing is asked for in the last minute, so that all has been answered.
  [[nodiscard]] static bool is_closing(Time now) { return now >= k_midnight + 17h + 9min; }
  void work() {
    while (stores_->journal().work()) {
    }
  }
  void take_sample() {
    next_sample_ += 30min;
    std::uint64_t pages = 0, resident = 0, bytes = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    const auto names = disk_.list();
    for (const std::string& name : *names) bytes += disk_.contents(name).size();
    samples_.push_back({.heap = ::mallinfo2().uordblks,
                        .resident = resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)),
                        .disk = bytes});
  }

  time::Duration step_;
  sched::Scheduler scheduler_;
  link::SimulatedNetwork network_;
  simulate::Exchange exchange_;
  journal::SimulatedDisk disk_;
  gateway::SavedState saved_;
  std::unique_ptr<fix::JournalStores> stores_;
  std::optional<gateway::Gateway> gateway_;
  std::vector<std::unique_ptr<SmallClient>> clients_;
  std::vector<Sample> samples_;
  std::size_t next_ = 0;
  Time next_act_ = time::k_never, next_sample_ = time::k_never;
};

TEST(DayMemoryLong, of_a_whole_trading_day_of_the_road_is_flat_behind_the_first_hours) {
  const char* const wanted = std::getenv("DOJIMA_DAY_RATE");
  const std::uint64_t rate = wanted == nullptr ? 6 : std::strtoull(wanted, nullptr, 10);
  ASSERT_GT(rate, 0u);
  TradingDay day(rate);
  day.run();
  std::uint64_t sent = 0, answered = 0, traded = 0;
  for (const auto& client : day.clients()) {
    sent += client->sent;
    answered += client->answered;
    traded += client->traded;
    EXPECT_EQ(client->logouts, 1) << "at the end";
  }
  EXPECT_EQ(sent, answered);
  EXPECT_GT(traded, std::min(sent / 20, std::uint64_t{10'000})) << "at high rates most is changed before it trades";
  EXPECT_EQ(day.counters().requests, sent);
  EXPECT_EQ(day.counters().sent, day.counters().answers);
  EXPECT_EQ(day.counters().strays + day.counters().undelivered + day.counters().unwritten, 0u);
  // From 9:00 on: the opening auction is over, and everything that is kept has been there once.
  const std::size_t first = 3;
  ASSERT_EQ(day.samples().size(), 20u);
  const Sample& before = day.samples()[first];
  Sample most = before;
  for (std::size_t at = first; at < day.samples().size(); ++at) {
    most.heap = std::max(most.heap, day.samples()[at].heap);
    most.resident = std::max(most.resident, day.samples()[at].resident);
    most.disk = std::max(most.disk, day.samples()[at].disk);
  }
  std::printf("%llu requests; at 9:00 and at most until 17:00: heap %llu and %llu, resident %llu and %llu bytes\n",
              static_cast<unsigned long long>(sent), static_cast<unsigned long long>(before.heap),
              static_cast<unsigned long long>(most.heap), static_cast<unsigned long long>(before.resident),
              static_cast<unsigned long long>(most.resident));
  // A segment of the simulated disk is memory, and one more may be there at one time than at another.
  const std::uint64_t segment = std::uint64_t{1} << 20;
  EXPECT_LE(most.disk, (std::uint64_t{1} << 24));
  EXPECT_LE(most.heap, before.heap + 2 * segment);
  EXPECT_LE(most.resident, before.resident + 3 * segment);
}

}  // namespace
}  // namespace dojima::integration
