#include "dojima/fix/store/store_journal.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::fix {

using journal::Trouble;

namespace {

/// Sessions put into a checkpoint with each record that is written meanwhile.
constexpr std::size_t k_checkpoint_step = 4;
/// Segments that are no longer needed, until a checkpoint behind them is on the disk and they are removed.
constexpr std::uint64_t k_segments_leaving = 3;
/// Segments that are written while a whole state is: as many bytes of other records go with its own.
std::uint64_t segments_of_state(const JournalStoresOptions& options) noexcept {
  return (2 * options.state_bytes + options.segment_bytes - 1) / options.segment_bytes;
}

/// Segments besides the spare ones: these, the one in use and the one before.
std::uint64_t segments_least(const JournalStoresOptions& options) noexcept {
  return k_segments_leaving + 2 + segments_of_state(options);
}

const char* wrong_with(const JournalStoresOptions& options) noexcept {
  if (options.messages_per_session == 0 || options.messages == 0 || options.bytes_per_session == 0)
    return "messages, messages_per_session, bytes_per_session: at least 1";
  if (options.sessions == 0 || options.sessions > 0xffff'ffffU) return "sessions: at least 1";
  if (options.segment_bytes == 0 ||
      options.disk_bytes / options.segment_bytes < options.spare_segments + segments_least(options))
    return "disk_bytes: at least five segments more than spare_segments, and twice state_bytes";
  return nullptr;
}

Trouble wrong_options(const char* wrong) {
  return {.error = {.code = ErrorCode::out_of_range, .expected = wrong},
          .what = "the options of the FIX store cannot be",
          .advice = wrong};
}

journal::FileJournalOptions journal_options(const JournalStoresOptions& options) noexcept {
  return {.identity = identity_of_store(options.name),
          .durability = options.durability,
          .segment_bytes = options.segment_bytes,
          .largest_record = std::max(
              k_stored_message_overhead + options.largest_message + (options.state_bytes != 0 ? k_state_piece : 0),
              k_session_record_max),
          .spare_segments = options.spare_segments,
          .cut_holes = options.cut_holes};
}

Trouble trouble_at(const Error& error, const journal::Record& record, std::string advice) {
  std::array<char, 200> text{};
  return {.error = error,
          .place = {.file = journal::segment_name(record.location.segment()),
                    .offset = record.location.offset(),
                    .sequence = record.sequence},
          .what = "record " + std::to_string(record.sequence.value) +
                  " is none of a FIX store: " + std::string(describe(error, text)),
          .advice = std::move(advice)};
}

}  // namespace

// ----------------------------------------------------------------------------------------------------------- opening

StoreJournal::StoreJournal(const JournalStoresOptions& options)
    : options_(options),
      segments_most_(options.disk_bytes / options.segment_bytes - options.spare_segments - k_segments_leaving -
                     segments_of_state(options)),
      pool_(options.messages),
      room_(std::make_unique_for_overwrite<std::byte[]>(options.largest_message)) {
  constexpr std::size_t k_late_releases = 64;
  segments_.reserve(segments_most_ + k_late_releases);
}

void StoreJournal::adopt(std::unique_ptr<journal::FileJournal> journal) {
  journal_ = std::move(journal);
  access_.emplace(*journal_);
  constexpr std::size_t k_records = 8;
  const std::size_t wanted = options_.room_kept != 0
                                 ? options_.room_kept
                                 : k_records * journal::FileJournal::bytes_of(journal_options(options_).largest_record);
  const std::size_t ready = journal_->sure_room_when_ready(!has_reserve());
  room_kept_ = std::min(wanted, ready / 2);
  room_wanted_ = 2 * room_kept_;
}

std::expected<std::unique_ptr<StoreJournal>, Trouble> StoreJournal::open(journal::Disk& disk,
                                                                         const JournalStoresOptions& options) {
  if (const char* wrong = wrong_with(options); wrong != nullptr) return std::unexpected(wrong_options(wrong));
  auto opened = journal::FileJournal::open(disk, journal_options(options));
  if (!opened) return std::unexpected(std::move(opened.error()));
  std::unique_ptr<StoreJournal> made(new StoreJournal(options));
  made->adopt(std::move(*opened));
  if (auto trouble = made->recover({made->journal_->recovery().first.value - 1}))
    return std::unexpected(std::move(*trouble));
  return made;
}

std::expected<std::unique_ptr<StoreJournal>, Trouble> StoreJournal::follow(const JournalStoresOptions& options) {
  if (const char* wrong = wrong_with(options); wrong != nullptr) return std::unexpected(wrong_options(wrong));
  return std::unique_ptr<StoreJournal>(new StoreJournal(options));
}

std::expected<bool, Trouble> StoreJournal::take_over(journal::Disk& disk, journal::Sequence read,
                                                     journal::Sequence trusted, std::unique_ptr<journal::File> lock) {
  journal::FileJournalOptions options = journal_options(options_);
  options.trusted = trusted;
  auto opened = journal::FileJournal::open(disk, options, std::move(lock));
  if (!opened) return std::unexpected(std::move(opened.error()));
  const journal::Recovery& recovery = (*opened)->recovery();
  if (recovery.last < read || recovery.first.value > read.value + 1) return false;
  adopt(std::move(*opened));
  if (auto trouble = recover(read)) return std::unexpected(std::move(*trouble));
  return true;
}

std::optional<Trouble> StoreJournal::take(const journal::Record& record) {
  const Result<StoreRecord> read = read_store_record(record.kind, record.bytes);
  if (!read) return trouble_at(read.error(), record, "start the build that wrote it, or name another directory");
  if (const Result<void> applied = apply(*read, record); !applied)
    return trouble_at(applied.error(), record, "raise sessions, or name another directory");
  if (read->state.empty()) return std::nullopt;
  has_state_ = true;
  if (const Result<void> taken = options_.on_state ? options_.on_state(read->state) : Result<void>(); !taken)
    return trouble_at(taken.error(), record, "start the build and the configuration that wrote it");
  return std::nullopt;
}

/// Reads what comes behind `after`, all before it being known, and begins to write.
std::optional<Trouble> StoreJournal::recover(journal::Sequence after) {
  const auto reader = journal_->read_after(after);
  if (!reader)
    return Trouble{.error = reader.error(),
                   .place = {.sequence = {after.value + 1}},
                   .what = "the records of the FIX store cannot be read",
                   .advice = "look with `dojima journal verify`"};
  for (journal::Sequence at{after.value + 1};; ++at.value) {
    const auto record = (*reader)->next();
    if (!record)
      return Trouble{.error = record.error(),
                     .place = {.sequence = at},
                     .what = "a record of the FIX store cannot be read",
                     .advice = "look with `dojima journal verify`; restore the directory from a copy"};
    if (!*record) break;
    if (auto trouble = take(**record)) return trouble;
  }
  for (const auto& store : stores_) {
    if (!store->name().begin_string.empty()) {
      store->end_recovery();
      continue;
    }
    return Trouble{.error = {.code = ErrorCode::missing, .expected = "the names of every session"},
                   .place = {.sequence = journal_->recovery().first},
                   .what = "the records that name a session are not there",
                   .advice = "restore the missing segments from a copy, or name another directory"};
  }
  if (segments_.empty())
    segments_.push_back({.number = journal_->segment_in_use(), .first = journal_->recovery().first});
  delivered_ = journal_->durable();
  checkpoint_segment_ = segments_.back().number;
  write_checkpoint(stores_.size());
  return std::nullopt;
}

Result<void> StoreJournal::apply(const StoreRecord& record, const journal::Record& place) {
  if (segments_.empty() || segments_.back().number != place.location.segment())
    note_segment(place.location.segment(), place.sequence);
  if (record.session == 0) return {};
  if (record.session > options_.sessions)
    return fail(ErrorCode::out_of_range, 0, 0, record.session, "a session's number up to `sessions`");
  while (stores_.size() < record.session)
    stores_.push_back(std::make_unique<JournalStore>(*this, pool_, static_cast<std::uint32_t>(stores_.size() + 1)));
  stores_[record.session - 1]->apply(record, place.location);
  return {};
}

JournalStore* StoreJournal::find(const SessionName& name) const noexcept {
  const auto found = std::ranges::find_if(stores_, [&](const auto& store) { return store->name() == name; });
  return found == stores_.end() ? nullptr : found->get();
}

Result<MessageStore*> StoreJournal::store(const SessionName& name) {
  for (const std::string_view text : {name.begin_string, name.sender_comp_id, name.target_comp_id, name.qualifier})
    if (text.size() > k_session_text_max)
      return fail(ErrorCode::out_of_range, 0, 0, static_cast<std::int64_t>(text.size()), "a text of up to 255 bytes");
  if (name.begin_string.empty()) return fail(ErrorCode::out_of_range, 0, 0, 0, "a BeginString");
  if (JournalStore* const found = find(name); found != nullptr) return found;
  if (stores_.size() >= options_.sessions)
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(stores_.size()), "no more than `sessions`");
  auto made = std::make_unique<JournalStore>(*this, pool_, static_cast<std::uint32_t>(stores_.size() + 1));
  made->set_name(name);
  if (!append(made->checkpoint(), true)) return std::unexpected(refusal());
  stores_.push_back(std::move(made));
  waiting_.reserve(stores_.size());
  notified_.reserve(stores_.size());
  step();
  return stores_.back().get();
}

