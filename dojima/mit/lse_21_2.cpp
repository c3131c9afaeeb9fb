#include "dojima/mit/lse_21_2.hpp"

#include "dojima/mit/lse_21_2_codec.hpp"

namespace dojima::mit::lse_21_2 {

const Dialect k_dialect{
    .name = "LSE-21.2",
    .layouts = k_layouts,
    .longest = k_longest,
    .decode_request = decode_request,
    .decode_reply = decode_reply,
    .encode_logon = encode_logon,
    .encode_logon_reply = encode_logon_reply,
    .encode_logout = encode_logout,
    .encode_heartbeat = encode_heartbeat,
    .encode_reject = encode_reject,
    .encode_new_order = encode_new_order,
    .encode_replace = encode_replace,
    .encode_cancel = encode_cancel,
    .encode_mass_cancel = encode_mass_cancel,
    .encode_report = encode_report,
};

}  // namespace dojima::mit::lse_21_2
