#pragma once

// What a FIX session must remember beyond a connection: both sequence numbers, and the bytes of what it sent, by
// number: the source of every resend and the queue of a peer that reads slowly. `MemoryStore` keeps a fixed number of
// messages in a fixed number of bytes; the oldest are overwritten. One thread.
//
//   Room room = store.prepare(4096);  ... write a message ...  store.commit({.sequence = n, .bytes = message, ...});

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

/// One message that was sent. The bytes live until the next prepare, or until the store is reset.
struct StoredMessage {
  market::Sequence sequence;
  Bytes bytes;
  std::uint32_t header_size = 0;  ///< bytes before the first field that is not the session's
  MsgType type = MsgType::none;
  time::Time sending_time;
};

class MessageStore {
 public:
  /// The number of the next message we send, and of the next one we expect; both begin at 1.
  [[nodiscard]] virtual market::Sequence next_outgoing() const = 0;
  [[nodiscard]] virtual market::Sequence next_incoming() const = 0;
  /// Changes a number. Setting the outgoing one back forgets the messages from there on.
  virtual void set_next_outgoing(market::Sequence sequence) = 0;
  virtual void set_next_incoming(market::Sequence sequence) = 0;

  /// Room to write the next outgoing message, of exactly `size` bytes; overwrites the oldest messages where needed.
  /// Empty when `size` exceeds the store. The room is valid until the next call of prepare, commit or reset.
  [[nodiscard]] virtual Room prepare(std::size_t size) = 0;
  /// Keeps a message that was written inside the prepared room and carries the number next_outgoing(), which then
  /// moves on.
  virtual void commit(const StoredMessage& message) = 0;
  /// The kept message of that number or, where there is none, of the next higher number; none at the end.
  [[nodiscard]] virtual std::optional<StoredMessage> find_from(market::Sequence sequence) const = 0;
  /// Forgets all messages and begins at 1 both ways.
  virtual void reset() = 0;

 protected:
  ~MessageStore() = default;
};

struct StoreCapacity {
  std::size_t messages = 4096;
  std::size_t bytes = std::size_t{1} << 20;
};

class MemoryStore final : public MessageStore {
 public:
  /// Takes all memory. Throws std::bad_alloc; std::invalid_argument for a capacity of 0.
  explicit MemoryStore(StoreCapacity capacity);

  [[nodiscard]] market::Sequence next_outgoing() const override { return next_outgoing_; }
  [[nodiscard]] market::Sequence next_incoming() const override { return next_incoming_; }
  void set_next_outgoing(market::Sequence sequence) override;
  void set_next_incoming(market::Sequence sequence) override { next_incoming_ = sequence; }
  [[nodiscard]] Room prepare(std::size_t size) override;
  void commit(const StoredMessage& message) override;
  /// O(1) while numbers are without holes, else O(log messages).
  [[nodiscard]] std::optional<StoredMessage> find_from(market::Sequence sequence) const override;
  void reset() override;

  /// Messages kept now.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  struct Entry {
    market::Sequence sequence;
    time::Time sending_time;
    std::size_t begin = 0, size = 0;
    std::uint32_t header_size = 0;
    MsgType type = MsgType::none;
  };

  [[nodiscard]] Entry& entry(std::size_t index) noexcept { return entries_[(first_ + index) % entries_.size()]; }
  [[nodiscard]] const Entry& entry(std::size_t index) const noexcept {
    return entries_[(first_ + index) % entries_.size()];
  }
  [[nodiscard]] std::size_t lower_bound(market::Sequence sequence) const noexcept;
  void drop_oldest() noexcept;

  std::size_t capacity_;
  std::unique_ptr<std::byte[]> bytes_;  // a ring of messages, none of them split
  std::vector<Entry> entries_;          // a ring, oldest first, numbers ascending
  std::size_t first_ = 0, count_ = 0;
  std::size_t room_begin_ = 0, room_size_ = 0;  // what prepare gave
  market::Sequence next_outgoing_{1}, next_incoming_{1};
};

}  // namespace dojima::fix
