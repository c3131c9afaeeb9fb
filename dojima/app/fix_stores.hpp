#pragma once

// Where a gateway's FIX sessions keep their numbers and messages: a directory, the stores in it, and the thread that
// does the journal's slow work. As a source of the loop it lets messages go that have become durable. Opening recovers
// and blocks.
//
//   auto opened = FixStores::open(config.store, limits, show);   // before the gateway
//   station.add(**opened);
//   (*opened)->start([&] { station.fabric().wake(); });

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::app {

class FixStores final : public sched::Source {
 public:
  /// Recovers what is in `config.store.directory`, or begins it. `show` gets a line for whatever a person should know.
  /// The error is text of several lines: what, where, what to do.
  [[nodiscard]] static std::expected<std::unique_ptr<FixStores>, std::string> open(
      const GatewayConfig& config, const std::function<void(const std::string&)>& show);
  ~FixStores();
  FixStores(const FixStores&) = delete;
  FixStores& operator=(const FixStores&) = delete;

  [[nodiscard]] fix::JournalStores& stores() noexcept { return *stores_; }
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
    return 0;
  }

 private:
  explicit FixStores(std::string directory) : directory_(std::move(directory)) {}

  std::string directory_;
  std::unique_ptr<journal::RealDisk> disk_;
  std::unique_ptr<fix::JournalStores> stores_;
  std::unique_ptr<journal::JournalThread> thread_;
  bool is_troubled_ = false;
};

}  // namespace dojima::app
