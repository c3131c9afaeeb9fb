#include "dojima/app/dashboard/feed_watch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "dojima/market/day.hpp"
#include "dojima/market/phase.hpp"
#include "dojima/mitch/codec.hpp"
#include "dojima/web/dashboard/facts.hpp"

namespace dojima::app {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::DayPhase;
using market::Phase;
using market::Side;
using web::FactKind;

constexpr std::chrono::milliseconds k_feed_pause{50};

constexpr std::array<std::string_view, 14> k_feed_counters = {"messages",
                                                              "trades",
                                                              "units",
                                                              "duplicates",
                                                              "gaps",
                                                              "messages missed",
                                                              "messages missing now",
                                                              "messages replayed",
                                                              "messages skipped",
                                                              "books recovered",
                                                              "books suspect",
                                                              "requests refused",
                                                              "misfits",
                                                              "restarts"};

/// As MIT303 letters a status.
struct StatusPhase {
  DayPhase day;
  Phase phase;
};
[[nodiscard]] StatusPhase phase_of_status(char letter) {
  switch (letter) {
    case 'a':
      return {DayPhase::opening_call, Phase::opening_call};
    case 'T':
      return {DayPhase::regular, Phase::continuous};
    case 'r':
      return {DayPhase::intraday_call, Phase::intraday_call};
    case 'H':
    case 'l':
      return {DayPhase::halted, Phase::halted};
    case 'e':
    case 'f':
    case 'q':
      return {DayPhase::reopening_call, Phase::reopening_call};
    case 'd':
      return {DayPhase::closing_call, Phase::closing_call};
    case 'u':
      return {DayPhase::closing_price_cross, Phase::closing_price_cross};
    case 'b':
    case 'x':
      return {DayPhase::post_close, Phase::closed};
    case 'c':
    case 't':
      return {DayPhase::end_of_day, Phase::closed};
    default:
      return {DayPhase::start_of_day, Phase::closed};
  }
}

[[nodiscard]] Side feed_side(char letter) {
  return letter == 'B' ? Side::buy : Side::sell;
}

/// Orders of the book that everybody sees and that have a limit.
[[nodiscard]] bool is_displayed(std::uint8_t flags) {
  return (flags & (mitch::k_market_order | mitch::k_firm_quote | mitch::k_private_rfq)) == 0;
}

template <std::size_t Size>
void fill_text(std::string_view text, std::array<char, Size>& to) {
  text.copy(to.data(), Size);
}

[[nodiscard]] web::DashboardOptions feed_screens(const FeedWatchOptions& options) {
  web::DashboardOptions made{.picture = {.name = options.name}, .on_pace = options.on_pace};
  for (const std::string_view each : k_feed_counters) made.picture.counters.emplace_back(each);
  made.picture.sessions = {"line A", "line B"};
  for (const char group : FeedWatch::k_groups) made.picture.sessions.push_back(std::string("group ") + group);
  return made;
}

}  // namespace

FeedWatch::FeedWatch(FeedWatchOptions options)
    : options_(std::move(options)),
      screens_(options_.dashboard, feed_screens(options_),
               {.orders = std::clamp<std::size_t>(options_.orders, 1 << 12, 1 << 19), .instruments = 4096}),
      sessions_(mitch::FeedClient::k_lines + k_groups.size()) {
  for (web::SessionFact& each : sessions_) each.is_up = 2;  // as none is: the first look tells of all
}

void FeedWatch::tell_instrument(std::uint32_t id, char group, const mitch::SymbolDirectory* news) {
  if (!told_.insert(id).second && news == nullptr) return;
  web::InstrumentFact fact{.instrument = id, .partition = static_cast<std::uint8_t>(group - '0')};
  const auto name = options_.names.find(id);
  fill_text(name != options_.names.end() ? name->second : std::to_string(id), fact.symbol);
  const mitch::BookBuilder* const books = client_ != nullptr ? client_->books(group) : nullptr;
  const auto book = books != nullptr ? books->find(id) : std::nullopt;
  const mitch::SymbolDirectory directory = news != nullptr ? *news
                                           : book          ? book->state().directory
                                                           : mitch::SymbolDirectory{};
  fill_text(directory.segment.view(), fact.segment);
  fact.reference = std::max<std::int64_t>(directory.previous_close_price.units, 0);
  // Before a snapshot nothing else can be told; the ring is mostly free then.
  if (channel().wants_snapshot())
    channel().offer(FactKind::instrument, now_, fact);
  else
    channel().publish(FactKind::instrument, now_, fact);
}