// ----------------------------------------------------------------------------------------------------------- writing

bool StoreJournal::append(const StoreRecord& record, bool is_essential) {
  const std::size_t size = size_of(record);
  const Room room = is_essential || !has_reserve() ? journal_->prepare_essential(size) : journal_->prepare(size);
  if (room.empty()) {
    if (!is_short_ && this->room() < room_kept_) set_short(true);
    return false;
  }
  write_store_record(record, room);
  const journal::Sequence written = journal_->commit(size, static_cast<std::uint8_t>(record.kind));
  written_meanwhile_ += size;
  const std::uint64_t number = journal_->last_location().segment();
  if (number != segments_.back().number) [[unlikely]]
    note_segment(number, written);
  if (is_short_) [[unlikely]]
    written_while_short_ += journal::FileJournal::bytes_of(size);
  else if (this->room() < room_kept_) [[unlikely]]
    set_short(true);
  return true;
}

/// Sessions first, then the one that reads for them. One that goes on may take the room again.
void StoreJournal::set_short(bool is_short) {
  is_short_ = is_short;
  if (is_short) written_while_short_ = 0;
  for (const auto& store : stores_) {
    if (is_short_ != is_short) return;
    store->report_room(is_short);
  }
  if (is_short_ == is_short && room_listener_ != nullptr) room_listener_->on_room(is_short);
}

