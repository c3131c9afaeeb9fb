#include "dojima/venue/instrument_day.hpp"

#include <algorithm>
#include <limits>

#include "dojima/base/splitmix.hpp"
#include "dojima/base/state.hpp"
#include "dojima/book/digest.hpp"
#include "dojima/fsm/machine.hpp"
#include "dojima/venue/instrument_day_machine.hpp"

namespace dojima::venue {

using market::DayReason;
using market::Phase;
using market::Price;
using market::Side;

InstrumentDay::InstrumentDay(const Segment& segment, const market::Instrument& instrument, book::Book& book,
                             bool is_sliced)
    : segment_(segment),
      instrument_(instrument),
      book_(book),
      is_sliced_(is_sliced),
      static_reference_(instrument.reference),
      dynamic_reference_(instrument.reference),
      last_price_(instrument.reference) {}

bool InstrumentDay::process(DayEvent event, const Input& input) {
  const DayPhase before = phase_;
  const Time until = until_;
  breach_.reset();
  fsm::process<Machine>(phase_, event, *this, input);
  return phase_ != before || until_ != until;
}

// ---- Actions of the rows
// ----------------------------------------------------------------------------------------------

/// The book goes into a phase; what was collected is uncrossed where the phase asks for it.
void InstrumentDay::change_phase(Phase phase, Time now) {
  market::PhaseChange change;
  change.header.instrument = instrument_.id;
  change.header.time = now;
  change.reference = static_reference_;
  change.phase = phase;
  book_.apply(change);
}

void InstrumentDay::begin_day(const Input& input) {
  midnight_ = input.midnight;
  seed_ = input.seed;
  is_intraday_over_ = false;
  auction_type_ = ' ';
  reason_ = DayReason::scheduled;
  until_ = midnight_ + segment_.timetable.opening_call;
  change_phase(Phase::closed, input.now);
}

/// splitmix64 over the day's seed, one draw for each call: instruments that had the same day end at the same time.
Duration InstrumentDay::drawn_end() noexcept {
  const std::uint64_t value = splitmix64(seed_);
  const auto most = static_cast<std::uint64_t>(segment_.timetable.random_end.count());
  return Duration{static_cast<std::int64_t>(most == 0 ? 0 : value % (most + 1))};
}

void InstrumentDay::call(char auction_type, Time earliest_end, DayReason reason) {
  auction_type_ = auction_type;
  extensions_ = 0;
  reason_ = reason;
  until_ = earliest_end + drawn_end();
}

void InstrumentDay::call_opening(const Input& input) {
  call('O', midnight_ + segment_.timetable.opening, DayReason::scheduled);
  change_phase(Phase::opening_call, input.now);
}

void InstrumentDay::call_intraday(const Input& input) {
  is_intraday_over_ = true;
  call('F', midnight_ + segment_.timetable.intraday, DayReason::scheduled);
  change_phase(Phase::intraday_call, input.now);
}

void InstrumentDay::call_reopening(const Input& input) {
  // From regular trading it is the dynamic band that was broken; out of a halt the time of the halt is over.
  const bool was_halted = book_.phase() == Phase::halted;
  call(was_halted ? 'E' : 'A', input.now + segment_.timetable.reopening_call,
       was_halted ? DayReason::scheduled : DayReason::price_outside_range);
  change_phase(Phase::reopening_call, input.now);
}

void InstrumentDay::call_closing(const Input& input) {
  call('C', std::max(input.now, midnight_ + segment_.timetable.closing), DayReason::scheduled);
  change_phase(Phase::closing_call, input.now);
}

void InstrumentDay::extend(const Input& input) {
  ++extensions_;
  reason_ = DayReason::extended;
  until_ = input.now + segment_.timetable.extension;
}

/// Regular trading begins with the uncross of the call before it.
void InstrumentDay::trade(const Input& input) {
  const Timetable& table = segment_.timetable;
  reason_ = DayReason::scheduled;
  // An intraday auction whose time has passed meanwhile is left out.
  if (input.now >= midnight_ + table.intraday) is_intraday_over_ = true;
  const bool has_intraday = table.intraday_call != Duration{} && !is_intraday_over_;
  until_ = std::max(input.now, midnight_ + (has_intraday ? table.intraday_call : table.closing_call));
  change_phase(Phase::continuous, input.now);
}

void InstrumentDay::halt(const Input& input) {
  reason_ = DayReason::price_outside_range;
  until_ = input.now + segment_.timetable.halt;
  change_phase(Phase::halted, input.now);
}

/// Until the operator resumes, at the latest until the end of the day.
void InstrumentDay::stop(const Input& input) {
  reason_ = DayReason::manual;
  until_ = midnight_ + segment_.timetable.end_of_day;
  change_phase(Phase::halted, input.now);
}

void InstrumentDay::cross(const Input& input) {
  reason_ = DayReason::scheduled;
  until_ = std::max(input.now, midnight_ + segment_.timetable.cross_end);
  change_phase(Phase::closing_price_cross, input.now);
}

void InstrumentDay::close(const Input& input) {
  reason_ = DayReason::scheduled;
  until_ = std::max(input.now, midnight_ + segment_.timetable.end_of_day);
  change_phase(Phase::closed, input.now);
}

void InstrumentDay::end_day(const Input& input) {
  reason_ = DayReason::scheduled;
  until_ = time::k_never;
  change_phase(Phase::closed, input.now);
  if (is_sliced_) return;
  market::Expire expire;
  expire.header.instrument = instrument_.id;
  expire.header.time = input.now;
  expire.is_end_of_day = true;
  book_.apply(expire);
}

// ---- Guards of the rows ---------------------------------------------------------------------------------------------

bool InstrumentDay::is_price_outside() const {
  if (segment_.timetable.extension == Duration{} || extensions_ >= segment_.timetable.extensions) return false;
  const book::Auction& auction = book_.indicative();
  return auction.volume.lots > 0 && is_beyond_static(auction.price);
}

bool InstrumentDay::is_intraday_due(const Input& input) const noexcept {
  const Timetable& table = segment_.timetable;
  return table.intraday_call != Duration{} && !is_intraday_over_ && input.now < midnight_ + table.closing_call;
}

bool InstrumentDay::is_closing_due(const Input& input) const noexcept {
  return input.now >= midnight_ + segment_.timetable.closing_call;
}

// ---- Bands ---------------------------------------------------------------------------------------------------------

bool InstrumentDay::is_beyond(Price price, Price reference, std::uint32_t bp) noexcept {
  if (bp == 0 || reference.units <= 0) return false;
  __extension__ using Wide = __int128;
  const Wide distance = price > reference ? Wide{price.units} - reference.units : Wide{reference.units} - price.units;
  return distance * 10'000 > Wide{reference.units} * bp;
}

bool InstrumentDay::is_beyond_static(Price price) const noexcept {
  return is_beyond(price, static_reference_, segment_.bands.static_bp);
}

bool InstrumentDay::is_beyond_dynamic(Price price) const noexcept {
  return is_beyond(price, dynamic_reference_, segment_.bands.dynamic_bp);
}

/// The largest distance that is_beyond() lets pass.
std::optional<InstrumentDay::Band> InstrumentDay::band_of(Price reference, std::uint32_t bp) noexcept {
  if (bp == 0 || reference.units <= 0) return {};
  __extension__ using Wide = __int128;
  const auto distance = static_cast<std::int64_t>(Wide{reference.units} * bp / 10'000);
  const std::int64_t room = std::numeric_limits<std::int64_t>::max() - reference.units;
  return Band{.low = {reference.units - distance}, .high = {reference.units + std::min(distance, room)}};
}

std::optional<InstrumentDay::Band> InstrumentDay::static_band() const noexcept {
  return band_of(static_reference_, segment_.bands.static_bp);
}

std::optional<InstrumentDay::Band> InstrumentDay::dynamic_band() const noexcept {
  return band_of(last_price_, segment_.bands.dynamic_bp);
}

bool InstrumentDay::on_trade(Price price, bool is_auction, market::Sequence command) noexcept {
  if (command != traded_by_) dynamic_reference_ = last_price_;
  traded_by_ = command;
  last_price_ = price;
  if (is_auction) {
    static_reference_ = dynamic_reference_ = price;
    return false;
  }
  if (phase_ != DayPhase::regular) return false;
  if (is_beyond_static(price))
    breach_ = DayEvent::beyond_static;
  else if (!breach_ && is_beyond_dynamic(price))
    breach_ = DayEvent::beyond_dynamic;
  return breach_.has_value();
}

std::optional<DayEvent> InstrumentDay::foresee(Side side, std::optional<Price> limit, market::Quantity quantity) const {
  if (phase_ != DayPhase::regular || (segment_.bands.static_bp == 0 && segment_.bands.dynamic_bp == 0)) return {};
  const std::optional<Price> last = book_.worst_reached(side, limit, quantity);
  if (!last) return {};
  if (is_beyond_static(*last)) return DayEvent::beyond_static;
  // Trades so far have moved the reference: the command that would come begins at the last of them.
  if (is_beyond(*last, last_price_, segment_.bands.dynamic_bp)) return DayEvent::beyond_dynamic;
  return {};
}

// ---- As a feed knows it ---------------------------------------------------------------------------------------------

char InstrumentDay::trading_status() const noexcept {
  switch (phase_) {
    case DayPhase::opening_call:
    case DayPhase::opening_extension:
      return 'a';
    case DayPhase::regular:
    case DayPhase::no_day:
      return 'T';
    case DayPhase::intraday_call:
    case DayPhase::intraday_extension:
      return 'r';
    case DayPhase::volatility_halt:
    case DayPhase::halted:
      return 'H';
    case DayPhase::reopening_call:
    case DayPhase::reopening_extension:
      return auction_type_ == 'E' ? 'f' : 'e';
    case DayPhase::closing_call:
    case DayPhase::closing_extension:
      return 'd';
    case DayPhase::closing_price_cross:
      return 'u';
    case DayPhase::post_close:
      return 'b';
    case DayPhase::end_of_day:
      return 'c';
    case DayPhase::start_of_day:
      break;
  }
  return 'w';
}

void InstrumentDay::save(StateWriter& out) const {
  out.section("day");
  out.add(instrument_.id);
  out.add(phase_);
  out.add(reason_);
  out.add(until_);
  out.add(midnight_);
  out.add(seed_);
  out.add(extensions_);
  out.add(std::uint8_t{is_intraday_over_});
  out.add(auction_type_);
  out.add(static_reference_);
  out.add(dynamic_reference_);
  out.add(last_price_);
  out.add(traded_by_);
  out.add(breach_);
}

bool InstrumentDay::load(StateReader& in) {
  std::uint32_t instrument = 0;
  if (!in.section("day") || !in.read(instrument)) return false;
  if (instrument != instrument_.id) return in.fail("the day of this instrument");
  const bool is_read = in.read(phase_) && in.read(reason_) && in.read(until_) && in.read(midnight_) && in.read(seed_) &&
                       in.read(extensions_) && in.read(is_intraday_over_) && in.read(auction_type_) &&
                       in.read(static_reference_) && in.read(dynamic_reference_) && in.read(last_price_) &&
                       in.read(traded_by_) && in.read(breach_);
  return is_read && (phase_ <= DayPhase::halted || in.fail("a phase of the day"));
}

std::uint64_t InstrumentDay::digest() const {
  book::Digest digest;
  digest.add(static_cast<std::uint8_t>(phase_));
  digest.add(static_cast<std::uint8_t>(reason_));
  digest.add(time::nanoseconds_of(until_));
  digest.add(time::nanoseconds_of(midnight_));
  digest.add(seed_);
  digest.add(extensions_);
  digest.add(std::uint8_t{is_intraday_over_});
  digest.add(static_cast<std::uint8_t>(auction_type_));
  digest.add(static_reference_);
  digest.add(last_price_);
  digest.add(static_cast<std::uint8_t>(breach_.value_or(DayEvent::none)));
  return digest.value();
}

}  // namespace dojima::venue
