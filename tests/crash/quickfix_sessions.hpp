#pragma once

// FIX 4.4 sessions of QuickFIX in one process, with QuickFIX's file stores, behind a plain interface: QuickFIX's
// headers do not compile as C++17 or later, so they stay in quickfix_sessions.cpp. This header compiles as both.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dojima {
namespace crash {

/// Listener to the sessions. The thread that sends calls it for requests, QuickFIX's thread for all else.
class QuickFixListener {
 public:
  virtual void on_logged_on(std::size_t client, bool is_logged_on) = 0;
  /// An application message that has its number, and is about to be stored and sent.
  virtual void on_numbered(std::size_t client, std::uint64_t number) = 0;
  /// An application message or a Reject(3), before the store counts it as received.
  virtual void on_received(std::size_t client, std::uint64_t number, const std::string& fix) = 0;

 protected:
  ~QuickFixListener() = default;
};

class QuickFixSessions {
 public:
  /// Initiators of these names, whose stores are in the folder and go on where they are.
  QuickFixSessions(const std::string& folder, std::uint16_t port, const std::vector<std::string>& names,
                   QuickFixListener& listener);
  ~QuickFixSessions();
  QuickFixSessions(const QuickFixSessions&) = delete;
  QuickFixSessions& operator=(const QuickFixSessions&) = delete;

  /// MsgSeqNum(34) of the client's next message, as its store has it.
  std::uint64_t next_number(std::size_t client) const;
  void start();
  /// A message with these fields, and TransactTime. False: it did not leave; where it was stored it follows by resend.
  bool send(std::size_t client, char type, const std::vector<std::pair<int, std::string>>& fields);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace crash
}  // namespace dojima
