#pragma once

// A gateway's journal that another process writes, read as it grows: orders, FIX sessions and numbers are kept as that
// gateway has them, until it is gone. How one knows that it is gone is the lock of the directory, which the system
// gives back when the process has ended, however it did.
//
//   auto follower = GatewayJournalFollower::begin(config);
//   ... again and again:
//   const auto read = (*follower)->step(5000);           // an error is for a person, and final
//   auto journal = (*follower)->take_over(show);         // null: the writer lives
//
// One thread.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "dojima/app/config.hpp"
#include "dojima/app/gateway/gateway_journal.hpp"
#include "dojima/fix/stores_follower.hpp"

namespace dojima::app {

class GatewayJournalFollower {
 public:
  /// Of `config.journal.directory`, which must be there and hold a journal: a standby with a mistyped name would find
  /// nobody in it and trade at once. The error is text for a person.
  [[nodiscard]] static std::expected<std::unique_ptr<GatewayJournalFollower>, std::string> begin(
      const GatewayConfig& config);
  ~GatewayJournalFollower();
  GatewayJournalFollower(const GatewayJournalFollower&) = delete;
  GatewayJournalFollower& operator=(const GatewayJournalFollower&) = delete;

  /// Reads at most `most` records that have come, and says how many it read. The error: they cannot be understood.
  [[nodiscard]] std::expected<std::size_t, std::string> step(std::size_t most);
  /// The journal, recovered, if its writer is gone: then this object is used up. Null: the writer lives. The error: the
  /// writer is gone and the journal cannot be opened.
  [[nodiscard]] std::expected<std::unique_ptr<GatewayJournal>, std::string> take_over(
      const std::function<void(const std::string&)>& show);

  /// Why nothing more is read; empty: nothing is in the way.
  [[nodiscard]] std::string waits_for() const;
  [[nodiscard]] const fix::StoresFollower& stores() const noexcept { return *stores_; }
  /// O(orders).
  [[nodiscard]] std::size_t open_orders() const noexcept { return journal_->saved_.open_orders(); }

 private:
  explicit GatewayJournalFollower(std::unique_ptr<GatewayJournal> journal);

  std::unique_ptr<GatewayJournal> journal_;  // without stores
  std::unique_ptr<fix::StoresFollower> stores_;
  std::string lock_trouble_;
};

}  // namespace dojima::app
