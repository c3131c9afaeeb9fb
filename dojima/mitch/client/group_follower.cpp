#include "dojima/mitch/client/group_follower.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::mitch {
namespace {

/// What a message does to a book, and where it says which.
enum class Effect : std::uint8_t { none, by_instrument, by_order };
struct Place {
  Effect effect = Effect::none;
  std::uint16_t at = 0;  // of the instrument or the order; 0: it names neither
};

constexpr std::uint16_t k_order_at = 6;

Place place_of_type(char type) noexcept {
  switch (type) {
    case AddOrder::k_type:
    case AddAttributedOrder::k_type:
      return {Effect::by_instrument, 19};
    case OrderDeleted::k_type:
      return {Effect::by_instrument, 15};
    case OrderBookClear::k_type:
    case SymbolStatus::k_type:
      return {Effect::by_instrument, 6};
    case OrderModified::k_type:
    case OrderExecuted::k_type:
    case OrderExecutedWithPriceSize::k_type:
      return {Effect::by_order, k_order_at};
    case SymbolDirectory::k_type:
    case Statistics::k_type:
    case TopOfBook::k_type:
      return {Effect::none, 6};
    case Trade::k_type:
    case AuctionTrade::k_type:
      return {Effect::none, 10};
    case AuctionInfo::k_type:
      return {Effect::none, 15};
    default:
      return {};
  }
}

/// Whether a snapshot of orders says nothing of it: it is about firm quotes or a private RFQ.
bool is_of_quotes(Bytes message, char type) noexcept {
  constexpr std::uint8_t k_quotes = k_firm_quote | k_private_rfq;
  std::size_t at = 0;
  if (type == AddOrder::k_type) at = 33;
  if (type == AddAttributedOrder::k_type) at = 44;
  if (type == OrderDeleted::k_type) at = 14;
  if (type == OrderModified::k_type) at = 26;
  if (type == OrderBookClear::k_type) at = 12;
  return at != 0 && (std::to_integer<std::uint8_t>(message[at]) & k_quotes) != 0;
}

char type_of(Bytes message) noexcept {
  return load_little<char>(message, 1);
}

/// One that every reader knows, as long as it is.
bool is_whole(Bytes message) noexcept {
  const MessageLayout* const layout = find_layout(type_of(message));
  return layout != nullptr && layout->size == message.size();
}

}  // namespace

GroupFollower::GroupFollower(char group, std::size_t window, const BookBuilderLimits& limits, bool has_recovery)
    : group_(group), window_(window), books_(limits), known_(limits.instruments), has_recovery_(has_recovery) {
  instruments_.reserve(limits.instruments);
}

void GroupFollower::begin(std::uint32_t next, bool is_late) {
  window_.clear();
  next_ = end_ = next;
  included_ = 0;
  snapshot_ = 0;
  suspects_ = 0;
  is_late_ = is_late;
  for (const std::uint32_t id : instruments_) {
    static_cast<void>(books_.apply(OrderBookClear{.instrument_id = id}));
    static_cast<void>(books_.apply(OrderBookClear{.instrument_id = id, .flags = k_firm_quote}));
    static_cast<void>(books_.apply(OrderBookClear{.instrument_id = id, .flags = k_private_rfq}));
    *known_.find(id) = {};
    if (is_late) suspect(id);
  }
}

bool GroupFollower::put(std::uint32_t number, Bytes message) noexcept {
  if (number < next_ || window_.has(number)) return false;
  DOJIMA_ASSERT(number - next_ < window_.capacity(), "looked at before", number, next_);
  window_.put(number, message);
  announce(number + 1);
  return true;
}

std::optional<MissingRange> GroupFollower::missing() const noexcept {
  if (!has_gap()) return std::nullopt;
  std::uint32_t there = next_;
  const std::uint32_t seen =
      end_ - next_ < window_.capacity() ? end_ : next_ + static_cast<std::uint32_t>(window_.capacity());
  while (there < seen && !window_.has(there)) ++there;
  if (there == seen) there = end_;
  return MissingRange{next_, there - next_};
}

void GroupFollower::skip_missing() {
  const auto range = missing();
  if (range) next_ = range->first + range->count;
  is_late_ = true;
  for (const std::uint32_t id : instruments_) suspect(id);
}

void GroupFollower::skip_to(std::uint32_t next) {
  next_ = std::max(next_, next);
  end_ = std::max(end_, next_);
  is_late_ = true;
  for (const std::uint32_t id : instruments_) suspect(id);
}

GroupFollower::Instrument* GroupFollower::find_or_add(std::uint32_t id, bool& is_new) {
  is_new = false;
  if (Instrument* const known = known_.find(id)) return known;
  if (!known_.insert(id, {})) return nullptr;
  instruments_.push_back(id);
  is_new = true;
  return known_.find(id);
}

void GroupFollower::suspect(std::uint32_t instrument) {
  Instrument* const known = known_.find(instrument);
  if (known == nullptr || known->is_suspect) return;
  known->is_suspect = true;
  ++suspects_;
}

void GroupFollower::give_up(std::uint32_t instrument) {
  if (Instrument* const known = known_.find(instrument)) known->is_given_up = true;
}

