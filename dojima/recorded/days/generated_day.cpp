#include "dojima/recorded/days/generated_day.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

namespace dojima::recorded {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::OrderId;
using market::Price;
using market::Quantity;
using market::Side;

constexpr std::int64_t k_largest_order = 1'000'000'000;

market::Instrument instrument_of(std::uint32_t id, const GeneratedInstrument& generated) {
  auto ticks = market::TickTable::uniform(
      {generated.tick}, {generated.tick},
      {generated.tick * (4 * (generated.reference / std::max<std::int64_t>(generated.tick, 1)))});
  if (generated.tick < 1 || generated.reference < generated.tick || !ticks)
    throw std::invalid_argument(generated.symbol + ": tick and reference price do not make a table of prices");
  return {.id = id,
          .symbol = generated.symbol,
          .ticks = *std::move(ticks),
          .maximum_quantity = {k_largest_order},
          .reference = {generated.reference}};
}

/// Keeps a command's reports until they are looked at.
class Reports final : public book::ReportBuffer {
 public:
  Reports() : ReportBuffer(64) {}
  std::vector<BookReport> list;

 private:
  void drain(std::span<const BookReport> reports, time::Time) override {
    list.insert(list.end(), reports.begin(), reports.end());
  }
};

/// The resting orders of a generated market, each client's in the order of entry, and the events by which the world
/// hears of them.
class PublicOrders {
 public:
  PublicOrders(std::size_t clients, std::size_t instruments, std::size_t capacity)
      : instruments_(instruments), live_(2 * clients * instruments), orders_(capacity) {}

  [[nodiscard]] const std::vector<OrderId>& live_of(std::uint32_t client, std::uint32_t instrument, Side side) const {
    return live_[place_of(client, instrument, side)];
  }

  /// Adds what the world hears of a report on the intent. Whether it was a trade.
  bool write(const BookReport& report, const flow::Intent& intent, std::uint64_t sequence, EventBatch& batch) {
    PublicOrder& order = order_of(report.order);
    switch (report.kind) {
      case BookReportKind::added: {
        order = {++numbers_, report.price, report.leaves, intent.client};
        live_[place_of(intent.client, intent.instrument, report.side)].push_back(report.order);
        add_event(EventKind::add, report, intent, sequence, batch).quantity = report.leaves.lots;
        return false;
      }
      case BookReportKind::traded: {
        RecordedEvent& event = add_event(EventKind::execute, report, intent, sequence, batch);
        event.quantity = report.quantity.lots;
        event.other = ++matches_;
        order.leaves = report.leaves;
        if (report.leaves.lots == 0) forget(report, order, intent);
        return true;
      }
      case BookReportKind::cancelled:
      case BookReportKind::expired:
        if ((report.flags & market::k_was_resting) != 0) remove(report, order, intent, sequence, batch);
        return false;
      case BookReportKind::replaced:
        if ((report.flags & market::k_lost_priority) != 0) {
          remove(report, order, intent, sequence, batch);
        } else {
          RecordedEvent& event = add_event(EventKind::reduce, report, intent, sequence, batch);
          event.price = order.price.units;
          event.quantity = (order.leaves - report.leaves).lots;
          order.leaves = report.leaves;
          if (event.quantity <= 0) batch.resize_down(batch.size() - 1);
        }
        return false;
      default:
        return false;
    }
  }

 private:
  struct PublicOrder {
    std::uint64_t number = 0;
    Price price;
    Quantity leaves;
    std::uint32_t client = 0;
  };

  [[nodiscard]] std::size_t place_of(std::uint32_t client, std::uint32_t instrument, Side side) const noexcept {
    return (std::size_t{client} * instruments_ + instrument) * 2 + (side == Side::buy ? 0 : 1);
  }
  [[nodiscard]] PublicOrder& order_of(OrderId order) { return orders_[static_cast<std::uint32_t>(order.value)]; }

  RecordedEvent& add_event(EventKind kind, const BookReport& report, const flow::Intent& intent, std::uint64_t sequence,
                           EventBatch& batch) {
    RecordedEvent& event = batch.add();
    event.event_time = intent.due;
    event.sequence = sequence;
    event.instrument = intent.instrument;
    event.kind = kind;
    event.side = report.side;
    event.price = report.price.units;
    event.order = order_of(report.order).number;
    return event;
  }

  void remove(const BookReport& report, const PublicOrder& order, const flow::Intent& intent, std::uint64_t sequence,
              EventBatch& batch) {
    RecordedEvent& event = add_event(EventKind::remove, report, intent, sequence, batch);
    event.price = order.price.units;
    event.quantity = order.leaves.lots;
    forget(report, order, intent);
  }

  void forget(const BookReport& report, const PublicOrder& order, const flow::Intent& intent) {
    std::vector<OrderId>& live = live_[place_of(order.client, intent.instrument, report.side)];
    live.erase(std::ranges::find(live, report.order));
  }

  std::size_t instruments_;
  std::vector<std::vector<OrderId>> live_;  // by client, instrument and side, in the order of entry
  std::vector<PublicOrder> orders_;         // by slot
  std::uint64_t numbers_ = 0;
  std::uint64_t matches_ = 0;
};

}  // namespace

