#pragma once

// The readers and writers of one dialect as the table of functions that sessions call. Included by the source of each
// dialect and by nothing else: here the templates become code.

#include "dojima/mit/codec/change_writer.hpp"
#include "dojima/mit/codec/codec_quotes.hpp"
#include "dojima/mit/codec/new_order_writer.hpp"
#include "dojima/mit/codec/reply_reader.hpp"
#include "dojima/mit/codec/report_writer.hpp"
#include "dojima/mit/codec/request_reader.hpp"
#include "dojima/mit/codec/session_writer.hpp"

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
      .encode_logon = SessionWriter<Tables>::encode_logon,
      .encode_logon_reply = SessionWriter<Tables>::encode_logon_reply,
      .encode_logout = SessionWriter<Tables>::encode_logout,
      .encode_heartbeat = SessionWriter<Tables>::encode_heartbeat,
      .encode_reject = SessionWriter<Tables>::encode_reject,
      .encode_missed_request = SessionWriter<Tables>::encode_missed_request,
      .encode_missed_ack = SessionWriter<Tables>::encode_missed_ack,
      .encode_missed_report = SessionWriter<Tables>::encode_missed_report,
      .encode_system_status = SessionWriter<Tables>::encode_system_status,
      .encode_new_order = NewOrderWriter<Tables>::encode,
      .encode_quote = encode_quote<Tables>,
      .encode_replace = ChangeWriter<Tables>::encode_replace,
      .encode_cancel = ChangeWriter<Tables>::encode_cancel,
      .encode_mass_cancel = ChangeWriter<Tables>::encode_mass_cancel,
      .encode_report = ReportWriter<Tables>::encode,
      .write_report = ReportWriter<Tables>::write,
  };
}

}  // namespace dojima::mit
