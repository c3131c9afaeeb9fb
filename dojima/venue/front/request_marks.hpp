#pragma once

// Marks on a probe when a request came in, when its answer was taken up, and when that left. Requests are known to it
// by the number in their ClientOrderID; those without a number are not measured. Of many requests one in so many may be
// enough: reading a clock twice for each costs more than most of what is done for it.

#include <bit>
#include <cstdint>
#include <cstring>

#include "dojima/base/text.hpp"
#include "dojima/measure/probe.hpp"

namespace dojima::venue {

/// A stage that nobody wants to know of.
inline constexpr std::uint8_t k_no_stage = 255;

/// Stages of the probe.
struct RequestStages {
  std::uint8_t in = 0;              ///< a request came in
  std::uint8_t taken = k_no_stage;  ///< its answer has been taken from the report log, to be sent
  std::uint8_t out = 1;             ///< that is written into its session's output
};

class RequestMarks {
 public:
  /// `probe`: null: nobody measures. `one_in`: a power of two; one request in so many is marked, chosen by its id.
  RequestMarks(measure::Probe* probe, const RequestStages& stages, std::uint32_t one_in)
      : probe_(probe), stages_(stages), chosen_mask_(one_in - 1) {}

  [[nodiscard]] bool is_measuring() const noexcept { return probe_ != nullptr; }
  /// Whether the answers of this request are marked.
  [[nodiscard]] bool is_marked(const Text<20>& client_order_id) const noexcept {
    return probe_ != nullptr && is_chosen(client_order_id);
  }
  /// Of one that is marked.
  void was_taken(const Text<20>& client_order_id) {
    if (stages_.taken != k_no_stage) mark(stages_.taken, client_order_id);
  }
  void came_in(const Text<20>& client_order_id) {
    if (probe_ != nullptr && is_chosen(client_order_id)) mark(stages_.in, client_order_id);
  }
  void went_out(const Text<20>& client_order_id) {
    if (probe_ != nullptr && is_chosen(client_order_id)) mark(stages_.out, client_order_id);
  }

 private:
  /// A request and its answers have the same id, so all of them are marked or none, however long the journal takes.
  /// Inlined: it is asked of every request and every answer.
  [[nodiscard]] bool is_chosen(const Text<20>& client_order_id) const noexcept {
    std::uint64_t first = 0, second = 0;
    std::uint32_t third = 0;
    static_assert(sizeof first + sizeof second + sizeof third == sizeof client_order_id.chars);
    const char* const at = client_order_id.chars.data();
    std::memcpy(&first, at, sizeof first);
    std::memcpy(&second, at + sizeof first, sizeof second);
    std::memcpy(&third, at + sizeof first + sizeof second, sizeof third);
    // The multiplication carries every character into the upper bits; rotated, none meets its like of another word.
    const std::uint64_t mixed = (first ^ std::rotl(second, 13) ^ std::rotl(std::uint64_t{third}, 29));
    return (mixed * 0x9e3779b97f4a7c15U >> 40U & chosen_mask_) == 0;
  }
  void mark(std::uint8_t stage, const Text<20>& client_order_id);

  measure::Probe* probe_;
  RequestStages stages_;
  std::uint32_t chosen_mask_;
};

}  // namespace dojima::venue
