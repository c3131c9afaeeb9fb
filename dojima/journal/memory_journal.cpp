#include "dojima/journal/memory_journal.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::journal {
namespace {

constexpr std::size_t k_alignment = 8;
constexpr std::size_t k_header = sizeof(std::uint64_t);

constexpr std::size_t rounded(std::size_t size) noexcept {
  return (size + k_alignment - 1) / k_alignment * k_alignment;
}

class MemoryReader final : public Reader {
 public:
  explicit MemoryReader(const MemoryJournal& journal) noexcept : journal_(journal) {}
  [[nodiscard]] Result<std::optional<Record>> next() override { return journal_.read(cursor_); }

 private:
  const MemoryJournal& journal_;
  MemoryJournal::Cursor cursor_;
};

}  // namespace

MemoryJournal::MemoryJournal(const MemoryJournalOptions& options) : options_(options) {
  if (options_.keep == Keep::none) options_.capacity = k_header + rounded(options_.largest_record);
  bytes_ = std::make_unique<std::byte[]>(options_.capacity);
}

Room MemoryJournal::prepare(std::size_t size) {
  DOJIMA_ASSERT(size > 0, "a record has bytes");
  prepared_ = 0;
  if (size > options_.largest_record) return {};
  const std::size_t free = options_.capacity - used_;
  if (free < k_header || rounded(size) > free - k_header) return {};
  prepared_ = size;
  return {bytes_.get() + used_ + k_header, size};
}

Sequence MemoryJournal::commit(std::size_t size) {
  DOJIMA_ASSERT(size > 0 && size <= prepared_, "only prepared room is committed");
  prepared_ = 0;
  if (options_.keep == Keep::all) {
    store_little(Room{bytes_.get() + used_, k_header}, 0, std::uint64_t{size});
    used_ += k_header + rounded(size);
  }
  ++last_.value;
  return last_;
}

std::optional<Record> MemoryJournal::read(Cursor& cursor) const {
  DOJIMA_ASSERT(cursor.offset <= used_, "a cursor belongs to its journal");
  if (cursor.offset == used_) return std::nullopt;
  const auto size = static_cast<std::size_t>(load_little<std::uint64_t>({bytes_.get() + cursor.offset, k_header}, 0));
  const Bytes bytes{bytes_.get() + cursor.offset + k_header, size};
  cursor.offset += k_header + rounded(size);
  ++cursor.read.value;
  return Record{.sequence = cursor.read, .bytes = bytes};
}

Result<std::unique_ptr<Reader>> MemoryJournal::read_after(Sequence after) const {
  if (after > last_) return fail(ErrorCode::out_of_range, 0, 0, 0, "a record that is there");
  if (options_.keep == Keep::none && after < last_) return fail(ErrorCode::missing, 0, 0, 0, "records that were kept");
  auto reader = std::make_unique<MemoryReader>(*this);
  for (std::uint64_t skipped = 0; skipped < after.value; ++skipped) static_cast<void>(reader->next());
  return reader;
}

}  // namespace dojima::journal
