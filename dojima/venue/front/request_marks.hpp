#pragma once

// Tells a probe when a request came in and when its answer left. Requests are known to it by the number in their
// ClientOrderID; those without a number are not measured.

#include <cstdint>

#include "dojima/base/text.hpp"
#include "dojima/measure/probe.hpp"

namespace dojima::venue {

class RequestMarks {
 public:
  /// `probe`: null: nobody measures.
  RequestMarks(measure::Probe* probe, std::uint8_t stage_in, std::uint8_t stage_out)
      : probe_(probe), stage_in_(stage_in), stage_out_(stage_out) {}

  [[nodiscard]] bool is_measuring() const noexcept { return probe_ != nullptr; }
  void came_in(const Text<20>& client_order_id) {
    if (probe_ != nullptr) mark(stage_in_, client_order_id);
  }
  void went_out(const Text<20>& client_order_id) {
    if (probe_ != nullptr) mark(stage_out_, client_order_id);
  }

 private:
  void mark(std::uint8_t stage, const Text<20>& client_order_id);

  measure::Probe* probe_;
  std::uint8_t stage_in_;
  std::uint8_t stage_out_;
};

}  // namespace dojima::venue
