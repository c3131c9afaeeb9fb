// Random flows in which most orders take the fast path beside a few special ones.

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/base/splitmix.hpp"
#include "dojima/book/book_test_support.hpp"
#include "dojima/book/matching/fast_path_test_support.hpp"
#include "dojima/book/reference/flow_log_test.hpp"

namespace dojima::book::testing {
namespace {

/// Plain orders of every sort in a book where now and then one or two special orders live, so that most of them go by
/// the fast path beside something. The book says what the general path says, and what the naive book says.
class FlowBesideSpecials {
 public:
  FlowBesideSpecials(std::uint64_t seed, const WorldOptions& options)
      : random_(seed), both_(options), naive_(make_reference(options)) {}

  /// How many new orders went by the fast path while something special lived in the book.
  std::size_t run(std::size_t commands) {
    for (std::size_t at = 0; at < commands && !::testing::Test::HasFailure(); ++at) step();
    both_.check_tables();
    return taken_;
  }

 private:
  static constexpr std::size_t k_most_specials = 2;

  void step() {
    const std::int64_t draw = below(100);
    now_ += below(3);
    if (draw < 3) mid_ += below(5) - 2;
    while (specials_.size() > k_most_specials) end_special();
    if (draw < 52) return enter_plain();
    if (draw < 60) return enter_special();
    if (draw < 64) return end_special();
    if (draw < 67) return expire();
    if (plain_.empty()) return enter_plain();
    const Known known = plain_[static_cast<std::size_t>(below(static_cast<std::int64_t>(plain_.size())))];
    if (draw < 80) return cancel(known);
    market::Replace command = both_.fast.make_replace(known.order, known.side, 1 + below(25), price(known.side));
    command.header.user = known.owner;
    command.header.time = now();
    command.expiry = time::from_nanoseconds(now_ + 1 + below(60));
    apply(command);
  }

  market::NewOrder make_any() {
    const Side side = below(2) == 0 ? Side::buy : Side::sell;
    market::NewOrder order = make_order({side, 1 + below(20), price(side)});
    order.header.user = static_cast<std::uint16_t>(below(3));
    order.header.time = now();
    order.terms.group = static_cast<std::uint8_t>(below(2));
    return order;
  }

  void enter_plain() {
    market::NewOrder order = make_any();
    constexpr std::array times{TimeInForce::day,
                               TimeInForce::day,
                               TimeInForce::good_till_cancel,
                               TimeInForce::good_till_date,
                               TimeInForce::good_till_time,
                               TimeInForce::immediate_or_cancel,
                               TimeInForce::fill_or_kill};
    if (below(2) == 0) order.terms.time_in_force = times[static_cast<std::size_t>(below(7))];
    order.terms.expiry = time::from_nanoseconds(now_ + 1 + below(60));
    if (below(8) == 0)
      order.terms.type = OrderType::market;  // its limit means nothing
    else if (below(8) == 0)
      order.terms.passive = 99;  // special only until it rests, and never compact
    enter(order, false);
  }

  void enter_special() {
    market::NewOrder order = make_any();
    market::OrderTerms& terms = order.terms;
    const std::int64_t away = terms.side == Side::buy ? 1 : -1;
    switch (below(7)) {
      case 0:
      case 1:
        terms.displayed = {1 + below(terms.quantity.lots)};
        break;
      case 2:
        terms.type = OrderType::stop;
        terms.stop = at(mid_ + away * (1 + below(4)));
        break;
      case 3:
        terms.type = OrderType::trailing_stop;
        terms.stop = {10 + below(30)};
        break;
      case 4:
        terms.displayed = {0};
        terms.limit = at(mid_ - away * 9);
        break;
      case 5:
        terms.flags = market::k_all_or_none;
        terms.limit = at(mid_ - away * 9);
        break;
      default:
        if (plain_.empty()) return;
        const Known known = plain_.back();
        order.linked = known.order;
        order.header.user = known.owner;
        terms.side = known.side;
        terms.limit = at(price(known.side));
        if (below(2) == 0) terms.displayed = {1 + below(terms.quantity.lots)};
        specials_.push_back(known);
        break;
    }
    enter(order, true);
  }

  void enter(const market::NewOrder& order, bool is_special) {
    const bool is_beside = !specials_.empty();
    const auto reports = apply(order);
    if (reports.empty() || reports.front().kind != BookReportKind::accepted) return;
    const OrderId id = reports.front().order;
    if (both_.fast.orders.find(id) == k_no_slot) return;
    if (is_beside && !is_special && took_fast_path(both_.fast, id)) ++taken_;
    auto& list = is_special ? specials_ : plain_;
    list.push_back({id, order.terms.side, order.header.user});
    if (list.size() > 40) list.erase(list.begin());
  }

  void end_special() {
    if (specials_.empty()) return;
    const Known known = specials_.front();
    specials_.erase(specials_.begin());
    cancel(known);
  }

  struct Known {
    OrderId order;
    Side side;
    std::uint16_t owner;
  };
  void cancel(const Known& known) {
    market::Cancel command{.order = known.order, .side = known.side};
    command.header.instrument = k_instrument;
    command.header.user = known.owner;
    apply(command);
  }

  void expire() {
    market::Expire command;
    command.header.instrument = k_instrument;
    command.header.time = now();
    apply(command);
  }

  template <class Command>
  std::vector<BookReport> apply(const Command& command) {
    const auto reports = both_.apply(command);
    EXPECT_EQ(naive_.apply(++sequence_, command), reports);
    return reports;
  }

  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(bound)));
  }
  std::int64_t price(Side side) { return side == Side::buy ? mid_ - below(8) + 3 : mid_ + below(8) - 3; }
  time::Time now() const { return time::from_nanoseconds(now_); }

  SplitMix64 random_;
  BothPaths both_;
  ReferenceBook naive_;
  std::vector<Known> plain_, specials_;
  std::uint64_t sequence_ = 0;
  std::int64_t now_ = 0, mid_ = 500;
  std::size_t taken_ = 0;
};

TEST(FastPath, says_what_the_naive_book_says_beside_a_few_special_orders) {
  std::size_t taken = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    WorldOptions options{.orders = 96, .levels = 24, .buffer = 1 + seed % 3};
    constexpr std::array policies{Policy::fifo, Policy::fifo, Policy::size_time, Policy::pro_rata};
    options.rules.policy = policies[seed % 4];
    if (seed % 3 == 0) options.rules.self_trade = SelfTrade::cancel_oldest;
    if (seed % 6 == 0) options.rules.scope = SelfTradeScope::group;
    taken += FlowBesideSpecials(seed, options).run(300);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(taken, 100u);
}

}  // namespace
}  // namespace dojima::book::testing