void GroupFollower::expect(std::uint32_t instrument) {
  bool is_new = false;
  if (find_or_add(instrument, is_new) != nullptr && is_new) suspect(instrument);
}

bool GroupFollower::is_suspect(std::uint32_t instrument) const noexcept {
  const Instrument* const known = known_.find(instrument);
  return known != nullptr && known->is_suspect;
}

unsigned& GroupFollower::misfits(std::uint32_t instrument) {
  Instrument* const known = known_.find(instrument);
  return known != nullptr ? known->misfits : group_misfits_;
}

GroupFollower::Applied GroupFollower::apply_next() {
  const std::uint32_t number = next_++;
  const Bytes message = window_.find(number);
  if (!is_whole(message)) return {Outcome::skipped, 0};
  const char type = type_of(message);
  const Place place = place_of_type(type);
  if (place.effect != Effect::none) return apply_to_book(number, message, type);
  Applied applied;
  if (place.at != 0) {
    applied.instrument = load_little<std::uint32_t>(message, place.at);
    bool is_new = false;
    const Instrument* const known = find_or_add(applied.instrument, is_new);
    if (known == nullptr) return {Outcome::misfit, applied.instrument};
    if (is_new && is_late_) {
      suspect(applied.instrument);
      applied.outcome = Outcome::discovered;
    }
  }
  if (!books_.apply(message)) applied.outcome = Outcome::misfit;
  return applied;
}

GroupFollower::Applied GroupFollower::apply_to_book(std::uint32_t number, Bytes message, char type) {
  const Place place = place_of_type(type);
  std::uint32_t id = 0;
  if (place.effect == Effect::by_order) {
    const auto of_order = books_.instrument_of(load_little<std::uint64_t>(message, place.at));
    // Of a book that is not there yet, or gone already in the snapshot.
    if (!of_order) return {suspects_ != 0 || number <= included_ ? Outcome::skipped : Outcome::homeless, 0};
    id = *of_order;
  } else {
    id = load_little<std::uint32_t>(message, place.at);
  }
  bool is_new = false;
  Instrument* const known = find_or_add(id, is_new);
  if (known == nullptr) return {Outcome::misfit, id};
  if (is_new && is_late_) suspect(id);
  const bool is_clear = type == OrderBookClear::k_type && !is_of_quotes(message, type);
  if (known->is_suspect && is_clear && (!has_recovery_ || known->is_given_up)) {
    known->is_suspect = known->is_given_up = false;
    --suspects_;
    known->included = 0;
  }
  if (known->is_suspect) return {is_new ? Outcome::discovered : Outcome::skipped, id};
  if (number <= known->included) return {Outcome::skipped, id};
  if (books_.apply(message)) return {Outcome::applied, id};
  // A book that came from a snapshot has no quotes.
  if (is_of_quotes(message, type) && known->included != 0) return {Outcome::skipped, id};
  return {Outcome::misfit, id};
}

// ---- Snapshots -----------------------------------------------------------------------------------------------------

void GroupFollower::begin_snapshot(std::uint32_t instrument) {
  snapshot_ = instrument;
  static_cast<void>(books_.apply(OrderBookClear{.instrument_id = instrument}));
}

void GroupFollower::apply_snapshot(Bytes message) {
  if (!is_whole(message)) return;
  const char type = type_of(message);
  const bool is_wanted = type == AddOrder::k_type || type == AddAttributedOrder::k_type || type == SymbolStatus::k_type;
  if (!is_wanted || is_of_quotes(message, type)) return;
  const auto instrument = load_little<std::uint32_t>(message, place_of_type(type).at);
  expect(instrument);
  if (!is_suspect(instrument)) return;
  if (snapshot_ != instrument) begin_snapshot(instrument);
  // An order that does not fit shows in what comes behind the snapshot.
  static_cast<void>(books_.apply(message));
}

bool GroupFollower::complete_snapshot(std::uint32_t instrument, std::uint32_t number) {
  expect(instrument);
  Instrument* const known = known_.find(instrument);
  if (known == nullptr || !known->is_suspect) return true;
  if (snapshot_ != instrument) begin_snapshot(instrument);
  snapshot_ = 0;
  if (next_ == 0) {
    // Nothing of the group has come yet.
    next_ = end_ = number + 1;
    is_late_ = true;
  }
  for (std::uint32_t behind = number + 1; behind < next_; ++behind)
    if (!window_.has(behind)) return false;
  known->is_suspect = known->is_given_up = false;
  --suspects_;
  known->included = number;
  included_ = std::max(included_, number);
  for (std::uint32_t behind = number + 1; behind < next_; ++behind) apply_again(behind, instrument);
  return true;
}

/// A message that was skipped while the book was suspect, if it is about this book.
void GroupFollower::apply_again(std::uint32_t number, std::uint32_t instrument) {
  const Bytes message = window_.find(number);
  if (!is_whole(message)) return;
  const char type = type_of(message);
  const Place place = place_of_type(type);
  if (place.effect == Effect::none) return;
  const auto of = place.effect == Effect::by_order ? books_.instrument_of(load_little<std::uint64_t>(message, place.at))
                                                   : std::optional(load_little<std::uint32_t>(message, place.at));
  if (of == instrument) static_cast<void>(books_.apply(message));
}

}  // namespace dojima::mitch
