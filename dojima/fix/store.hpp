#pragma once

// What a FIX session must remember beyond a connection: both sequence numbers, and the bytes of what it sent, by
// number: the source of every resend and the queue of a peer that reads slowly. `MemoryStore` keeps a fixed number of
// messages in a fixed number of bytes; the oldest are overwritten. `NullStore` keeps numbers only. `JournalStores`
// (journal_stores.hpp) keeps those of many sessions on disk. One thread.
//
//   Room room = store.prepare(4096);  ... write a message ...
//   if (auto kept = store.commit({.sequence = n, .bytes = message, ...}); !kept) ...   // it may not be sent

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

/// One message that was sent. The bytes live until the next call of the store, or of a store beside it in the same
/// journal. No bytes: the message is kept and cannot be read now.
struct StoredMessage {
  market::Sequence sequence{};
  Bytes bytes{};
  std::uint32_t header_size = 0;  ///< bytes before the first field that is not the session's
  MsgType type = MsgType::none;
  time::Time sending_time{};
};

/// Who waits for a store.
class SendGateListener {
 public:
  /// `may_leave` has moved. Called from the loop, never from inside a call of the store.
  virtual void on_gate_moved() = 0;
  /// `is_short_of_room` has changed. Its beginning is notified at once, from inside the call of this store, or of one
  /// beside it, that took the room; no call of a store is allowed then. Its end is notified from the loop.
  virtual void on_room(bool /*is_short*/) {}

 protected:
  ~SendGateListener() = default;
};

class MessageStore;

/// Who wants what a store has kept, before it is forgotten.
class ForgetListener {
 public:
  /// The store begins anew, or its outgoing number is set back. From inside that call; what is kept is still there, and
  /// other stores of the journal may be written.
  virtual void on_forget(const MessageStore& store) = 0;

 protected:
  ~ForgetListener() = default;
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
  /// moves on. Its bytes stay where they were written until the next prepare or change of a number, or as long as
  /// keeps_last_room() says, and can be sent from there. An error: it is not kept, its number is not used up, and it
  /// must not be sent. Stores in memory give none.
  [[nodiscard]] virtual Result<void> commit(const StoredMessage& message) = 0;
  /// The room that was prepared will not be used.
  virtual void give_back_room() {}
  /// Whether the bytes of the message committed last are still where they were written: stores beside it may have used
  /// the same room.
  [[nodiscard]] virtual bool keeps_last_room() const { return true; }
  /// The kept message of that number or, where there is none, of the next higher number; none at the end.
  [[nodiscard]] virtual std::optional<StoredMessage> find_from(market::Sequence sequence) const = 0;
  /// Why the last message that was found without bytes could not be read; code `none`: there was none.
  [[nodiscard]] virtual Error read_failure() const { return {}; }
  /// Forgets all messages and begins anew in one step, at `now`: `next_outgoing` is the next message we send, 1 the
  /// next we expect.
  virtual void begin_anew(market::Sequence next_outgoing, time::Time now) = 0;
  /// Forgets all messages and begins at 1 both ways.
  void reset(time::Time now) { begin_anew({1}, now); }
  /// When the numbers began anew; none: nobody has said so of this store yet. What a session day is found by that ended
  /// while nobody was there.
  [[nodiscard]] virtual std::optional<time::Time> numbers_begun() const = 0;
  /// Says it of a store that does not know.
  virtual void set_numbers_begun(time::Time begun) = 0;

  /// The messages in front of `next` are being worked on: what is kept from now on and survives says with it that they
  /// were received, so that an answer and the message that it answers survive together or not at all. Until the next
  /// set_next_incoming. Stores in memory have no use for it.
  virtual void count_received(market::Sequence /*next*/) {}

  /// Messages in front of this number may leave: a crash that this store is made for does not take their numbers back.
  [[nodiscard]] virtual market::Sequence may_leave() { return next_outgoing(); }
  /// Whether so little room is left that nothing more may be read from the peer: what it leads to could be refused, and
  /// so be lost. Until there is plenty again. Stores in memory never are.
  [[nodiscard]] virtual bool is_short_of_room() const { return false; }
  /// It is, and half of what was kept for answers is used up: the rest is for them, and nothing is sent that can be
  /// left out.
  [[nodiscard]] virtual bool must_spare_room() const { return false; }
  /// What keeps more room from coming, as the system says; code `none`: nothing is known to.
  [[nodiscard]] virtual Error room_trouble() const { return {}; }
  /// Who is to know when these move by themselves; null: nobody. Stores in memory never call.
  virtual void listen(SendGateListener* /*listener*/) {}
  /// Who is to know before messages are forgotten; null: nobody. Stores in memory never call.
  virtual void watch_forgetting(ForgetListener* /*listener*/) {}
  /// Whether messages are kept for a peer that asks for them again.
  [[nodiscard]] virtual bool keeps_for_resend() const { return true; }

