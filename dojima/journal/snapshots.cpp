#include "dojima/journal/snapshots.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/journal/format/crc32c.hpp"
#include "dojima/journal/format/file_names.hpp"
#include "dojima/journal/format/segment.hpp"

namespace dojima::journal {
namespace {

constexpr std::uint64_t k_magic = 0x31504e534a4a4f44;  // "DOJJSNP1"
constexpr std::size_t k_header = 128;
constexpr std::size_t k_piece = std::size_t{1} << 20;

// Places in a snapshot's header.
constexpr std::size_t k_at_magic = 0, k_at_sum = 8, k_at_format = 12, k_at_identity = 16, k_at_sequence = 32,
                      k_at_digest = 40, k_at_size = 48, k_at_payload_sum = 56, k_at_version = 60, k_at_rest = 64;

using Header = std::array<std::byte, k_header>;

Header header_of(const SnapshotInfo& info, std::uint64_t size, std::uint32_t payload_sum) {
  Header header{};
  store_little(header, k_at_magic, k_magic);
  store_little(header, k_at_format, k_format_version);
  std::ranges::copy(info.identity.bytes, header.begin() + k_at_identity);
  store_little(header, k_at_sequence, info.sequence.value);
  store_little(header, k_at_digest, info.digest);
  store_little(header, k_at_size, size);
  store_little(header, k_at_payload_sum, payload_sum);
  store_little(header, k_at_version, info.version);
  store_little(header, k_at_sum, crc32c(Bytes(header).subspan(k_at_format)));
  return header;
}

std::unexpected<Error> bad(std::size_t offset, const char* expected) {
  return fail(ErrorCode::malformed, 0, static_cast<std::uint32_t>(offset), 0, expected);
}

Result<SnapshotInfo> read_info(Bytes file) {
  if (file.size() < k_header) return bad(0, "a snapshot's header");
  const Bytes header = file.first(k_header);
  if (load_little<std::uint64_t>(header, k_at_magic) != k_magic) return bad(k_at_magic, "a snapshot's header");
  if (load_little<std::uint32_t>(header, k_at_sum) != crc32c(header.subspan(k_at_format)))
    return bad(k_at_sum, "the right sum of the header");
  if (load_little<std::uint32_t>(header, k_at_format) != k_format_version)
    return fail(ErrorCode::not_supported, 0, k_at_format, load_little<std::uint32_t>(header, k_at_format),
                "version 1 of the format");
  if (load_little<std::uint64_t>(header, k_at_size) != file.size() - k_header)
    return bad(k_at_size, "the size of the file");
  if (!is_zero(header.subspan(k_at_rest))) return bad(k_at_rest, "zeros");
  SnapshotInfo info{.sequence = {load_little<std::uint64_t>(header, k_at_sequence)},
                    .digest = load_little<std::uint64_t>(header, k_at_digest),
                    .version = load_little<std::uint32_t>(header, k_at_version)};
  std::ranges::copy(header.subspan(k_at_identity, info.identity.bytes.size()), info.identity.bytes.begin());
  if (load_little<std::uint32_t>(header, k_at_payload_sum) != crc32c(file.subspan(k_header)))
    return bad(k_header, "the right sum of the bytes");
  return info;
}

}  // namespace

std::string snapshot_name(Sequence sequence) {
  return file_name(sequence.value, k_snapshot_suffix);
}

// ----------------------------------------------------------------------------------------------------------- writing

SnapshotWriter::SnapshotWriter(Disk& disk, const SnapshotInfo& info, std::unique_ptr<File> file)
    : disk_(&disk),
      info_(info),
      name_(snapshot_name(info.sequence) + std::string(k_unfinished)),
      file_(std::move(file)) {
  buffer_.reserve(k_piece);
}

SnapshotWriter::SnapshotWriter(SnapshotWriter&& other) noexcept
    : disk_(other.disk_),
      info_(other.info_),
      name_(std::move(other.name_)),
      file_(std::move(other.file_)),
      buffer_(std::move(other.buffer_)),
      size_(other.size_),
      sum_(other.sum_),
      is_failed_(other.is_failed_) {}

Result<SnapshotWriter> SnapshotWriter::begin(Disk& disk, const SnapshotInfo& info) {
  auto file = disk.open(snapshot_name(info.sequence) + std::string(k_unfinished), OpenMode::create);
  if (!file) return std::unexpected(file.error());
  return SnapshotWriter(disk, info, std::move(*file));
}

SnapshotWriter::~SnapshotWriter() {
  if (file_ == nullptr) return;
  file_.reset();
  static_cast<void>(disk_->remove(name_));
}

Result<void> SnapshotWriter::append(Bytes bytes) {
  DOJIMA_ASSERT(file_ != nullptr, "a finished snapshot takes nothing more");
  while (!bytes.empty()) {
    const Bytes part = bytes.first(std::min(bytes.size(), k_piece - buffer_.size()));
    buffer_.insert(buffer_.end(), part.begin(), part.end());
    bytes = bytes.subspan(part.size());
    if (buffer_.size() < k_piece) break;
    if (auto done = flush(); !done) return done;
  }
  return {};
}

Result<void> SnapshotWriter::flush() {
  if (auto done = file_->write(k_header + size_, buffer_); !done) {
    is_failed_ = true;
    return done;
  }
  size_ += buffer_.size();
  sum_ = crc32c(buffer_, sum_);
  buffer_.clear();
  return {};
}

Result<void> SnapshotWriter::finish() {
  DOJIMA_ASSERT(file_ != nullptr, "a snapshot is finished once");
  if (is_failed_) return fail(ErrorCode::wrong_state, 0, 0, 0, "a snapshot all of whose bytes were written");
  if (auto done = flush(); !done) return done;
  const Header header = header_of(info_, size_, sum_);
  if (auto done = file_->write(0, header); !done) return done;
  if (auto done = file_->sync(); !done) return done;
  {
    const auto again = read_snapshot(*disk_, name_);
    if (!again) return std::unexpected(again.error());
    if (again->info() != info_) return bad(0, "what was written");
  }
  if (auto done = disk_->rename(name_, snapshot_name(info_.sequence)); !done) return done;
  file_.reset();
  return disk_->sync_names();
}

// ----------------------------------------------------------------------------------------------------------- reading

Result<Snapshot> read_snapshot(Disk& disk, const std::string& name) {
  auto file = disk.open(name, OpenMode::read);
  if (!file) return std::unexpected(file.error());
  const auto room = (*file)->map();
  if (!room) return std::unexpected(room.error());
  const auto info = read_info(*room);
  if (!info) return std::unexpected(info.error());
  return Snapshot(*info, std::move(*file), Bytes(*room).subspan(k_header));
}

Result<FoundSnapshot> newest_snapshot(Disk& disk, const Identity& identity, Sequence up_to) {
  const auto names = disk.list();
  if (!names) return std::unexpected(names.error());
  FoundSnapshot found;
  for (std::size_t at = names->size(); at-- > 0;) {
    const std::string& name = (*names)[at];
    const auto number = number_of(name, k_snapshot_suffix);
    if (!number || *number > up_to.value) continue;
    auto snapshot = read_snapshot(disk, name);
    if (snapshot && snapshot->info().identity != identity)
      snapshot = fail(ErrorCode::refused, 0, 0, 0, "a snapshot of this journal");
    if (snapshot && snapshot->info().sequence.value != *number)
      snapshot = bad(k_at_sequence, "the sequence of the file's name");
    if (snapshot) {
      found.snapshot.emplace(std::move(*snapshot));
      break;
    }
    found.passed_over.push_back({name, snapshot.error()});
  }
  return found;
}

Result<Sequence> keep_snapshots(Disk& disk, std::size_t count, FileJournal& journal, const Identity& identity) {
  DOJIMA_ASSERT(count > 0, "at least one snapshot is kept");
  Sequence oldest{~std::uint64_t{0}};
  for (std::size_t good = 0; good < count; ++good) {
    const auto found = newest_snapshot(disk, identity, {oldest.value - 1});
    if (!found) return std::unexpected(found.error());
    if (!found->snapshot) return Sequence{};
    oldest = found->snapshot->info().sequence;
    if (oldest.value == 0) break;
  }
  const auto names = disk.list();
  if (!names) return std::unexpected(names.error());
  for (const std::string& name : *names) {
    const auto number = number_of(name, k_snapshot_suffix);
    const bool is_left = name.ends_with(std::string(k_snapshot_suffix) + std::string(k_unfinished));
    if (!is_left && (!number || *number >= oldest.value)) continue;
    if (const auto done = disk.remove(name); !done) return std::unexpected(done.error());
  }
  if (const auto done = disk.sync_names(); !done) return std::unexpected(done.error());
  journal.release(oldest);
  return oldest;
}

}  // namespace dojima::journal
