#pragma once

// What a FIX session is configured with: plain values, the rules of its version, and what makes a configuration one
// that can work. Nothing of a running session.
//
//   SessionConfig config{.role = Role::initiator, .sender_comp_id = "ME", .target_comp_id = "VENUE"};

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dojima/fix/credentials.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/early_buffers.hpp"
#include "dojima/fix/message_log.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

using time::Time;

enum class Role : std::uint8_t { initiator, acceptor };

/// How the session's own messages look, where the specification leaves a choice.
enum class Profile : std::uint8_t {
  compact,    ///< every Logout and Reject says why
  canonical,  ///< as the session-layer test cases have it: no Text in a Logout that follows a Reject, no Heartbeat
              ///< while a TestRequest of ours is unanswered, at most milliseconds
};

/// What a peer gets whose logon is refused.
enum class Refusal : std::uint8_t {
  silent,  ///< the connection is closed without a message
  logout,  ///< a Logout with the reason first, where the session could be found
};

struct SessionConfig {
  Role role = Role::acceptor;
  std::string begin_string = "FIX.4.4";  ///< FIX.4.0 to FIX.4.4, or FIXT.1.1
  std::string sender_comp_id;            ///< ours: SenderCompID(49) of what we write
  std::string target_comp_id;            ///< the peer's
  /// Further parts of both names (50, 142, 57, 143): written in every header and demanded of the peer's where not
  /// empty.
  std::string sender_sub_id{};
  std::string sender_location_id{};
  std::string target_sub_id{};
  std::string target_location_id{};
  /// Distinguishes sessions of the same names in stores and logs; never sent.
  std::string qualifier{};
  /// What an initiator asks for; an acceptor takes the peer's. 0: no heartbeats, no test requests.
  std::chrono::seconds heartbeat_interval{30};
  /// Every logon begins both numbers at 1. An initiator says so with ResetSeqNumFlag(141); an acceptor does it without
  /// a word unless the peer's Logon says so, and then answers with 141=Y.
  bool reset_on_logon = false;
  bool reset_on_logout = false;      ///< numbers begin at 1 after a Logout of either side
  bool reset_on_disconnect = false;  ///< after the end of any connection that was logged on
  bool reset_on_error = false;       ///< after an end that a broken rule brought about
  /// SendingTime(52) may be this far from now; 0: any.
  std::chrono::seconds sending_time_tolerance{120};
  std::chrono::seconds logon_timeout{10};
  std::chrono::seconds logout_timeout{10};
  /// An acceptor whose messages find no room in the transport reads none of the peer's until they have left, and ends
  /// the connection when the peer has taken nothing for so long. 0: it reads on, and ends the connection when its store
  /// has forgotten what waits.
  std::chrono::seconds stall_timeout{10};
  unsigned timestamp_decimals = 3;  ///< of what we write: 0, 3, 6 or 9; FIX 4.0 and 4.1: 0
  std::size_t max_body = 4096;      ///< largest BodyLength, both ways; at most k_body_max
  /// Our Logon names max_body as MaxMessageSize(383). A larger message ends the session in any case.
  bool announces_max_message_size = false;
  StoreCapacity store{};                           ///< of the session's own store
  std::size_t early_bytes = std::size_t{1} << 16;  ///< for messages that arrive before a gap is closed
  /// Shared by the sessions of a thread, in place of early_bytes and a view for each; it outlives the session. May be
  /// null.
  EarlyBuffers* early_buffers = nullptr;
  /// Gets every message and what happens to the session; it outlives the session. May be null.
  MessageLog* log = nullptr;
  /// Messages that one ResendRequest of ours asks for; 0: all that are missing.
  std::uint64_t resend_chunk = 0;
  /// Messages that one ResendRequest of the peer's gets at most, the newest; older ones are gap-filled and the handler
  /// hears of it. 0: all.
  std::uint64_t resend_limit = 0;
  /// Logons carry NextExpectedMsgSeqNum(789), and what the peer's names as missing is resent without a request. FIX 4.4
  /// and later.
  bool next_expected = false;
  /// Every header carries LastMsgSeqNumProcessed(369). FIX 4.2 and later.
  bool last_processed = false;
  /// An initiator sends them (553, 554); an acceptor demands what is not empty, and takes both in any version.
  std::string username{};
  std::string password{};
  /// An initiator asks for it as its next password (925); empty: it keeps the one it has.
  std::string new_password{};
  /// Of an acceptor that demands a password: lets the peer choose another by NewPassword(925), in any version, and
  /// knows it afterwards. It outlives the session. Null: 925 is refused unless the handler takes it.
  Credentials* credentials = nullptr;
  /// Hosts that may log on, as the network names them; empty: any. An acceptor's.
  std::vector<std::string> allowed_hosts{};
  Refusal refusal = Refusal::silent;
  std::string test_request_text = "TEST";  ///< TestReqID(112) of our test requests
  /// Silence, in hundredths of the heartbeat interval, before our TestRequest and before the end of the connection.
  unsigned test_request_percent = 120;
  unsigned give_up_percent = 240;
  /// A Reject answers a garbled message that shows its number; off: it is ignored, and its number shows as a gap.
  bool rejects_garbled = false;
  /// Messages refused one after the other, none accepted in between, before the session ends; 0: no bound.
  unsigned rejects_in_a_row = 1000;
  Profile profile = Profile::compact;
  /// DefaultApplVerID(1137) of our Logon in FIXT.1.1, e.g. "9" for FIX 5.0 SP2, and what the peer's has to be. Empty:
  /// that of the dictionary. A message may name another version in ApplVerID(1128).
  std::string default_appl_ver_id{};
  /// What messages are held against, and by which rules; it outlives the session. Null: the built-in dictionary of
  /// begin_string and default_appl_ver_id. Session messages of FIXT.1.1 are held against the transport alone.
  const Dictionary* dictionary = nullptr;
  Checks checks{};
  friend bool operator==(const SessionConfig&, const SessionConfig&) = default;
};

}  // namespace dojima::fix
