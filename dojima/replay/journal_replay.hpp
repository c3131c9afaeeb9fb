#pragma once

// A venue's journals through partitions that are made from them (venue/recovery/replayer.hpp): the trades, prices and
// books of the venue again, as they were, without its configuration. Where the first records are gone, a journal begins
// with its newest good snapshot; what was traded before that is not counted then, and the result says so.
//
//   const auto result = replay_journals(journals, {.symbols = {"RICE"}}, hooks, clock);
//   if (!result) complain(result.error());
//   artefact_of(settings, *result)
//
// Nothing is written but the CSV files that are asked for, and no lock is taken: it may run beside the venue. One
// thread. O(records); memory is that of one partition at a time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/journal/disk.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/phase.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::replay {

/// The journal of one partition.
struct PartitionJournal {
  std::string name;       ///< for tables and files: "partition-1"
  journal::Disk* disk{};  ///< its directory; outlives the replay
};

struct JournalReplaySettings {
  std::vector<std::string> symbols{};  ///< only these are counted and written; empty: all
  std::optional<time::Time> from{};    ///< commands before this are applied; what they cause is not counted or written
  std::optional<time::Time> until{};   ///< ends behind the last command before this
  std::string out{};                   ///< folder for trades.csv and books.csv; empty: none
};

/// Both may be empty.
struct JournalReplayHooks {
  std::function<bool()> is_interrupted{};
  std::function<void(std::uint64_t, std::uint64_t)> progress{};  ///< records of the journal in hand, of how many
};

/// Of the commands that were counted (JournalReplaySettings); the book is that of the end.
struct ReplayedInstrument {
  std::string journal;  ///< PartitionJournal::name
  std::string symbol;
  std::uint32_t id = 0;
  std::uint64_t accepted = 0;  ///< orders
  std::uint64_t trades = 0;
  std::uint64_t lots = 0;  ///< traded
  std::optional<market::Price> open{}, high{}, low{}, last{};
  std::uint64_t auctions = 0;  ///< that traded
  std::optional<market::Price> bid{}, ask{};
  std::uint64_t resting = 0;  ///< orders in the book
  market::Phase phase{};
};

/// By the command's type.
using CommandCounts = std::array<std::uint64_t, market::k_command_types>;

struct ReplayedJournal {
  std::string name;
  std::string trouble;         ///< what is wrong, where, and what to do, a line each; empty: nothing
  bool is_recovered = false;   ///< there is a partition; without it all below is empty
  std::string verdict;         ///< of what is behind the last record
  std::uint64_t snapshot = 0;  ///< the record whose state it began with; 0: the first record
  std::uint64_t records = 0;   ///< applied
  std::uint64_t last = 0;      ///< the last record applied
  time::Time last_time{};      ///< its time
  CommandCounts commands{};    ///< the records that were applied, by type
  std::uint64_t trades = 0;    ///< of all instruments that were counted
  std::uint64_t lots = 0;      ///< likewise
  std::uint64_t digest = 0;    ///< of the state at the end
  double elapsed_s = 0;        ///< reading, summing and applying
  std::uint64_t bought = 0;    ///< lots of all users since the venue began
  std::uint64_t sold = 0;      ///< likewise
};

struct JournalReplayResult {
  std::vector<ReplayedJournal> journals;        ///< in the order in which they were given
  std::vector<ReplayedInstrument> instruments;  ///< journal by journal, in the order of its settings
  bool was_interrupted = false;
};

/// The error is one line for the user: no instrument has a symbol that was asked for, or the files cannot be written.
/// Damage is no error: the journal says it in its part of the result.
[[nodiscard]] std::expected<JournalReplayResult, std::string> replay_journals(
    std::span<const PartitionJournal> journals, const JournalReplaySettings& settings, const JournalReplayHooks& hooks,
    time::Clock& clock);

/// The result for people and programs. Checks for each journal: it recovers, and both sides of its trades balance.
[[nodiscard]] evidence::Artefact artefact_of(const JournalReplaySettings& settings, const JournalReplayResult& result);

}  // namespace dojima::replay
