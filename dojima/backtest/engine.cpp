#include "dojima/backtest/engine.hpp"

#include <algorithm>

namespace dojima::backtest {

using recorded::EventKind;

namespace {

/// What models say that make no sense, or that has piled up, is cut off here: times stay numbers.
constexpr Duration k_longest = std::chrono::hours{24 * 365};
constexpr Duration k_longest_period{std::int64_t{1} << 61};

/// What an event so many further on will need has time to come from memory meanwhile, and before that the event: a day
/// of them is larger than the caches, and a processor that fetches ahead by itself begins anew with each page.
constexpr std::size_t k_ahead = 8, k_far_ahead = 24;

Duration taken_by(Latency& latency, Time sent) {
  return std::clamp(latency.at(sent), Duration{}, k_longest);
}

}  // namespace

/// A timer of the strategy's.
class Engine::DeskTimer final : public sched::Timer {
 public:
  explicit DeskTimer(sched::Scheduler& scheduler) : Timer(scheduler) {}
  ~DeskTimer() = default;
  std::optional<Time> due;  ///< it has come, and the strategy does not know yet
  bool is_late = false;     ///< armed for a time that had come: it waits for the next instant

 private:
  void on_due(Time at) override { due = at; }
};

Engine::Engine(EventStream& events, Exchange& exchange, Strategy& strategy, Latencies& latencies,
               const EngineSettings& settings)
    : events_(events),
      exchange_(exchange),
      strategy_(strategy),
      latencies_(latencies),
      settings_(settings),
      wakes_(strategy.wakes()),
      makes_market_(exchange.makes_market()),
      has_own_time_(exchange.has_own_time()),
      start_((load_front(), front_time_ == time::k_never ? Time{} : front_time_)),
      now_(start_),
      scheduler_(k_timers + 8, start_),
      period_(scheduler_, *this),
      computed_(scheduler_, *this),
      books_(wakes_.on_books || wakes_.on_touch),
      marks_(
          start_, std::min(settings.mark_every, k_longest_period),
          [this](std::uint32_t instrument) {
            const auto bid = exchange_.best(instrument, Side::buy), ask = exchange_.best(instrument, Side::sell);
            Touch touch;
            if (bid) touch.bid = bid->price;
            if (ask) touch.ask = ask->price;
            return touch;
          },
          [this] { return equity(); }) {
  wakes_.period = std::min(wakes_.period, k_longest_period);
  ways_.push_back({.latencies = &latencies_, .fees = settings_.fees});
  if (!settings_.venues.empty()) ways_.clear();
  for (const VenueTerms& venue : settings_.venues) ways_.push_back({.latencies = venue.latencies, .fees = venue.fees});
  for (Way& way : ways_)
    for (const auto& model : way.latencies->models)
      if (model->follows_load()) way.loaded.push_back(model.get());
  is_loaded_ = std::ranges::any_of(ways_, [](const Way& way) { return !way.loaded.empty(); });
  is_plain_record_ = !makes_market_ && !is_loaded_ && ways_.size() == 1 && !wakes_.on_events && !wakes_.on_trades;
  for (std::uint32_t timer = 0; timer < k_timers; ++timer) timers_.push_back(std::make_unique<DeskTimer>(scheduler_));
}

Engine::~Engine() {
  if (keeps_books_) static_cast<void>(exchange_.keep_books(nullptr));
}

template <class Value>
Value& Engine::at_or_new(std::vector<Value>& list, std::uint32_t instrument, const Value& fresh) {
  if (instrument >= list.size()) list.resize(instrument + 1, fresh);
  return list[instrument];
}

// ---- Events --------------------------------------------------------------------------------------------------------

/// When an event reaches the exchange: never before the one before it.
[[gnu::always_inline]] inline Time Engine::time_of(const RecordedEvent& event) const {
  const Time at = event.event_time != recorded::k_unknown_time ? event.event_time : event.replay_time();
  return at == recorded::k_unknown_time ? exchange_time_ : std::max(at, exchange_time_);
}

[[gnu::always_inline]] inline void Engine::load_front() {
  if (batch_at_ == batch_.size()) [[unlikely]]
    next_batch();
  front_time_ = batch_.empty() ? time::k_never : time_of(batch_[batch_at_]);
}

/// The one at hand goes: what of it is on its way to the strategy is kept.
void Engine::next_batch() {
  if (!batch_.empty())
    flight_.each([this](InFlight& flying) {
      if (flying.kept == nullptr) flying.event = flying.kept = keep(*flying.event);
    });
  batch_ = events_.next_batch();
  batch_at_ = 0;
}

RecordedEvent* Engine::keep(const RecordedEvent& event) {
  if (free_.empty()) return &kept_.emplace_back(event);
  RecordedEvent* const place = free_.back();
  free_.pop_back();
  *place = event;
  return place;
}

bool Engine::has_front() {
  return front_time_ != time::k_never;
}

void Engine::reach_exchange() {
  restore_record();
  if (batch_.size() - batch_at_ > k_far_ahead) {
    __builtin_prefetch(&batch_[batch_at_ + k_far_ahead]);
    exchange_.prefetch(batch_[batch_at_ + k_ahead]);
  }
  const RecordedEvent& event = batch_[batch_at_];
  exchange_time_ = front_time_;
  ++event_number_;
  if (exchange_time_ > marks_.next()) marks_.advance(exchange_time_, fills_);
  exchange_.on_event(event, events_.instruments(), exchange_time_);
  if (is_loaded_ && !event.has(recorded::k_snapshot)) [[unlikely]]
    for (Latency* latency : way_of(event.instrument).loaded) latency->on_work(exchange_time_);
  if (!makes_market_) [[likely]]
    publish(event, nullptr, arrival_of(event, exchange_time_));
  ++batch_at_;
  if (!exchange_.reports.empty() || !exchange_.feed.empty()) [[unlikely]]
    collect();
  load_front();
}

/// As reach_exchange(), for events of the market's own before `bound`, at most so many, whose books it changes itself.
void Engine::market_reaches_strategy(Time bound, std::size_t most) {
  exchange_time_ = front_time_;
  ++event_number_;
  if (exchange_time_ > marks_.next()) marks_.advance(exchange_time_, fills_);
  // Marks are due behind all of their instant.
  const Time mark = marks_.next();
  exchange_.run_ahead(mark < bound ? mark + Duration{1} : bound, most, exchange_time_, event_number_);
  ++batch_at_;
  if (!exchange_.reports.empty() || !exchange_.feed.empty()) [[unlikely]]
    collect();
  load_front();
}

/// By the model `feed`, or where there is none as recorded and `shift` later.
[[gnu::always_inline]] inline Time Engine::received_at(const RecordedEvent& event, Time at, Latency* feed,
                                                       Duration shift) {
  if (feed != nullptr) return at + taken_by(*feed, at);
  return event.receive_time != recorded::k_unknown_time ? event.receive_time + shift : at;
}

[[gnu::always_inline]] inline Time Engine::arrival_of(const RecordedEvent& event, Time at) {
  Way& way = way_of(event.instrument);
  const Latencies& latencies = *way.latencies;
  return way.feed = std::max({way.feed, received_at(event, at, latencies.feed, latencies.feed_shift), at});
}

[[gnu::always_inline]] inline void Engine::publish(const RecordedEvent& event, RecordedEvent* kept, Time arrival) {
  if (book_flight_) return book_flight_->publish(event.instrument, arrival);
  InFlight& flying = flight_.add();
  flying.event = &event;
  flying.kept = kept;
  flying.at = arrival;
  if (ways_.size() != 1) [[unlikely]]
    flight_.sort_in_last([](const InFlight& one) { return one.at; });
}

void Engine::reach_strategy() {
  const InFlight flying = flight_.front();
  const RecordedEvent& event = *flying.event;
  books_.apply(event, events_.instruments());
  if (wakes_.on_events) {
    now_ = flying.at;
    compute();
    strategy_.on_event(*this, event);
  }
  const bool is_trade = event.kind == EventKind::trade || event.kind == EventKind::hidden_trade ||
                        (event.kind == EventKind::execute && !event.has(recorded::k_not_printable));
  if (wakes_.on_trades && is_trade) {
    now_ = flying.at;
    compute();
    const DepthLevel last = books_.of(event.instrument).last_trade;
    strategy_.on_trade(
        *this, {.instrument = event.instrument,
                .aggressor = event.kind == EventKind::execute && event.side != Side::none ? market::opposite(event.side)
                                                                                          : event.side,
                .price = event.price != recorded::k_unknown ? event.price : last.price,
                .quantity = event.quantity,
                .at = event.event_time});
  }
  land();
}

// ---- Requests and reports ------------------------------------------------------------------------------------------

void Engine::hand_over_request() {
  restore_record();
  const Travelling travelling = requests_.front();
  requests_.pop();
  if (travelling.at > marks_.next()) marks_.advance(travelling.at, fills_);
  exchange_.on_request(travelling.request, travelling.at);
  collect();
}

/// Of an exchange that requests and reports have a way to.
void Engine::pass_own_time(Time now) {
  if (now > marks_.next()) marks_.advance(now, fills_);
  exchange_.pass(now);
  collect();
}

void Engine::note_trade(Report& report) {
  Account& account = account_of(report.instrument);
  const Money fees_before = account.fees();
  account.apply(report.side, report.price, report.quantity, report.is_maker);
  fills_.push_back({.order = report.order,
                    .at = report.at,
                    .received = report.received,
                    .price = report.price,
                    .quantity = report.quantity,
                    .leaves = report.leaves,
                    .position = account.position(),
                    .rested = report.rested,
                    .instrument = report.instrument,
                    .side = report.side,
                    .is_maker = report.is_maker});
  at_or_new(round_trips_, report.instrument).apply(fills_.back(), account.fees() - fees_before, account);
  if (report.is_maker)
    queue_times_.record(std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(report.rested.count(), 0)),
                                 (std::uint64_t{1} << 50) - 1));
  marks_.note_fill(fills_);
}

