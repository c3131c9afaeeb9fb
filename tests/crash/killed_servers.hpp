#pragma once

// What the programs that kill gateways share: a venue and a gateway as processes with a journal each, their
// configurations, and the comparison of what FIX clients know with what the venue's journal says.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "dojima/app/child_process.hpp"
#include "dojima/app/config.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/gateway/gateway_test_client_ledger.hpp"
#include "dojima/harness/program_options.hpp"

namespace dojima::crash {

struct KillOptions {
  std::string program = "dojima";
  std::string folder;  // empty: a temporary one, which goes when all is well
  std::uint64_t kills = 200;
  std::uint64_t seed = 1;
  std::uint32_t clients = 4;
  std::string durability = "process";
  std::string json;  // empty: no artefact
};
void add_options(harness::ProgramOptions& program, KillOptions& options);

/// CompID and venue user of a client.
[[nodiscard]] std::string user_name(std::size_t client);

struct Configs {
  app::VenueConfig venue;
  app::GatewayConfig gateway;
};
/// On free ports, with journals in the folder; every second client's orders go with its venue session.
[[nodiscard]] Configs configs_of(const KillOptions& options);

class KilledServers {
 public:
  /// Writes the configurations into the folder.
  KilledServers(const KillOptions& options, Configs configs);

  // Each throws std::runtime_error with what the process said when it is not ready within a minute.
  void start_venue();
  void start_gateway();
  /// A gateway that follows the journal of the one that runs.
  [[nodiscard]] std::unique_ptr<app::ChildProcess> start_standby() const;
  /// SIGKILL; counted. It runs.
  void kill_venue();
  void kill_gateway();

  /// Asks the venue, which runs, to end its day; false: it does not, as its day is ending or does not answer.
  [[nodiscard]] bool end_day();
  /// How often the gateways that ran so far, killed ones too, have said it of the user in a line of their log.
  [[nodiscard]] std::uint64_t said(std::size_t client, std::string_view what) const;

  /// Contradictions, which are printed: of a client's books in themselves, and with the venue's journal, every command
  /// applied again. Where a gateway has said that some of a day may be missing for a client, only that nothing was
  /// reported to it twice. Both servers are gone. Throws std::runtime_error for a journal that cannot be read whole.
  [[nodiscard]] std::uint64_t judge(
      const std::function<gateway::testing::ClientLedger(std::size_t client)>& ledger_of) const;

  /// Days of the venue that are over, by its journal. It is gone. Throws as judge().
  [[nodiscard]] std::uint64_t days_in_journal() const;

  [[nodiscard]] const Configs& configs() const noexcept { return configs_; }

  std::unique_ptr<app::ChildProcess> venue, gateway;  // null: it does not run
  std::uint64_t venue_kills = 0, gateway_kills = 0, days = 0;

 private:
  void expect_reported_once(std::size_t client, const gateway::testing::ClientLedger& ledger,
                            std::uint64_t& wrong) const;

  const KillOptions& options_;
  Configs configs_;
  std::string said_;  // by gateways that are gone
};

/// What a gateway says of a user whose day ended: with all of it, or with some of it missing.
inline constexpr std::string_view k_day_is_over = "of the venue is over", k_day_is_missed = "executions may be missing";

/// Parses the command line and calls `run` with the folder made. Its answer is the number of contradictions; the exit
/// status is 1 when there are some, or when it throws, which is printed behind `name`. The artefact that `run` gets has
/// what KillOptions say; with `options.json` it is written, with a check that there are no contradictions, and the exit
/// status is 1 too when it cannot be. Nothing is written when `run` throws.
[[nodiscard]] int run_kills(std::string_view name, harness::ProgramOptions& program, int count, char** words,
                            KillOptions& options, const std::function<std::uint64_t(evidence::Artefact&)>& run);

}  // namespace dojima::crash
