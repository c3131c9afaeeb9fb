#pragma once

// The store of one session in a journal that it shares with others: its numbers, and an index of its messages. A
// message is written into a room that all stores share, or into the session's own while another one has a message open,
// and copied into the journal when it is complete: the journal would have to clear what is not used of a room in it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dojima/base/assert.hpp"
#include "dojima/base/error.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/fix/store/message_index.hpp"
#include "dojima/fix/store_record.hpp"
#include "dojima/journal/journal.hpp"

namespace dojima::fix {

class StoreJournal;

class JournalStore final : public MessageStore {
 public:
  JournalStore(StoreJournal& shared, BlockPool& pool, std::uint32_t number) noexcept
      : shared_(shared), index_(pool), number_(number) {}

  [[nodiscard]] market::Sequence next_outgoing() const override { return next_outgoing_; }
  [[nodiscard]] market::Sequence next_incoming() const override { return next_incoming_; }
  void set_next_outgoing(market::Sequence sequence) override;
  void set_next_incoming(market::Sequence sequence) override;
  [[nodiscard]] Room prepare(std::size_t size) override;
  [[nodiscard]] Result<void> commit(const StoredMessage& message) override;
  void give_back_room() override { room_size_ = 0; }
  [[nodiscard]] bool keeps_last_room() const override;
  [[nodiscard]] std::optional<StoredMessage> find_from(market::Sequence sequence) const override;
  [[nodiscard]] Error read_failure() const override { return read_failure_; }
  void begin_anew(market::Sequence next_outgoing, time::Time now) override;
  [[nodiscard]] std::optional<time::Time> numbers_begun() const override { return begun_; }
  void set_numbers_begun(time::Time begun) override;
  void count_received(market::Sequence next) override { received_ = next; }
  [[nodiscard]] market::Sequence may_leave() override;
  [[nodiscard]] bool is_short_of_room() const override;
  [[nodiscard]] bool must_spare_room() const override;
  [[nodiscard]] Error room_trouble() const override;
  void listen(SendGateListener* listener) override {
    DOJIMA_ASSERT(listener == nullptr || listener_ == nullptr, "a store belongs to one session at a time");
    listener_ = listener;
  }
  void watch_forgetting(ForgetListener* listener) override { forget_listener_ = listener; }

  // ------------------------------------------------------------------------------------------------ for StoreJournal
  /// Whether a message is being written into the room that was prepared.
  [[nodiscard]] bool has_open_room() const noexcept { return room_size_ != 0; }
  /// What a record of the journal says, when it is recovered.
  void apply(const StoreRecord& record, journal::Location at);
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] market::Sequence received() const noexcept { return received_; }
  /// A record that says received() was written.
  void note_received_kept() noexcept { kept_received_ = received_; }
  /// Everything recovered is durable.
  void end_recovery() noexcept { gate_ = next_outgoing_; }
  void set_name(const SessionName& name);
  [[nodiscard]] SessionName name() const noexcept { return {begin_string_, sender_, target_, qualifier_}; }
  /// As JournalStores::verifier and set_verifier.
  [[nodiscard]] std::string_view verifier() const noexcept { return verifier_; }
  [[nodiscard]] Result<void> set_verifier(std::string_view verifier);
  /// All that is to be known of the session but its messages.
  [[nodiscard]] StoreRecord checkpoint() const noexcept;
  [[nodiscard]] const MessageIndex& index() const noexcept { return index_; }
  void drop_front_block() noexcept { index_.drop_front_block(); }
  /// Forgets messages in segments before that one.
  void drop_before(std::uint64_t segment) noexcept;
  void report_room(bool is_short) {
    if (listener_ != nullptr) listener_->on_room(is_short);
  }
  /// Calls the listener when more may leave than before; says whether something still waits.
  [[nodiscard]] bool deliver();

 private:
  /// What the journal has not been able to take; each includes those before it.
  enum class Behind : std::uint8_t { nothing, numbers, session, reset };

  void keep(market::Sequence sequence, journal::Location at, std::size_t size) noexcept;
  void write(StoreRecordKind kind, Behind if_refused);
  [[nodiscard]] bool catch_up(bool is_essential);

  StoreJournal& shared_;
  MessageIndex index_;
  std::uint32_t number_;
  Behind behind_ = Behind::nothing;
  bool is_waiting_ = false;  // in the shared list of those who wait for the disk
  market::Sequence next_outgoing_{1}, next_incoming_{1};
  std::optional<time::Time> begun_;
  market::Sequence received_{};       // an answer that is written says at least this of the incoming number
  market::Sequence kept_received_{};  // as far as one has been: what is written behind it must say no less
  market::Sequence gate_{1};          // messages before it may leave
  journal::Sequence last_;            // record of the newest message
  mutable Error read_failure_{};      // of the system
  SendGateListener* listener_ = nullptr;
  ForgetListener* forget_listener_ = nullptr;
  std::unique_ptr<std::byte[]> staging_;  // a room of its own, for while another store uses the shared one
  std::byte* room_ = nullptr;             // what prepare gave, of either
  std::size_t staging_size_ = 0, room_size_ = 0;
  std::string begin_string_, sender_, target_, qualifier_, verifier_;
};

}  // namespace dojima::fix
