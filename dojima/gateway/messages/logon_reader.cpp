#include "dojima/gateway/messages/logon_reader.hpp"

#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {

std::expected<std::optional<CancelOnDisconnect>, Refusal> read_cancel_on_disconnect(
    const fix::MessageView& logon) noexcept {
  if (!logon.has(tag::k_cancel_on_disconnect)) return std::nullopt;
  const Result<std::int64_t> mode = logon.integer(tag::k_cancel_on_disconnect);
  constexpr auto k_last = static_cast<std::int64_t>(CancelOnDisconnect::logout);
  if (!mode || *mode < 0 || *mode > k_last)
    return refuse_value(
        0, tag::k_cancel_on_disconnect,
        "CancelOnDisconnect(27030)=% is not supported: 0 never, 1 on disconnect, 2 on disconnect and logout", logon);
  return static_cast<CancelOnDisconnect>(*mode);
}

}  // namespace dojima::gateway