void StoreJournal::review_room() {
  const std::size_t left = room();
  if (is_short_ ? left >= room_wanted_ : left < room_kept_) set_short(!is_short_);
}

Error StoreJournal::refusal() const {
  const auto trouble = journal_->trouble();
  return trouble ? *trouble
                 : Error{.code = ErrorCode::no_room, .expected = "a segment of the message store ready in time"};
}

/// Records go into another segment: the numbers are written anew, and the disk's bound is kept.
void StoreJournal::note_segment(std::uint64_t number, journal::Sequence first) {
  segments_.push_back({.number = number, .first = first});
  if (number > segments_most_) {
    const std::uint64_t oldest = number - segments_most_ + 1;
    for (const auto& store : stores_) store->drop_before(oldest);
  }
  if (checkpoint_segment_ != 0) return;  // the one that is running ends first
  checkpoint_segment_ = number;
  checkpointed_ = 0;
  is_state_written_ = false;
  if (keeper_ != nullptr) keeper_->begin_checkpoint();
}

/// While the room is short, what is kept back of it is for the sessions; unless no more will come before segments have
/// been removed, which a checkpoint does.
void StoreJournal::step() {
  if (checkpoint_segment_ != 0 && (!is_short_ || journal_->trouble())) [[unlikely]] {
    const std::size_t before = is_short_ ? written_while_short_ : 0;
    write_checkpoint(k_checkpoint_step);
    written_while_short_ = before;
  }
  if (release_.checkpoint.value != 0) [[unlikely]]
    release_when_safe();
}

/// Puts so many more sessions into the checkpoint. What it does not get room for comes with the next record.
void StoreJournal::write_checkpoint(std::size_t sessions) {
  const std::size_t end = std::min(stores_.size(), checkpointed_ + sessions);
  for (; checkpointed_ < end; ++checkpointed_)
    if (!append(stores_[checkpointed_]->checkpoint(), false)) return;
  if (!write_state_checkpoint() || checkpointed_ < stores_.size()) return;
  plan_release();
  checkpoint_segment_ = 0;
  // Segments may have begun meanwhile; theirs begins with the next one.
}