void Engine::collect() {
  for (const RecordedEvent& event : exchange_.feed) {
    RecordedEvent* const kept = keep(event);
    publish(*kept, kept, arrival_of(event, event.event_time));
  }
  exchange_.feed.clear();
  for (Report& report : exchange_.reports) {
    Way& way = way_of(report.instrument);
    Latency* latency = way.latencies->response[static_cast<std::size_t>(report.kind)];
    const Time received = report.at + (latency == nullptr ? Duration{} : taken_by(*latency, report.at));
    report.received = way.report = std::max({report.received, received, way.report});
    ++at_or_new(totals_, report.instrument).reports[static_cast<std::size_t>(report.kind)];
    Coming& coming = reports_.add();
    coming.fill = k_no_fill;
    if (report.kind == ReportKind::traded) {
      coming.fill = fills_.size();
      note_trade(report);
    }
    coming.report = report;
    if (ways_.size() != 1) [[unlikely]]
      reports_.sort_in_last([](const Coming& one) { return one.report.received; });
  }
  exchange_.reports.clear();
}

void Engine::hand_over_report() {
  const Report report = reports_.front().report;
  reports_.pop();
  now_ = std::max(now_, report.received);
  has_report_come_ = true;
  if (report.kind == ReportKind::traded)
    at_or_new(positions_, report.instrument) += report.side == Side::buy ? report.quantity : -report.quantity;
  if (OwnOrder* order = find(report.order)) {
    bool has_ended = false;
    switch (report.kind) {
      case ReportKind::accepted:
        order->is_accepted = true;
        order->leaves = report.leaves;
        break;
      case ReportKind::traded:
        order->leaves = report.leaves;
        has_ended = report.leaves == 0;
        break;
      case ReportKind::replaced:
        order->quantity += report.leaves - order->leaves;
        order->leaves = report.leaves;
        order->price = report.price;
        order->is_changing = false;
        break;
      case ReportKind::cancelled:
      case ReportKind::expired:
      case ReportKind::rejected:
        has_ended = true;
        break;
      case ReportKind::request_rejected:
        order->is_changing = false;
        break;
    }
    if (has_ended) {
      std::erase_if(terms_, [&](const auto& one) { return one.first == report.order; });
      std::erase_if(orders_, [&](const OwnOrder& one) { return one.number == report.order; });
    }
  }
  strategy_.on_report(*this, report);
}

