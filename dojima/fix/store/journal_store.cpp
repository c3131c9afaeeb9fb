#include "dojima/fix/store/journal_store.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fix/store/store_journal.hpp"

namespace dojima::fix {

void JournalStore::set_name(const SessionName& name) {
  begin_string_ = name.begin_string;
  sender_ = name.sender_comp_id;
  target_ = name.target_comp_id;
  qualifier_ = name.qualifier;
}

/// Of a message that is being worked on it says what the journal says already: neither that it was received before an
/// answer is kept, nor that it was not once one is.
StoreRecord JournalStore::checkpoint() const noexcept {
  return {.kind = StoreRecordKind::session,
          .session = number_,
          .next_outgoing = next_outgoing_,
          .next_incoming = std::max(next_incoming_, kept_received_),
          .numbers_begun = begun_,
          .message = {},
          .name = name(),
          .verifier = verifier_};
}

// ------------------------------------------------------------------------------------------------------------ numbers

/// What cannot be written is written before the next message: until then that message is refused.
void JournalStore::write(StoreRecordKind kind, Behind if_refused) {
  const Behind before = std::exchange(behind_, std::max(behind_, if_refused));
  const bool is_essential = kind != StoreRecordKind::incoming;
  if (kind == StoreRecordKind::incoming && before == Behind::nothing) {
    // Nothing else is owed, so the shorter record is enough.
    if (shared_.append({.kind = kind, .session = number_, .next_incoming = next_incoming_}, false))
      behind_ = Behind::nothing;
  } else {
    static_cast<void>(catch_up(is_essential));
  }
  shared_.step();
}

bool JournalStore::catch_up(bool is_essential) {
  if (behind_ == Behind::nothing) return true;
  StoreRecord record = checkpoint();
  if (behind_ != Behind::session)
    record.kind = behind_ == Behind::reset ? StoreRecordKind::reset : StoreRecordKind::numbers;
  if (!shared_.append(record, is_essential)) return false;
  behind_ = Behind::nothing;
  return true;
}

void JournalStore::set_next_outgoing(market::Sequence sequence) {
  DOJIMA_ASSERT(sequence.value > 0, "numbers begin at 1", sequence, next_outgoing_);
  if (sequence < next_outgoing_ && forget_listener_ != nullptr) forget_listener_->on_forget(*this);
  index_.truncate(sequence);
  next_outgoing_ = sequence;
  gate_ = std::min(gate_, sequence);
  room_size_ = 0;
  write(StoreRecordKind::numbers, Behind::numbers);
}

void JournalStore::set_next_incoming(market::Sequence sequence) {
  next_incoming_ = sequence;
  received_ = kept_received_ = {};
  write(StoreRecordKind::incoming, Behind::numbers);
}

void JournalStore::begin_anew(market::Sequence next_outgoing, time::Time now) {
  DOJIMA_ASSERT(next_outgoing.value > 0, "numbers begin at 1", next_outgoing);
  if (forget_listener_ != nullptr) forget_listener_->on_forget(*this);
  index_.clear();
  next_outgoing_ = gate_ = next_outgoing;
  next_incoming_ = {1};
  begun_ = now;
  received_ = kept_received_ = {};
  room_size_ = 0;
  write(StoreRecordKind::reset, Behind::reset);
}

void JournalStore::set_numbers_begun(time::Time begun) {
  begun_ = begun;
  write(StoreRecordKind::session, Behind::session);
}

Result<void> JournalStore::set_verifier(std::string_view verifier) {
  if (verifier.size() > k_session_text_max)
    return fail(ErrorCode::out_of_range, 0, 0, static_cast<std::int64_t>(verifier.size()), "a text of up to 255 bytes");
  StoreRecord record = checkpoint();
  record.verifier = verifier;
  if (!catch_up(false) || !shared_.append(record, false)) return std::unexpected(shared_.refusal());
  verifier_ = verifier;
  shared_.step();
  return {};
}

// ----------------------------------------------------------------------------------------------------------- messages

namespace {

/// Whether a record is gone for good: damaged since it was written, or removed by somebody. Else the system could not
/// read it now, as it had no file descriptor left, say.
bool is_lost(const Error& error) noexcept {
  return error.code == ErrorCode::malformed || error.code == ErrorCode::missing;
}

}  // namespace

Room JournalStore::prepare(std::size_t size) {
  room_size_ = 0;
  if (size > shared_.options().largest_message) return {};
  if (size > staging_size_) {
    staging_ = std::make_unique_for_overwrite<std::byte[]>(size);
    staging_size_ = size;
  }
  room_ = shared_.take_room(*this);
  if (room_ == nullptr) room_ = staging_.get();
  room_size_ = size;
  return {room_, size};
}

bool JournalStore::keeps_last_room() const {
  return room_ == staging_.get() || shared_.has_room_of(*this);
}

Result<void> JournalStore::commit(const StoredMessage& message) {
  const auto begin = static_cast<std::size_t>(message.bytes.data() - room_);
  DOJIMA_ASSERT(begin <= room_size_ && message.bytes.size() <= room_size_ - begin,
                "a message is in the room that was prepared for it", begin, message.bytes.size(), room_size_);
  DOJIMA_ASSERT(message.sequence == next_outgoing_, "messages are kept in the order of their numbers", message.sequence,
                next_outgoing_);
  room_size_ = 0;
  // A session must be able to say goodbye when there is no room for anything else; and what happened must not be kept
  // without the message that reports it.
  const bool is_essential = message.type == type::k_logout || !shared_.carried().empty();
  if (!catch_up(is_essential)) return std::unexpected(shared_.refusal());
  const bool is_written = shared_.append({.kind = StoreRecordKind::message,
                                          .session = number_,
                                          .next_outgoing = {next_outgoing_.value + 1},
                                          .next_incoming = std::max(next_incoming_, received_),
                                          .message = message,
                                          .state = shared_.carried()},
                                         is_essential);
  if (!is_written) return std::unexpected(shared_.refusal());
  shared_.carry({});
  note_received_kept();
  ++next_outgoing_.value;
  last_ = shared_.journal().last();
  keep(message.sequence, shared_.journal().last_location(), message.bytes.size());
  if (shared_.waits_for_disk()) {
    if (!std::exchange(is_waiting_, true)) shared_.add_waiting(*this);
  } else {
    gate_ = next_outgoing_;
  }
  shared_.step();
  return {};
}

void JournalStore::keep(market::Sequence sequence, journal::Location at, std::size_t size) noexcept {
  const IndexEntry entry{.at = at, .size = static_cast<std::uint32_t>(size)};
  while (!index_.push(sequence, entry)) shared_.drop_oldest_block();
  const JournalStoresOptions& bounds = shared_.options();
  while (index_.size() > bounds.messages_per_session ||
         (index_.bytes() > bounds.bytes_per_session && index_.size() > 1))
    index_.pop_front();
}

void JournalStore::drop_before(std::uint64_t segment) noexcept {
  for (auto front = index_.front(); front && front->entry.at.segment() < segment; front = index_.front())
    index_.pop_front();
}

std::optional<StoredMessage> JournalStore::find_from(market::Sequence sequence) const {
  for (auto found = index_.find_from(sequence); found; found = index_.find_from({found->sequence.value + 1})) {
    const Result<journal::Record> record = shared_.read(found->entry.at);
    if (!record) {
      if (is_lost(record.error())) continue;  // as if it were no longer kept
      read_failure_ = record.error();
      return StoredMessage{.sequence = found->sequence};
    }
    const Result<StoreRecord> read = read_store_record(record->kind, record->bytes);
    if (!read || read->kind != StoreRecordKind::message || read->session != number_ ||
        read->message.sequence != found->sequence)
      continue;
    return read->message;
  }
  return std::nullopt;
}

// ----------------------------------------------------------------------------------------------------- what may leave

market::Sequence JournalStore::may_leave() {
  if (gate_ == next_outgoing_) [[likely]] {
    return gate_;
  }
  const journal::Sequence durable = shared_.journal().durable();
  if (last_ <= durable) {
    gate_ = next_outgoing_;
    return gate_;
  }
  while (gate_ < next_outgoing_) {
    const auto found = index_.find_from(gate_);
    if (!found) break;
    const Result<journal::Record> record = shared_.read(found->entry.at);
    if (record ? record->sequence > durable : !is_lost(record.error())) break;
    gate_ = {found->sequence.value + 1};
  }
  return gate_;
}

bool JournalStore::is_short_of_room() const {
  return shared_.is_short_of_room();
}

bool JournalStore::must_spare_room() const {
  return shared_.must_spare_room();
}

Error JournalStore::room_trouble() const {
  return shared_.journal().trouble().value_or(Error{});
}

bool JournalStore::deliver() {
  const market::Sequence before = gate_;
  if (may_leave() != before && listener_ != nullptr) listener_->on_gate_moved();
  is_waiting_ = gate_ != next_outgoing_;
  return is_waiting_;
}

// ----------------------------------------------------------------------------------------------------------- recovery

void JournalStore::apply(const StoreRecord& record, journal::Location at) {
  switch (record.kind) {
    case StoreRecordKind::message:
      index_.truncate(record.message.sequence);
      keep(record.message.sequence, at, record.message.bytes.size());
      break;
    case StoreRecordKind::incoming:
      next_incoming_ = record.next_incoming;
      return;
    case StoreRecordKind::session:
      set_name(record.name);
      verifier_ = record.verifier;
      begun_ = record.numbers_begun;
      [[fallthrough]];
    case StoreRecordKind::numbers:
      index_.truncate(record.next_outgoing);
      break;
    case StoreRecordKind::reset:
      index_.clear();
      begun_ = record.numbers_begun;
      break;
    case StoreRecordKind::state:
      next_incoming_ = record.next_incoming;
      return;
  }
  next_outgoing_ = record.next_outgoing;
  next_incoming_ = record.next_incoming;
}

}  // namespace dojima::fix
