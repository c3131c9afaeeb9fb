#include "dojima/link/simulated_datagrams.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace dojima::link {
namespace {

using namespace std::chrono_literals;

struct Listener final : DatagramReceiver {
  void on_datagram(Bytes datagram, Time now) override {
    received.emplace_back(as_text(datagram));
    times.push_back(now);
  }
  std::vector<std::string> received;
  std::vector<Time> times;
};

struct Lines {
  explicit Lines(std::uint64_t seed = 1) : fabric(scheduler, seed) {}

  void subscribe(const Address& group, Listener& listener) {
    EXPECT_TRUE(fabric.subscribe(group, listener).has_value());
  }
  void send(const Address& group, const std::string& text) {
    EXPECT_TRUE((*fabric.publish(group))->send(dojima::as_bytes(text)));
  }
  /// Sends 0 to count - 1, a microsecond apart, and lets all of it arrive.
  void send_many(const Address& group, int count) {
    for (int number = 0; number < count; ++number) {
      send(group, std::to_string(number));
      scheduler.check(scheduler.now() + 1us, 100'000);
    }
    scheduler.check(scheduler.now() + 1s, 100'000);
  }

  sched::Scheduler scheduler{8};
  SimulatedDatagrams fabric;
};

const Address k_a{"a", 1}, k_b{"b", 1};

TEST(SimulatedDatagramLines, bring_every_datagram_to_every_subscriber_of_the_group_after_the_delay) {
  Lines lines;
  Listener first, second, other;
  lines.subscribe(k_a, first);
  lines.subscribe(k_a, second);
  lines.subscribe(k_b, other);
  lines.fabric.set_conditions(k_a, {.delay = 70us});
  lines.send(k_a, "rice");
  lines.send(k_a, "salt");
  EXPECT_TRUE(first.received.empty()) << "nothing calls back from inside send";
  lines.scheduler.check(Time{} + 69us, 10);
  EXPECT_TRUE(first.received.empty());
  lines.scheduler.check(Time{} + 70us, 10);
  const std::vector<std::string> expected = {"rice", "salt"};
  EXPECT_EQ(first.received, expected);
  EXPECT_EQ(second.received, expected);
  EXPECT_TRUE(other.received.empty());
  EXPECT_EQ(lines.fabric.counts().sent, 2u);
  EXPECT_EQ(lines.fabric.counts().delivered, 4u);
}

TEST(SimulatedDatagramLines, lose_about_as_many_as_configured_and_different_ones_for_each_subscriber) {
  Lines lines;
  Listener first, second;
  lines.subscribe(k_a, first);
  lines.subscribe(k_a, second);
  lines.fabric.set_conditions(k_a, {.loss_ppm = 200'000});
  lines.send_many(k_a, 2'000);
  for (const Listener* listener : {&first, &second}) {
    EXPECT_GT(listener->received.size(), 1'500u);
    EXPECT_LT(listener->received.size(), 1'700u);
  }
  EXPECT_NE(first.received, second.received);
  EXPECT_EQ(lines.fabric.counts().lost, 4'000 - first.received.size() - second.received.size());
}

TEST(SimulatedDatagramLines, repeat_and_overtake) {
  Lines lines;
  Listener listener;
  lines.subscribe(k_a, listener);
  lines.fabric.set_conditions(k_a, {.jitter = 20us, .duplicate_ppm = 100'000});
  lines.send_many(k_a, 1'000);
  EXPECT_EQ(listener.received.size(), 1'000 + lines.fabric.counts().duplicated);
  EXPECT_GT(lines.fabric.counts().duplicated, 50u);
  const auto less = [](const std::string& left, const std::string& right) {
    return std::stoi(left) < std::stoi(right);
  };
  EXPECT_FALSE(std::ranges::is_sorted(listener.received, less));
  EXPECT_TRUE(std::ranges::is_sorted(listener.times));
}

TEST(SimulatedDatagramLines, that_are_dead_bring_nothing_until_they_live_again) {
  Lines lines;
  Listener listener;
  lines.subscribe(k_a, listener);
  lines.fabric.set_conditions(k_a, {.is_dead = true});
  lines.send_many(k_a, 10);
  EXPECT_TRUE(listener.received.empty());
  lines.fabric.set_conditions(k_a, {});
  lines.send_many(k_a, 10);
  EXPECT_EQ(listener.received.size(), 10u);
}

TEST(SimulatedDatagramLines, do_the_same_with_the_same_seed) {
  std::vector<std::string> runs[3];
  for (const int run : {0, 1, 2}) {
    Lines lines(run == 2 ? 7 : 5);
    Listener listener;
    lines.subscribe(k_a, listener);
    lines.fabric.set_conditions(k_a, {.jitter = 20us, .loss_ppm = 100'000, .duplicate_ppm = 100'000});
    lines.send_many(k_a, 300);
    runs[run] = listener.received;
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
}

TEST(SimulatedDatagramLines, need_a_port) {
  Lines lines;
  Listener listener;
  const auto refused = lines.fabric.subscribe({"a", 0}, listener);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace dojima::link
