// dojima-kill-quickfix: FIX clients made of QuickFIX for dojima-gateway-kills, as a process that may be killed at any
// instant. The numbers and messages of their sessions are in QuickFIX's file stores; what they received is in a file
// each, as dojima-kill-traders writes it.

#include "quickfix_sessions.hpp"
#include "quickfix_store.hpp"
#include "trader_board.hpp"
#include "trader_file.hpp"
#include "trader_orders.hpp"
#include "traders_program.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dojima::crash {
namespace {

using namespace std::chrono_literals;

struct Trader {
  Trader(const TradersOptions& options, std::size_t number)
      : orders(options.symbols, options.seed + number, options.has_days),
        file(options.folder + "/" + trader_name(number)) {}
  TraderOrders orders;
  TraderFile file;
  std::mutex mutex;   // of the file: two threads write it
  TraderOrder order;  // that is being sent
  std::uint64_t last_received = 0;
  std::atomic<bool> is_logged_on{false};
};

class Traders final : public QuickFixListener {
 public:
  explicit Traders(const TradersOptions& options) : options_(options), board_(trader_board(options.folder + "/board")) {
    std::vector<std::string> names;
    for (std::size_t number = 0; number < options.clients; ++number) {
      traders_.push_back(std::make_unique<Trader>(options, number));
      names.push_back(trader_name(number));
    }
    sessions_ = std::make_unique<QuickFixSessions>(quickfix_folder(options.folder), options.port, names, *this);
    for (std::size_t number = 0; number < options.clients; ++number) recall(number);
  }

  /// For ever: it ends by being killed.
  void run() {
    sessions_->start();
    std::uint64_t sent = 0;
    auto began = std::chrono::steady_clock::now();
    for (std::size_t next = 0;;) {
      const std::uint64_t rate = board_.rate;
      const auto now = std::chrono::steady_clock::now();
      if (rate == 0 || board_.logged_on == 0) {
        began = now;
        sent = 0;
      }
      const auto due =
          static_cast<std::uint64_t>(std::chrono::duration<double>(now - began).count() * static_cast<double>(rate));
      for (; sent < due; ++sent) act(next++ % traders_.size());
      std::this_thread::sleep_for(200us);
    }
  }

  // QuickFixListener
  void on_logged_on(std::size_t client, bool is_logged_on) override {
    if (traders_[client]->is_logged_on.exchange(is_logged_on) == is_logged_on) return;
    is_logged_on ? ++board_.logged_on : --board_.logged_on;
  }
  void on_numbered(std::size_t client, std::uint64_t number) override {
    Trader& trader = *traders_[client];
    const std::scoped_lock lock(trader.mutex);
    trader.file.request({number, trader.order.type, trader.order.id, trader.order.orig});
  }
  void on_received(std::size_t client, std::uint64_t number, const std::string& fix) override {
    Trader& trader = *traders_[client];
    const std::scoped_lock lock(trader.mutex);
    if (number <= trader.last_received) return;  // an earlier life had it, and was killed before its store knew
    trader.last_received = number;
    trader.file.received(fix);
    ++board_.received;
  }

 private:
  /// What an earlier life did. A request whose number the store does not have never left it.
  void recall(std::size_t client) {
    Trader& trader = *traders_[client];
    std::vector<std::string> unsent;
    const std::uint64_t next = sessions_->next_number(client);
    TraderFile::read(options_.folder + "/" + trader_name(client),
                     {.on_request =
                          [&](const TraderRequest& request) {
                            trader.orders.note_earlier();
                            if (request.sequence >= next) unsent.push_back(request.id);
                          },
                      .on_withdrawn = [&](const std::string& id) { std::erase(unsent, id); },
                      .on_received = [&](std::string_view fix) { trader.last_received = number_of(fix); }});
    for (const std::string& id : unsent) trader.file.withdraw(id);
  }

  void act(std::size_t client) {
    Trader& trader = *traders_[client];
    if (!trader.is_logged_on) return;
    const TraderOrder& order = trader.order = trader.orders.next();
    std::vector<std::pair<int, std::string>> fields{{11, order.id}, {55, order.symbol}, {54, {order.side}}};
    if (order.type != 'D') fields.emplace_back(41, order.orig);
    if (order.type != 'F') {
      fields.insert(fields.end(), {{38, std::to_string(order.quantity)}, {40, "2"}, {44, std::to_string(order.price)}});
      if (order.is_to_outlive_the_day) fields.insert(fields.end(), {{59, "6"}, {432, last_date()}});
    }
    // A session that is lost just now keeps it, and sends it when it is back.
    static_cast<void>(sessions_->send(client, order.type, fields));
    ++board_.sent;
  }

  const TradersOptions& options_;
  TraderBoard& board_;
  std::vector<std::unique_ptr<Trader>> traders_;
  std::unique_ptr<QuickFixSessions> sessions_;
};

void run(const TradersOptions& options) {
  std::filesystem::create_directories(quickfix_folder(options.folder));
  Traders traders(options);
  say_ready();
  traders.run();
}

}  // namespace
}  // namespace dojima::crash

int main(int count, char** words) {
  return dojima::crash::run_traders("dojima-kill-quickfix", "FIX clients of QuickFIX that may be killed", count, words,
                                    dojima::crash::run);
}
