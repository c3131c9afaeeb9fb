// Without sockets: what one end has committed is shown to the other by a function call.

#include "filling_venue.hpp"
#include "order_bytes.hpp"
#include "stage_marks.hpp"
#include "translation.hpp"

#include <stdexcept>
#include <vector>

#include "dojima/gateway/gateway.hpp"
#include "dojima/measure/cycle_clock.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::bench {
namespace {

constexpr time::Time k_noon = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20} + std::chrono::hours{12};

/// What a session has committed, until it is taken.
class Wire final : public link::Transport {
 public:
  Room prepare(std::size_t size) override {
    return size <= bytes_.size() - used_ ? Room(bytes_).subspan(used_, size) : Room{};
  }
  void commit(std::size_t size) override { used_ += size; }
  [[nodiscard]] std::size_t unsent() const override { return used_; }
  void flush() override {}
  void close(link::CloseReason reason) override { throw std::runtime_error(link::name_of(reason)); }
  void set_reading(bool) override { throw std::runtime_error("a session that is held"); }

  [[nodiscard]] Bytes bytes() const noexcept { return Bytes(bytes_).first(used_); }
  void clear() noexcept { used_ = 0; }

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(1 << 18);
  std::size_t used_ = 0;
};

/// Keeps who listens and who connects.
struct Wires final : link::Fabric {
  Result<link::Address> listen(const link::Address& address, link::Acceptor& of) override {
    acceptor = &of;
    return address;
  }
  void connect(const link::Address&, link::Connection& of) override { connecting = &of; }
  link::Acceptor* acceptor = nullptr;
  link::Connection* connecting = nullptr;
};

gateway::GatewayConfig small_gateway() {
  gateway::GatewayConfig config;
  config.clients = {{.comp_id = "CLIENT", .password = {}, .venue_user = "USER", .venue_password = "rice"}};
  config.symbols = {{"KAGA", 1001}};
  config.limits.orders = 1 << 12;
  config.limits.requests = 1 << 13;
  config.limits.remembered_ids = 1 << 12;
  config.limits.store_messages = 1 << 12;
  config.limits.store_bytes = 1 << 21;
  config.venue_heartbeat = std::chrono::hours{1};
  return config;
}

/// All bytes of `from` are shown to `to` at once.
void hand_over(Wire& from, link::Connection& to, time::Time now) {
  if (to.on_bytes(from.bytes(), now) != from.bytes().size()) throw std::runtime_error("half a message");
  from.clear();
}

class InMemory final : public Translation {
 public:
  InMemory() {
    if (!gateway_.start({"gateway", 1}, {"venue", 2})) throw std::runtime_error("the gateway does not listen");
    venue_ = wires_.connecting;
    venue_->on_open(to_venue_, k_noon);
    filling_.session().on_open(from_venue_, k_noon);
    answer();
    hand_over(from_venue_, *venue_, k_noon);
    client_ = wires_.acceptor->on_accept({"client", 3});
    if (client_ == nullptr) throw std::runtime_error("the client is not let in");
    client_->on_open(to_client_, k_noon);
    std::vector<std::byte> logon;
    source_.add_logon(logon);
    static_cast<void>(client_->on_bytes(logon, k_noon));
    if (!gateway_.is_client_up(0) || !gateway_.is_venue_ready(0)) throw std::runtime_error("nobody is logged on");
  }

  StageTimes run(Arrival arrival, std::size_t orders) override {
    marks_.is_on = false;
    const StageTimes whole = batch(arrival, orders);
    marks_.is_on = true;
    StageTimes parts = batch(arrival, orders);
    const double sections = arrival == Arrival::in_order ? 2 : 2 / static_cast<double>(orders);
    parts.timing = sections * empty_;
    parts.total = whole.total - parts.timing;
    return parts;
  }

 private:
  /// The venue fills what has come. Its time is nobody's here.
  void answer() { hand_over(to_venue_, filling_.session(), k_noon); }