 protected:
  ~MessageStore() = default;
};

struct StoreCapacity {
  std::size_t messages = 4096;
  std::size_t bytes = std::size_t{1} << 20;
  friend bool operator==(const StoreCapacity&, const StoreCapacity&) = default;
};

class MemoryStore final : public MessageStore {
 public:
  /// Takes all memory; the system gives it page by page when it is first written to, so that a store which nobody uses
  /// costs next to nothing. Throws std::bad_alloc; std::invalid_argument for a capacity of 0.
  explicit MemoryStore(StoreCapacity capacity);

  [[nodiscard]] market::Sequence next_outgoing() const override { return next_outgoing_; }
  [[nodiscard]] market::Sequence next_incoming() const override { return next_incoming_; }
  void set_next_outgoing(market::Sequence sequence) override;
  void set_next_incoming(market::Sequence sequence) override { next_incoming_ = sequence; }
  [[nodiscard]] Room prepare(std::size_t size) override;
  Result<void> commit(const StoredMessage& message) override;
  /// O(1) while numbers are without holes, else O(log messages).
  [[nodiscard]] std::optional<StoredMessage> find_from(market::Sequence sequence) const override;
  void begin_anew(market::Sequence next_outgoing, time::Time now) override;
  [[nodiscard]] std::optional<time::Time> numbers_begun() const override { return begun_; }
  void set_numbers_begun(time::Time begun) override { begun_ = begun; }

  /// Messages kept now.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  struct Entry {
    market::Sequence sequence;
    time::Time sending_time;
    std::size_t begin, size;
    std::uint32_t header_size;
    MsgType type;
  };
  /// Memory as it comes from the system, which nobody has written to: of an allocator it might be used memory.
  struct Unmap {
    std::size_t size = 0;
    void operator()(std::byte* memory) const noexcept;
  };
  using Mapped = std::unique_ptr<std::byte[], Unmap>;
  [[nodiscard]] static Mapped map(StoreCapacity capacity);

  /// Where the entry lies; `index` is at most count_. Every message asks twice, so it is no division.
  [[nodiscard]] std::size_t place_of(std::size_t index) const noexcept {
    const std::size_t place = first_ + index;
    return place < messages_ ? place : place - messages_;
  }
  [[nodiscard]] Entry& entry(std::size_t index) noexcept { return entries_[place_of(index)]; }
  [[nodiscard]] const Entry& entry(std::size_t index) const noexcept { return entries_[place_of(index)]; }
  [[nodiscard]] std::size_t lower_bound(market::Sequence sequence) const noexcept;
  void drop_oldest() noexcept;

  std::size_t capacity_;  // of bytes_
  std::size_t messages_;  // of entries_
  Mapped memory_;         // both of them
  Entry* entries_;        // a ring, oldest first, numbers ascending
  std::byte* bytes_;      // a ring of messages, none of them split
  std::size_t first_ = 0, count_ = 0;
  std::size_t room_begin_ = 0, room_size_ = 0;  // what prepare gave
  market::Sequence next_outgoing_{1}, next_incoming_{1};
  std::optional<time::Time> begun_;
};

/// Numbers only: messages are kept until the transport takes them, and every resend is a gap fill.
class NullStore final : public MessageStore {
 public:
  /// Room for what a slow peer has not taken yet; what is overwritten before ends the connection. Throws as
  /// MemoryStore.
  explicit NullStore(StoreCapacity waiting = {.messages = 256, .bytes = std::size_t{1} << 16}) : waiting_(waiting) {}

  [[nodiscard]] market::Sequence next_outgoing() const override { return waiting_.next_outgoing(); }
  [[nodiscard]] market::Sequence next_incoming() const override { return waiting_.next_incoming(); }
  void set_next_outgoing(market::Sequence sequence) override { waiting_.set_next_outgoing(sequence); }
  void set_next_incoming(market::Sequence sequence) override { waiting_.set_next_incoming(sequence); }
  [[nodiscard]] Room prepare(std::size_t size) override { return waiting_.prepare(size); }
  Result<void> commit(const StoredMessage& message) override { return waiting_.commit(message); }
  [[nodiscard]] std::optional<StoredMessage> find_from(market::Sequence sequence) const override {
    return waiting_.find_from(sequence);
  }
  void begin_anew(market::Sequence next_outgoing, time::Time now) override { waiting_.begin_anew(next_outgoing, now); }
  [[nodiscard]] std::optional<time::Time> numbers_begun() const override { return waiting_.numbers_begun(); }
  void set_numbers_begun(time::Time begun) override { waiting_.set_numbers_begun(begun); }
  [[nodiscard]] bool keeps_for_resend() const override { return false; }

 private:
  MemoryStore waiting_;
};

}  // namespace dojima::fix
