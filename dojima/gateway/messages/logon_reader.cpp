#include "dojima/gateway/messages/logon_reader.hpp"

#include "dojima/gateway/messages/values.hpp"

namespace dojima::gateway {

Result<std::optional<CancelOnDisconnect>> read_cancel_on_disconnect(const fix::MessageView& logon) noexcept {
  if (!logon.has(tag::k_cancel_on_disconnect)) return std::nullopt;
  const Result<std::int64_t> mode = logon.integer(tag::k_cancel_on_disconnect);
  constexpr auto k_last = static_cast<std::int64_t>(CancelOnDisconnect::logout);
  if (!mode || *mode < 0 || *mode > k_last)
    return fail(ErrorCode::out_of_range, tag::k_cancel_on_disconnect, 0, mode ? *mode : 0,
                "CancelOnDisconnect(27030) is 0 never, 1 on disconnect, 2 on disconnect and logout");
  return static_cast<CancelOnDisconnect>(*mode);
}

}  // namespace dojima::gateway