// ---- Time ----------------------------------------------------------------------------------------------------------

Time Engine::next_time() {
  if (front_time_ == time::k_never && events_.waits()) [[unlikely]]
    load_front();
  Time next = front_time_;
  if (!flight_.is_empty()) next = std::min(next, flight_.front().at);
  if (book_flight_) next = std::min(next, book_flight_->next_time());
  if (!requests_.is_empty()) next = std::min(next, requests_.front().at);
  if (!reports_.is_empty()) next = std::min(next, reports_.front().report.received);
  if (has_own_time_) [[unlikely]]
    next = std::min(next, exchange_.next_time());
  return next;
}

std::size_t Engine::deliver(Time now) {
  std::size_t count = 0;
  now_ = std::max(now_, now);
  for (;; ++count) {
    if (has_front() && front_time_ <= now) {
      if (!is_plain_record_) {
        reach_exchange();
      } else {
        const std::uint64_t begin = event_number_;
        static_cast<void>(run_record_ahead(now + Duration{1}));
        count += event_number_ - begin - 1;
      }
    } else if (has_own_time_ && exchange_.next_time() <= now) {
      pass_own_time(now);
    } else if (!requests_.is_empty() && requests_.front().at <= now) {
      hand_over_request();
    } else if (!flight_.is_empty() && flight_.front().at <= now) {
      reach_strategy();
    } else if (book_flight_ && book_flight_->next_time() <= now) {
      count += book_flight_->land_until(now) - 1;
    } else if (!reports_.is_empty() && reports_.front().report.received <= now) {
      hand_over_report();
    } else {
      return count;
    }
  }
}

