// What limits remember of the past, beside lists that forget nothing and are looked through for every answer.

#include "dojima/venue/risk/limit_windows.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "dojima/venue/risk/recent_orders.hpp"

namespace dojima::venue::testing {
namespace {

using namespace std::chrono_literals;

constexpr Time k_begin = time::from_nanoseconds(1'800'000'000'000'000'000);

/// The newest of what came since the limit was set or cleared.
struct NaiveLimit {
  std::deque<Time> times;
  std::size_t most = 0;
  void keep() {
    while (times.size() > most) times.pop_front();
  }
  [[nodiscard]] bool is_full(Time now, Duration window) const {
    return most != 0 && times.size() == most && times.front() > now - window;
  }
};

/// What a cell has of it.
struct Window {
  TimesTail tail;
  TimesMemory memory;
  RecentTimes times{tail, memory};
  TimesLimit first, second;

  /// Of a state, as limits are loaded.
  void load(const NaiveLimit& its_first, const NaiveLimit& its_second) {
    times.set(first, its_first.most, second);
    times.set(second, its_second.most, first);
    const bool is_first_longer = its_first.times.size() >= its_second.times.size();
    for (const Time time : (is_first_longer ? its_first : its_second).times) static_cast<void>(times.note(time));
    first.begin = times.noted() - its_first.times.size();
    second.begin = times.noted() - its_second.times.size();
  }
};

/// Lists of times and naive ones, on so many random days of limits that come, change and go.
void hold_against_lists(std::uint64_t seed, int days) {
  std::mt19937_64 draw(seed);
  const auto below = [&draw](int end) { return static_cast<int>(draw() % static_cast<std::uint64_t>(end)); };
  int full = 0, loaded = 0;
  for (int day = 0; day < days; ++day) {
    auto window = std::make_unique<Window>();
    NaiveLimit naive_first, naive_second;
    Duration length = 100ms;
    Time now = k_begin;
    const int widest = day % 2 == 0 ? 30 : 300;  // beyond the least memory
    const int longest_step = day % 2 == 0 ? 12 : 2;
    for (int step = 0; step < 800; ++step) {
      now += std::chrono::milliseconds{below(8) == 0 ? below(15 * longest_step) : below(longest_step)};
      const int pick = below(80);
      if (pick == 0 || (window->first.most == 0 && window->second.most == 0)) {
        const auto most = static_cast<std::size_t>(1 + below(widest));
        window->times.set(window->first, most, window->second);
        naive_first.most = most;
        naive_first.keep();
      } else if (pick == 1) {
        const auto most = static_cast<std::size_t>(below(widest / 3));
        window->times.set(window->second, most, window->first);
        naive_second.most = most;
        naive_second.keep();
      } else if (pick == 2) {
        window->times.clear(window->first);
        naive_first.times.clear();
      } else if (pick == 3) {
        length = std::chrono::milliseconds{20 + below(200)};  // as all that is set, it has limits looked at anew
        window->times.set(window->first, window->first.most, window->second);
        window->times.set(window->second, window->second.most, window->first);
      } else if (pick == 4) {
        window = std::make_unique<Window>();
        window->load(naive_first, naive_second);
        ++loaded;
      }
      TimesLimit& first = window->first;
      TimesLimit& second = window->second;
      RecentTimes& times = window->times;
      for (const auto& [limit, naive] : {std::pair(&first, &naive_first), std::pair(&second, &naive_second)}) {
        ASSERT_EQ(times.is_full(*limit, now, length), naive->is_full(now, length)) << day << " " << step;
        ASSERT_EQ(times.size(*limit), naive->times.size()) << day << " " << step;
        for (std::size_t back = 0; back < naive->times.size(); ++back)
          ASSERT_EQ(times.newest(back), naive->times[naive->times.size() - 1 - back]) << day << " " << step;
        full += naive->is_full(now, length) ? 1 : 0;
      }
      if (first.most == 0 && second.most == 0) continue;
      times.look_at(std::min(first.look, second.look));
      const bool is_due = times.note(now);
      ASSERT_EQ(is_due, times.noted() >= std::min(first.look, second.look)) << day << " " << step;
      for (NaiveLimit* naive : {&naive_first, &naive_second}) {
        naive->times.push_back(now);
        naive->keep();
      }
      for (TimesLimit* limit : {&first, &second})
        if (times.noted() >= limit->look) times.plan(*limit, now, length);
    }
  }
  EXPECT_GT(full, days * 25);
  EXPECT_GT(loaded, days * 5 / 2);
}

TEST(RecentTimes, are_as_full_as_a_list_of_all_of_them_says) {
  hold_against_lists(7, 60);
}

TEST(RecentTimesLong, are_as_full_as_a_list_of_all_of_them_says) {
  hold_against_lists(8, 400);
}

/// How often a limit of 1,000 in a second is looked at while 10,000 come, so far apart.
int looks(Duration apart) {
  TimesTail tail;
  TimesMemory memory;
  RecentTimes times(tail, memory);
  TimesLimit limit;
  times.set(limit, 1'000);
  times.look_at(limit.look);
  int looks = 0;
  Time now = k_begin;
  for (int step = 0; step < 10'000; ++step) {
    now += apart;
    if (!times.note(now)) continue;
    ++looks;
    times.plan(limit, now, 1s);
    times.look_at(limit.look);
  }
  return looks;
}

TEST(RecentTimes, are_looked_at_seldom_where_a_limit_is_wide) {
  EXPECT_EQ(looks(10ms), 20);     // a hundred in a second
  EXPECT_EQ(looks(2100us), 20);   // nearly half as many as may be
  EXPECT_LT(looks(1250us), 100);  // four fifths
}

TEST(TimesMemory, gives_each_list_memory_of_its_own_and_takes_again_what_was_given_back) {
  std::mt19937_64 draw(3);
  TimesMemory memory;
  std::vector<std::pair<Time*, std::size_t>> lists;
  for (int step = 0; step < 2'000; ++step) {
    if (!lists.empty() && draw() % 3 == 0) {
      const std::size_t at = draw() % lists.size();
      memory.give_back(lists[at].first, lists[at].second);
      lists[at] = lists.back();
      lists.pop_back();
    }
    const std::size_t size = std::size_t{64} << draw() % 6;
    Time* const taken = memory.take(size);
    for (const auto& [at, length] : lists) ASSERT_TRUE(taken + size <= at || at + length <= taken) << step;
    for (std::size_t at = 0; at < size; ++at) taken[at] = k_begin;  // it is there
    lists.emplace_back(taken, size);
  }
  Time* const again = lists.back().first;
  const std::size_t size = lists.back().second;
  memory.give_back(again, size);
  EXPECT_EQ(memory.take(size), again);
}

TEST(TimesMemory, lets_lists_begin_in_different_lines) {
  TimesMemory memory;
  std::vector<std::uint64_t> begins;
  for (int list = 0; list < 64; ++list) begins.push_back(memory.first_number() / (64 / sizeof(Time)));
  std::ranges::sort(begins);
  EXPECT_EQ(std::ranges::adjacent_find(begins), begins.end());
}

[[nodiscard]] RecentOrders::Salts salts_of(std::uint32_t user, std::uint32_t account) {
  return {RecentOrders::salt_of(user, 1), RecentOrders::salt_of(account, 1)};
}

/// Every note of every cell.
class NaiveOrders {
 public:
  explicit NaiveOrders(std::size_t capacity) : capacity_(capacity) {}
  [[nodiscard]] bool has_room(std::size_t wanted, Time since) const {
    const auto old = std::ranges::count_if(notes_, [since](const Note& note) { return note.time <= since; });
    return notes_.size() - static_cast<std::size_t>(old) + wanted <= capacity_ || notes_.size() + wanted <= capacity_;
  }
  [[nodiscard]] bool has_like(const RecentOrders::Terms& terms, const OrderCells& cells,
                              const RecentOrders::Windows& windows, Time now) const {
    return std::ranges::any_of(notes_, [&](const Note& note) {
      return note.terms == terms && cells.at[note.at] == note.cell && windows[note.at] != Duration{} &&
             note.time > now - windows[note.at];
    });
  }
  void note(const RecentOrders::Terms& terms, const OrderCells& cells, Time now, Time since) {
    while (!notes_.empty() && notes_.front().time <= since) notes_.pop_front();
    for (std::size_t at = 0; at < cells.at.size(); ++at)
      if (cells.at[at] != k_no_cell) notes_.push_back({terms, cells.at[at], at, now});
  }
  [[nodiscard]] std::size_t size() const { return notes_.size(); }

 private:
  struct Note {
    RecentOrders::Terms terms;
    std::uint32_t cell;
    std::size_t at;
    Time time;
  };
  std::size_t capacity_;
  std::deque<Note> notes_;
};

TEST(RecentOrders, are_alike_where_a_list_of_all_of_them_says_so) {
  std::mt19937_64 draw(11);
  const auto below = [&draw](std::uint32_t end) { return static_cast<std::uint32_t>(draw() % end); };
  constexpr std::size_t k_room = 64;
  std::size_t alike = 0, without_room = 0;
  for (int day = 0; day < 60; ++day) {
    RecentOrders recent(k_room);
    NaiveOrders naive(k_room);
    Time now = k_begin;
    const Duration longest = std::chrono::milliseconds{50 + below(400)};
    for (int step = 0; step < 400; ++step) {
      now += std::chrono::milliseconds{below(15)};
      const std::uint32_t user = below(3), account = 10 + below(2);
      OrderCells cells;
      RecentOrders::Windows windows{};
      for (std::size_t at = 0; at < cells.at.size(); ++at) {
        if (below(4) == 0) continue;
        cells.at[at] = (at < 2 ? user : account) * 2 + static_cast<std::uint32_t>(at % 2);
        windows[at] = std::min<Duration>(longest, std::chrono::milliseconds{below(400)});
      }
      OrderCells looking = cells;
      for (std::size_t at = 0; at < cells.at.size(); ++at)
        if (windows[at] == Duration{}) looking.at[at] = k_no_cell;
      const RecentOrders::Terms terms{.price = 100 + below(3),
                                      .quantity = 1 + below(2),
                                      .place = below(2),
                                      .side = below(2) == 0 ? market::Side::buy : market::Side::sell};
      const RecentOrders::Heads heads = RecentOrders::heads_of(terms, salts_of(user, account));
      const bool is_like = naive.has_like(terms, cells, windows, now);
      ASSERT_EQ(recent.has_like(terms, heads, cells, windows, now), is_like) << day << " " << step;
      const bool has_room = naive.has_room(4, now - longest);
      ASSERT_EQ(recent.has_room(4, now - longest), has_room) << day << " " << step;
      alike += is_like ? 1 : 0;
      without_room += has_room ? 0 : 1;
      if (is_like || !has_room) continue;
      const std::ptrdiff_t missing = std::ranges::count(looking.at, k_no_cell);
      if (missing == std::ssize(looking.at)) continue;
      recent.note(terms, heads, looking, OrderCells::k_most - static_cast<std::uint32_t>(missing), now, now - longest);
      naive.note(terms, looking, now, now - longest);
      ASSERT_EQ(recent.size(), naive.size());
    }
  }
  EXPECT_GT(alike, 500u);
  EXPECT_GT(without_room, 500u);
}

TEST(RecentOrders, are_found_while_they_are_few_and_when_they_are_many_and_few_again) {
  constexpr int k_orders = 3'000;  // each in two cells: heads change behind 4,096
  RecentOrders recent(1 << 14);
  const OrderCells cells{.at = {1, 2, k_no_cell, k_no_cell}};
  const RecentOrders::Windows windows{1s, 1s, {}, {}};
  Time now = k_begin;
  const auto is_alike = [&](int price) {
    const RecentOrders::Terms terms{.price = price, .quantity = 1, .place = 1, .side = market::Side::buy};
    return recent.has_like(terms, RecentOrders::heads_of(terms, {7, 8}), cells, windows, now);
  };
  for (int round = 0; round < 3; ++round, now += 1h) {
    for (int price = 0; price < k_orders; ++price) {
      now += 1us;
      const RecentOrders::Terms terms{.price = price, .quantity = 1, .place = 1, .side = market::Side::buy};
      ASSERT_FALSE(is_alike(price)) << round << " " << price;
      recent.note(terms, RecentOrders::heads_of(terms, {7, 8}), cells, 2, now, now - 1s);
      ASSERT_EQ(recent.size(), 2 * (static_cast<std::size_t>(price) + 1));
      if (price % 500 != 499 && std::abs(price - 2'048) > 2) continue;
      for (int other = 0; other <= price; ++other)
        ASSERT_TRUE(is_alike(other)) << round << " " << price << " " << other;
    }
  }
}

TEST(RecentOrdersLong, are_as_alike_when_more_and_fewer_of_them_are_remembered) {
  std::mt19937_64 draw(19);
  const auto below = [&draw](std::uint32_t end) { return static_cast<std::uint32_t>(draw() % end); };
  constexpr Duration k_window = 50ms;
  RecentOrders recent(1 << 13);
  NaiveOrders naive(1 << 13);
  Time now = k_begin;
  std::size_t alike = 0, most = 0, least_behind_most = ~std::size_t{0};
  for (int part = 0; part < 12; ++part) {
    // So many come within the window: from a few to more than each size of the log has room for.
    const auto apart = std::array<Duration, 6>{20ms, 25us, 1ms, 5ms, 60us, 500us}[static_cast<std::size_t>(part % 6)];
    for (int step = 0; step < 2'500 && step < k_window * 2 / apart + 20; ++step) {
      now += apart;
      const std::uint32_t user = below(2);
      const OrderCells cells{.at = {user, below(3) == 0 ? k_no_cell : 10 + user, k_no_cell, 20}};
      const RecentOrders::Windows windows{k_window, k_window / 2, {}, k_window / 4};
      const RecentOrders::Terms terms{
          .price = 100 + below(4'000), .quantity = 1, .place = 1, .side = market::Side::buy};
      const RecentOrders::Heads heads = RecentOrders::heads_of(terms, salts_of(user, 7));
      const bool is_like = naive.has_like(terms, cells, windows, now);
      ASSERT_EQ(recent.has_like(terms, heads, cells, windows, now), is_like) << part << " " << step;
      ASSERT_EQ(recent.has_room(4, now - k_window), naive.has_room(4, now - k_window)) << part << " " << step;
      alike += is_like ? 1 : 0;
      const std::ptrdiff_t missing = std::ranges::count(cells.at, k_no_cell);
      recent.note(terms, heads, cells, OrderCells::k_most - static_cast<std::uint32_t>(missing), now, now - k_window);
      naive.note(terms, cells, now, now - k_window);
      ASSERT_EQ(recent.size(), naive.size()) << part << " " << step;
      most = std::max(most, recent.size());
      if (most > 3'000) least_behind_most = std::min(least_behind_most, recent.size());
    }
  }
  EXPECT_GT(alike, 500u);
  EXPECT_GT(most, 3'000u);
  EXPECT_LT(least_behind_most, 20u);
}

TEST(RecentOrders, are_forgotten_for_good_whether_the_log_still_has_them_or_not) {
  RecentOrders recent(1 << 10);
  const OrderCells cells{.at = {1, k_no_cell, k_no_cell, 2}};
  const RecentOrders::Windows windows{1s, {}, {}, 1s};
  const auto terms_at = [](int price) {
    return RecentOrders::Terms{.price = price, .quantity = 1, .place = 1, .side = market::Side::buy};
  };
  const auto note = [&](int price, Time now, Duration longest) {
    recent.note(terms_at(price), RecentOrders::heads_of(terms_at(price), {7, 8}), cells, 2, now, now - longest);
  };
  const auto is_alike = [&](int price, Time now) {
    return recent.has_like(terms_at(price), RecentOrders::heads_of(terms_at(price), {7, 8}), cells, windows, now);
  };
  note(1, k_begin, 10ms);
  note(2, k_begin + 9ms, 10ms);
  EXPECT_EQ(recent.size(), 4u);
  note(3, k_begin + 11ms, 10ms);
  // From here on orders are remembered for longer, but for those that are forgotten.
  for (int price = 4; price < 40; ++price) {
    EXPECT_EQ(recent.size(), 2 * (static_cast<std::size_t>(price) - 2));
    EXPECT_FALSE(is_alike(1, k_begin + 12ms)) << price;
    EXPECT_TRUE(is_alike(2, k_begin + 12ms)) << price;
    std::size_t notes = 0;
    recent.each([&](const OrderLikeness& order, Time) {
      EXPECT_NE(order.price, 1);
      ++notes;
    });
    EXPECT_EQ(notes, recent.size());
    note(price, k_begin + 12ms, 1s);
  }
}

}  // namespace
}  // namespace dojima::venue::testing
