// Bytes as a script for a venue's front: connections that open, break, fall silent or do not read, valid logons and
// orders in between, and raw bytes in pieces of any size. Whatever is said, the venue stands, its books are the ones
// that its reports tell, and when all connections are gone everything is free again.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/link/buffer.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/mirror_book.hpp"

namespace {

using namespace dojima;
using namespace std::chrono_literals;

constexpr std::size_t k_peers = 3;
constexpr std::uint32_t k_instrument = 7;

venue::FrontConfig make_front_config() {
  venue::FrontConfig config{.sessions = k_peers, .maximum_lag = 40};
  for (const char* name : {"A", "B"}) config.users.push_back({.name = name, .password = "p"});
  config.users[1].throttle = 20;
  config.users[1].set_up.limits.open_orders = 4;
  return config;
}

venue::PartitionConfig make_partition_config() {
  return {.app_id = 1,
          .instruments = {{.id = k_instrument,
                           .ticks = market::TickTable::uniform({1}, {1}, {60}).value(),
                           .maximum_quantity = {1000}}},
          .users = venue::set_ups_of(make_front_config().users),
          .limits = {.orders = 16, .levels = 8, .reports = 256, .report_buffer = 2}};
}

/// The network's end of one connection, as an endpoint of `link` behaves.
class Peer final : public link::Transport {
 public:
  Room prepare(std::size_t size) override {
    if (!is_reading && unsent_ + size > 1500) return {};
    return is_closing ? Room{} : Room{output_}.first(std::min(size, output_.size()));
  }
  void commit(std::size_t size) override { unsent_ = is_reading ? 0 : unsent_ + size; }
  [[nodiscard]] std::size_t unsent() const override { return unsent_; }
  void flush() override {}
  void close(link::CloseReason why) override { is_closing = true, reason = why; }
  void set_reading(bool is_wanted) override { wants_bytes_ = is_wanted, is_shown_again_ = is_wanted; }

  void open(link::Connection* taken, time::Time now) {
    connection = taken;
    is_closing = false;
    is_reading = wants_bytes_ = true;
    is_shown_again_ = false;
    unsent_ = 0;
    input_.clear();
    arrived_.clear();
    if (connection != nullptr) connection->on_open(*this, now);
  }

  void bring(Bytes bytes, time::Time now) {
    arrived_.insert(arrived_.end(), bytes.begin(), bytes.end());
    deliver(now);
  }
  /// What has arrived, as long as the session wants it.
  void deliver(time::Time now) {
    if (std::exchange(is_shown_again_, false) && !input_.is_empty()) show(now);
    while (!arrived_.empty() && wants_bytes_ && connection != nullptr && !is_closing) {
      const Room room = input_.prepare_all();
      if (room.empty()) return close(link::CloseReason::input_overflow);
      const std::size_t size = std::min(room.size(), arrived_.size());
      std::copy_n(arrived_.begin(), size, room.begin());
      input_.commit(size);
      arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<std::ptrdiff_t>(size));
      show(now);
    }
  }

  void end(link::CloseReason why, time::Time now) {
    if (connection == nullptr) return;
    link::Connection* gone = connection;
    connection = nullptr;
    gone->on_closed(why, now);
  }

  link::Connection* connection = nullptr;
  link::CloseReason reason = link::CloseReason::none;
  bool is_closing = false;
  bool is_reading = true;

 private:
  void show(time::Time now) {
    if (connection == nullptr || is_closing || !wants_bytes_) return;
    const std::size_t used = connection->on_bytes(input_.view(), now);
    DOJIMA_ASSERT(used <= input_.size(), "a session uses what it was given");
    input_.consume(used);
  }

  std::array<std::byte, 512> output_{};
  std::size_t unsent_ = 0;
  link::ByteQueue input_{300};
  std::vector<std::byte> arrived_;  // and not shown yet
  bool wants_bytes_ = true;
  bool is_shown_again_ = false;  // what it did not use, now that it wants bytes again
};

class Venue {
 public:
  Venue() { partition_.observe(&mirror_); }