/// The clients and the books.
class GeneratedDay::Market {
 public:
  explicit Market(const GeneratedDayConfig& config)
      : instruments_(instruments_of(config)),
        flow_(config.flow, instruments_, config.start),
        orders_({.capacity = config.capacity, .owners = config.flow.clients}),
        resting_target_(config.resting_target),
        public_(config.flow.clients, instruments_.size(), config.capacity) {
    for (const market::Instrument& instrument : instruments_)
      books_.push_back(std::make_unique<book::Book>(instrument, orders_, reports_, book::BookLimits{}));
  }

  [[nodiscard]] flow::Intent next() { return flow_.next(); }
  [[nodiscard]] const book::Book& book(std::uint32_t instrument) const noexcept { return *books_[instrument]; }

  /// Carries the intent out and adds what the book said; how many trades there were.
  std::uint64_t carry_out(const flow::Intent& intent, std::uint64_t sequence, EventBatch& batch) {
    const std::size_t before = batch.size();
    reports_.list.clear();
    reports_.begin({sequence}, intent.due);
    submit(intent);
    reports_.finish();
    std::uint64_t trades = 0;
    for (const BookReport& report : reports_.list) trades += public_.write(report, intent, sequence, batch) ? 1u : 0u;
    if (batch.size() != before) batch.back().flags |= k_last;
    return trades;
  }

 private:
  static std::vector<market::Instrument> instruments_of(const GeneratedDayConfig& config) {
    std::vector<market::Instrument> made;
    for (const GeneratedInstrument& generated : config.instruments)
      made.push_back(instrument_of(static_cast<std::uint32_t>(made.size() + 1), generated));
    return made;
  }

  void submit(const flow::Intent& intent) {
    const std::vector<OrderId>& live = public_.live_of(intent.client, intent.instrument, intent.side);
    const flow::Decision decision = flow::decide(intent, live.size(), resting_target_);
    book::Book& book = *books_[intent.instrument];
    const market::CommandHeader header{
        .time = intent.due, .instrument = book.instrument().id, .user = static_cast<std::uint16_t>(intent.client)};
    if (decision.kind == flow::IntentKind::cancel) {
      market::Cancel cancel{.order = live[decision.index], .side = intent.side};
      take_header(cancel.header, header);
      return book.apply(cancel);
    }
    if (decision.kind == flow::IntentKind::replace) {
      market::Replace replace{.order = live[decision.index],
                              .limit = intent.price,
                              .stop = {-1},
                              .quantity = orders_.executed(orders_.find(live[decision.index])) + intent.quantity,
                              .side = intent.side};
      replace.displayed = replace.quantity;
      take_header(replace.header, header);
      return book.apply(replace);
    }
    market::NewOrder order;
    take_header(order.header, header);
    order.terms.limit = intent.price;
    order.terms.quantity = order.terms.displayed = intent.quantity;
    order.terms.owner = static_cast<std::uint16_t>(intent.client);
    order.terms.side = intent.side;
    order.terms.type = intent.type;
    order.terms.time_in_force = intent.time_in_force;
    book.apply(order);
  }

  static void take_header(market::CommandHeader& header, const market::CommandHeader& from) {
    const market::CommandType type = header.type;
    header = from;
    header.type = type;
  }

  std::vector<market::Instrument> instruments_;
  flow::OrderFlow flow_;
  Reports reports_;
  book::OrderTable orders_;
  std::vector<std::unique_ptr<book::Book>> books_;
  std::size_t resting_target_;
  PublicOrders public_;
};

GeneratedDay::GeneratedDay(GeneratedDayConfig config)
    : config_(std::move(config)), market_(std::make_unique<Market>(config_)), now_(config_.start) {
  if (config_.requests == 0 && config_.length <= time::Duration{})
    throw std::invalid_argument("a generated day needs an end: a number of requests or a length");
  for (const GeneratedInstrument& instrument : config_.instruments)
    instruments_.push_back({.symbol = instrument.symbol,
                            .number = instruments_.size() + 1,
                            .price_decimals = instrument.price_decimals,
                            .quantity_decimals = instrument.quantity_decimals,
                            .tick = instrument.tick});
}

GeneratedDay::~GeneratedDay() = default;

const book::Book& GeneratedDay::book(std::uint32_t instrument) const noexcept {
  return market_->book(instrument);
}

void GeneratedDay::decode(EventBatch& batch) {
  while (!is_over_ && !batch.is_full()) {
    const flow::Intent intent = market_->next();
    const bool is_late = config_.length > time::Duration{} && intent.due >= config_.start + config_.length;
    if (is_late || (config_.requests != 0 && requests_ == config_.requests)) {
      is_over_ = true;
      return;
    }
    now_ = intent.due;
    trades_ += market_->carry_out(intent, ++requests_, batch);
  }
}

std::vector<TypeCount> GeneratedDay::type_counts() const {
  return {{"request", requests_}, {"trade", trades_}};
}

}  // namespace dojima::recorded
