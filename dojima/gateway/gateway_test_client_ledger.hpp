#pragma once

// A careful client's books for tests: what it requested and what was reported to it, with a complaint of every
// contradiction: quantities that do not add up, ids that do not chain, answers without a request and second answers.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway::testing {

class ClientLedger {
 public:
  struct Request {
    char type = '\0';
    std::string orig;
    int answers = 0;
    std::map<std::string, int> sides{};  // of a quote: answers by Side(54)
    int refusals = 0;                    // of a quote as a whole
    [[nodiscard]] std::string answered() const {
      std::string text = std::to_string(answers) + " answers";
      for (const auto& [side, count] : sides) text += ", " + std::to_string(count) + " of side " + side;
      return type == 'S' ? text + ", " + std::to_string(refusals) + " refusals" : text;
    }
    [[nodiscard]] bool is_answered_once() const {
      if (type != 'S') return answers == 1;
      bool is_any = refusals == 1;
      for (const auto& [side, count] : sides) {
        if (count != 1) return false;
        is_any = true;
      }
      return is_any && refusals <= 1;
    }
  };
  struct Order {
    std::string id;  // present ClOrdID
    std::int64_t cumulative = 0, leaves = 0;
    std::string status;
    [[nodiscard]] bool is_open() const { return status == "0" || status == "1" || status == "9"; }
  };

  void requested(const std::string& id, char type, const std::string& orig) { requests_[id] = {type, orig}; }

  void reported(const Message& message) {
    if (message.type == "8") return reported_execution(message);
    if (message.type == "9") {
      const Request& request = requests_[message.at(11)];
      expect(message.at(41) == request.orig, message, "41 of a refusal is the request's");
      expect(message.at(434) == (request.type == 'F' ? "1" : "2"), message, "434 is the kind of request");
      return count(message.at(11));
    }
    if (message.type == "AI") {
      expect(message.at(297) == "5", message, "nobody wanted to hear that a quote was taken");
      ++requests_[message.at(117)].refusals;
      return;
    }
    expect(message.type == "j", message, "no other answer");
    const std::string id = message.at(379);
    expect(message.at(372) == std::string(1, requests_[id].type), message, "372 is the type of the request");
    count(id);
  }

  /// Every request has had exactly one answer.
  void check_answers() {
    for (const auto& [id, request] : requests_) {
      if (!request.is_answered_once()) complaints_.push_back(id + " has " + request.answered());
    }
  }

  [[nodiscard]] const std::map<std::string, Request>& requests() const { return requests_; }
  [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }
  /// By the venue's order id.
  [[nodiscard]] const std::map<std::string, Order>& orders() const { return orders_; }
  [[nodiscard]] std::int64_t bought() const { return bought_; }
  [[nodiscard]] std::int64_t sold() const { return sold_; }
  /// Of all open orders.
  [[nodiscard]] std::int64_t leaves() const {
    std::int64_t sum = 0;
    for (const auto& [id, order] : orders_) sum += order.is_open() ? order.leaves : 0;
    return sum;
  }

 private:
  void expect(bool holds, const Message& message, const char* what) {
    if (!holds)
      complaints_.push_back(std::string(what) + ": " + message.show({11, 41, 37, 150, 39, 38, 32, 14, 151, 58}));
  }
  void count(const std::string& id, const std::string& side = {}) {
    Request& request = requests_[id];
    ++(request.type == 'S' ? request.sides[side] : request.answers);
  }

  /// What an execution adds to what was done, or takes away: a busted trade, once, what its execution added. A
  /// corrected one has as many lots as before under another id.
  std::int64_t lots_of(const Message& message) {
    const std::string type = message.at(150);
    if (type == "F") return std::stoll(message.at(32));
    if (type != "H" && type != "G") return 0;
    const auto busted = executions_.find(message.at(19));
    const bool is_known = busted != executions_.end() && busted->second > 0;
    expect(is_known, message, "a bust or correction is of an execution that counts");
    const std::int64_t lots = is_known ? std::exchange(busted->second, 0) : 0;
    if (type == "H") return -lots;
    expect(lots == std::stoll(message.at(32)), message, "a correction leaves the lots as they were");
    return lots;
  }

  void reported_execution(const Message& message) {
    const std::string type = message.at(150), status = message.at(39), id = message.at(11);
    const std::int64_t total = std::stoll(message.at(38)), cumulative = std::stoll(message.at(14)),
                       leaves = std::stoll(message.at(151));
    const std::int64_t lots = lots_of(message);
    expect(executions_.emplace(message.at(17), lots).second, message, "no ExecID comes twice");
    const std::int64_t last = type == "G" ? 0 : lots;
    if (type == "8") return count(id, message.at(54));
    const bool is_open = status == "0" || status == "1" || status == "9";
    expect(is_open ? cumulative + leaves == total : leaves == 0, message, "done and left make the order");
    expect(status != "2" || cumulative == total, message, "a filled order is done");
    expect(status != "0" || cumulative == 0, message, "a new order has no fills");
    // An order that the venue never saw has no id of the venue's.
    const std::string key = message.at(37) == "NONE" ? "NONE " + message.at(41) : message.at(37);
    const bool is_new = !orders_.contains(key);
    Order& order = orders_[key];
    if (is_new) {
      // The order itself is answered, whichever of its requests the report is about.
      order.id = id;
      while (requests_[order.id].type != 'D' && !requests_[order.id].orig.empty()) order.id = requests_[order.id].orig;
      count(order.id, message.at(54));
    }
    expect(order.cumulative + last == cumulative, message, "fills make the sum");
    (message.at(54) == "1" ? bought_ : sold_) += last;
    if (message.has(41)) {  // an answer
      const Request& request = requests_[id];
      const bool is_quote = request.type == 'S';
      expect(message.at(41) == (is_quote ? order.id : request.orig), message, "41 of an answer is the request's");
      expect(request.type == 'G' || (request.type == 'F' && type == "4") || (is_quote && (type == "4" || type == "5")),
             message, "the answer fits the request");
      count(id, message.at(54));
      if (request.type == 'G' || (is_quote && type == "5")) order.id = id;
    } else {
      expect(order.id == id, message, "11 is the order's present id");
    }
    order.cumulative = cumulative;
    order.leaves = leaves;
    order.status = status;
  }

  std::map<std::string, Request> requests_;
  std::map<std::string, Order> orders_;
  std::map<std::string, std::int64_t> executions_;  // by ExecID: lots that count
  std::int64_t bought_ = 0, sold_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace dojima::gateway::testing
