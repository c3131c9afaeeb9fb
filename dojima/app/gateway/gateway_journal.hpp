#pragma once

// A gateway's journal: a directory with the state of its orders and the numbers and messages of its FIX sessions, and
// the thread that does the slow work. As a source of the loop it lets go what has become durable. Opening recovers and
// blocks.
//
//   auto opened = GatewayJournal::open(config, show);   // before the gateway
//   gateway::Gateway gateway(..., {.stores = &(*opened)->stores(), .saved = &(*opened)->saved()});
//   (*opened)->release_with(gateway);
//   station.add(**opened);
//   (*opened)->start([&] { station.fabric().wake(); });

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::app {

class GatewayJournalFollower;

class GatewayJournal final : public sched::Source {
 public:
  /// Recovers what is in `config.journal.directory`, or begins it. `show` gets a line for whatever a person should
  /// know. The error is text of several lines: what, where, what to do.
  [[nodiscard]] static std::expected<std::unique_ptr<GatewayJournal>, std::string> open(
      const GatewayConfig& config, const std::function<void(const std::string&)>& show);
  ~GatewayJournal();
  GatewayJournal(const GatewayJournal&) = delete;
  GatewayJournal& operator=(const GatewayJournal&) = delete;

  [[nodiscard]] fix::JournalStores& stores() noexcept { return *stores_; }
  /// What it says of the state; for the gateway that is made on it, until release_with().
  [[nodiscard]] const gateway::SavedState& saved() const noexcept { return saved_; }
  /// Whose requests leave when they are durable; it outlives the journal's last turn. It has been made: what was read
  /// of the state is given back, about as much as the gateway's own records of it.
  void release_with(gateway::Gateway& gateway);
  /// The thread begins. `wake` is called from it when more has become durable.
  void start(const std::function<void()>& wake);
  /// The thread ends: before what `wake` uses is gone.
  void stop();
  /// What is wrong now that was not when it was asked last, or well again; empty: nothing new.
  [[nodiscard]] std::string news();

  // sched::Source
  std::size_t deliver(time::Time) override { return 0; }
  std::size_t finish(time::Time) override {
    stores_->deliver();
    if (gateway_ != nullptr) gateway_->release();
    return 0;
  }

 private:
  friend class GatewayJournalFollower;
  using Show = std::function<void(const std::string&)>;
  /// What the configuration says, with nothing opened but the directory.
  [[nodiscard]] static std::expected<std::unique_ptr<GatewayJournal>, std::string> unopened(
      const GatewayConfig& config);
  explicit GatewayJournal(const GatewayConfig& config);
  [[nodiscard]] fix::JournalStoresOptions options(const GatewayConfig& config);
  void show_recovery(const Show& show) const;

  std::string directory_;
  std::unique_ptr<journal::RealDisk> disk_;
  gateway::SavedState saved_;
  std::unique_ptr<fix::JournalStores> stores_;
  std::unique_ptr<journal::JournalThread> thread_;
  gateway::Gateway* gateway_ = nullptr;
  bool is_troubled_ = false, is_short_ = false;  // as reported last
};

}  // namespace dojima::app
