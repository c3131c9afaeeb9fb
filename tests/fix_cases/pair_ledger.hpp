#pragma once

// What the application of one side keeps for good: which orders it handed to its session under which numbers, and which
// orders it received. It outlives its process, so that loss is decidable: an order is handed over again only where the
// store says that its number was not used. With it every rule that a reader of the stream may rely on is checked.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dojima/fix/store.hpp"

namespace dojima::pairs {

/// An order, counted from 1 on, and the MsgSeqNum under which it went.
struct Numbered {
  std::uint64_t order = 0;
  std::uint64_t number = 0;
};

/// The newest of many.
class Newest {
 public:
  static constexpr std::size_t k_kept = 4096;
  void push(Numbered entry) { entries_[count_++ % k_kept] = entry; }
  void pop() { --count_; }
  [[nodiscard]] std::uint64_t size() const { return count_; }
  [[nodiscard]] Numbered back() const { return count_ == 0 ? Numbered{} : entries_[(count_ - 1) % k_kept]; }
  /// The order that has this number.
  [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t number) const;

 private:
  std::vector<Numbered> entries_ = std::vector<Numbered>(k_kept);
  std::uint64_t count_ = 0;
};

/// Both directions of one side. Each check gives what was wrong; empty: nothing.
class Ledger {
 public:
  // ------------------------------------------------------------------------------------------------------------- out
  /// Before an order is handed over: the next one, under this number. Its order.
  std::uint64_t intend(std::uint64_t number);
  /// The session refused it.
  void withdraw();
  /// The session has it.
  void confirm() { is_in_doubt_ = false; }
  [[nodiscard]] std::uint64_t handed() const { return out_.size(); }
  /// A new process has found this store: what is not in it was not sent. `seen` is the highest number that the peer
  /// has received, `keeps_all` says that a store keeps all that it took.
  [[nodiscard]] std::string reconcile(const fix::MessageStore& store, std::uint64_t seen, bool keeps_all);

  // -------------------------------------------------------------------------------------------------------------- in
  /// A new process expects this number; `promised`: no lower one.
  [[nodiscard]] std::string begin_life(std::uint64_t due, std::uint64_t promised);
  [[nodiscard]] std::string receive(Numbered entry, bool is_duplicate);
  [[nodiscard]] std::uint64_t received() const { return in_.size(); }
  /// Received a second time, behind the end of a process.
  [[nodiscard]] std::uint64_t repeated() const { return repeated_; }

 private:
  Newest out_, in_;
  bool is_in_doubt_ = false;     // the last of out_: handed over when the process ended
  std::uint64_t life_due_ = 1;   // what this process expected at its beginning
  std::uint64_t life_last_ = 0;  // the last number that it received
  std::uint64_t repeated_ = 0;
};

}  // namespace dojima::pairs