std::size_t Engine::finish(Time now) {
  // A paced run looks whether it is over between two turns, and the clock may have come further meanwhile: what is due
  // behind the last event and report does not happen.
  if (now > now_ && is_over()) return 0;
  now_ = std::max(now_, now);
  if (next_time() > now && is_running_) ask();
  if (has_late_timer_ && next_time() > now) arm_late_timers(now + Duration{1});
  return 0;
}

void Engine::on_period(Time due) {
  has_period_come_ = true;
  period_.arm(due + wakes_.period);
}

void Engine::ask_about_books() {
  // What is called may not see events: the list does not grow meanwhile.
  for (const std::uint32_t instrument : books_.noted()) {
    Seen& seen = at_or_new(seen_, instrument);
    const auto bid = best(instrument, Side::buy), ask = best(instrument, Side::sell);
    const bool has_changed = bid != seen.bid || ask != seen.ask;
    seen.bid = bid;
    seen.ask = ask;
    if (!wakes_.on_books && !has_changed) continue;
    ++wakes_made_;
    strategy_.on_book(*this, instrument);
  }
  books_.forget();
}

void Engine::compute() {
  if (latencies_.computing != nullptr) [[unlikely]]
    ready_ = std::min(std::max(ready_, now_) + taken_by(*latencies_.computing, now_), now_ + k_longest);
}

bool Engine::has_questions() const {
  return !books_.noted().empty() || has_period_come_ || (wakes_.on_reports && has_report_come_) ||
         std::ranges::any_of(timers_, [](const auto& timer) { return timer->due.has_value(); });
}

void Engine::ask() {
  if (latencies_.computing != nullptr) [[unlikely]] {
    if (!has_questions()) return;
    if (now_ < ready_) {
      computed_.arm(ready_);
      return;
    }
    compute();
  }
  if (!books_.noted().empty()) ask_about_books();
  for (std::uint32_t timer = 0; timer < timers_.size(); ++timer) {
    if (!timers_[timer]->due) continue;
    const Time due = *std::exchange(timers_[timer]->due, std::nullopt);
    if (!is_over()) strategy_.on_timer(*this, timer, due);
  }
  const bool is_woken = has_period_come_ || (wakes_.on_reports && has_report_come_);
  has_period_come_ = has_report_come_ = false;
  // Behind the last event and report there is nothing to wait for.
  if (!is_woken || is_over()) return;
  ++wakes_made_;
  strategy_.on_wake(*this);
}

void Engine::arm_late_timers(Time earliest) {
  has_late_timer_ = false;
  // In a live market an instant is a turn of the loop.
  const Time next = events_.waits() ? earliest : std::max(std::min(next_time(), scheduler_.next_due()), earliest);
  for (const auto& timer : timers_)
    if (std::exchange(timer->is_late, false) && next != time::k_never) timer->arm(next);
}

