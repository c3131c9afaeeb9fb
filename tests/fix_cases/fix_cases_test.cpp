// Every shipped test case of the session layer, for every version it is for, against the sessions of fix-echo in
// virtual time, acceptors and initiators, configured as the case has it: over a network that hands out whole messages,
// and over one that delays and splits them.

#include "examples/fix_echo/echo_config.hpp"
#include "examples/fix_echo/echo_server.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dojima/fix/script.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima {
namespace {

using namespace std::chrono_literals;

constexpr time::Time k_noon = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20} + 12h;
struct Version {
  std::string begin_string;
  std::string application{};  ///< ApplVerID, in FIXT.1.1
};
const Version k_versions[] = {{"FIX.4.0"}, {"FIX.4.1"},       {"FIX.4.2"},       {"FIX.4.3"},
                              {"FIX.4.4"}, {"FIXT.1.1", "7"}, {"FIXT.1.1", "8"}, {"FIXT.1.1", "9"}};

std::vector<std::filesystem::path> cases() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(DOJIMA_FIX_CASES)) {
    if (entry.path().extension() == ".fixcase") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

fix::Script script_of(const std::filesystem::path& file) {
  std::ifstream input(file);
  const auto script = fix::parse_script(std::string{std::istreambuf_iterator<char>(input), {}});
  EXPECT_TRUE(script) << file << ":" << script.error().line << ": " << script.error().text;
  return script.value_or(fix::Script{});
}

const link::Address k_address{"127.0.0.1", 1};

/// What fix-echo is configured with for a case: the session of its version, and what the case says of it besides.
std::string config_text(const fix::Script& script, const Version& version) {
  std::map<std::string, std::string> keys{{"begin_string", '"' + version.begin_string + '"'},
                                          {"default_appl_ver_id", '"' + version.application + '"'},
                                          {"sender_comp_id", "\"ISLD\""},
                                          {"target_comp_id", "\"TW\""},
                                          {"reset_on_logon", "true"},
                                          {"profile", "\"canonical\""}};
  if (script.accepts) {
    keys["role"] = "\"initiator\"";
    keys["port"] = std::to_string(k_address.port);
    keys["reconnect_ms"] = "50";
  }
  for (const auto& [key, value] : script.config) keys[key] = value;
  std::string text = "[[session]]\n";
  for (const auto& [key, value] : keys) text.append(key).append(" = ").append(value).append("\n");
  return text;
}

/// The trouble of one case; empty: it passed.
std::string trouble_of(const fix::Script& script, const Version& version,
                       const link::SimulatedNetworkOptions& options) {
  const auto config = echo::read_config_text(config_text(script, version), "config");
  if (!config) return config.error();
  sched::Scheduler scheduler(256, k_noon);
  link::SimulatedNetwork network(scheduler, options);
  echo::EchoServer server(scheduler, *config, nullptr, true);
  if (!script.accepts) {
    EXPECT_TRUE(network.listen(k_address, server.acceptor()));
  }
  fix::ScriptVariables variables = fix::script_variables(version.begin_string);
  variables["default_appl_ver_id"] = version.application;
  variables["sender"] = "TW";
  variables["target"] = "ISLD";
  fix::ScriptRun run(scheduler, network, script, {.address = k_address, .variables = variables});
  run.start();
  server.connect(network, k_noon);
  const time::Time end = k_noon + 5min;
  for (time::Time now = k_noon; now < end; now += 5ms) {
    scheduler.check(now, 100'000);
    network.finish(now);
    if (run.is_finished() && network.open_streams() == 0) break;
  }
  if (!run.is_finished()) return "not finished after " + std::to_string(run.steps()) + " steps";
  if (run.trouble() == nullptr) return {};
  return "line " + std::to_string(run.trouble()->line) + ": " + run.trouble()->text;
}

void play_all(const Version& version, const link::SimulatedNetworkOptions& options) {
  std::size_t played = 0;
  for (const auto& file : cases()) {
    const fix::Script script = script_of(file);
    if (!script.is_for(version.begin_string)) continue;
    ++played;
    EXPECT_EQ(trouble_of(script, version, options), "")
        << version.begin_string << " " << version.application << " " << file.filename();
  }
  EXPECT_GE(played, 80u) << version.begin_string;
}

TEST(FixCases, all_pass_in_every_version) {
  for (const Version& version : k_versions) play_all(version, {.delay = 1ms});
}

TEST(FixCases, all_pass_when_messages_arrive_in_pieces) {
  for (const Version& version : k_versions)
    play_all(version, {.seed = 7, .delay = 1ms, .jitter = 2ms, .max_delivery = 13});
}

TEST(FixEcho, a_template_makes_a_session_for_each_peer_as_long_as_there_may_be_more) {
  echo::Config config;
  config.sessions.push_back({.config = {.sender_comp_id = "ISLD", .target_comp_id = "*"}});
  config.sessions.push_back({.config = {.sender_comp_id = "ISLD", .target_comp_id = "KNOWN"}});
  config.made_sessions = 2;
  sched::Scheduler scheduler(256, k_noon);
  link::SimulatedNetwork network(scheduler, {.delay = 1ms});
  echo::EchoServer server(scheduler, config, nullptr, true);
  const link::Address address{"echo", 1};
  ASSERT_TRUE(network.listen(address, server.acceptor()));
  // Numbers go on where a name comes again; the third new name, another version and another target are refused.
  const auto script = fix::parse_script(
      "connect\n> 35=A|34=1|49=KNOWN|98=0|108=30\n< 35=A|34=1|56=KNOWN|98=0|108=30\nclose\n"
      "A: connect\nA: > 35=A|34=1|49=A|98=0|108=30\nA: < 35=A|34=1|56=A|98=0|108=30\nA: close\n"
      "B: connect\nB: > 35=A|34=1|49=B|98=0|108=30\nB: < 35=A|34=1|56=B|98=0|108=30\nB: close\n"
      "C: connect\nC: > 35=A|34=1|49=C|98=0|108=30\nC: closed\n"
      "D: connect\nD: > 8=FIX.4.2|35=A|34=1|49=A|98=0|108=30\nD: closed\n"
      "E: connect\nE: > 35=A|34=1|49=A|56=OTHER|98=0|108=30\nE: closed\n"
      "wait 1s\nF: connect\nF: > 35=A|34=2|49=A|98=0|108=30\nF: < 35=A|34=2|56=A|98=0|108=30\nF: close\n");
  ASSERT_TRUE(script) << script.error().line << script.error().text;
  fix::ScriptVariables variables = fix::script_variables("FIX.4.4");
  variables["sender"] = "A";
  variables["target"] = "ISLD";
  fix::ScriptRun run(scheduler, network, *script, {.address = address, .variables = variables});
  run.start();
  for (time::Time now = k_noon; now < k_noon + 5min && !run.is_finished(); now += 5ms) {
    scheduler.check(now, 100'000);
    network.finish(now);
  }
  EXPECT_TRUE(run.is_finished());
  EXPECT_EQ(run.trouble(), nullptr) << run.trouble()->line << ": " << run.trouble()->text;
}

/// Or two of them would never come to rest.
TEST(FixEcho, an_order_of_its_own_that_comes_back_is_left_alone) {
  const auto script = fix::parse_script(
      "config reset_on_logon = false\nconfig orders_at_start = 1\n"
      "accept\n< 35=A|34=2|${logon}\n> 35=A|34=1|${logon}\n"
      "> 35=D|34=2|11=START-1|${order}\n> 35=1|34=3|112=x\n< 35=0|34=3|112=x\nclose\n");
  ASSERT_TRUE(script) << script.error().line << script.error().text;
  EXPECT_EQ(trouble_of(*script, {"FIX.4.4"}, {.delay = 1ms}), "");
}

TEST(FixCases, a_case_that_expects_something_else_fails) {
  const auto script =
      fix::parse_script("connect\n> 35=A|34=1|${logon}\n< 35=A|34=1|${logon}\n> 35=1|34=2|112=a\n< 35=0|34=2|112=b\n");
  ASSERT_TRUE(script);
  EXPECT_NE(trouble_of(*script, {"FIX.4.4"}, {.delay = 1ms}).find("line 5: 112=b expected"), std::string::npos);
  const auto of_initiator = fix::parse_script("config reset_on_logon = false\naccept\n< 35=A|34=2|${logon}\n");
  ASSERT_TRUE(of_initiator);
  EXPECT_NE(trouble_of(*of_initiator, {"FIX.4.4"}, {.delay = 1ms}).find("line 3: 34=2 expected"), std::string::npos);
  const auto misconfigured = fix::parse_script("config nix = 3\nconnect\n");
  ASSERT_TRUE(misconfigured);
  EXPECT_NE(trouble_of(*misconfigured, {"FIX.4.4"}, {.delay = 1ms}).find("unknown key nix"), std::string::npos);
}

}  // namespace
}  // namespace dojima
