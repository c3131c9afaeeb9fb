#pragma once

// The readers and writers of one dialect as the table of functions that sessions call. Included by the source of each
// dialect and by nothing else: here the templates become code.

#include "dojima/mit/codec/codec_replies.hpp"
#include "dojima/mit/codec/codec_requests.hpp"
#include "dojima/mit/codec/codec_writers.hpp"

namespace dojima::mit {

template <class Tables>
[[nodiscard]] constexpr Dialect dialect_of() noexcept {
  return {
      .name = Tables::k_name,
      .layouts = Tables::k_layouts,
      .rows = rows_by_type(Tables::k_layouts),
      .longest = longest_of(Tables::k_layouts),
      .fraction_ns = Tables::k_fraction_ns,
      .decode_request = RequestReader<Tables>::decode_request,
      .decode_reply = ReplyReader<Tables>::decode_reply,
      .read_request = RequestReader<Tables>::read_request,
      .read_reply = ReplyReader<Tables>::read_reply,
      .encode_logon = Writer<Tables>::encode_logon,
      .encode_logon_reply = Writer<Tables>::encode_logon_reply,
      .encode_logout = Writer<Tables>::encode_logout,
      .encode_heartbeat = Writer<Tables>::encode_heartbeat,
      .encode_reject = Writer<Tables>::encode_reject,
      .encode_missed_request = Writer<Tables>::encode_missed_request,
      .encode_missed_ack = Writer<Tables>::encode_missed_ack,
      .encode_missed_report = Writer<Tables>::encode_missed_report,
      .encode_system_status = Writer<Tables>::encode_system_status,
      .encode_new_order = Writer<Tables>::encode_new_order,
      .encode_quote = Writer<Tables>::encode_quote,
      .encode_replace = Writer<Tables>::encode_replace,
      .encode_cancel = Writer<Tables>::encode_cancel,
      .encode_mass_cancel = Writer<Tables>::encode_mass_cancel,
      .encode_report = Writer<Tables>::encode_report,
      .write_report = Writer<Tables>::write_report,
  };
}

}  // namespace dojima::mit