/// Another piece of the state, where as many other bytes were written: a burst of messages must not wait for room that
/// the state has taken. Whether all of it is written, or there is none.
bool StoreJournal::write_state_checkpoint() {
  if (keeper_ == nullptr) return !has_state_;
  if (is_state_written_) return true;
  if (written_meanwhile_ < k_state_piece) return false;
  std::array<std::byte, k_state_piece> piece;  // the journal would have to clear what is not used of a room
  constexpr std::size_t k_kind_overhead = 8;
  if (journal_->prepare(k_kind_overhead + piece.size()).empty()) return false;  // before the keeper moves on
  const std::size_t size = keeper_->write_checkpoint(piece);
  is_state_written_ = size == 0;
  if (size == 0) return true;
  const bool is_written = append({.kind = StoreRecordKind::state, .state = Bytes(piece).first(size)}, false);
  DOJIMA_ASSERT(is_written, "a piece takes the room that was there", size);
  written_meanwhile_ = 0;
  return false;
}

void StoreJournal::keep_state_of(StateKeeper* keeper) {
  keeper_ = keeper;
  if (keeper == nullptr) return;
  has_state_ = true;
  is_state_written_ = false;
  keeper->begin_checkpoint();
  if (checkpoint_segment_ != 0) return;
  checkpoint_segment_ = segments_.back().number;
  checkpointed_ = 0;
}

/// No step of a checkpoint: what the keeper would write might say more than was written.
Result<void> StoreJournal::write_state(Bytes state, bool is_essential, const JournalStore* received) {
  DOJIMA_ASSERT(!state.empty() && state.size() <= k_state_piece, "a piece of a state has its bounds", state.size());
  StoreRecord record{.kind = StoreRecordKind::state, .state = state};
  if (received != nullptr && received->received().value != 0) {
    record.session = received->number();
    record.next_incoming = received->received();
  }
  if (!append(record, is_essential)) return std::unexpected(refusal());
  if (record.session != 0) stores_[record.session - 1]->note_received_kept();
  return {};
}

void StoreJournal::carry(Bytes state) noexcept {
  DOJIMA_ASSERT(state.size() <= k_state_piece, "a piece of a state has its bounds", state.size());
  carried_ = state;
}

/// Segments before the checkpoint and before the oldest message that is kept are not needed any more.
void StoreJournal::plan_release() noexcept {
  std::uint64_t oldest = checkpoint_segment_;
  for (const auto& store : stores_)
    if (const auto front = store->index().front()) oldest = std::min(oldest, front->entry.at.segment());
  const auto needed = std::ranges::lower_bound(segments_, oldest, {}, &Begun::number);
  DOJIMA_ASSERT(needed != segments_.end(), "the segment in use is needed", oldest);
  if (needed == segments_.begin()) return;
  Release& planned = release_.checkpoint.value == 0 ? release_ : planned_;
  planned = {.up_to = {needed->first.value - 1}, .checkpoint = journal_->last()};
  segments_.erase(segments_.begin(), needed);
}

/// Not before the checkpoint is on the disk: without it, a loss of power would take the numbers with it.
void StoreJournal::release_when_safe() noexcept {
  if (journal_->synced() < release_.checkpoint) return;
  journal_->release(release_.up_to);
  release_ = std::exchange(planned_, {});
}

void StoreJournal::drop_oldest_block() noexcept {
  JournalStore* oldest = nullptr;
  journal::Location at;
  for (const auto& store : stores_) {
    const auto front = store->index().front();
    if (!front || (oldest != nullptr && at <= front->entry.at)) continue;
    oldest = store.get();
    at = front->entry.at;
  }
  DOJIMA_ASSERT(oldest != nullptr, "an empty pool means that some session has a block");
  oldest->drop_front_block();
}

/// Nobody is read while the room is short, so no record brings on the checkpoint and the release that make room on a
/// full disk. Half of what is kept back stays for what is in hand.
void StoreJournal::make_room() {
  if (is_short_ && checkpoint_segment_ != 0 && room() > room_kept_ / 2 && journal_->trouble()) {
    const std::size_t before = written_while_short_;
    written_meanwhile_ = std::max(written_meanwhile_, k_state_piece);
    write_checkpoint(k_checkpoint_step);
    written_while_short_ = before;
  }
  if (release_.checkpoint.value != 0) release_when_safe();
}

void StoreJournal::deliver() {
  make_room();
  review_room();
  if (waiting_.empty()) return;
  const journal::Sequence durable = journal_->durable();
  if (durable == delivered_) return;
  delivered_ = durable;
  // A session that is notified may send again and wait anew.
  notified_.swap(waiting_);
  for (JournalStore* const store : notified_)
    if (store->deliver()) waiting_.push_back(store);
  notified_.clear();
}

}  // namespace dojima::fix
