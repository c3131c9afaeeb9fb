// Whose turn it is: by example, and against a model that looks at everything each time.

#include "dojima/app/passwords/fair_line.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace dojima::app {
namespace {

using Ticket = FairLine::Ticket;
using Tickets = std::vector<Ticket>;

/// Serves everybody that waits.
Tickets serve_all(FairLine& line) {
  Tickets served;
  while (const auto next = line.take()) {
    served.push_back(*next);
    line.done();
  }
  return served;
}

TEST(FairLine, hosts_take_turns_and_of_a_host_its_users) {
  FairLine line;
  for (Ticket ticket = 0; ticket < 4; ++ticket) line.push("A", 1, ticket);
  line.push("A", 2, 10);
  line.push("B", 1, 20);
  line.push("B", 1, 21);
  EXPECT_EQ(line.size(), 7u);
  EXPECT_EQ(serve_all(line), (Tickets{0, 20, 10, 21, 1, 2, 3}));
  EXPECT_EQ(line.size(), 0u);
}

TEST(FairLine, who_comes_while_another_is_served_is_next) {
  FairLine line;
  for (Ticket ticket = 0; ticket < 50; ++ticket) line.push("A", static_cast<std::uint16_t>(ticket % 5), ticket);
  EXPECT_EQ(line.take(), 0u);
  line.push("B", 1, 100);
  line.done();
  EXPECT_EQ(line.take(), 100u) << "another host";
  line.done();
  EXPECT_EQ(line.take(), 1u);
  line.done();
  line.push("A", 9, 200);
  const Tickets rest = serve_all(line);
  EXPECT_EQ(std::ranges::find(rest, 200u) - rest.begin(), 5) << "behind one of each user that came before";
}

TEST(FairLine, the_one_who_is_served_keeps_its_place_though_nobody_is_behind_it) {
  FairLine line;
  line.push("A", 1, 1);
  EXPECT_EQ(line.take(), 1u);
  EXPECT_EQ(line.size(), 0u);
  line.push("A", 1, 2);
  line.erase("A", 1, 2);
  line.erase("A", 7, 2);
  line.erase("C", 1, 2);
  line.push("B", 1, 3);
  line.push("A", 1, 4);
  line.done();
  EXPECT_EQ(serve_all(line), (Tickets{3, 4}));
}

TEST(FairLine, who_has_the_most_is_turned_away_the_last_of_it_first) {
  FairLine line;
  EXPECT_EQ(line.turn_away(), std::nullopt);
  for (Ticket ticket = 0; ticket < 3; ++ticket) line.push("A", 1, ticket);
  line.push("A", 2, 10);
  line.push("B", 1, 20);
  line.push("B", 1, 21);
  EXPECT_EQ(line.turn_away(), 2u);
  EXPECT_EQ(line.turn_away(), 1u) << "of a host that has three, the user that has two";
  EXPECT_EQ(line.turn_away(), 21u) << "of two hosts that have two, the later one";
  EXPECT_EQ(line.turn_away(), 10u);
  EXPECT_EQ(line.turn_away(), 20u);
  EXPECT_EQ(line.turn_away(), 0u);
  EXPECT_EQ(line.turn_away(), std::nullopt);
  EXPECT_EQ(line.take(), std::nullopt);
}

/// Everybody that waits, in the order of coming, and turns as lists of names.
struct LineModel {
  struct Waiting {
    std::string host;
    std::uint16_t user;
    Ticket ticket;
  };
  std::vector<Waiting> waiting;
  std::vector<std::string> hosts;                           // whose turn it is next, first
  std::map<std::string, std::vector<std::uint16_t>> users;  // likewise, of each
  std::optional<std::pair<std::string, std::uint16_t>> at_work;

  [[nodiscard]] auto of(const std::string& host) const { return std::ranges::count(waiting, host, &Waiting::host); }
  [[nodiscard]] auto of(const std::string& host, std::uint16_t user) const {
    return std::ranges::count_if(waiting, [&](const Waiting& each) { return each.host == host && each.user == user; });
  }
  void push(const Waiting& one) {
    waiting.push_back(one);
    if (std::ranges::find(hosts, one.host) == hosts.end()) hosts.push_back(one.host);
    auto& names = users[one.host];
    if (std::ranges::find(names, one.user) == names.end()) names.push_back(one.user);
  }
  /// Names of whom nobody waits go, but those of the one at work.
  void forget() {
    for (const std::string& host : std::vector(hosts)) {
      std::erase_if(users[host],
                    [&](std::uint16_t user) { return of(host, user) == 0 && at_work != std::pair(host, user); });
      if (users[host].empty()) std::erase(hosts, host);
    }
  }
  std::optional<Ticket> take() {
    if (waiting.empty()) return std::nullopt;
    at_work = {hosts.front(), users[hosts.front()].front()};
    const auto next = std::ranges::find_if(
        waiting, [&](const Waiting& each) { return each.host == at_work->first && each.user == at_work->second; });
    const Ticket ticket = next->ticket;
    waiting.erase(next);
    return ticket;
  }
  void done() {
    auto& names = users[at_work->first];
    std::ranges::rotate(names, names.begin() + 1);
    std::ranges::rotate(hosts, hosts.begin() + 1);
    at_work.reset();
    forget();
  }
  void erase(Ticket ticket) {
    std::erase_if(waiting, [&](const Waiting& each) { return each.ticket == ticket; });
    forget();
  }
  std::optional<Ticket> turn_away() {
    if (waiting.empty()) return std::nullopt;
    std::string host = hosts.front();
    for (const std::string& each : hosts)
      if (of(each) >= of(host)) host = each;
    std::uint16_t user = users[host].front();
    for (const std::uint16_t each : users[host])
      if (of(host, each) >= of(host, user)) user = each;
    std::optional<Ticket> last;
    for (const Waiting& each : waiting)
      if (each.host == host && each.user == user) last = each.ticket;
    erase(*last);
    return last;
  }
};

TEST(FairLine, does_as_its_model_on_random_comings_and_goings) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    FairLine line;
    LineModel model;
    Ticket next = 0;
    for (int step = 0; step < 400; ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " step " + std::to_string(step));
      switch (random() % 8) {
        default: {
          const LineModel::Waiting one{.host = std::string(1, static_cast<char>('A' + random() % 4)),
                                       .user = static_cast<std::uint16_t>(random() % 3),
                                       .ticket = next++};
          line.push(one.host, one.user, one.ticket);
          model.push(one);
          break;
        }
        case 4:
        case 5:
          if (model.at_work) {
            line.done();
            model.done();
          }
          ASSERT_EQ(line.take(), model.take());
          break;
        case 6:
          ASSERT_EQ(line.turn_away(), model.turn_away());
          break;
        case 7:
          if (!model.waiting.empty()) {
            const LineModel::Waiting gone = model.waiting[random() % model.waiting.size()];
            line.erase(gone.host, gone.user, gone.ticket);
            model.erase(gone.ticket);
          }
          break;
      }
      ASSERT_EQ(line.size(), model.waiting.size());
    }
  }
}

}  // namespace
}  // namespace dojima::app
