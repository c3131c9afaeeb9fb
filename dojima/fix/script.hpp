#pragma once

// Session-layer test cases as text: what to send to a FIX session and what it must answer, for one or several
// connections, in real or in virtual time. A script that connects judges an acceptor, one that accepts an initiator. A
// script is parsed into steps; a ScriptRun plays them over any link::Fabric, so the same file judges a session of this
// library in virtual time and any engine over sockets.
//
//   # a TestRequest is answered
//   connect
//   > 35=A|34=1|98=0|108=30
//   < 35=A|34=1|98=0|108=30
//   > 35=1|34=2|112=HELLO
//   < 35=0|34=2|112=HELLO
//   close
//
// One step a line, `#` begins a comment, `|` is the separator, ${name} a variable. A line may begin with `NAME:` to
// mean another connection than the first one.
//
//   connect                 open the connection
//   accept                  the other side opens it, or has opened it since the connection before
//   > FIELDS                send a message; 8, 9, 10 are made, and 49, 52, 56 where they are not given; `10=wrong` is
//                           the sum that is right plus one
//   raw BYTES               send bytes as they are; `\xHH` is a byte
//   < FIELDS                the next message has these fields and no others; 8, 9, 10, 49, 52, 56 need no naming
//   <= FIELDS               the same, in this order
//   < [29s 31s] FIELDS      the same, and it arrives so long after the step before
//   ? FIELDS                as `<`, but another message, or none, is left to the next step
//   closed                  the other side ends the connection, and sends nothing before that
//   silent 2s               nothing arrives for so long, and the connection stays open
//   wait 2s                 time passes; what arrives waits for the next steps
//   close                   we end the connection
//   set NAME VALUE          a variable, which may hold others; those of the run go before those of the script
//   versions NAME...        the BeginStrings that the case is for; without it all
//   config KEY = VALUE      the session that is judged has to be configured so: for whoever configures it
//
// ${now}, ${now-60s} and ${now+60s} are stamps. In what is expected a value may be `*` (any), a `#` in it is any digit,
// and `NN=*?` names a field that may be missing.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/time.hpp"

namespace dojima::fix {

using time::Time;

struct ScriptStep {
  enum class Kind : std::uint8_t {
    connect,
    accept,
    send,
    send_raw,
    expect,
    expect_in_order,
    may_expect,
    closed,
    silent,
    wait,
    close
  };
  Kind kind{};
  unsigned line = 0;
  std::string connection;  ///< its name; empty: the first one
  std::string text;        ///< fields, `|` between them, variables not put in yet; bytes of send_raw
  time::Duration earliest{};
  time::Duration latest{};  ///< of expect: 0: the run's patience; of silent and wait: how long
};

using ScriptVariables = std::map<std::string, std::string, std::less<>>;

struct Script {
  std::vector<ScriptStep> steps;
  ScriptVariables variables;
  std::vector<std::string> versions;                          ///< empty: all
  std::vector<std::pair<std::string, std::string>> config{};  ///< key and value, as they are written
  bool accepts = false;                                       ///< it judges an initiator; else an acceptor

  [[nodiscard]] bool is_for(std::string_view begin_string) const;
};

/// What a version needs in the usual messages: `begin_string`; `logon`, the fields of a Logon; `version`, what a Logon
/// has behind them in FIXT.1.1 (1137, with `default_appl_ver_id`, 9 unless it is set; else nothing); `reset`, what is
/// behind those in a Logon that begins the numbers anew (141=Y; nothing in FIX.4.0, where both sides do so without a
/// word); `order`, the fields of a NewOrderSingle behind its ClOrdID, and `order_back`, the same as what is expected.
[[nodiscard]] ScriptVariables script_variables(std::string_view begin_string);

/// What is wrong with a script, or with what the other side did.
struct ScriptTrouble {
  unsigned line = 0;
  std::string text;
};

/// Reads a script. The trouble names the line.
[[nodiscard]] std::expected<Script, ScriptTrouble> parse_script(std::string_view text);

struct ScriptOptions {
  link::Address address;  ///< where to connect to, or, of a script that accepts, to listen
  /// begin_string, sender, target and whatever the script uses; they go before the script's own.
  ScriptVariables variables;
  time::Duration patience{2'000'000'000};  ///< for what is expected without a time of its own
  /// How late each side may be, where both share a machine with others: windows are so much wider at either end,
  /// silences so much shorter, and patience is so much longer. In virtual time nobody is late.
  time::Duration slack{0};
};

/// Plays one script. Allocates; one thread.
class ScriptRun final : private link::Acceptor {
 public:
  /// All outlive the run. The scheduler must have room for one timer.
  ScriptRun(sched::Scheduler& scheduler, link::Fabric& fabric, const Script& script, ScriptOptions options);
  ~ScriptRun();

  ScriptRun(const ScriptRun&) = delete;
  ScriptRun& operator=(const ScriptRun&) = delete;

  /// Takes the first steps; a script that accepts listens first, and goes on to when it is finished, but takes nobody
  /// then. From here on the loop drives it.
  void start();
  /// Where it listens, with the port that was chosen; nowhere before start(), or where the script connects.
  [[nodiscard]] const link::Address& listening_at() const noexcept { return listening_at_; }
  /// After the last step, or the first trouble. All connections are closed or closing then.
  [[nodiscard]] bool is_finished() const noexcept { return is_finished_; }
  /// Null: everything was as the script has it, so far.
  [[nodiscard]] const ScriptTrouble* trouble() const noexcept { return has_failed_ ? &trouble_ : nullptr; }
  /// Steps that were taken.
  [[nodiscard]] std::size_t steps() const noexcept { return at_; }

 private:
  class Wire;

  [[nodiscard]] link::Connection* on_accept(const link::Address& peer) override;

  void advance();
  /// Whether the step is done; else it waits.
  [[nodiscard]] bool take(const ScriptStep& step);
  [[nodiscard]] bool take_connect(const ScriptStep& step, Wire& wire);
  [[nodiscard]] bool take_accept(const ScriptStep& step);
  [[nodiscard]] bool take_expected(const ScriptStep& step, Wire& wire);
  void send(const ScriptStep& step, Wire& wire);
  void fail(const ScriptStep& step, std::string text);
  void finish();
  void on_due(Time due);
  [[nodiscard]] Wire& wire_of(const std::string& name);
  [[nodiscard]] std::string filled(const ScriptStep& step, std::string_view rest, unsigned depth = 0);
  [[nodiscard]] std::string value_of(std::string_view name, bool& is_known) const;
  [[nodiscard]] bool has_waited(time::Duration duration);

  sched::Scheduler& scheduler_;
  link::Fabric& fabric_;
  const Script& script_;
  ScriptOptions options_;
  std::deque<std::unique_ptr<Wire>> wires_;                // those that ended as well
  std::map<std::string, Wire*, std::less<>> named_wires_;  // the latest of each name
  std::deque<Wire*> arrived_;                              // before their step
  link::Address listening_at_;
  std::size_t at_ = 0;
  Time step_begin_{};
  bool is_due_ = false;
  bool is_finished_ = false;
  bool has_failed_ = false;
  bool is_advancing_ = false;
  ScriptTrouble trouble_;
  sched::TimerOf<&ScriptRun::on_due> timer_;
};

}  // namespace dojima::fix
