#pragma once

// For tests of readers: a source that gives its bytes piece by piece, and everything that a reader gives.

#include <algorithm>
#include <string>
#include <vector>

#include "dojima/recorded/byte_source.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::recorded {

/// Gives `step` bytes at a time, and an error behind the last where `trouble` says one.
class TrickleSource final : public ByteSource {
 public:
  TrickleSource(std::string bytes, std::size_t step, std::string trouble = {})
      : bytes_(std::move(bytes)), step_(step), trouble_(std::move(trouble)) {}
  [[nodiscard]] std::expected<std::size_t, std::string> read(Room room) override {
    const std::size_t size = std::min({step_, room.size(), bytes_.size() - at_});
    if (size == 0 && !trouble_.empty()) return std::unexpected(trouble_);
    std::ranges::copy(as_bytes(std::string_view(bytes_).substr(at_, size)), room.begin());
    at_ += size;
    return size;
  }

 private:
  std::string bytes_;
  std::size_t step_;
  std::string trouble_;
  std::size_t at_ = 0;
};

struct ReadEvents {
  std::vector<RecordedEvent> events;
  std::vector<RecordedInstrument> instruments;
  std::string trouble;  ///< described; empty: the reading came to the end
};

inline ReadEvents read_all(RecordedReader& reader) {
  ReadEvents all;
  for (auto batch = reader.next_batch(); !batch.empty(); batch = reader.next_batch())
    all.events.insert(all.events.end(), batch.begin(), batch.end());
  all.instruments = reader.instruments();
  if (const ReadTrouble* trouble = reader.trouble()) all.trouble = describe(*trouble);
  return all;
}

}  // namespace dojima::recorded