void FeedWatch::report(const BookReport& report) {
  if (report.kind == BookReportKind::traded) ++trades_;
  channel().publish(FactKind::report, now_, report);
}

/// A message into facts; the books are as they were before it.
struct FeedWatch::Translation {
  FeedWatch& watch;
  const mitch::BookBuilder& books;
  char group;

  /// The displayed order of an id and its instrument; none: it is not of a book that is shown.
  struct Known {
    mitch::DisplayedOrder order;
    std::uint32_t instrument;
  };
  [[nodiscard]] std::optional<Known> known(std::uint64_t id) const {
    const auto order = books.find_order(id);
    const auto instrument = books.instrument_of(id);
    if (!order || !instrument || order->is_market) return {};
    return Known{*order, *instrument};
  }

  void add(std::uint64_t id, std::uint32_t instrument, Side side, market::Price price, std::int64_t quantity) const {
    watch.tell_instrument(instrument, group);
    watch.report({.order = {id},
                  .price = price,
                  .quantity = {quantity},
                  .leaves = {quantity},
                  .displayed = {quantity},
                  .instrument = instrument,
                  .kind = BookReportKind::added,
                  .side = side});
  }
  void keep(const Known& known, std::int64_t quantity, BookReportKind kind) const {
    watch.report({.order = {known.order.id},
                  .leaves = {quantity},
                  .displayed = {quantity},
                  .instrument = known.instrument,
                  .kind = kind,
                  .side = known.order.side});
  }
  void trade(const Known& known, market::Price price, std::int64_t quantity, std::int64_t left) const {
    watch.report({.order = {known.order.id},
                  .price = price,
                  .quantity = {quantity},
                  .leaves = {left},
                  .displayed = {left},
                  .instrument = known.instrument,
                  .kind = BookReportKind::traded,
                  .side = known.order.side});
  }
  /// A trade of orders that were not displayed, or of an auction; or one of these that counts no more.
  void trade_unseen(std::uint32_t instrument, market::Price price, std::int64_t quantity, std::uint8_t flags,
                    bool is_auction) const {
    watch.tell_instrument(instrument, group);
    if ((flags & (mitch::k_trade_cancelled | mitch::k_trade_amended)) != 0)
      return watch.channel().publish(FactKind::trade_break, watch.now_,
                                     market::TradeBreak{.time = watch.now_,
                                                        .price = price,
                                                        .quantity = {quantity},
                                                        .instrument = instrument,
                                                        .is_auction = is_auction,
                                                        .is_amended = (flags & mitch::k_trade_cancelled) == 0});
    BookReport report{.price = price, .quantity = {quantity}, .instrument = instrument};
    report.kind = BookReportKind::traded;
    if (is_auction) report.flags = market::k_auction;
    watch.report(report);
    if (!is_auction) return;
    report.kind = BookReportKind::uncrossed;
    report.flags = 0;
    watch.report(report);
  }

