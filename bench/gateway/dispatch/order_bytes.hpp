#pragma once

// FIX messages of a client as bytes.

#include <array>
#include <cstdint>
#include <fmt/core.h>
#include <stdexcept>
#include <vector>

#include "dojima/fix/tags.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/market/price.hpp"

namespace dojima::bench {

/// The client's end of a session without a socket.
class OrderBytes {
 public:
  explicit OrderBytes(time::Time now) noexcept : now_(now) {}

  /// Appends a Logon without heartbeats, or a limit order to buy with an id of its own.
  void add_logon(std::vector<std::byte>& to) {
    fix::Writer writer = begin(fix::type::k_logon);
    writer.field(fix::tag::k_encrypt_method, 0).field(fix::tag::k_heart_bt_int, 0);
    add(writer, to);
  }
  void add_order(std::vector<std::byte>& to) {
    fix::Writer writer = begin(fix::type::k_new_order_single);
    writer.field(fix::tag::k_cl_ord_id, fmt::format("O{:09}", ++orders_)).field(fix::tag::k_symbol, "KAGA");
    writer.field(fix::tag::k_side, '1').field(fix::tag::k_transact_time, now_).field(fix::tag::k_order_qty, 100);
    writer.field(fix::tag::k_ord_type, '2').field(fix::tag::k_price, market::Price{50 * market::k_price_scale});
    writer.field(fix::tag::k_time_in_force, '0');
    add(writer, to);
  }

 private:
  fix::Writer begin(fix::MsgType type) {
    return {room_, {.type = type, .sender = "CLIENT", .target = "DOJIMA", .sequence = {next_++}, .sending_time = now_}};
  }
  void add(fix::Writer& writer, std::vector<std::byte>& to) {
    const auto message = writer.finish();
    if (!message) throw std::runtime_error("a message that does not fit");
    to.insert(to.end(), message->begin(), message->end());
  }

  time::Time now_;
  std::uint64_t next_ = 1, orders_ = 0;
  std::array<std::byte, 512> room_{};
};

}  // namespace dojima::bench