void Engine::begin() {
  is_running_ = true;
  // Without a latency, and where nobody asks for the events themselves, books are as the exchange says at once.
  if (makes_market_ && ways_.size() == 1 && ways_.front().latencies->feed == nullptr && !wakes_.on_events &&
      !wakes_.on_trades)
    keeps_books_ = exchange_.keep_books(&books_);
  if (wakes_.period > Duration{}) period_.arm(start_ + wakes_.period);
  if (recorded::DepthBooks* record = exchange_.record();
      record != nullptr && record->size() == 0 && !wakes_.on_events && !wakes_.on_trades)
    book_flight_ = std::make_unique<BookFlight>(
        *record, books_,
        BookFlightOptions{.may_share = !wakes_.on_books && !wakes_.on_touch, .may_overtake = ways_.size() != 1});
  strategy_.on_begin(*this);
  if (has_late_timer_) arm_late_timers(start_);
}

void Engine::end() {
  restore_record();
  is_running_ = false;
  // Who asked for no more may have been passed over at the last instants.
  if (is_over()) {
    now_ = std::max(now_, exchange_time_);
    for (const Way& way : ways_) now_ = std::max({now_, way.feed, way.request, way.report});
  }
  const Time last = std::max(exchange_time_, now_);
  marks_.advance(last, fills_);
  marks_.finish(last);
  strategy_.on_end(*this);
}

/// As reach_exchange() for every event before `bound`, at most so many and of one batch, of a plain record. Gives the
/// bound, which own fills bring nearer.
Time Engine::run_record_ahead(Time bound) {
  restore_record();
  // In registers: the exchange that is called could change any member, as far as the compiler knows.
  const std::span<const RecordedInstrument> instruments = events_.instruments();
  const RecordedEvent* event = batch_.data() + batch_at_;
  const RecordedEvent* const begin = event;
  const std::size_t left = batch_.size() - batch_at_;
  const RecordedEvent* const end = event + std::min(left, k_chunk);
  const RecordedEvent* const fetched = event + left - std::min(left, k_far_ahead);
  BookFlight* const flight = book_flight_.get();
  recorded::DepthBooks* const record = exchange_.record();
  Way& way = ways_.front();
  Latency* const feed = way.latencies->feed;
  const Duration feed_shift = way.latencies->feed_shift;
  Time now = front_time_, arrival = way.feed;
  while (now < bound && event != end) {
    if (event < fetched) {
      __builtin_prefetch(event + k_far_ahead);
      if (record != nullptr) {
        record->prefetch(event[k_ahead]);
      } else {
        exchange_.prefetch(event[k_ahead]);
      }
      if (flight == nullptr) books_.prefetch(event[k_ahead]);
    }
    if (now > marks_.next()) [[unlikely]]
      marks_.advance(now, fills_);
    arrival = std::max({arrival, received_at(*event, now, feed, feed_shift), now});
    // What arrives at once need not travel: nobody looks before the end of this instant, and all that is on its way has
    // arrived by then.
    if (flight != nullptr) [[likely]] {
      flight->begin_event(now, arrival);
      if (exchange_.quiet.takes(*event)) {
        record->apply(*event, instruments);
      } else {
        exchange_.on_event(*event, instruments, now);
      }
      flight->end_event(event->instrument);
    } else {
      exchange_.on_event(*event, instruments, now);
      if (arrival != now) {
        publish(*event, nullptr, arrival);
      } else {
        land_before(now + Duration{1});
        books_.apply(*event, instruments);
      }
    }
    exchange_time_ = now;
    if (!exchange_.reports.empty()) [[unlikely]] {
      collect();
      bound = std::min(bound, reports_.front().report.received);
    }
    ++event;
    if (event != end) [[likely]]
      now = time_of(*event);
  }
  if (flight != nullptr) flight->end_events();
  way.feed = arrival;
  event_number_ += static_cast<std::uint64_t>(event - begin);
  batch_at_ += static_cast<std::size_t>(event - begin);
  load_front();
  return bound;
}

/// Those on their way to a strategy that does not see them one by one.
inline void Engine::land_before(Time bound) {
  for (; !flight_.is_empty() && flight_.front().at < bound; land())
    books_.apply(*flight_.front().event, events_.instruments());
}