  void run(std::span<const std::uint8_t> script) {
    while (script.size() >= 2) {
      const std::uint8_t what = script[0], detail = script[1];
      script = script.subspan(2);
      Peer& peer = peers_[what % k_peers];
      switch (what / 16) {
        case 0:
          peer.end(link::CloseReason::by_peer, now_);
          break;
        case 1:
          if (peer.connection == nullptr) peer.open(front_.on_accept({}), now_);
          break;
        case 2:
        case 3:
          log_on(peer, detail);
          break;
        case 4:
          now_ += detail * 1ms;
          break;
        case 5:
          now_ += detail * 100ms;
          break;
        case 6:
          peer.is_reading = detail % 2 == 0;
          if (peer.is_reading && peer.connection != nullptr && !peer.is_closing) peer.connection->on_writable(now_);
          break;
        case 7:
        case 8:
        case 9:
          order(peer, detail, script);
          break;
        case 10:
          request(peer, detail, script);
          break;
        default: {
          const std::size_t size = std::min<std::size_t>(detail, script.size());
          peer.bring(std::as_bytes(script.first(size)), now_);
          script = script.subspan(size);
          break;
        }
      }
      finish_instant();
    }
    for (Peer& peer : peers_) peer.end(link::CloseReason::by_peer, now_);
    finish_instant();
    DOJIMA_ASSERT(front_.logged_on() == 0 && front_.free_sessions() == k_peers, "all is free again");
    DOJIMA_ASSERT(front_.counters().reports_sent + front_.counters().reports_missed == partition_.reports().end(),
                  "every report was sent or is known to be missed");
  }

 private:
  using Dialect = mit::Dialect;

  static std::uint8_t take(std::span<const std::uint8_t>& script) {
    if (script.empty()) return 0;
    const std::uint8_t byte = script.front();
    script = script.subspan(1);
    return byte;
  }

  void bring(Peer& peer, const Result<std::size_t>& size) {
    if (size) peer.bring(Bytes{bytes_}.first(*size), now_);
  }

  void log_on(Peer& peer, std::uint8_t detail) {
    const mit::Logon logon{.user = Text<25>::cut(detail % 2 == 0 ? "A" : "B"),
                           .password = Text<25>::cut(detail < 200 ? "p" : "q")};
    bring(peer, mit::lse_21_2::k_dialect.encode_logon(logon, bytes_));
  }

  void order(Peer& peer, std::uint8_t detail, std::span<const std::uint8_t>& script) {
    market::NewOrder order;
    order.header.instrument = detail < 250 ? k_instrument : 9;
    order.terms.side = detail % 2 == 0 ? market::Side::buy : market::Side::sell;
    order.terms.type = detail % 16 < 2 ? market::OrderType::market : market::OrderType::limit;
    order.terms.time_in_force = static_cast<market::TimeInForce>(detail / 16 % 3 == 2 ? 3 : 0);
    order.terms.limit = {1 + take(script) % 64};
    order.terms.quantity = order.terms.displayed = {1 + take(script)};
    order.terms.capacity = market::Capacity::dealing;
    order.terms.flags = detail % 3 == 0 ? market::k_auto_cancel : 0;
    order.labels.client_order_id = Text<20>::cut(std::string_view{"abcdefgh"}.substr(detail % 8, 1));
    order.labels.clearing = 1;
    order.labels.executing_trader = 3;
    bring(peer, mit::lse_21_2::k_dialect.encode_new_order(order, bytes_));
  }

  void request(Peer& peer, std::uint8_t detail, std::span<const std::uint8_t>& script) {
    const auto original = Text<20>::cut(std::string_view{"abcdefgh"}.substr(detail % 8, 1));
    if (detail % 16 < 8) {
      market::Cancel cancel;
      cancel.header.instrument = k_instrument;
      cancel.side = detail < 128 ? market::Side::buy : market::Side::sell;
      cancel.client_order_id = cancel.original_client_order_id = original;
      return bring(peer, mit::lse_21_2::k_dialect.encode_cancel(cancel, bytes_));
    }
    market::Replace replace;
    replace.header.instrument = k_instrument;
    replace.side = detail < 128 ? market::Side::buy : market::Side::sell;
    replace.client_order_id = replace.original_client_order_id = original;
    replace.limit = {1 + take(script) % 64};
    replace.quantity = replace.displayed = {1 + take(script)};
    bring(peer, mit::lse_21_2::k_dialect.encode_replace(replace, bytes_));
  }

  void finish_instant() {
    scheduler_.check(now_, 10'000);
    for (Peer& peer : peers_) peer.deliver(now_);
    front_.finish(now_);
    for (Peer& peer : peers_)
      if (peer.is_closing) peer.end(peer.reason, now_);
    front_.finish(now_);
    DOJIMA_ASSERT(mirror_.mismatch(partition_) == nullptr, "the books are what their reports tell");
  }

  time::Time now_ = time::from_nanoseconds(1'800'000'000'000'000'000);
  sched::Scheduler scheduler_{64, now_};
  journal::MemoryJournal journal_{{.keep = journal::Keep::none}};
  venue::Partition partition_{make_partition_config(), journal_};
  venue::MirrorBook mirror_{partition_.instruments(), make_partition_config().limits};
  venue::Partition* partitions_[1] = {&partition_};
  venue::Front front_{make_front_config(), scheduler_, partitions_};
  std::array<Peer, k_peers> peers_;
  std::array<std::byte, 256> bytes_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Venue venue;
  venue.run({data, std::min<std::size_t>(size, 4096)});
  return 0;
}
