#pragma once

// A FIX client made of QuickFIX, behind a plain interface: QuickFIX's headers do not compile as C++17 or later, so
// they stay inside quickfix_client.cpp, which is compiled as C++14. This header compiles as both. The client runs
// QuickFIX's own threads; what arrives is kept and waited for here.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace interop {

/// A field of a message that is sent.
struct Field {
  int tag;
  std::string value;
};

/// One application message or session-level Reject that QuickFIX handed to its application. Absent fields are empty.
struct Received {
  std::string msg_type;
  std::string cl_ord_id, orig_cl_ord_id, order_id, exec_id;
  std::string exec_type, ord_status, ord_rej_reason, cxl_rej_reason, cxl_rej_response_to;
  std::string symbol, side, order_qty, price, last_qty, last_px, leaves_qty, cum_qty, avg_px;
  std::string text, ref_msg_type, business_reject_reason;
  std::string ref_seq_num, ref_tag_id;  ///< of a Reject or BusinessMessageReject
  std::string ref_id;                   ///< of a BusinessMessageReject: the id of what it refuses
  bool is_possible_duplicate = false;
};

class QuickFixClient {
 public:
  /// `version`: "FIX.4.2", "FIX.4.4" or "FIX.5.0SP2".
  QuickFixClient(const std::string& host, std::uint16_t port, const std::string& sender, const std::string& target,
                 const std::string& version = "FIX.4.4");
  ~QuickFixClient();
  QuickFixClient(const QuickFixClient&) = delete;
  QuickFixClient& operator=(const QuickFixClient&) = delete;

  void start();
  /// Logs out and stays away until `logon`.
  void logout();
  void logon();
  bool wait_logged_on(std::chrono::seconds patience) const;
  bool wait_logged_out(std::chrono::seconds patience) const;

  /// Numbers of the next messages, as QuickFIX's store has them.
  int next_sender_number() const;
  int next_target_number() const;

  /// Any message with these fields, and TransactTime. TradingSessionID(336) goes into a group of one entry.
  void send(const std::string& msg_type, const std::vector<Field>& fields);
  void send_limit(const std::string& cl_ord_id, const std::string& symbol, char side, const std::string& quantity,
                  const std::string& price, char time_in_force);
  void send_cancel(const std::string& cl_ord_id, const std::string& orig_cl_ord_id, const std::string& symbol,
                   char side, const std::string& quantity);
  void send_replace(const std::string& cl_ord_id, const std::string& orig_cl_ord_id, const std::string& symbol,
                    char side, const std::string& quantity, const std::string& price);

  /// Waits until `count` messages have arrived since the start; returns all of them, fewer when patience ran out.
  std::vector<Received> wait_received(std::size_t count, std::chrono::seconds patience) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace interop