  StageTimes batch(Arrival arrival, std::size_t orders) {
    bytes_.clear();
    ends_.assign(1, 0);
    for (std::size_t order = 0; order < orders; ++order) {
      source_.add_order(bytes_);
      ends_.push_back(bytes_.size());
    }
    first_ = gateway_.counters().requests;
    const std::size_t at_once = arrival == Arrival::in_order ? 1 : orders;
    StageTimes sum;
    for (std::size_t order = 0; order < orders; order += at_once) exchange(order, at_once, sum);
    for (double* each : {&sum.to_request, &sum.request, &sum.to_report, &sum.report, &sum.total})
      *each /= static_cast<double>(orders);
    if (gateway_.open_orders() != 0) throw std::runtime_error("an order that was not filled");
    return sum;
  }

  /// Requests to the venue, their answers back. A stage of several begins where that of the one before has ended. The
  /// whole is timed by the processor's counter, in two sections, and run() takes off what empty ones show; the stages
  /// have the reading of their clock in them.
  void exchange(std::size_t order, std::size_t count, StageTimes& sum) {
    const Bytes requests = Bytes(bytes_).subspan(ends_[order], ends_[order + count] - ends_[order]);
    time::Ticks there = marks_.is_on ? time::read_ticks() : time::Ticks{};
    const std::uint64_t begin = measure::cycles_fenced_begin();
    const std::size_t used = client_->on_bytes(requests, k_noon);
    const std::uint64_t sent = measure::cycles_fenced_end();
    if (used != requests.size()) throw std::runtime_error("a request that was not used");
    answer();
    time::Ticks back = marks_.is_on ? time::read_ticks() : time::Ticks{};
    const std::uint64_t answered = measure::cycles_fenced_begin();
    hand_over(from_venue_, *venue_, k_noon);
    const std::uint64_t end = measure::cycles_fenced_end();
    to_client_.clear();
    sum.total += static_cast<double>(clock_.nanoseconds(sent - begin) + clock_.nanoseconds(end - answered));
    if (!marks_.is_on) return;
    const auto between = [](time::Ticks earlier, time::Ticks later) {
      return static_cast<double>(time::nanoseconds_between(earlier, later));
    };
    for (std::uint64_t number = first_ + order; number < first_ + order + count; ++number) {
      sum.to_request += between(there, marks_.at(0, number));
      sum.request += between(marks_.at(0, number), there = marks_.at(1, number));
      sum.to_report += between(back, marks_.at(2, number));
      sum.report += between(marks_.at(2, number), back = marks_.at(3, number));
    }
  }

  /// What a section shows that does nothing.
  [[nodiscard]] double time_empty_section() const {
    std::vector<double> shown(1001);
    for (double& each : shown) {
      const std::uint64_t begin = measure::cycles_fenced_begin();
      const std::uint64_t end = measure::cycles_fenced_end();
      each = static_cast<double>(end - begin) * clock_.ns_per_cycle();
    }
    return measure::median(shown);
  }

  static constexpr std::size_t k_other_timers = 64;  // of the venue

  const measure::CycleClock clock_ = measure::CycleClock::calibrate();
  const double empty_ = time_empty_section();
  sched::Scheduler scheduler_{gateway::Gateway::timers(small_gateway()) + k_other_timers, k_noon};
  Wires wires_;
  StageMarks marks_;
  Wire to_venue_, from_venue_, to_client_;
  FillingVenue filling_{scheduler_};
  gateway::Gateway gateway_{small_gateway(), wires_, scheduler_, {.probe = &marks_}};
  link::Connection* venue_ = nullptr;   // the gateway's end
  link::Connection* client_ = nullptr;  // likewise
  OrderBytes source_{k_noon};
  std::vector<std::byte> bytes_;
  std::vector<std::size_t> ends_;
  std::uint64_t first_ = 0;  // request of the batch
};

}  // namespace

std::unique_ptr<Translation> translation_in_memory() {
  return std::make_unique<InMemory>();
}

}  // namespace dojima::bench
