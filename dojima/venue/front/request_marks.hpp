#pragma once

// Marks on a probe when a request came in, when its answer was taken up, and when that left. Requests are known to it
// by the number in their ClientOrderID; those without a number are not measured. Of many requests one in so many may be
// enough: reading a clock twice for each costs more than most of what is done for it. Which ones, distances of varying
// length say, so that no rhythm of the requests meets one of the choice. Where none that was chosen waits for its
// answer, an answer costs a comparison.

#include <array>
#include <bit>
#include <cstddef>
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
  /// `probe`: null: nobody measures. `one_in`: a power of two; one request in so many is marked.
  RequestMarks(measure::Probe* probe, const RequestStages& stages, std::uint32_t one_in)
      : probe_(probe),
        stages_(stages),
        one_in_(one_in),
        waiting_bits_(probe != nullptr && one_in == 1 ? ~std::uint64_t{0} : 0) {}

  void came_in(const Text<20>& client_order_id) {
    if (probe_ == nullptr || --distance_ != 0) [[likely]]
      return;
    choose(client_order_id);
  }
  /// Whether any request that was chosen waits for its answer.
  [[nodiscard]] bool are_any_waiting() const noexcept { return waiting_bits_ != 0; }
  /// Whether the answer to this request is marked.
  [[nodiscard]] bool is_marked(const Text<20>& client_order_id) const noexcept {
    return (waiting_bits_ & bit_of(client_order_id)) != 0 && is_waiting(client_order_id);
  }
  /// Of one that is marked.
  void was_taken(const Text<20>& client_order_id) {
    if (stages_.taken != k_no_stage) mark(stages_.taken, client_order_id);
  }
  /// Of the answer to a request, and of no other report.
  void went_out(const Text<20>& client_order_id) {
    if ((waiting_bits_ & bit_of(client_order_id)) != 0) answer(client_order_id);
  }

 private:
  static constexpr std::size_t k_places = 256;
  /// After so many choices those that are still waiting are given up: their sessions ended.
  static constexpr std::uint32_t k_given_up_after = 1U << 16U;

  /// One of 64 by the id, for less than a hash of it: most answers are to none of the few that wait.
  [[nodiscard]] static std::uint64_t bit_of(const Text<20>& client_order_id) noexcept {
    std::uint64_t first = 0, second = 0;
    std::memcpy(&first, client_order_id.chars.data(), sizeof first);
    std::memcpy(&second, client_order_id.chars.data() + sizeof first, sizeof second);
    return std::uint64_t{1} << ((first ^ std::rotl(second, 13)) * 0x9e3779b97f4a7c15U >> 58U);
  }
  [[nodiscard]] static std::uint64_t hash_of(const Text<20>& client_order_id) noexcept;
  [[nodiscard]] bool is_waiting(const Text<20>& client_order_id) const noexcept;
  void choose(const Text<20>& client_order_id);
  void answer(const Text<20>& client_order_id);
  void mark(std::uint8_t stage, const Text<20>& client_order_id);

  measure::Probe* probe_;
  RequestStages stages_;
  std::uint32_t one_in_;
  std::uint32_t distance_ = 1;  // to the next request that is chosen
  std::uint32_t waiting_ = 0;   // of the places
  std::uint32_t chosen_ = 0;
  /// Of those that wait, and perhaps of some that do not any more; all of them where all requests are marked.
  std::uint64_t waiting_bits_;
  std::uint64_t random_ = 0x9e3779b97f4a7c15U;
  std::array<std::uint64_t, k_places> places_{};  // hashes of the ids whose answers have not left; 0: none
};

}  // namespace dojima::venue
