#pragma once

// The stages that a probe sees of each request, by the request's number (docs/gateway.md, "Probe"). Without a probe
// every call is one branch.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/gateway/client_key.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/measure/probe.hpp"

namespace dojima::gateway {

class RequestProbe {
 public:
  /// `probe` may be null.
  RequestProbe(const GatewayStages& stages, measure::Probe* probe)
      : stages_(stages), probe_(probe), mask_(stages.one_in - 1) {}

  /// Whether the request of this number is marked.
  [[nodiscard]] bool is_marked(std::uint64_t number) const noexcept {
    return probe_ != nullptr && (number & mask_) == 0;
  }
  /// A client's request was delivered and got this number. Only of one that is marked.
  void mark_request_in(std::uint64_t number, std::size_t client, std::string_view cl_ord_id) const {
    probe_->mark(stages_.in, number);
    probe_->bind(number, client_key(client, cl_ord_id));
  }
  /// Its command was handed to the venue's connection.
  void mark_request_out(std::uint64_t number) const { mark(stages_.out, number); }
  /// A report of it was delivered.
  void mark_report_in(std::uint64_t number) const { mark(stages_.back_in, number); }
  /// The client's message was handed to its session.
  void mark_report_out(std::uint64_t number) const { mark(stages_.back_out, number); }

 private:
  void mark(std::uint8_t stage, std::uint64_t number) const {
    if (is_marked(number)) probe_->mark(stage, number);
  }

  GatewayStages stages_;
  measure::Probe* probe_;
  std::uint64_t mask_;
};

}  // namespace dojima::gateway
