// Random days of a partition whose users have limits, as lines for a model of the limits in another language: each
// command with its time, then what the book reported of it. tests/oracle/risk_limits.py reads them.
//
//   dojima-risk-days SEED COMMANDS

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "dojima/journal/memory_journal.hpp"
#include "dojima/venue/limit_keys.hpp"
#include "dojima/venue/partition.hpp"

namespace {

using namespace dojima;
using market::LimitKind;
using market::LimitOf;
using venue::Time;

constexpr std::array<std::uint32_t, 3> k_instruments{7, 8, 9};
constexpr std::array<const char*, 4> k_accounts{"", "HOUSE", "CLIENT", "HOUSE"};
constexpr int k_users = 4;

/// Days of even numbers end orders in slices.
venue::PartitionConfig make_config(std::uint64_t seed) {
  venue::PartitionConfig config;
  config.slice = seed % 2 == 0 ? 2 : 0;
  config.users.resize(k_users);
  config.limits = {.orders = 400, .levels = 200, .reports = 8192, .report_buffer = 8};
  config.rules.self_trade = book::SelfTrade::decrement;
  for (const std::uint32_t id : k_instruments)
    config.instruments.push_back(
        {.id = id,
         .symbol = "I" + std::to_string(id),
         .ticks = market::TickTable::uniform({50'000'000}, {50'000'000}, {40'000'000'000}).value(),
         .maximum_quantity = {1'000'000},
         .reference = {id == 9 ? 0 : 10'000'000'000}});
  return config;
}

class Day final : public venue::ReportSink {
 public:
  explicit Day(std::uint64_t seed) : draw_(seed), partition_(make_config(seed), journal_) { partition_.observe(this); }

  void run(int commands) {
    for (const market::Instrument& instrument : partition_.instruments())
      std::printf("instrument %u %lld 50000000\n", instrument.id, static_cast<long long>(instrument.reference.units));
    for (int command = 0; command < commands; ++command) {
      now_ += std::chrono::milliseconds{below(4) == 0 ? below(700) : below(20)};
      if (partition_.is_sweeping() && below(3) != 0) sweep();
      one();
    }
  }

  void on_reports(std::span<const market::BookReport> reports, Time) override {
    for (const market::BookReport& report : reports) {
      events_.push_back(report);
      if (report.kind == market::BookReportKind::added || report.kind == market::BookReportKind::parked)
        orders_.push_back(report.order);
    }
    if (orders_.size() > 60) orders_.erase(orders_.begin(), orders_.end() - 60);
  }

 private:
  int below(int end) { return static_cast<int>(draw_() % static_cast<std::uint64_t>(end)); }
  std::uint16_t user() { return static_cast<std::uint16_t>(below(k_users)); }
  std::uint32_t instrument() { return k_instruments[static_cast<std::size_t>(below(k_instruments.size()))]; }
  market::Price price() { return {(180 + below(41)) * 50'000'000LL}; }
  market::OrderId order() {
    return orders_.empty() ? market::OrderId{}
                           : orders_[static_cast<std::size_t>(below(static_cast<int>(orders_.size())))];
  }

  void one() {
    const int pick = below(100);
    if (pick < 6) return limit();
    if (pick < 22) return replace();
    if (pick < 34) return cancel();
    if (pick < 35) return mass_cancel();
    if (pick < 43) return quote();
    if (pick < 47) return phase();
    if (pick < 48) return expire();
    enter();
  }

  void limit() {
    constexpr std::array k_kinds{
        LimitKind::killed,       LimitKind::permitted,    LimitKind::rate,         LimitKind::order_quantity,
        LimitKind::collar_bp,    LimitKind::collar_ticks, LimitKind::collar_from,  LimitKind::order_value,
        LimitKind::open_orders,  LimitKind::open_value,   LimitKind::position,     LimitKind::duplicate_ms,
        LimitKind::repeats,      LimitKind::repeats_ms,   LimitKind::protection,   LimitKind::protection_ms,
        LimitKind::position_now, LimitKind::stopped,      LimitKind::cancel_orders};
    market::RiskCommand command;
    command.kind = k_kinds[static_cast<std::size_t>(below(k_kinds.size()))];
    command.of = static_cast<LimitOf>(below(3));
    command.header.user = command.of == LimitOf::user ? user() : market::k_no_user;
    if (command.of == LimitOf::account)
      command.account = Text<10>::cut(k_accounts[static_cast<std::size_t>(1 + below(3))]);
    if (below(2) == 0) command.header.instrument = instrument();
    command.value = value_of(command.kind);
    if (command.kind == LimitKind::killed) command.is_cancelling = below(2) == 0;
    // Nobody stays dead, stopped or shut out for long, or nothing would happen.
    if (command.kind == LimitKind::killed && below(4) != 0) command.value = 0;
    if (below(5) == 0 && command.kind != LimitKind::position_now) command.value = 0;
    if (!stays(command)) submit(command);
  }
  /// Whether a position limit of one instrument stays, because that of all would be exceeded. Who takes commands asks
  /// before; one that is in a journal takes effect.
  [[nodiscard]] bool stays(const market::RiskCommand& removal) const {
    if (removal.kind != LimitKind::position || removal.value != 0 || removal.header.instrument == 0) return false;
    const auto fine = partition_.complaint(removal);
    return !fine && fine.error().code == ErrorCode::wrong_state;
  }
  std::int64_t value_of(LimitKind kind) {
    switch (kind) {
      case LimitKind::killed:
      case LimitKind::collar_from:
        return below(2);
      case LimitKind::permitted:
        return below(8) == 0 ? 2 : below(2);
      case LimitKind::rate:
        return 1 + below(12);
      case LimitKind::order_quantity:
        return 20 + below(40);
      case LimitKind::collar_bp:
        return 300 + below(800);
      case LimitKind::collar_ticks:
        return 6 + below(20);
      case LimitKind::order_value:
        return 2000 + below(4000);
      case LimitKind::open_orders:
        return 2 + below(14);
      case LimitKind::open_value:
        return 3000 + below(20'000);
      case LimitKind::position:
        return 30 + below(120);
      case LimitKind::duplicate_ms:
        return 100 + below(3000);
      case LimitKind::repeats:
      case LimitKind::protection:
        return 2 + below(6);
      case LimitKind::repeats_ms:
      case LimitKind::protection_ms:
        return 100 + below(3000);
      case LimitKind::position_now:
        return below(100) - 50;
      default:
        return 0;
    }
  }

  /// One with which all open orders of somebody are worth exactly what they may be, or half a unit of the currency more
  /// or less. False: no order is.
  bool enter_at_border() {
    std::vector<venue::LimitRow> rows = partition_.limits();
    std::erase_if(rows, [](const venue::LimitRow& row) { return row.kind != LimitKind::open_value; });
    if (rows.empty()) return false;
    const venue::LimitRow& row = rows[static_cast<std::size_t>(below(static_cast<int>(rows.size())))];
    const int halves = static_cast<int>(2 * (row.value - row.used)) - 1 + below(3);
    for (int lots = 1; lots <= halves / 180; ++lots) {
      if (halves % lots != 0 || halves / lots > 220) continue;
      market::NewOrder command;
      market::OrderTerms& terms = command.terms;
      command.header.user = terms.owner = row.of == LimitOf::user ? row.user : user();
      command.header.instrument = row.instrument != 0 ? row.instrument : instrument();
      command.labels.account = row.account;
      terms.side = below(2) == 0 ? market::Side::buy : market::Side::sell;
      terms.type = market::OrderType::limit;
      terms.limit = {halves / lots * 50'000'000LL};
      terms.quantity = terms.displayed = {lots};
      terms.capacity = market::Capacity::dealing;
      command.labels.client_order_id = Text<20>::cut(std::to_string(++names_));
      submit(command);
      return true;
    }
    return false;
  }

  /// Now and then one like the last.
  void enter() {
    if (last_.header.instrument != 0 && below(12) == 0) {
      market::NewOrder again = last_;
      again.labels.client_order_id = Text<20>::cut(std::to_string(++names_));
      return submit(again);
    }
    if (below(12) == 0 && enter_at_border()) return;
    market::NewOrder command;
    market::OrderTerms& terms = command.terms;
    command.header.user = terms.owner = user();
    command.header.instrument = instrument();
    terms.side = below(2) == 0 ? market::Side::buy : market::Side::sell;
    terms.type = market::OrderType::limit;
    const int kind = below(20);
    if (kind == 0) terms.type = market::OrderType::market;
    if (kind == 1) terms.type = market::OrderType::stop;
    if (kind == 2) terms.type = market::OrderType::stop_limit;
    if (kind == 3) terms.type = market::OrderType::market_to_limit;
    const bool has_limit = terms.type == market::OrderType::limit || terms.type == market::OrderType::stop_limit;
    const bool has_stop = terms.type == market::OrderType::stop || terms.type == market::OrderType::stop_limit;
    if (has_limit) terms.limit = price();
    if (has_stop) terms.stop = price();
    terms.quantity = terms.displayed = {1 + below(30)};
    if (below(10) == 0 && terms.type == market::OrderType::limit) terms.displayed = {1 + terms.quantity.lots / 3};
    if (below(8) == 0 && terms.type == market::OrderType::limit)
      terms.time_in_force =
          below(2) == 0 ? market::TimeInForce::immediate_or_cancel : market::TimeInForce::fill_or_kill;
    if (below(8) == 0 && terms.type == market::OrderType::limit) {
      terms.time_in_force = market::TimeInForce::good_till_time;
      terms.expiry = now_ + std::chrono::milliseconds{1 + below(5000)};
    }
    if (below(10) == 0) terms.time_in_force = market::TimeInForce::good_for_auction;
    terms.capacity = market::Capacity::dealing;
    command.labels.client_order_id = Text<20>::cut(std::to_string(++names_));
    command.labels.account = Text<10>::cut(k_accounts[static_cast<std::size_t>(below(4))]);
    last_ = command;
    submit(command);
  }
  void replace() {
    market::Replace command;
    command.order = order();
    find(command.header, command.side, command.order);
    command.limit = price();
    command.stop.units = -1;
    command.quantity = command.displayed = {1 + below(40)};
    command.client_order_id = Text<20>::cut(std::to_string(++names_));
    if (below(6) == 0) command.account = Text<10>::cut(k_accounts[static_cast<std::size_t>(1 + below(3))]);
    if (below(15) == 0) command.header.user = user();
    submit(command);
  }
  void cancel() {
    market::Cancel command;
    command.order = order();
    find(command.header, command.side, command.order);
    submit(command);
  }
  /// Calls, with what they trade when they end; halts; trading at the closing price.
  void phase() {
    constexpr std::array k_chosen{market::Phase::continuous,   market::Phase::continuous,
                                  market::Phase::continuous,   market::Phase::opening_call,
                                  market::Phase::closing_call, market::Phase::intraday_call,
                                  market::Phase::halted,       market::Phase::closing_price_cross};
    market::PhaseChange command{.phase = k_chosen[static_cast<std::size_t>(below(k_chosen.size()))]};
    command.header.user = market::k_no_user;
    command.header.instrument = below(3) == 0 ? 0 : instrument();
    command.is_uncrossed = below(4) != 0;
    submit(command);
  }
  void expire() {
    market::Expire command{.is_end_of_day = below(5) == 0};
    command.header.user = market::k_no_user;
    if (below(2) == 0) command.header.instrument = instrument();
    if (command.is_end_of_day && command.header.instrument == 0) command.header.flags = venue::k_untimed;
    submit(command);
  }
  void sweep() {
    events_.clear();
    if (!partition_.sweep(now_)) std::abort();
    show();
  }
  void mass_cancel() {
    market::MassCancel command;
    command.header.user = user();
    submit(command);
  }
  void quote() {
    market::Quote command;
    command.header.user = user();
    command.header.instrument = instrument();
    command.bid = price();
    command.ask = {command.bid.units + (1 + below(6)) * 50'000'000LL};
    command.bid_size = {below(4) * 5};
    command.ask_size = {below(4) * 5};
    command.labels.client_order_id = Text<20>::cut(std::to_string(++names_));
    command.capacity = market::Capacity::dealing;
    submit(command);
  }
  /// Who entered the order, so that most requests are its owner's.
  void find(market::CommandHeader& header, market::Side& side, market::OrderId order) {
    header.user = user();
    header.instrument = instrument();
    side = market::Side::buy;
    for (const Known& known : known_)
      if (known.order == order) {
        header.user = known.user;
        header.instrument = known.instrument;
        side = known.side;
      }
  }

  template <class Command>
  void submit(Command command) {
    events_.clear();
    if (!partition_.submit(command.header, now_)) std::abort();
    show();
  }
  /// What has come into the journal, and what is used of the limits now.
  void show() {
    while (const auto record = journal_.read(cursor_)) {
      const auto& header = *reinterpret_cast<const market::CommandHeader*>(record->bytes.data());
      print(header);
      for (const market::BookReport& event : events_)
        if (event.sequence == header.sequence) print(event, header);
    }
    for (const venue::LimitRow& row : partition_.limits()) {
      const std::string account = text(row.account);
      if (row.kind == LimitKind::open_orders || row.kind == LimitKind::open_value ||
          row.kind == LimitKind::position_now)
        std::printf("used %d %u %s %u %d %lld\n", static_cast<int>(row.of), row.user, account.c_str(), row.instrument,
                    static_cast<int>(row.kind), static_cast<long long>(row.used));
      if (row.kind != LimitKind::position || row.instrument == 0) continue;
      market::RiskCommand removal{.account = row.account, .kind = row.kind, .of = row.of};
      removal.header.user = row.user;
      removal.header.instrument = row.instrument;
      std::printf("stays %d %u %s %u %d\n", static_cast<int>(row.of), row.user, account.c_str(), row.instrument,
                  stays(removal) ? 1 : 0);
    }
  }

  template <std::size_t Size>
  static std::string text(const Text<Size>& of) {
    return of.is_empty() ? "-" : std::string(of.view());
  }
  static long long number(market::Price price) { return price.units; }
  static long long number(market::Quantity quantity) { return quantity.lots; }

  void print(const market::CommandHeader& header) {
    std::printf("command %llu %lld ", static_cast<unsigned long long>(header.sequence.value),
                static_cast<long long>(time::nanoseconds_of(header.time)));
    switch (header.type) {
      case market::CommandType::new_order: {
        const auto& of = reinterpret_cast<const market::NewOrder&>(header);
        std::printf("new %u %s %u %d %d %lld %lld %lld\n", header.user, text(of.labels.account).c_str(),
                    header.instrument, static_cast<int>(of.terms.side), static_cast<int>(of.terms.type),
                    number(of.terms.limit), number(of.terms.stop), number(of.terms.quantity));
        break;
      }
      case market::CommandType::replace: {
        const auto& of = reinterpret_cast<const market::Replace&>(header);
        std::printf("replace %u %s %u %llx %lld %lld %lld\n", header.user, text(of.account).c_str(), header.instrument,
                    static_cast<unsigned long long>(of.order.value), number(of.limit), number(of.stop),
                    number(of.quantity));
        break;
      }
      case market::CommandType::quote: {
        const auto& of = reinterpret_cast<const market::Quote&>(header);
        std::printf("quote %u - %u %lld %lld %lld %lld\n", header.user, header.instrument, number(of.bid),
                    number(of.bid_size), number(of.ask), number(of.ask_size));
        break;
      }
      case market::CommandType::risk: {
        const auto& of = reinterpret_cast<const market::RiskCommand&>(header);
        std::printf("limit %d %u %s %u %d %lld %d\n", static_cast<int>(of.of), header.user, text(of.account).c_str(),
                    header.instrument, static_cast<int>(of.kind), static_cast<long long>(of.value), header.flags);
        break;
      }
      default:
        std::printf("other\n");
    }
  }
  void print(const market::BookReport& event, const market::CommandHeader& header) {
    if (event.kind == market::BookReportKind::accepted)
      known_.push_back({event.order, event.instrument, header.user, event.side});
    if (known_.size() > 500) known_.erase(known_.begin(), known_.begin() + 100);
    std::printf("event %d %llx %llx %d %lld %lld %lld %d\n", static_cast<int>(event.kind),
                static_cast<unsigned long long>(event.order.value), static_cast<unsigned long long>(event.other.value),
                static_cast<int>(event.side), number(event.price), number(event.quantity), number(event.leaves),
                static_cast<int>(event.reason));
  }

  struct Known {
    market::OrderId order;
    std::uint32_t instrument;
    std::uint16_t user;
    market::Side side;
  };
  std::mt19937_64 draw_;
  journal::MemoryJournal journal_{{.keep = journal::Keep::all, .capacity = std::size_t{1} << 26}};
  journal::MemoryJournal::Cursor cursor_;
  venue::Partition partition_;
  Time now_ = time::from_nanoseconds(1'800'000'000'000'000'000);
  std::vector<market::BookReport> events_;
  std::vector<market::OrderId> orders_;
  std::vector<Known> known_;
  market::NewOrder last_;  // that was entered
  int names_ = 0;
};

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("usage: dojima-risk-days SEED COMMANDS\n", stderr);
    return 2;
  }
  Day day(std::strtoull(words[1], nullptr, 10));
  day.run(std::atoi(words[2]));
  return 0;
}
