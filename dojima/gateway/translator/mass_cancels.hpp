#pragma once

// Mass cancels that clients have sent. The venue answers one for each of its partitions, then reports every order that
// ended by it, under the number of the mass cancel. The newest k_mass_cancels are remembered; of an older one the
// reports still end their orders, but no longer name it. O(k_mass_cancels) per look-up, which only reports without a
// request need. No allocation.

#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/base/text.hpp"
#include "dojima/gateway/cl_ord_id.hpp"

namespace dojima::gateway {

struct MassCancelRequest {
  std::uint64_t number = 0;
  std::uint64_t client_sequence = 0;  ///< MsgSeqNum(34) of the client's message
  std::uint32_t client = 0;
  std::uint32_t user =
      0;  ///< the venue user that it was sent through; of no meaning where orders are cancelled one by one
  std::uint32_t instrument = 0;  ///< of quotes: 0 means all
  bool is_of_quotes = false;     ///< a QuoteCancel: cl_ord_id is its QuoteID
  ClOrdId cl_ord_id;
  Text<2> type;     ///< MassCancelRequestType(530), as the client wrote it
  Text<4> segment;  ///< MarketSegmentID(1300); empty: it names none
};

class MassCancels {
 public:
  static constexpr std::size_t k_mass_cancels = 64;

  void add(const MassCancelRequest& request) noexcept { ring_[count_++ % k_mass_cancels] = request; }
  /// Null: not known (any more).
  [[nodiscard]] const MassCancelRequest* find(std::uint64_t number) const noexcept {
    for (std::size_t back = 1; back <= k_mass_cancels && back <= count_; ++back) {
      const MassCancelRequest& request = ring_[(count_ - back) % k_mass_cancels];
      if (request.number == number) return &request;
    }
    return nullptr;
  }
  /// Whether the client has used this ClOrdID for one of them.
  [[nodiscard]] bool has(std::uint32_t client, const ClOrdId& id) const noexcept {
    for (std::size_t back = 1; back <= k_mass_cancels && back <= count_; ++back) {
      const MassCancelRequest& request = ring_[(count_ - back) % k_mass_cancels];
      if (request.client == client && request.cl_ord_id == id) return true;
    }
    return false;
  }

 private:
  std::array<MassCancelRequest, k_mass_cancels> ring_{};
  std::size_t count_ = 0;
};

}  // namespace dojima::gateway
