#pragma once

// A venue without sockets: the bytes of MIT203 in, the bytes of reports out and forgotten.

#include "bench/venue/venue_flow.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/mit/lse_21_2.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/front.hpp"

namespace dojima::bench_venue {

/// Takes what a session sends and forgets it.
class Sink final : public link::Transport {
 public:
  [[nodiscard]] Room prepare(std::size_t size) override { return Room(room_).first(size); }
  void commit(std::size_t) override {}
  [[nodiscard]] std::size_t unsent() const override { return 0; }
  void flush() override {}
  void close(link::CloseReason) override { throw std::runtime_error("the venue ended a session"); }
  void set_reading(bool) override { throw std::runtime_error("the venue holds a session"); }

 private:
  std::vector<std::byte> room_ = std::vector<std::byte>(1 << 16);
};

/// The flow as the bytes that its users send.
class Requests {
 public:
  struct Message {
    std::uint16_t user = 0;
    Bytes bytes;
  };

  explicit Requests(std::size_t count) {
    Flow flow;
    add(flow, count);
  }
  /// The next ones of a flow that goes on.
  Requests(Flow& flow, std::size_t count) { add(flow, count); }

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  [[nodiscard]] Message operator[](std::size_t at) const noexcept {
    return {places_[at].user, Bytes(bytes_).subspan(places_[at].at, places_[at].size)};
  }

 private:
  struct Place {
    std::uint16_t user = 0;
    std::size_t at = 0;
    std::size_t size = 0;
  };

  void add(Flow& flow, std::size_t count) {
    std::vector<std::byte> room(1024);
    for (std::size_t done = 0; done < count; ++done)
      flow.next([&](market::CommandHeader& header) {
        const Result<std::size_t> size = encode(header, room);
        if (!size) throw std::runtime_error("a command that MIT203 cannot carry");
        places_.push_back({header.user, bytes_.size(), *size});
        bytes_.insert(bytes_.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*size));
      });
  }

  static Result<std::size_t> encode(market::CommandHeader& header, Room room) {
    const mit::Dialect& dialect = mit::lse_21_2::k_dialect;
    if (header.type == market::CommandType::cancel)
      return dialect.encode_cancel(reinterpret_cast<market::Cancel&>(header), room);
    if (header.type == market::CommandType::replace)
      return dialect.encode_replace(reinterpret_cast<market::Replace&>(header), room);
    auto& order = reinterpret_cast<market::NewOrder&>(header);
    order.labels.clearing = 1;
    order.labels.executing_trader = 3;
    return dialect.encode_new_order(order, room);
  }

  std::vector<Place> places_;
  std::vector<std::byte> bytes_;
};

/// A front over a partition with all users logged on. The partition must outlive it.
class BytesVenue {
 public:
  explicit BytesVenue(venue::Partition& partition) : partitions_{&partition} {
    venue::FrontConfig config;
    for (std::size_t user = 0; user < k_users; ++user)
      config.users.push_back({.name = "USER" + std::to_string(user), .password = "pass", .set_up = {}});
    config.sessions = k_users;
    own_ = std::make_unique<venue::Front>(config, scheduler_, partitions_);
    front_ = own_.get();
    log_on();
  }
  /// Of another's front, whose users are USER0 and so on, each with the password `pass`; commands come `apart`.
  BytesVenue(venue::Front& front, std::chrono::nanoseconds apart) : front_(&front), apart_(apart) { log_on(); }

  [[nodiscard]] time::Time now() const noexcept { return now_; }

  /// All of them; reports leave behind every 64. Calls `after(done)` behind each.
  template <class After>
  void run(const Requests& requests, After&& after) {
    const std::uint64_t before = front_->counters().commands;
    for (std::size_t done = 0; done < requests.size();) {
      const Requests::Message message = requests[done];
      now_ += apart_;
      if (sessions_[message.user]->on_bytes(message.bytes, now_) != message.bytes.size())
        throw std::runtime_error("a message was not taken");
      if (++done % 64 == 0) front_->finish(now_);
      after(done);
    }
    front_->finish(now_);
    const venue::FrontCounters& counters = front_->counters();
    if (counters.commands - before < requests.size())
      throw std::runtime_error("commands were refused: " + std::to_string(counters.commands) + " taken, " +
                               std::to_string(counters.commands_refused) + " refused");
  }

 private:
  void log_on() {
    for (std::size_t user = 0; user < k_users; ++user) log_on(user);
    if (front_->logged_on() != k_users) throw std::runtime_error("members cannot log on");
  }
  void log_on(std::size_t user) {
    link::Connection* session = front_->on_accept({"127.0.0.1", 1});
    session->on_open(sinks_[user], k_start);
    std::vector<std::byte> room(1024);
    const mit::Logon logon{
        .user = Text<25>::cut("USER" + std::to_string(user)), .password = Text<25>::cut("pass"), .new_password = {}};
    const Result<std::size_t> size = mit::lse_21_2::k_dialect.encode_logon(logon, room);
    static_cast<void>(session->on_bytes(Bytes(room).first(*size), k_start));
    sessions_.push_back(session);
  }

  std::vector<venue::Partition*> partitions_;
  sched::Scheduler scheduler_{venue::Front::timers(k_users), k_start};
  std::array<Sink, k_users> sinks_;
  std::unique_ptr<venue::Front> own_;
  venue::Front* front_ = nullptr;
  std::chrono::nanoseconds apart_ = std::chrono::microseconds{1};
  time::Time now_ = k_start;
  std::vector<link::Connection*> sessions_;
};

}  // namespace dojima::bench_venue
