#include "dojima/venue/operator_log.hpp"

#include <algorithm>
#include <utility>

namespace dojima::venue {
namespace {

constexpr std::size_t k_text_most = 255;
constexpr std::size_t k_fixed = 9;     // time and flags
constexpr std::size_t k_standing = 4;  // right, whether it is removed, place
constexpr std::size_t k_record_most = k_fixed + 4 * (1 + k_text_most) + k_standing;
constexpr std::size_t k_segment = std::size_t{1} << 20;
constexpr std::uint8_t k_locked = 1, k_killed = 2, k_expired = 4, k_has_standing = 8;

std::unexpected<Error> malformed(std::size_t offset, const char* expected) noexcept {
  return fail(ErrorCode::malformed, 0, static_cast<std::uint32_t>(offset), 0, expected);
}

/// Of whom the operator has said more than what every record has a place for.
bool has_standing(const UserAccess& access) noexcept {
  return access.is_removed || access.right != UserRight::as_configured || access.place != k_no_place;
}

}  // namespace

std::string bytes_of(const OperatorRecord& record) {
  std::string bytes(k_fixed, '\0');
  const std::span room(reinterpret_cast<std::byte*>(bytes.data()), bytes.size());
  store_little(room, 0, time::nanoseconds_of(record.time));
  bytes[8] = static_cast<char>((record.access.is_locked ? k_locked : 0) | (record.access.is_killed ? k_killed : 0) |
                               (record.access.is_expired ? k_expired : 0) |
                               (has_standing(record.access) ? k_has_standing : 0));
  for (const std::string* text : {&record.who, &record.words, &record.why, &record.user}) {
    const std::size_t size = std::min(text->size(), k_text_most);
    bytes += static_cast<char>(size);
    bytes.append(*text, 0, size);
  }
  if (has_standing(record.access)) {
    bytes += static_cast<char>(record.access.right);
    bytes += static_cast<char>(record.access.is_removed ? 1 : 0);
    bytes += static_cast<char>(record.access.place & 0xffU);
    bytes += static_cast<char>(record.access.place >> 8U);
  }
  return bytes;
}

Result<OperatorRecord> read_operator_record(Bytes bytes) {
  if (bytes.size() < k_fixed) return malformed(bytes.size(), "a whole record of the operator's");
  OperatorRecord record;
  record.time = time::from_nanoseconds(load_little<std::int64_t>(bytes, 0));
  const auto flags = load_little<std::uint8_t>(bytes, 8);
  if (flags > (k_locked | k_killed | k_expired | k_has_standing)) return malformed(8, "flags 0 to 15");
  record.access = {.is_locked = (flags & k_locked) != 0,
                   .is_killed = (flags & k_killed) != 0,
                   .is_expired = (flags & k_expired) != 0};
  std::size_t at = k_fixed;
  for (std::string* text : {&record.who, &record.words, &record.why, &record.user}) {
    if (at == bytes.size()) return malformed(at, "a text");
    const std::size_t size = load_little<std::uint8_t>(bytes, at++);
    if (size > bytes.size() - at) return malformed(at, "a whole text");
    *text = as_text(bytes.subspan(at, size));
    at += size;
  }
  if ((flags & k_has_standing) != 0) {
    if (bytes.size() - at != k_standing) return malformed(at, "four bytes of a user's access");
    const auto right = load_little<std::uint8_t>(bytes, at), removed = load_little<std::uint8_t>(bytes, at + 1);
    if (right > static_cast<std::uint8_t>(UserRight::read)) return malformed(at, "a right 0 to 2");
    if (removed > 1) return malformed(at + 1, "0 or 1");
    record.access.right = static_cast<UserRight>(right);
    record.access.is_removed = removed == 1;
    record.access.place = load_little<std::uint16_t>(bytes, at + 2);
    if (!has_standing(record.access)) return malformed(at, "something that was said");
    at += k_standing;
  }
  if (at != bytes.size()) return malformed(at, "the end of the record");
  return record;
}

std::expected<std::unique_ptr<OperatorLog>, journal::Trouble> OperatorLog::open(journal::Disk& disk,
                                                                                journal::Durability durability) {
  auto opened = journal::FileJournal::open(disk, {.identity = journal::Identity::of("operator"),
                                                  .durability = durability,
                                                  .segment_bytes = k_segment,
                                                  .largest_record = k_record_most,
                                                  .spare_segments = 1});
  if (!opened) return std::unexpected(std::move(opened.error()));
  auto log = std::make_unique<OperatorLog>();
  log->journal_ = std::move(*opened);
  const auto unreadable = [](const Error& error, journal::Sequence at) {
    return std::unexpected(journal::Trouble{.error = error,
                                            .place = {.sequence = at},
                                            .what = "a record of the operator's cannot be read",
                                            .advice = "look with `dojima journal verify`; start "
                                                      "the build that wrote it"});
  };
  const auto reader = log->journal_->read_after({log->journal_->recovery().first.value - 1});
  if (!reader) return unreadable(reader.error(), {});
  for (journal::Sequence at{1};; ++at.value) {
    const auto record = (*reader)->next();
    if (!record) return unreadable(record.error(), at);
    if (!*record) return log;
    auto read = read_operator_record((*record)->bytes);
    if (!read) return unreadable(read.error(), (*record)->sequence);
    log->take(std::move(*read));
  }
}

void OperatorLog::take(OperatorRecord record) {
  ++size_;
  if (!record.user.empty()) access_[record.user] = record.access;
  recent_.push_back(std::move(record));
  if (recent_.size() > k_recent) recent_.pop_front();
}

Result<void> OperatorLog::write(const OperatorRecord& record) {
  const std::string bytes = bytes_of(record);
  if (journal_ != nullptr) {
    const Room room = journal_->prepare_essential(bytes.size());
    if (room.empty())
      return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(size_), "room in the operator's journal");
    std::ranges::copy(as_bytes(bytes), room.begin());
    journal_->commit(bytes.size(), k_kind);
  }
  take(*read_operator_record(as_bytes(bytes)));
  return {};
}

UserAccess OperatorLog::access_of(std::string_view user) const {
  const auto found = access_.find(user);
  return found == access_.end() ? UserAccess{} : found->second;
}

bool OperatorLog::keep(std::string_view user, const UserAccess& access, std::string_view why, Time now) {
  OperatorRecord record = author_;
  record.time = now;
  record.user = user;
  record.access = access;
  if (record.who.empty()) record.who = "the venue";
  if (record.why.empty()) record.why = why;
  return write(record).has_value();
}

bool OperatorLog::keep_words(Time now) {
  OperatorRecord record = author_;
  record.time = now;
  return write(record).has_value();
}

void OperatorLog::set_author(std::string who, std::string words, std::string why) {
  author_ = {
      .time = {}, .who = std::move(who), .words = std::move(words), .why = std::move(why), .user = {}, .access = {}};
}

}  // namespace dojima::venue
