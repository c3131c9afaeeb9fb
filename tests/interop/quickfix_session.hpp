#pragma once

// One session of QuickFIX, of any version and in either role, behind a plain interface: it sends orders and keeps the
// ClOrdIDs of what comes back; as an acceptor it sends every order back. Compiled as C++14, as QuickFIX's headers need.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace interop {

struct QuickFixSettings {
  bool is_acceptor = false;
  std::string begin_string = "FIX.4.4";
  std::string default_appl_ver_id;  ///< of FIXT.1.1, e.g. "FIX.5.0SP2"
  std::string sender, target;
  std::uint16_t port = 0;
  std::string store_folder;  ///< numbers and messages are kept in files here; empty: in memory
  std::string more;          ///< further lines of its configuration, e.g. "SendNextExpectedMsgSeqNum=Y\n"
};

class QuickFixSession {
 public:
  explicit QuickFixSession(const QuickFixSettings& settings);
  ~QuickFixSession();
  QuickFixSession(const QuickFixSession&) = delete;
  QuickFixSession& operator=(const QuickFixSession&) = delete;

  void start();
  /// Without a word to the peer. What has arrived until then can still be asked for.
  void stop();
  bool wait_logged_on(std::chrono::seconds patience) const;
  /// Ends the connection without a word; QuickFIX connects again by itself after a second.
  void cut();
  /// A NewOrderSingle; what is sent while there is no connection is resent after the next logon.
  void send_order(const std::string& cl_ord_id);
  /// Waits until orders with so many different ClOrdIDs have arrived. All ClOrdIDs in the order of arrival, those of
  /// possible duplicates that QuickFIX's session let through included; fewer when patience ran out.
  std::vector<std::string> wait_orders(std::size_t count, std::chrono::seconds patience) const;
  /// Session-level Rejects that arrived.
  std::size_t rejects() const;
  int next_sender_number() const;
  int next_target_number() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace interop
