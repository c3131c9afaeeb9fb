#include "dojima/fix/script.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/frame.hpp"
#include "dojima/fix/script/script_match.hpp"
#include "dojima/fix/session_test_peer.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::fix {
namespace {

using testing::k_noon;
using namespace std::chrono_literals;

/// A session behind a port of a network in virtual time, and one script against it.
struct Judged {
  explicit Judged(SessionConfig config = {}) : session(scheduler, testing::Peer::named(std::move(config)), handler) {
    EXPECT_TRUE(acceptor.add(session));
    EXPECT_TRUE(network.listen({"venue", 1}, acceptor));
  }

  /// "ok after N steps", or the trouble.
  std::string play(std::string_view text, time::Duration slack = {}) {
    const auto script = parse_script(text);
    if (!script) return std::to_string(script.error().line) + ": " + script.error().text;
    ScriptRun run(scheduler, network, *script,
                  {.address = {"venue", 1},
                   .variables = {{"begin_string", "FIX.4.4"}, {"sender", "ME"}, {"target", "VENUE"}},
                   .slack = slack});
    run.start();
    for (Time now = scheduler.now(); !run.is_finished() && now < k_noon + 1h; now += 10ms) {
      scheduler.check(now, 10'000);
      network.finish(now);
    }
    const Time end = scheduler.now() + 1s;
    scheduler.check(end, 10'000);
    network.finish(end);
    scheduler.check(end + 1s, 10'000);
    if (!run.is_finished()) return "not finished";
    if (run.trouble() != nullptr) return std::to_string(run.trouble()->line) + ": " + run.trouble()->text;
    return "ok after " + std::to_string(run.steps()) + " steps";
  }

  sched::Scheduler scheduler{256, k_noon};
  link::SimulatedNetwork network{scheduler, {}};
  testing::NotingHandler handler;
  Session session;
  SessionAcceptor acceptor{scheduler, {.links = 4}};
};

constexpr std::string_view k_logon = "connect\n> 35=A|34=1|98=0|108=30\n< 35=A|34=1|98=0|108=30\n";

std::string played(std::string_view behind_the_logon) {
  return Judged().play(std::string(k_logon) + std::string(behind_the_logon));
}

TEST(FixScript, plays_a_session_from_logon_to_logout) {
  EXPECT_EQ(played("# a comment\n\n> 35=1|34=2|112=HELLO\n<= 35=0|34=2|112=HELLO\n> 35=5|34=3\n< 35=5|34=3\nclosed\n"),
            "ok after 8 steps");
}

TEST(FixScript, says_line_and_difference) {
  EXPECT_EQ(played("> 35=1|34=2|112=a\n< 35=0|34=2|112=b\n"),
            "5: 112=b expected, 112=a received; received 35=0|34=2|49=VENUE|52=20260720-12:00:00.030|56=ME|112=a|");
  EXPECT_EQ(played("> 35=1|34=2|112=a\n< 35=0|34=2|112=a|58=x\n").substr(0, 18), "5: 58=x is missing");
  EXPECT_EQ(played("> 35=1|34=2|112=a\n< 35=0|34=2\n").substr(0, 20), "5: 112=a is too many");
  EXPECT_EQ(played("> 35=1|34=2|112=a\n<= 112=a|35=0|34=2\n").substr(0, 28), "5: 35=0 is not in its place;");
  EXPECT_EQ(played("< 35=0|34=2\n"), "4: a message expected, nothing received");
  EXPECT_EQ(played("> 35=1|34=1|112=a\n< 35=5|34=2|58=*\n< 35=0\n"),
            "6: a message expected, but the connection was closed");
  EXPECT_EQ(played("closed\n"), "4: the connection is still open");
  EXPECT_EQ(played("> 35=1|34=2|112=a\nclosed\n").substr(0, 42), "5: the end of the connection expected, rec");
  EXPECT_EQ(played("> 35=1|34=2|112=a\nsilent 1s\n").substr(0, 30), "5: silence expected, received ");
  EXPECT_EQ(played("> 35=1|34=2|112=${nobody}\n"), "4: unknown variable: nobody");
}

TEST(FixScript, values_may_be_any_and_fields_may_be_missing) {
  EXPECT_EQ(played("> 35=1|34=2|112=a\n< 35=0|34=*|112=*|58=*?\n"), "ok after 5 steps");
}

TEST(FixScript, times_are_held_to) {
  EXPECT_EQ(played("< [29s 31s] 35=0|34=2\nsilent 1s\n"), "ok after 5 steps");
  EXPECT_EQ(played("< [31s 40s] 35=0|34=2\n").substr(0, 22), "4: it came too early; ");
  EXPECT_EQ(played("< [1s 20s] 35=0|34=2\n"), "4: a message expected, nothing received");
  EXPECT_EQ(played("wait 31s\n< 35=0|34=2\n"), "ok after 5 steps");
}

TEST(FixScript, times_have_the_slack_of_a_busy_machine) {
  const auto slack_of = [](std::string_view text, time::Duration slack) {
    return Judged().play(std::string(k_logon) + std::string(text), slack);
  };
  EXPECT_EQ(slack_of("< [31s 40s] 35=0|34=2\n", 2s), "ok after 4 steps");
  EXPECT_EQ(slack_of("< [31s 40s] 35=0|34=2\n", 900ms).substr(0, 22), "4: it came too early; ");
  EXPECT_EQ(slack_of("< [1s 29s] 35=0|34=2\n", 2s), "ok after 4 steps");
  EXPECT_EQ(slack_of("< [1s 29s] 35=0|34=2\n", 900ms), "4: a message expected, nothing received");
  EXPECT_EQ(slack_of("silent 31s\n< 35=0|34=2\n", 2s), "ok after 5 steps");
  EXPECT_EQ(slack_of("silent 31s\n", 900ms).substr(0, 30), "4: silence expected, received ");
  EXPECT_EQ(slack_of("silent 1s\n< 35=0|34=2\n", 29s), "ok after 5 steps") << "patience too";
}

TEST(FixScript, an_optional_message_may_be_left_out) {
  EXPECT_EQ(played("> 35=1|34=2|112=a\n? 35=0|34=9\n< 35=0|34=2|112=a\n? 35=0|34=3\nclose\n"), "ok after 8 steps");
}

TEST(FixScript, several_connections_and_raw_bytes) {
  EXPECT_EQ(Judged().play("a: connect\nb: connect\nb: raw GET / HTTP/1.1\\x0d\\x0a\nb: closed\n"
                          "a: > 35=A|34=1|98=0|108=30\na: < 35=A|34=1|98=0|108=30\na: close\n"),
            "ok after 7 steps");
}

TEST(FixScript, variables_and_stamps) {
  EXPECT_EQ(Judged().play("set beat 17\nconnect\n> 35=A|34=1|52=${now-60s}|98=0|108=${beat}\n"
                          "< 35=A|34=1|98=0|108=17\n> 35=0|34=2|52=${now+500s}\n"
                          "< 35=3|34=2|45=2|58=*|372=0|373=10\n< 35=5|34=3|58=*\nclosed\n"),
            "ok after 7 steps");
}

TEST(FixScript, a_variable_may_hold_others_but_not_itself) {
  EXPECT_EQ(played("set id ${prefix}-1\nset prefix A\n> 35=1|34=2|112=${id}\n< 35=0|34=2|112=A-1\n"),
            "ok after 5 steps");
  EXPECT_EQ(played("set id ${id}\n> 35=1|34=2|112=${id}\n"), "5: a variable inside itself: id");
}

TEST(FixScript, a_case_may_be_for_some_versions) {
  const auto script = parse_script("versions FIX.4.2 FIX.4.4\nconnect\n");
  ASSERT_TRUE(script);
  EXPECT_TRUE(script->is_for("FIX.4.4"));
  EXPECT_FALSE(script->is_for("FIX.4.0"));
  EXPECT_TRUE(parse_script("connect\n")->is_for("FIX.4.0"));
}

TEST(FixScript, given_framing_fields_are_kept) {
  EXPECT_EQ(
      played("> 35=1|34=2|112=a|10=wrong\nsilent 1s\n> 35=0|34=3|8=FIX.4.2\n< 35=5|34=2|58=Incorrect BeginString\n"),
      "ok after 7 steps");
}

TEST(FixScript, a_wrong_checksum_is_wrong_whatever_the_stamp) {
  for (int at = 0; at < 300; ++at) {
    const std::string message =
        script_message("35=0|34=2|10=wrong", "FIX.4.2", "A", "B", "20261122-10:00:00." + std::to_string(100 + at));
    const std::size_t trailer = message.size() - 7;
    const auto sum = static_cast<unsigned>(std::stoul(message.substr(trailer + 3, 3)));
    ASSERT_EQ(sum, (check_sum(as_bytes(std::string_view{message}.substr(0, trailer))) + 1U) % 256U) << message;
  }
}

/// A script that accepts, and an initiator in virtual time that connects `times` times, at the end of each connection
/// again. What was played, and how many connections were still to come because one was open.
std::string judged_initiator(std::string_view text, unsigned times) {
  struct Coming final : testing::NotingHandler {
    void on_closed(Session& session, link::CloseReason, Time) override {
      if (left-- > 1) network->connect({"script", 1}, session);
    }
    link::SimulatedNetwork* network = nullptr;
    unsigned left = 0;
  };
  const auto script = parse_script(text);
  if (!script) return std::to_string(script.error().line) + ": " + script.error().text;
  sched::Scheduler scheduler(256, k_noon);
  link::SimulatedNetwork network(scheduler, {});
  Coming handler;
  handler.network = &network;
  handler.left = times;
  Session session(scheduler, {.role = Role::initiator, .sender_comp_id = "ME", .target_comp_id = "VENUE"}, handler);
  ScriptRun run(
      scheduler, network, *script,
      {.address = {"script", 1}, .variables = {{"begin_string", "FIX.4.4"}, {"sender", "VENUE"}, {"target", "ME"}}});
  run.start();
  EXPECT_EQ(run.listening_at(), (link::Address{"script", 1}));
  if (times > 0) network.connect({"script", 1}, session);
  for (Time now = k_noon; !run.is_finished() && now < k_noon + 1h; now += 10ms) {
    scheduler.check(now, 10'000);
    network.finish(now);
  }
  const unsigned left = std::exchange(handler.left, 0u);
  const Time end = scheduler.now() + 1s;
  scheduler.check(end, 10'000);
  network.finish(end);
  scheduler.check(end + 1s, 10'000);
  if (run.trouble() != nullptr) return std::to_string(run.trouble()->line) + ": " + run.trouble()->text;
  return "ok after " + std::to_string(run.steps()) + " steps, " + std::to_string(left) + " connections to come";
}

TEST(FixScript, a_script_that_accepts_judges_an_initiator) {
  EXPECT_EQ(judged_initiator("accept\n< 35=A|34=1|98=0|108=30\n> 35=A|34=1|98=0|108=30\n"
                             "> 35=1|34=2|112=a\n< 35=0|34=2|112=a\nclose\n",
                             1),
            "ok after 6 steps, 0 connections to come");
  EXPECT_EQ(judged_initiator("accept\n< 35=A|34=2|98=0|108=30\n", 1).substr(0, 33),
            "2: 34=2 expected, 34=1 received; ");
  EXPECT_EQ(judged_initiator("accept\n", 0), "1: nobody connects");
}

TEST(FixScript, who_comes_before_its_step_waits_and_others_are_refused) {
  // The second connection is there while the script still looks at the first one.
  EXPECT_EQ(judged_initiator("accept\n< 35=A|34=1|98=0|108=30\n> 35=0|34=1\nwait 5s\nclosed\n"
                             "accept\n< 35=A|34=2|98=0|108=30\nclose\n",
                             2),
            "ok after 8 steps, 0 connections to come");
  EXPECT_EQ(judged_initiator("accept\n< 35=A|34=1|98=0|108=30\nclose\nwait 5s\n", 9),
            "ok after 4 steps, 0 connections to come");
}

TEST(FixScript, a_number_sign_is_any_digit) {
  EXPECT_EQ(played("> 35=1|34=2|112=a7\n< 35=0|34=2|52=########-##:##:##.###|112=a#\n"), "ok after 5 steps");
  EXPECT_EQ(played("> 35=1|34=2|112=ab\n< 35=0|34=2|112=a#\n").substr(0, 34), "5: 112=a# expected, 112=ab receive");
  EXPECT_EQ(played("> 35=1|34=2|112=a77\n< 35=0|34=2|112=a#\n").substr(0, 16), "5: 112=a# expect");
}

TEST(FixScript, says_what_the_other_side_has_to_be_configured_with) {
  const auto script = parse_script("config next_expected = true\nconfig checks = { user_tags = true }\nconnect\n");
  ASSERT_TRUE(script);
  using Config = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(script->config, (Config{{"next_expected", "true"}, {"checks", "{ user_tags = true }"}}));
}

TEST(FixScript, who_does_not_listen_is_trouble) {
  Judged judged;
  judged.network.stop_listening({"venue", 1});
  EXPECT_EQ(judged.play("connect\n"), "1: no connection: connection refused");
}

TEST(FixScript, what_is_no_script_is_refused_with_its_line) {
  const auto refused = [](std::string_view text) {
    const auto script = parse_script(text);
    return script ? "parsed" : std::to_string(script.error().line) + ": " + script.error().text;
  };
  EXPECT_EQ(refused(""), "0: no steps");
  EXPECT_EQ(refused("connect\nbogus\n"), "2: unknown step: bogus");
  EXPECT_EQ(refused("\xf0\x1b[2J\n"), "1: unknown step: ??[2J");
  EXPECT_EQ(refused("connect now\n"), "1: connect has nothing behind it");
  EXPECT_EQ(refused(">\n"), "1: > needs something behind it");
  EXPECT_EQ(refused("> 34=1\n"), "1: a message needs MsgType(35)");
  EXPECT_EQ(refused("wait long\n"), "1: a time such as 2s or 300ms: long");
  EXPECT_EQ(refused("< [3s 2s] 35=0\n"), "1: a window such as [29s 31s]");
  EXPECT_EQ(refused("< [3s 35=0\n"), "1: a window such as [29s 31s]");
  EXPECT_EQ(refused("raw \\q\n"), "1: \\xHH with two hexadecimal digits behind a backslash");
  EXPECT_EQ(refused("raw \\x0\n"), "1: \\xHH with two hexadecimal digits behind a backslash");
  EXPECT_EQ(refused("set x\n"), "1: set needs a name and a value");
  EXPECT_EQ(refused("versions\n"), "1: versions needs BeginStrings");
  EXPECT_EQ(refused("accept\nconfig x\n"), "2: config needs a key, = and a value");
  EXPECT_EQ(refused("config = 3\n"), "1: config needs a key, = and a value");
  EXPECT_EQ(refused("config x =\n"), "1: config needs a key, = and a value");
  EXPECT_EQ(refused("accept\nclose\nb: connect\n"), "3: a script connects or accepts, not both");
  EXPECT_EQ(refused("accept me\n"), "1: accept has nothing behind it");
}

}  // namespace
}  // namespace dojima::fix