  void take(Bytes message) const {
    using namespace mitch;
    if (message.size() < 2) return;
    switch (static_cast<char>(message[1])) {
      case AddOrder::k_type:
        if (const auto of = decode<AddOrder>(message); of && is_displayed(of->flags))
          add(of->order_id, of->instrument_id, feed_side(of->side), of->price, of->quantity);
        return;
      case AddAttributedOrder::k_type:
        if (const auto of = decode<AddAttributedOrder>(message); of && is_displayed(of->flags))
          add(of->order_id, of->instrument_id, feed_side(of->side), of->price, of->quantity);
        return;
      case OrderDeleted::k_type:
        if (const auto of = decode<OrderDeleted>(message))
          if (const auto order = known(of->order_id)) keep(*order, 0, BookReportKind::cancelled);
        return;
      case OrderModified::k_type:
        if (const auto of = decode<OrderModified>(message)) modify(*of);
        return;
      case OrderExecuted::k_type:
        if (const auto of = decode<OrderExecuted>(message))
          if (const auto order = known(of->order_id))
            trade(*order, order->order.price, of->executed_quantity,
                  std::max<std::int64_t>(std::int64_t{order->order.quantity} - of->executed_quantity, 0));
        return;
      case OrderExecutedWithPriceSize::k_type:
        if (const auto of = decode<OrderExecutedWithPriceSize>(message))
          if (const auto order = known(of->order_id)) {
            if (of->printable == 'Y') return trade(*order, of->price, of->executed_quantity, of->display_quantity);
            keep(*order, of->display_quantity, BookReportKind::reduced);
          }
        return;
      case OrderBookClear::k_type:
        if (const auto of = decode<OrderBookClear>(message); of && is_displayed(of->flags))
          watch.channel().publish(FactKind::clear, watch.now_, of->instrument_id);
        return;
      default:
        return take_other(message);
    }
  }

  void modify(const mitch::OrderModified& of) const {
    const auto order = known(of.order_id);
    if (!order) return;
    const bool stays = (of.flags & mitch::k_priority_retained) != 0 && of.new_price == order->order.price;
    if (stays) return keep(*order, of.new_quantity, BookReportKind::reduced);
    keep(*order, 0, BookReportKind::cancelled);
    add(of.order_id, order->instrument, order->order.side, of.new_price, of.new_quantity);
  }

  /// What is not about a displayed order.
  void take_other(Bytes message) const {
    using namespace mitch;
    if (const auto status = decode<SymbolStatus>(message)) {
      watch.tell_instrument(status->instrument_id, group);
      const StatusPhase phase = phase_of_status(status->trading_status);
      watch.channel().publish(FactKind::status, watch.now_,
                              market::SymbolStatus{.time = watch.now_,
                                                   .end = time::k_never,
                                                   .instrument = status->instrument_id,
                                                   .phase = phase.day,
                                                   .trading_status = status->trading_status});
      watch.report({.instrument = status->instrument_id,
                    .kind = BookReportKind::phase_changed,
                    .flags = static_cast<std::uint8_t>(phase.phase)});
    } else if (const auto hidden = decode<mitch::Trade>(message)) {
      trade_unseen(hidden->instrument_id, hidden->price, hidden->executed_quantity, hidden->pt_mod_flags, false);
    } else if (const auto auction = decode<AuctionTrade>(message)) {
      trade_unseen(auction->instrument_id, auction->price, auction->quantity, auction->pt_mod_flags, true);
    } else if (const auto info = decode<AuctionInfo>(message)) {
      watch.tell_instrument(info->instrument_id, group);
      watch.channel().publish(FactKind::auction, watch.now_,
                              market::AuctionInfo{.time = watch.now_,
                                                  .price = info->price,
                                                  .quantity = {info->paired_quantity},
                                                  .instrument = info->instrument_id,
                                                  .auction_type = info->auction_type});
      watch.report({.price = info->price,
                    .quantity = {info->paired_quantity},
                    .instrument = info->instrument_id,
                    .kind = BookReportKind::indicative});
    } else if (const auto directory = decode<SymbolDirectory>(message)) {
      watch.tell_instrument(directory->instrument_id, group, &*directory);
    }
  }
};

void FeedWatch::on_message(char group, std::uint32_t number, Bytes message, time::Time now) {
  now_ = std::max(now_, now);
  if (now >= next_look_) look(now);
  const mitch::BookBuilder* const books = client_ != nullptr ? client_->books(group) : nullptr;
  if (books != nullptr) Translation{*this, *books, group}.take(message);
  if (options_.next != nullptr) options_.next->on_message(group, number, message, now);
}

void FeedWatch::on_notice(const mitch::FeedNotice& notice, time::Time now) {
  using Kind = mitch::FeedNoticeKind;
  now_ = std::max(now_, now);
  if (options_.words) channel().notice(now, options_.words(notice));
  // Its book has changed without a message.
  if (notice.kind == Kind::recovered || notice.kind == Kind::restarted || notice.kind == Kind::given_up ||
      notice.kind == Kind::misfit)
    channel().begin_anew();
  if (options_.next != nullptr) options_.next->on_notice(notice, now);
}

