#include "dojima/venue/partition/trading_days.hpp"

#include <algorithm>
#include <span>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"
#include "dojima/venue/partition/dispatch.hpp"
#include "dojima/venue/partition/trades.hpp"

namespace dojima::venue {

using market::BookReportKind;

TradingDays::TradingDays(const PartitionConfig& config, InstrumentBooks& books, book::ReportBuffer& reports)
    : segments_(config.segments), books_(books), reports_(reports) {
  for (std::size_t at = 0; at < books_.size(); ++at) {
    const market::Instrument& instrument = books_.instrument(at);
    const auto segment = std::find_if(segments_.begin(), segments_.end(),
                                      [&instrument](const Segment& of) { return of.name == instrument.segment; });
    days_.push_back(segment == segments_.end()
                        ? nullptr
                        : std::make_unique<InstrumentDay>(*segment, instrument, books_[at], config.slice != 0));
  }
}

// ---- Commands ------------------------------------------------------------------------------------------------------

void TradingDays::apply(const market::DayCommand& command) {
  if (command.header.instrument != 0) {
    if (const std::uint32_t* at = books_.place_of(command.header.instrument)) apply_to(*at, command);
    return;
  }
  for (std::size_t at = 0; at < days_.size(); ++at) apply_to(at, command);
}

void TradingDays::apply_to(std::size_t at, const market::DayCommand& command) {
  if (days_[at] == nullptr) return;
  if (!command.segment.is_empty() && command.segment.view() != books_.instrument(at).segment) return;
  if (command.event == DayEvent::due && days_[at]->until() > command.header.time) return;
  const bool has_changed = days_[at]->process(
      command.event, {.now = command.header.time, .midnight = command.midnight, .seed = command.seed});
  if (!has_changed) return;
  ++steps_;
  if (is_over(at)) has_day_ended_ = true;
  reports_.finish();  // what the auction traded comes before the phase that follows it
  publish_status(at, command.header);
}

void TradingDays::apply(const market::PhaseChange& command) {
  for (std::size_t at = 0; at < days_.size(); ++at)
    if (days_[at] == nullptr &&
        (command.header.instrument == 0 || command.header.instrument == books_.instrument(at).id))
      books_[at].apply(command);
}

// ---- Bands ---------------------------------------------------------------------------------------------------------

std::optional<TradingDays::Interruption> TradingDays::foresee(const market::CommandHeader& header, const Risk& risk,
                                                              const RiskLimits& limits) const {
  if (is_empty() || header.type != market::CommandType::new_order) return {};
  const std::uint32_t* at = books_.place_of(header.instrument);
  if (at == nullptr || days_[*at] == nullptr || !risk.is_known(header.user)) return {};
  const auto& command = as<market::NewOrder>(header);
  const market::OrderTerms& terms = command.terms;
  const bool is_limit = terms.type == market::OrderType::limit;
  if (!is_limit && terms.type != market::OrderType::market) return {};
  if (terms.sub_type == market::OrderSubType::pegged) return {};
  const auto event =
      days_[*at]->foresee(terms.side, is_limit ? std::optional(terms.limit) : std::nullopt, terms.quantity);
  if (!event) return {};
  // An order that is refused interrupts nothing.
  const bool is_refused = risk.check(command, true) != market::Reason::none ||
                          (limits.is_on() && limits.refusal(command) != market::Reason::none) ||
                          books_[*at].refusal(command) != market::Reason::none;
  if (is_refused) return {};
  return Interruption{*at, *event};
}

std::optional<TradingDays::Interruption> TradingDays::foresee(std::uint32_t instrument, market::Side side,
                                                              market::Price limit, market::Quantity quantity) const {
  const std::uint32_t* at = books_.place_of(instrument);
  if (at == nullptr || days_[*at] == nullptr || quantity.lots == 0) return {};
  const auto event = days_[*at]->foresee(side, limit, quantity);
  return event ? std::optional(Interruption{*at, *event}) : std::nullopt;
}

std::optional<TradingDays::Interruption> TradingDays::next_broken(std::size_t from) const {
  for (std::size_t at = from; at < days_.size(); ++at)
    if (days_[at] != nullptr && days_[at]->breach()) return Interruption{at, *days_[at]->breach()};
  return {};
}

market::DayCommand TradingDays::interruption(const Interruption& what) const {
  DOJIMA_ASSERT(what.at < days_.size() && days_[what.at] != nullptr, "only an instrument with a day is interrupted",
                what.at, days_.size(), what.event);
  const Segment& segment = days_[what.at]->segment();
  market::DayCommand command;
  command.header.user = market::k_no_user;
  command.event = what.event;
  if (segment.halts_together)
    command.segment = Text<4>::cut(segment.name);
  else
    command.header.instrument = books_.instrument(what.at).id;
  return command;
}

void TradingDays::on_trade(const market::BookReport& report, bool is_auction) {
  const std::uint32_t* at = books_.place_of(report.instrument);
  DOJIMA_ASSERT(at != nullptr, "a book reports on its own instrument", report.instrument, report.sequence);
  InstrumentDay* day = days_[*at].get();
  if (day != nullptr && day->on_trade(report.price, is_auction, report.sequence)) is_band_broken_ = true;
}

// ---- Facts for everybody -------------------------------------------------------------------------------------------

void TradingDays::publish_status(std::size_t at, const market::CommandHeader& header) {
  if (feeds_.empty()) return;
  const InstrumentDay& day = *days_[at];
  market::SymbolStatus status{.sequence = header.sequence, .time = header.time, .end = day.until()};
  status.instrument = books_.instrument(at).id;
  status.phase = day.phase();
  status.reason = day.reason();
  status.trading_status = day.trading_status();
  for (FeedSink* feed : feeds_) feed->on_status(status);
}

void TradingDays::publish_auction(const market::BookReport& report, std::uint64_t trade, Time now) {
  const InstrumentDay* day = find(report.instrument);
  if (feeds_.empty() || day == nullptr) return;
  if (report.kind == BookReportKind::indicative) {
    const market::AuctionInfo info{.sequence = report.sequence,
                                   .time = now,
                                   .price = report.price,
                                   .quantity = report.quantity,
                                   .imbalance = report.leaves,
                                   .instrument = report.instrument,
                                   .imbalance_side = report.side,
                                   .auction_type = day->auction_type()};
    for (FeedSink* feed : feeds_) feed->on_auction_info(info);
  } else if (report.kind == BookReportKind::uncrossed && report.quantity.lots > 0) {
    const market::AuctionTrade fact{.sequence = report.sequence,
                                    .time = now,
                                    .price = report.price,
                                    .quantity = report.quantity,
                                    .trade = trade,
                                    .instrument = report.instrument,
                                    .auction_type = day->auction_type()};
    for (FeedSink* feed : feeds_) feed->on_auction_trade(fact);
  }
}

void TradingDays::publish_day_start(const market::NextDay& command) {
  const market::DayStart fact{.sequence = command.header.sequence, .time = command.header.time, .day = command.day};
  for (FeedSink* feed : feeds_) feed->on_day_start(fact);
}

void TradingDays::publish_break(const TradeRecord& trade, const market::CommandHeader& header) {
  const market::TradeBreak fact{.sequence = header.sequence,
                                .time = header.time,
                                .price = trade.price,
                                .quantity = trade.quantity,
                                .trade = trade.number,
                                .instrument = trade.instrument,
                                .is_auction = trade.is_auction(),
                                .is_amended = !trade.is_busted};
  for (FeedSink* feed : feeds_) feed->on_trade_break(fact);
}

// ---- State ---------------------------------------------------------------------------------------------------------

const InstrumentDay* TradingDays::find(std::uint32_t instrument) const noexcept {
  const std::uint32_t* at = books_.place_of(instrument);
  return at != nullptr ? days_[*at].get() : nullptr;
}

Time TradingDays::due() const noexcept {
  Time due = time::k_never;
  for (const auto& day : days_)
    if (day != nullptr) due = std::min(due, day->until());
  return due;
}

bool TradingDays::is_between_days() const noexcept {
  return std::all_of(days_.begin(), days_.end(), [](const auto& day) {
    return day == nullptr || day->phase() == DayPhase::no_day || day->phase() == DayPhase::end_of_day;
  });
}

Time TradingDays::midnight() const noexcept {
  Time latest{};
  for (const auto& day : days_)
    if (day != nullptr) latest = std::max(latest, day->midnight());
  return latest;
}

Duration TradingDays::first_start_of_day() const noexcept {
  Duration first = segments_.empty() ? Duration{} : Duration::max();
  for (const Segment& segment : segments_) first = std::min(first, segment.timetable.start_of_day);
  return first;
}

void TradingDays::add_to(book::Digest& digest) const {
  for (const auto& day : days_)
    if (day != nullptr) digest.add(day->digest());
}

void TradingDays::save(StateWriter& out) const {
  out.section("days");
  out.add(steps_);
  out.add(std::uint8_t{is_band_broken_});
  for (const auto& day : days_)
    if (day != nullptr) day->save(out);
}

bool TradingDays::load(StateReader& in, std::size_t instruments) {
  in.section("days");
  if (!in.read(steps_) || !in.read(is_band_broken_)) return false;
  for (const auto& day : std::span(days_).first(instruments))
    if (day != nullptr && !day->load(in)) return false;
  return true;
}

}  // namespace dojima::venue
