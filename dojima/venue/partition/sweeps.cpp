#include "dojima/venue/partition/sweeps.hpp"

#include <algorithm>
#include <tuple>

#include "dojima/base/assert.hpp"
#include "dojima/base/state.hpp"
#include "dojima/venue/risk/risk_limits.hpp"

namespace dojima::venue {
namespace {

using market::MassCancelOf;
using market::Reason;

/// More places than these are looked at in slices, whatever is there.
constexpr std::size_t k_small_table = std::size_t{1} << 17;

[[nodiscard]] bool is_timed_order(market::TimeInForce time) noexcept {
  return time == market::TimeInForce::good_till_date || time == market::TimeInForce::good_till_time;
}

}  // namespace

// ---- What is to end ------------------------------------------------------------------------------------------------

void Sweeps::begin(const market::MassCancel& command) {
  const bool is_operators = (command.header.flags & k_by_operator) != 0;
  begin({.instrument = command.header.instrument,
         .client_order_id = is_operators ? Text<20>{} : command.client_order_id,
         .segment = command.segment,
         .user = command.header.user,
         .of = Sweep::Of::mass_cancel,
         .side = command.side,
         .group = command.group,
         .what = command.of,
         .reason = is_operators ? Reason::by_operator : Reason::by_owner,
         .is_everyone = command.is_everyone ? std::uint8_t{1} : std::uint8_t{0},
         .is_account = command.is_account ? std::uint8_t{1} : std::uint8_t{0}});
}

void Sweeps::begin(const market::RiskCommand& command) {
  const bool is_protection = (command.header.flags & k_by_protection) != 0;
  begin({.instrument = command.header.instrument,
         .account = command.of == market::LimitOf::account ? command.account : Text<10>{},
         .segment = command.segment,
         .user = command.of == market::LimitOf::user ? command.header.user : market::k_no_user,
         .of = Sweep::Of::operator_cancel,
         .reason = is_protection ? Reason::protection : Reason::by_operator,
         .is_everyone = command.of == market::LimitOf::everybody ? std::uint8_t{1} : std::uint8_t{0}});
}

void Sweeps::begin(const market::UserCommand& command) {
  begin({.user = command.header.user, .of = Sweep::Of::end_of_session, .reason = Reason::session_ended});
}

void Sweeps::begin_end_of_day(std::uint32_t instrument, bool is_untimed) {
  // Days that end one after the other need one look at all orders, as long as that has not begun.
  if (instrument == 0 && !sweeps_.empty()) {
    Sweep& last = sweeps_.back();
    const bool is_same = last.of == Sweep::Of::end_of_day && last.instrument == 0 && last.next == 0 &&
                         (last.is_untimed != 0) == is_untimed;
    if (is_same) {
      last.last_entry = orders_.entries();
      return;
    }
  }
  begin({.instrument = instrument,
         .of = Sweep::Of::end_of_day,
         .reason = Reason::time_expired,
         .is_everyone = 1,
         .is_untimed = is_untimed ? std::uint8_t{1} : std::uint8_t{0}});
}

void Sweeps::begin(Sweep sweep) {
  sweep.last_entry = orders_.entries();
  if (is_small(sweep) || sweeps_.size() == k_most) return end_at_once(sweep);
  sweeps_.push_back(sweep);
}

bool Sweeps::is_of_user(const Sweep& sweep) const noexcept {
  return sweep.is_everyone == 0 && sweep.is_account == 0 && sweep.account.is_empty() && sweep.user < orders_.owners();
}

/// Whether it is done as fast as a slice.
bool Sweeps::is_small(const Sweep& sweep) const noexcept {
  if (config_.slice == 0) return true;
  const std::size_t most = is_of_user(sweep) ? orders_.count_of_owner(sweep.user) : orders_.size();
  return most <= config_.slice && (most == 0 || orders_.capacity() <= k_small_table);
}

bool Sweeps::is_of_subject(const Sweep& sweep, book::Slot slot) const {
  if (sweep.is_everyone != 0) return true;
  if (!sweep.account.is_empty()) return orders_.labels(slot).account == sweep.account;
  const std::uint16_t owner = orders_[slot].owner;
  return sweep.is_account != 0 ? config_.rules.is_one_account(owner, sweep.user) : owner == sweep.user;
}

bool Sweeps::ends_with_day(const Sweep& sweep, const market::OrderTerms& terms, std::size_t place) const {
  if (sweep.instrument == 0 && !(sweep.is_untimed != 0 ? days_.is_untimed(place) : days_.is_over(place))) return false;
  // Those that are good till a time end at it, by a command of their own.
  return !is_timed_order(terms.time_in_force) && terms.time_in_force != market::TimeInForce::good_till_cancel;
}

bool Sweeps::fits(const Sweep& sweep, book::Slot slot) const {
  const book::Order& order = orders_[slot];
  if (!order.is_live() || order.entry > sweep.last_entry || !is_of_subject(sweep, slot)) return false;
  if (sweep.instrument != 0 && order.instrument != sweep.instrument) return false;
  const std::uint32_t place = *books_.place_of(order.instrument);
  if (!sweep.segment.is_empty() && sweep.segment.view() != books_.instrument(place).segment) return false;
  if (sweep.of == Sweep::Of::end_of_day) return ends_with_day(sweep, orders_.terms(slot), place);
  if (sweep.of == Sweep::Of::end_of_session) return (orders_.flags(slot) & market::k_auto_cancel) != 0;
  const bool is_quote = (orders_.flags(slot) & market::k_quote) != 0;
  return (sweep.side == market::Side::none || order.side == sweep.side) &&
         (sweep.group == 0 || orders_.group(slot) == sweep.group) &&
         (sweep.what == MassCancelOf::orders_and_quotes || is_quote == (sweep.what == MassCancelOf::quotes));
}

// ---- Ending it -----------------------------------------------------------------------------------------------------

void Sweeps::end(const Sweep& sweep, book::Slot slot) {
  book::Book& book = books_[*books_.place_of(orders_[slot].instrument)];
  const bool is_cancel = sweep.of == Sweep::Of::mass_cancel || sweep.of == Sweep::Of::operator_cancel;
  is_cancel ? book.cancel(orders_.id(slot), sweep.reason) : book.expire(orders_.id(slot), sweep.reason);
}

/// Lets the books act whose orders have ended. The slots still say of which instrument those were.
void Sweeps::settle() {
  std::uint32_t last = 0;
  for (const book::Slot slot : ending_) {
    const std::uint32_t instrument = orders_[slot].instrument;
    if (instrument == last) continue;
    last = instrument;
    books_.find(instrument)->settle();
  }
}

void Sweeps::end_at_once(const Sweep& sweep) {
  ending_.clear();
  if (orders_.size() == 0) return;
  for (const book::Slot slot : is_of_user(sweep) ? orders_.of_owner(sweep.user) : orders_.live())
    if (fits(sweep, slot)) ending_.push_back(slot);
  std::ranges::sort(ending_, {}, [this](book::Slot slot) {
    return std::tuple{*books_.place_of(orders_[slot].instrument), orders_[slot].owner, orders_[slot].entry};
  });
  for (std::size_t at = 0; at < ending_.size(); ++at) {
    const std::uint32_t instrument = orders_[ending_[at]].instrument;
    end(sweep, ending_[at]);
    const bool is_last = at + 1 == ending_.size() || orders_[ending_[at + 1]].instrument != instrument;
    if (is_last) books_.find(instrument)->settle();
  }
}

market::Slice Sweeps::next_slice() const noexcept {
  market::Slice slice{.orders = config_.slice, .places = k_places};
  slice.header.user = market::k_no_user;
  return slice;
}

/// The orders of a slice are known before the first of them ends, and books act on it only then: the reports of one
/// command depend on nothing but the command.
void Sweeps::go_on(const market::Slice& slice) {
  if (sweeps_.empty()) return;
  Sweep& sweep = sweeps_.front();
  answered_ = sweep.client_order_id;
  owned_.answer_as(sweep.user, answered_);
  ending_.clear();
  const std::size_t end_of_table = orders_.capacity();
  const std::size_t stop = std::min<std::size_t>(end_of_table, std::size_t{sweep.next} + slice.places);
  std::size_t at = sweep.next;
  for (; at < stop && ending_.size() < slice.orders; ++at)
    if (fits(sweep, static_cast<book::Slot>(at))) ending_.push_back(static_cast<book::Slot>(at));
  std::ranges::sort(ending_, {}, [this](book::Slot slot) {
    return std::tuple{*books_.place_of(orders_[slot].instrument), orders_[slot].owner, orders_[slot].entry};
  });
  for (const book::Slot slot : ending_) end(sweep, slot);
  settle();
  sweep.next = static_cast<std::uint32_t>(at);
  if (at == end_of_table) sweeps_.erase(sweeps_.begin());
}

// ---- State ---------------------------------------------------------------------------------------------------------

void Sweeps::add_to(book::Digest& digest) const {
  for (const Sweep& sweep : sweeps_) digest.add(sweep);
}

void Sweeps::save(StateWriter& out) const {
  if (sweeps_.empty()) return;
  out.section("sweeps");
  out.add(std::uint64_t{sweeps_.size()});
  for (const Sweep& sweep : sweeps_) out.add(sweep);
}

bool Sweeps::load(StateReader& in) {
  if (!in.is_next("sweeps")) return in.is_good();
  in.section("sweeps");
  std::uint64_t count = 0;
  if (!in.read_count(count, k_most, sizeof(Sweep))) return false;
  for (std::uint64_t at = 0; at < count; ++at) {
    Sweep sweep;
    if (!in.read(sweep)) return false;
    if (sweep.of > Sweep::Of::end_of_session || sweep.next >= orders_.capacity())
      return in.fail("orders that are to end");
    sweeps_.push_back(sweep);
  }
  return true;
}

}  // namespace dojima::venue
