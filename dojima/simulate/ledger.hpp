#pragma once

// What the demo's clients know of their orders: every request they made with its answer, every order with what became
// of it, every answer in the order in which it came. The end of a run compares it with what the venue knows. Requests
// are numbered as the flow numbers its intents; an order is known by the number of the request that entered it. All
// memory is taken at construction; O(1) per request, O(orders of one list) per answer. One thread.

#include <cstdint>
#include <string>
#include <vector>

#include "dojima/flow/order_flow.hpp"
#include "dojima/market/order.hpp"
#include "dojima/simulate/order_messages.hpp"

namespace dojima::simulate {

using Number = std::uint32_t;
inline constexpr Number k_no_number = 0xffff'ffff;

/// One request of a client.
struct Request {
  std::int64_t quantity = 0;
  market::Price price;
  Number order = k_no_number;  ///< of the order meant; of an entry: its own number
  std::uint8_t client = 0;
  std::uint8_t instrument = 0;  ///< index
  std::uint8_t answers = 0;     ///< accepts and rejects; executions do not count
  flow::IntentKind kind = flow::IntentKind::enter;
  market::Side side = market::Side::none;
  market::OrderType type = market::OrderType::none;
  market::TimeInForce time_in_force = market::TimeInForce::day;
  bool is_sent = false;
};

enum class OrderPhase : std::uint8_t { none, pending, open, rejected, filled, cancelled, expired };

/// An order as its client sees it. total = executed + leaves + cancelled + expired, once it is accepted.
struct ClientOrder {
  std::uint64_t id = 0;  ///< the venue's
  std::int64_t total = 0;
  std::int64_t executed = 0;
  std::int64_t leaves = 0;
  std::int64_t cancelled = 0;
  std::int64_t expired = 0;
  Number current = k_no_number;  ///< the request whose ClOrdID the order bears
  OrderPhase phase = OrderPhase::none;
  bool is_listed = false;     ///< may be picked for a change
  bool is_suspended = false;  ///< the venue said that it waits outside the book
};

/// One answer that came, or a request that went out, for an order's history.
struct Happening {
  time::Time time{};
  std::int64_t quantity = 0;  ///< executed, or the request's
  std::int64_t leaves = 0;
  market::Price price;
  Number order = k_no_number;
  Number request = k_no_number;
  AnswerKind answer = AnswerKind::other;
  bool is_answer = false;
};

struct LedgerCounts {
  std::uint64_t sent = 0;
  std::uint64_t unsent = 0;    ///< the session could not take them
  std::uint64_t answered = 0;  ///< at least once
  std::uint64_t accepted = 0;  ///< orders
  std::uint64_t rejected = 0;  ///< orders
  std::uint64_t changes_rejected = 0;
  std::uint64_t executions = 0;
  std::uint64_t strange = 0;  ///< answers that fit no request, or contradict what came before
};

class Ledger {
 public:
  /// Throws std::bad_alloc.
  Ledger(std::size_t requests, std::uint32_t clients, std::uint32_t instruments);

  [[nodiscard]] std::size_t capacity() const noexcept { return requests_.size(); }

  /// The client's orders that may be picked for a change: accepted, resting and nothing under way.
  [[nodiscard]] const std::vector<Number>& pickable(std::uint32_t client, std::uint32_t instrument,
                                                    market::Side side) const {
    return lists_[place(client, instrument, side)];
  }

  /// A request is about to go out: an entry, or a change of the order `target`.
  void open(Number number, const flow::Intent& intent, flow::IntentKind kind, Number target, time::Time now);
  /// The session did not take it.
  void withdraw(Number number);

  /// What an answer to, or about, request `number` of `client` means. Whether it was the request's first answer.
  bool apply(std::uint32_t client, Number number, const Answer& answer, time::Time now);
  /// An answer that names no request of ours.
  void count_strange() noexcept { ++counts_.strange; }

  [[nodiscard]] const Request& request(Number number) const { return requests_[number]; }
  [[nodiscard]] const ClientOrder& order(Number number) const { return orders_[number]; }
  /// Lots bought minus lots sold.
  [[nodiscard]] std::int64_t position(std::uint32_t client, std::uint32_t instrument) const {
    return positions_[client * instruments_ + instrument];
  }
  [[nodiscard]] const LedgerCounts& counts() const noexcept { return counts_; }
  /// Requests are numbered below this.
  [[nodiscard]] Number end() const noexcept { return end_; }

  /// All that happened to an order, a line each. For the end of a run.
  [[nodiscard]] std::vector<std::string> history(Number order) const;

 private:
  [[nodiscard]] std::size_t place(std::uint32_t client, std::uint32_t instrument, market::Side side) const {
    return 2 * (client * instruments_ + instrument) + (side == market::Side::buy ? 0 : 1);
  }
  void list(Number number);
  void unlist(Number number);
  bool note_answer(Request& request);
  void finish(Number number, OrderPhase phase);
  [[nodiscard]] bool accept(Number number, const Answer& answer);
  [[nodiscard]] static bool restate(ClientOrder& order, const Answer& answer);
  void trade(Number number, const Answer& answer);
  void note(const Happening& happening);

  std::uint32_t instruments_;
  std::vector<Request> requests_;
  std::vector<ClientOrder> orders_;  // by the number of the entry
  std::vector<std::vector<Number>> lists_;
  std::vector<std::int64_t> positions_;
  std::vector<Happening> happenings_;
  std::size_t happened_ = 0;
  LedgerCounts counts_;
  Number end_ = 0;
};

}  // namespace dojima::simulate