void FeedWatch::publish_pace(const web::PaceFact& pace, time::Time now) noexcept {
  now_ = std::max(now_, now);
  channel().offer(FactKind::pace, now_, pace);
}

void FeedWatch::look(time::Time now) {
  now_ = std::max(now_, now);
  next_look_ = now_ + k_feed_pause;
  if (client_ == nullptr) return;
  if (channel().wants_snapshot()) take_snapshot();
  look_at_sessions();
  look_at_counters();
}

void FeedWatch::take_snapshot() {
  told_.clear();
  for (const char group : client_->groups())
    client_->books(group)->each_book([&](const mitch::BookView& book) { tell_instrument(book.instrument(), group); });
  web::Snapshot& snapshot = channel().begin_snapshot();
  for (const char group : client_->groups())
    client_->books(group)->each_book([&](const mitch::BookView& book) {
      const mitch::InstrumentState& state = book.state();
      const StatusPhase phase = state.status.instrument_id != 0 ? phase_of_status(state.status.trading_status)
                                                                : StatusPhase{DayPhase::no_day, Phase::continuous};
      web::SnapshotInstrument instrument{.instrument = book.instrument(), .phase = phase.phase};
      instrument.day_phase = static_cast<std::uint8_t>(phase.day);
      instrument.auction_type = state.auction.auction_type;
      instrument.until = std::numeric_limits<std::int64_t>::max();
      instrument.trades = state.trade_count;
      instrument.volume = state.traded_quantity;
      if (state.last_price) instrument.last_price = *state.last_price;
      if (market::is_call(phase.phase)) {
        instrument.indicative_price = state.auction.price;
        instrument.indicative_quantity = {state.auction.paired_quantity};
      }
      snapshot.instruments.push_back(instrument);
      for (const Side side : {Side::buy, Side::sell})
        book.each_order(side, [&](const mitch::DisplayedOrder& order) {
          if (!order.is_market)
            channel().add({.order = {order.id},
                           .price = order.price,
                           .displayed = {order.quantity},
                           .leaves = {order.quantity},
                           .instrument = book.instrument(),
                           .side = side});
        });
    });
  channel().commit_snapshot(now_);
}

void FeedWatch::look_at_sessions() {
  const auto tell = [&](std::size_t place, web::SessionFact fact) {
    fact.session = static_cast<std::uint16_t>(place);
    if (std::memcmp(&fact, &sessions_[place], sizeof fact) == 0) return;
    sessions_[place] = fact;
    channel().offer(FactKind::session, now_, fact);
  };
  for (std::size_t line = 0; line < mitch::FeedClient::k_lines; ++line) {
    web::SessionFact fact{.kind = web::SessionKind::line};
    fact.is_up = client_->is_line_lost(line) ? 0 : 1;
    tell(line, fact);
  }
  for (std::size_t place = 0; place < k_groups.size(); ++place) {
    const char group = k_groups[place];
    web::SessionFact fact{.next_in = client_->next(group), .kind = web::SessionKind::group};
    fact.is_up = fact.next_in != 0 && client_->is_live(group) ? 1 : 0;
    if (fact.next_in != 0 && fact.is_up == 0) fact.lag = client_->missing();
    tell(mitch::FeedClient::k_lines + place, fact);
  }
}

void FeedWatch::look_at_counters() {
  const mitch::FeedClientCounts& counts = client_->counts();
  const std::array<std::uint64_t, k_feed_counters.size()> values = {
      counts.messages,    trades_,         counts.units,   counts.duplicates, counts.gaps,         counts.missing,
      client_->missing(), counts.replayed, counts.skipped, counts.snapshots,  client_->suspects(), counts.refused,
      counts.misfits,     counts.restarts};
  for (std::size_t at = 0; at < values.size(); ++at)
    channel().offer(FactKind::counter, now_,
                    web::CounterFact{.value = values[at], .counter = static_cast<std::uint32_t>(at)});
}

}  // namespace dojima::app
