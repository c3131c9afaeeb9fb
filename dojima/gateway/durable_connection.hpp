#pragma once

// A connection whose bytes leave only when the records of a journal that were written before them are durable: between
// a session and the network. What is durable already passes at once; else it waits in a bounded buffer until release().
// What waits when the connection is closed never leaves. One thread, no allocation after construction.
//
//   DurableConnection wire(session);
//   wire.hold_for(journal);                  // once; without it everything passes
//   fabric.connect(venue, wire);
//   ... at the end of each turn: wire.release();

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/journal/file_journal.hpp"
#include "dojima/link/connection.hpp"

namespace dojima::gateway {

class DurableConnection final : public link::Connection, public link::Transport {
 public:
  /// The session outlives it.
  explicit DurableConnection(link::Connection& session) : session_(session) {}
  DurableConnection(const DurableConnection&) = delete;
  DurableConnection& operator=(const DurableConnection&) = delete;

  /// From now on bytes wait for this journal, which outlives the connection. Takes memory. Throws std::bad_alloc.
  void hold_for(const journal::FileJournal& journal);
  /// Lets go what has become durable, as far as the network has room, and notifies the session when there is room
  /// again. O(messages that leave).
  void release(link::Time now);
  [[nodiscard]] bool is_waiting() const noexcept { return count_ != 0; }

  // link::Connection
  void on_open(link::Transport& transport, link::Time now) override;
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, link::Time now) override { return session_.on_bytes(bytes, now); }
  void on_writable(link::Time now) override;
  void on_closed(link::CloseReason reason, link::Time now) override;

  // link::Transport
  [[nodiscard]] Room prepare(std::size_t size) override;
  void commit(std::size_t size) override;
  [[nodiscard]] std::size_t unsent() const override { return out_->unsent() + (end_ - begin_); }
  void flush() override { out_->flush(); }
  void close(link::CloseReason reason) override;
  void set_reading(bool is_wanted) override { out_->set_reading(is_wanted); }

 private:
  static constexpr std::size_t k_bytes = std::size_t{1} << 16;
  static constexpr std::size_t k_messages = 1024;
  /// Bytes that wait for the same record.
  struct Message {
    journal::Sequence needs;
    std::size_t size = 0;
  };

  [[nodiscard]] bool passes() const noexcept {
    return journal_ == nullptr || (count_ == 0 && journal_->durable() == journal_->last());
  }
  [[nodiscard]] Room prepare_waiting(std::size_t size);
  void let_go();
  void forget() noexcept { begin_ = end_ = first_ = count_ = 0; }

  link::Connection& session_;
  const journal::FileJournal* journal_ = nullptr;
  link::Transport* out_ = nullptr;
  bool is_passing_ = true;         // what was prepared last
  bool is_room_wanted_ = false;    // prepare() had none of its own
  std::vector<std::byte> buffer_;  // waits between begin_ and end_
  std::size_t begin_ = 0, end_ = 0;
  std::vector<Message> messages_;  // a ring
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace dojima::gateway