/// Events before `bound`, which nobody needs to know one by one. Own fills bring the bound nearer.
bool Engine::run_ahead(Time bound) {
  const std::uint64_t begin = event_number_;
  const std::size_t waiting = flight_.size();
  const bool is_ahead_itself = keeps_books_ && !is_loaded_;
  if (is_plain_record_) {
    bound = run_record_ahead(bound);
  } else {
    for (std::uint64_t count = 0; front_time_ < bound && count < k_chunk; count = event_number_ - begin) {
      if (is_ahead_itself) {
        market_reaches_strategy(bound, k_chunk - count);
      } else {
        reach_exchange();
      }
      if (!reports_.is_empty()) [[unlikely]]
        bound = std::min(bound, reports_.front().report.received);
    }
  }
  // No report can come before the exchange's next event. The strategy sees neither events nor trades one by one.
  bound = std::min(bound, front_time_);
  if (book_flight_) return book_flight_->land_before(bound) != 0 || event_number_ != begin;
  land_before(bound);
  return event_number_ != begin || flight_.size() != waiting;
}

void Engine::run(const std::function<bool()>& is_interrupted) {
  constexpr std::uint64_t k_between = 4096;
  begin();
  const bool may_run_ahead =
      !has_own_time_ && !wakes_.on_events && !wakes_.on_trades && !wakes_.on_books && !wakes_.on_touch;
  for (std::uint64_t turn = 0;; ++turn) {
    if (turn % k_between == 0 && is_interrupted && is_interrupted()) break;
    const Time next = next_time();
    if (next == time::k_never) break;
    const Time due = scheduler_.next_due();
    if (may_run_ahead) {
      Time bound = due;
      if (!requests_.is_empty()) bound = std::min(bound, requests_.front().at);
      if (!reports_.is_empty()) bound = std::min(bound, reports_.front().report.received);
      if (run_ahead(bound)) continue;
    }
    const Time at = std::max(std::min(next, due), scheduler_.now());
    // Without latencies an answer to each report makes an instant that goes on.
    do {
      while (!scheduler_.check(at, sched::Loop::k_max_events).is_drained) {
      }
      deliver(at);
      finish(at);
    } while ((next_time() <= at || scheduler_.next_due() <= at) && (++turn + 1) % k_between != 0);
  }
  end();
}

// ---- Desk ----------------------------------------------------------------------------------------------------------

Account& Engine::account_of(std::uint32_t instrument) {
  while (accounts_.size() <= instrument) {
    const RecordedInstrument& of = events_.instruments()[accounts_.size()];
    accounts_.emplace_back(of.price_decimals, of.quantity_decimals,
                           fees_of(static_cast<std::uint32_t>(accounts_.size())));
  }
  return accounts_[instrument];
}

double Engine::equity() const {
  restore_record();
  double sum = 0;
  for (std::uint32_t instrument = 0; instrument < accounts_.size(); ++instrument) {
    const Account& account = accounts_[instrument];
    if (account.fills() == 0) continue;
    const auto bid = exchange_.best(instrument, Side::buy), ask = exchange_.best(instrument, Side::sell);
    const auto price_of = [](const std::optional<DepthLevel>& level) {
      return level ? std::optional(level->price) : std::nullopt;
    };
    sum += account.amount(account.twice_equity(price_of(bid), price_of(ask))) / 2;
  }
  return sum;
}

std::int64_t Engine::tick(std::uint32_t instrument) const {
  const auto& instruments = events_.instruments();
  const std::int64_t stated = instrument < instruments.size() ? instruments[instrument].tick : 0;
  const std::int64_t found = instrument < settings_.ticks.size() ? settings_.ticks[instrument] : 0;
  return std::max<std::int64_t>(stated != 0 ? stated : found, 1);
}

const recorded::Depth* Engine::known_book(std::uint32_t instrument) const {
  if (book_flight_) return book_flight_->of(instrument);
  return instrument < books_.size() ? &books_.of(instrument) : nullptr;
}

std::optional<DepthLevel> Engine::best(std::uint32_t instrument, Side side) const {
  const recorded::Depth* const book = known_book(instrument);
  return book != nullptr ? book->on(side).best() : std::nullopt;
}

