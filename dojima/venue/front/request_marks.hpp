#pragma once

// Marks on a probe when a request came in and when its answer left. Requests are known to it by the number in their
// ClientOrderID; those without a number are not measured. Of many requests one in so many may be enough: reading a
// clock twice for each costs more than most of what is done for it.

#include <bit>
#include <cstdint>
#include <cstring>

#include "dojima/base/text.hpp"
#include "dojima/measure/probe.hpp"

namespace dojima::venue {

class RequestMarks {
 public:
  /// `probe`: null: nobody measures. `one_in`: a power of two; one request in so many is marked, chosen by its id.
  RequestMarks(measure::Probe* probe, std::uint8_t stage_in, std::uint8_t stage_out, std::uint32_t one_in)
      : probe_(probe), stage_in_(stage_in), stage_out_(stage_out), chosen_mask_(one_in - 1) {}

  [[nodiscard]] bool is_measuring() const noexcept { return probe_ != nullptr; }
  void came_in(const Text<20>& client_order_id) {
    if (probe_ != nullptr && is_chosen(client_order_id)) mark(stage_in_, client_order_id);
  }
  void went_out(const Text<20>& client_order_id) {
    if (probe_ != nullptr && is_chosen(client_order_id)) mark(stage_out_, client_order_id);
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
  std::uint8_t stage_in_;
  std::uint8_t stage_out_;
  std::uint32_t chosen_mask_;
};

}  // namespace dojima::venue
