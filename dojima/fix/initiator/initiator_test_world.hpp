#pragma once

// What the tests of the initiator share: a network in virtual time with venues of all kinds, and an observer that
// notes.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/initiator.hpp"
#include "dojima/fix/session_test_peer.hpp"
#include "dojima/link/simulated_network.hpp"

namespace dojima::fix::testing {

/// "HH:MM:SS.mmm" of UTC.
inline std::string clock_text(Time time) {
  return stamp(time).substr(9);
}

class NotingInitiatorObserver final : public InitiatorObserver {
 public:
  void on_attempt(const Attempt& attempt, Time now) override {
    note(now, "attempt " + std::to_string(attempt.number) + " " + attempt.host.host);
  }
  void on_success(const Attempt& attempt, Time now) override {
    note(now, "success " + std::to_string(attempt.number) + " " + attempt.host.host);
  }
  void on_failure(const Attempt& attempt, AttemptFailure failure, link::CloseReason reason, Time now) override {
    note(now, "failure " + std::to_string(attempt.number) + " " + attempt.host.host + ": " + name_of(failure) + " (" +
                  link::name_of(reason) + ")");
  }
  void on_waiting(Time next, Time now) override {
    note(now, "waiting until " + stamp(next));
    delays.push_back(next - now);
  }
  void on_gave_up(unsigned attempts, Time now) override { note(now, "gave up after " + std::to_string(attempts)); }

  std::vector<std::string> take() { return std::exchange(events, {}); }

  std::vector<std::string> events;
  std::vector<time::Duration> delays;

 private:
  void note(Time now, const std::string& what) { events.push_back(clock_text(now) + " " + what); }
};

/// Takes every connection, and answers the first bytes of each with `answer`; closes then where it shall.
class OddVenue final : public link::Acceptor {
 public:
  explicit OddVenue(std::string answer, bool closes) : answer_(std::move(answer)), closes_(closes) {}
  link::Connection* on_accept(const link::Address&) override {
    return links_.emplace_back(std::make_unique<Link>(*this)).get();
  }
  [[nodiscard]] std::size_t connections() const { return links_.size(); }

 private:
  struct Link final : link::Connection {
    explicit Link(OddVenue& its_venue) : venue(its_venue) {}
    void on_open(link::Transport& its_transport, Time) override { transport = &its_transport; }
    std::size_t on_bytes(Bytes bytes, Time) override {
      if (!std::exchange(has_answered, true)) {
        const Room room = transport->prepare(venue.answer_.size());
        std::ranges::copy(as_bytes(venue.answer_), room.begin());
        transport->commit(venue.answer_.size());
        if (venue.closes_) transport->close(link::CloseReason::by_us);
      }
      return bytes.size();
    }
    void on_writable(Time) override {}
    void on_closed(link::CloseReason, Time) override { transport = nullptr; }

    OddVenue& venue;
    link::Transport* transport = nullptr;
    bool has_answered = false;
  };

  std::string answer_;
  bool closes_;
  std::vector<std::unique_ptr<Link>> links_;
};

/// A network with a millisecond of delay, and time.
struct World {
  explicit World(const std::string& start)
      : now(utc(start)),
        scheduler(512, now),
        network(scheduler, {.delay = 1ms, .input_capacity = 1 << 13, .output_capacity = 1 << 13}) {}

  void run_until(const std::string& text) { run_to(utc(text)); }
  void run_for(time::Duration duration) { run_to(now + duration); }
  void run_to(Time end) {
    while (true) {
      network.finish(now);
      const Time next = scheduler.next_due();
      if (next > end) break;
      now = std::max(now, next);
      scheduler.check(now, 10'000);
    }
    now = end;
    scheduler.check(now, 10'000);
    network.finish(now);
  }

  Time now;
  sched::Scheduler scheduler;
  link::SimulatedNetwork network;
};

inline SessionConfig client_config() {
  return {.role = Role::initiator,
          .sender_comp_id = "ME",
          .target_comp_id = "VENUE",
          .heartbeat_interval = 60s,
          .store = {.messages = 64, .bytes = 1 << 14}};
}
inline SessionConfig venue_config() {
  return {.role = Role::acceptor,
          .sender_comp_id = "VENUE",
          .target_comp_id = "ME",
          .store = {.messages = 64, .bytes = 1 << 14}};
}

}  // namespace dojima::fix::testing