std::size_t Engine::levels(std::uint32_t instrument, Side side, std::span<DepthLevel> levels) const {
  const recorded::Depth* const book = known_book(instrument);
  std::size_t count = 0;
  if (book == nullptr) return 0;
  book->on(side).each([&](const DepthLevel& level) {
    if (count == levels.size()) return false;
    levels[count++] = level;
    return true;
  });
  return count;
}

DepthLevel Engine::last_trade(std::uint32_t instrument) const {
  return instrument < books_.size() ? books_.of(instrument).last_trade : DepthLevel{};
}

OwnOrder* Engine::find(OrderNumber number) {
  const auto found = std::ranges::find(orders_, number, &OwnOrder::number);
  return found == orders_.end() ? nullptr : &*found;
}

const OwnOrder* Engine::order(OrderNumber number) const {
  const auto found = std::ranges::find(orders_, number, &OwnOrder::number);
  return found == orders_.end() ? nullptr : &*found;
}

std::int64_t Engine::position(std::uint32_t instrument) const {
  return instrument < positions_.size() ? positions_[instrument] : 0;
}

bool Engine::send(RequestKind kind, const OwnOrder& order, const OrderRequest& terms) {
  if (!is_running_) return false;
  Way& way = way_of(order.instrument);
  Latency* latency = way.latencies->entry[static_cast<std::size_t>(kind)];
  const Time leaves = std::max(now_, ready_);
  const Time at = leaves + (latency == nullptr ? Duration{} : taken_by(*latency, leaves));
  way.request = std::max(at, way.request);
  Travelling& travelling = requests_.add();
  travelling.request = {.kind = kind, .order = order.number, .terms = terms, .sent = leaves};
  travelling.at = way.request;
  if (ways_.size() != 1) [[unlikely]]
    requests_.sort_in_last([](const Travelling& one) { return one.at; });
  return true;
}

OrderNumber Engine::submit(const OrderRequest& request) {
  const bool is_side = request.side == Side::buy || request.side == Side::sell;
  if (!is_side || request.quantity <= 0 || request.instrument >= events_.instruments().size() || !is_running_) return 0;
  const OwnOrder order{.number = ++last_number_,
                       .instrument = request.instrument,
                       .side = request.side,
                       .price = request.price,
                       .quantity = request.quantity,
                       .leaves = request.quantity,
                       .sent = now_};
  static_cast<void>(send(RequestKind::submit, order, request));
  orders_.push_back(order);
  terms_.emplace_back(order.number, request);
  Totals& totals = at_or_new(totals_, request.instrument);
  ++totals.orders;
  totals.submitted += request.quantity;
  return order.number;
}

bool Engine::cancel(OrderNumber number) {
  OwnOrder* order = find(number);
  if (order == nullptr || order->is_changing || !is_running_) return false;
  const auto terms = std::ranges::find(terms_, number, &std::pair<OrderNumber, OrderRequest>::first);
  static_cast<void>(send(RequestKind::cancel, *order, terms->second));
  order->is_changing = true;
  ++at_or_new(totals_, order->instrument).cancels;
  return true;
}

bool Engine::replace(OrderNumber number, std::int64_t price, std::int64_t quantity) {
  OwnOrder* order = find(number);
  if (order == nullptr || order->is_changing || quantity <= 0 || !is_running_) return false;
  const auto terms = std::ranges::find(terms_, number, &std::pair<OrderNumber, OrderRequest>::first);
  OrderRequest wanted = terms->second;
  wanted.price = price;
  wanted.quantity = quantity;
  static_cast<void>(send(RequestKind::replace, *order, wanted));
  order->is_changing = true;
  ++at_or_new(totals_, order->instrument).replaces;
  return true;
}

bool Engine::arm(std::uint32_t timer, Time at) {
  if (timer >= timers_.size()) return false;
  DeskTimer& armed = *timers_[timer];
  armed.is_late = at <= now_;
  if (armed.is_late) {
    armed.disarm();
    has_late_timer_ = true;
  } else {
    armed.arm(at);
  }
  return true;
}

void Engine::disarm(std::uint32_t timer) {
  if (timer >= timers_.size()) return;
  timers_[timer]->disarm();
  timers_[timer]->is_late = false;
}

}  // namespace dojima::backtest
