#include "dojima/mitch/feed_writer.hpp"

#include <algorithm>
#include <stdexcept>

#include "dojima/base/assert.hpp"

namespace dojima::mitch {
namespace {

constexpr std::size_t k_longest_message = [] {
  std::size_t longest = 0;
  for (const MessageLayout& layout : k_application_layouts) longest = std::max<std::size_t>(longest, layout.size);
  return longest;
}();

[[nodiscard]] std::size_t checked(std::size_t unit_size) {
  if (unit_size < UnitHeader::k_size + k_longest_message || unit_size > k_unit_size_max)
    throw std::invalid_argument("a unit holds at least its header and one message, and at most 65535 bytes");
  return unit_size;
}

}  // namespace

FeedWriter::FeedWriter(FeedSink& sink, const FeedWriterOptions& options)
    : sink_(sink),
      room_(checked(options.unit_size)),
      unit_(room_, options.market_data_group),
      sequence_(options.first_sequence) {
  unit_.begin(sequence_);
}

void FeedWriter::flush() {
  if (unit_.message_count() == 0) return;
  const std::uint32_t next = next_sequence();
  DOJIMA_ASSERT(next > sequence_, "a day's messages are numbered by 32 bits", next, sequence_, unit_.message_count());
  hand_over();
  sequence_ = next;
  unit_.begin(sequence_);
}

/// Units continue where the one before ended: a receiver takes any other number for a gap.
void FeedWriter::hand_over() {
  DOJIMA_ASSERT(unit_.sequence_number() == sequence_, "a unit begins with the number that is next",
                unit_.sequence_number(), sequence_, unit_.message_count());
  sink_.on_unit(unit_.finish());
}

void FeedWriter::restart() {
  flush();
  sequence_ = 1;
  unit_.begin(sequence_);
}

void FeedWriter::heartbeat() {
  flush();
  DOJIMA_ASSERT(unit_.message_count() == 0, "a heartbeat has no messages", unit_.message_count(), sequence_);
  hand_over();
}

}  // namespace dojima::mitch
