#pragma once

// What the room's tests share: records whose contents follow from their number, and ways to write and read them.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/journal/simulated_disk.hpp"

namespace dojima::journal::testing {

inline bool write(Journal& journal, std::string_view text) {
  const Room room = journal.prepare(text.size());
  if (room.empty()) return false;
  std::ranges::copy(as_bytes(text), room.begin());
  journal.commit(text.size());
  return true;
}

/// What record `sequence` says: 1 to 100 bytes that are not zero.
inline std::string text_of(std::uint64_t sequence) {
  std::string text = std::to_string(sequence) + ":";
  const std::size_t size = std::max<std::size_t>(text.size(), sequence * 2654435761U % 100);
  while (text.size() < size) text += static_cast<char>('a' + (text.size() * 7 + sequence) % 26);
  return text;
}

/// Writes the record after the last one.
inline bool write_next(Journal& journal) {
  return write(journal, text_of(journal.last().value + 1));
}

/// Reads on; every record must be the one after the one before.
inline std::vector<std::string> read_on(Reader& reader, std::uint64_t after = 0) {
  std::vector<std::string> texts;
  while (true) {
    const auto record = reader.next();
    EXPECT_TRUE(record) << (record ? "" : record.error().expected);
    if (!record || !*record) return texts;
    texts.emplace_back(as_text((*record)->bytes));
    EXPECT_EQ((*record)->sequence.value, after + texts.size());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*record)->bytes.data()) % 8, 0u);
  }
}

inline std::vector<std::string> read_all(const ReadableJournal& journal, std::uint64_t after = 0) {
  const auto reader = journal.read_after({after});
  EXPECT_TRUE(reader);
  return reader ? read_on(**reader, after) : std::vector<std::string>{};
}

/// The number of records, if each says what it should; otherwise the test fails.
inline std::uint64_t count_good(const ReadableJournal& journal, std::uint64_t after = 0) {
  const std::vector<std::string> texts = read_all(journal, after);
  for (std::size_t at = 0; at < texts.size(); ++at) EXPECT_EQ(texts[at], text_of(after + at + 1));
  return after + texts.size();
}

/// Small segments, so that there are many.
inline FileJournalOptions small(Durability durability) {
  return {.identity = Identity::of("test"),
          .durability = durability,
          .segment_bytes = 4096,
          .largest_record = 200,
          .spare_segments = 2};
}

inline std::unique_ptr<FileJournal> open_journal(Disk& disk, const FileJournalOptions& options) {
  auto opened = FileJournal::open(disk, options);
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().what + ": " + opened.error().place.file);
  return opened ? std::move(*opened) : nullptr;
}

/// A directory that goes with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(std::filesystem::temp_directory_path() / "dojima-journal-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// Does all that there is to do.
inline void work(FileJournal& journal) {
  while (journal.work()) {
  }
}

}  // namespace dojima::journal::testing
