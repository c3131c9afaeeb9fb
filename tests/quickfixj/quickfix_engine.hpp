#pragma once

// One session of QuickFIX, of any version and in either role, with its store in files, behind a plain interface.
// Compiled as C++14, as the headers of QuickFIX 1.15 need; those of 1.16 need C++17.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace quickfix_peer {

struct EngineOptions {
  bool is_acceptor = false;
  std::string begin_string, sender, target;
  std::string default_appl_ver_id;  ///< DefaultApplVerID(1137) of FIXT.1.1, e.g. "9"
  std::uint16_t port = 0;
  std::string directory;                        ///< store and log are below it
  std::map<std::string, std::string> settings;  ///< QuickFIX's own, e.g. {"ResetOnLogon", "Y"}
};

struct Order {
  std::string cl_ord_id, quantity, symbol, side;
  bool may_be_duplicate = false;  ///< PossDupFlag
  bool may_be_resend = false;     ///< PossResend
};

/// Hears what the session does, within Engine's calls.
class EngineObserver {
 public:
  virtual ~EngineObserver() = default;
  virtual void on_logon() = 0;
  virtual void on_order(const Order& order) = 0;
  /// Any other message with its MsgType(35) and Text(58), also one that is sent.
  virtual void on_other(bool is_received, const std::string& type, const std::string& text) = 0;
};

class Engine {
 public:
  /// Throws std::exception for settings that QuickFIX does not take. An acceptor sends every order back, with
  /// PossResend where it may have done so before.
  Engine(const EngineOptions& options, EngineObserver& observer);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Does what is due, without waiting for anything. QuickFIX's acceptor may crash when a thread of its own is stopped.
  void poll();
  /// From now on it logs out and takes no Logon.
  void log_out();
  bool is_logged_on() const;
  void send_order(const std::string& cl_ord_id, const std::string& quantity);
  /// Begins the numbers at 1 with a Logon in the live session.
  void send_reset();
  std::uint64_t next_outgoing() const;
  std::uint64_t next_incoming() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace quickfix_peer
