#pragma once

// Where a gateway writes each request before the venue sees it, with the client's FIX sequence number, so that a
// restarted gateway knows which messages of a client it has passed on. An interface without an implementation in
// production so far; the calls are where a journal will be.

#include <cstdint>

#include "dojima/base/text.hpp"
#include "dojima/market/command.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

/// The longest ClOrdID a record holds.
inline constexpr std::size_t k_cl_ord_id_max = 40;
using ClOrdId = Text<k_cl_ord_id_max>;

/// What comes before the command in the log.
struct LoggedRequest {
  std::uint64_t number = 0;           ///< the gateway's, in base 62 the ClientOrderID of the command
  std::uint64_t client_sequence = 0;  ///< MsgSeqNum(34) of the client's message
  std::uint32_t client = 0;           ///< place in the configuration
  std::uint32_t order = 0;            ///< slot of the order's record
  ClOrdId cl_ord_id;                  ///< the client's
  ClOrdId orig_cl_ord_id;             ///< empty for a new order
};

class RequestLog {
 public:
  /// The record of the request is complete and the venue has not seen it. `command` begins a record of its type. False:
  /// no room; the request is refused and nothing changes.
  [[nodiscard]] virtual bool append(const LoggedRequest& request, const market::CommandHeader& command,
                                    time::Time now) = 0;
  /// The request just appended could not be handed to the venue, and was refused.
  virtual void withdraw(std::uint64_t number, time::Time now) = 0;

 protected:
  ~RequestLog() = default;
};

}  // namespace dojima::gateway
