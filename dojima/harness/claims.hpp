#pragma once

// What a source says, as data: the statement in our words, the figure it gave, the protocol that asks the question
// again on this machine, and the rule that decides. A protocol is a command of this project whose result holds the
// number; nothing but the number and the rule makes the verdict. Claims that no command can answer here say why.
// Reading and judging are pure; running starts processes. Allocates.
//
//   const auto set = harness::parse_claims(harness::known_claims());
//   const auto answers = harness::ask(*set, {.is_short = true, .run = run_beside_this_program});

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/document.hpp"

namespace dojima::harness {

/// A command that answers claims.
struct ClaimProtocol {
  std::string name;
  std::string meaning;                   ///< what it does, for a reader
  std::vector<std::string> words;        ///< program and arguments; the program is one of this project's
  std::vector<std::string> short_words;  ///< of the short form; empty: not in it
  double seconds = 60;                   ///< what it may take; then it is interrupted, and what it has by then counts
  double short_seconds = 10;             ///< the same of the short form
};

enum class ClaimRule : std::uint8_t {
  at_most,   ///< the number is not above the limit
  at_least,  ///< not below it
  within,    ///< not farther from the limit than the tolerance
};

/// The unit of a statement that holds or does not: its number is 1 or 0, and shown in words.
inline constexpr std::string_view k_yes_or_no = "yes/no";

struct Claim {
  std::string id;
  std::string source;
  std::string statement;
  double given = 0;        ///< the figure of the source, in the unit of the number
  std::string given_text;  ///< the same with what it is
  std::string unit;        ///< of the figure, the number and the limit; k_yes_or_no, or empty where it was not said
  // Either all of these ...
  std::string protocol;
  std::string number;   ///< TABLE.COLUMN[@COLUMN=VALUE,...] of the protocol's result
  std::string divisor;  ///< the same; empty: none
  ClaimRule rule = ClaimRule::at_most;
  double limit = 0;
  double tolerance = 0;
  std::string reason;  ///< why that limit
  // ... or this:
  std::string cannot;
};

struct ClaimSet {
  std::vector<ClaimProtocol> protocols;
  std::vector<Claim> claims;
};

/// The error names the claim and what it lacks or has too much.
[[nodiscard]] std::expected<ClaimSet, std::string> parse_claims(std::string_view json);

/// The claims of the five documents, as they are in the program.
[[nodiscard]] std::string_view known_claims() noexcept;

enum class ClaimVerdict : std::uint8_t { reproduced, not_reproduced, inconclusive };
[[nodiscard]] std::string_view name_of(ClaimVerdict verdict) noexcept;

struct ClaimAnswer {
  ClaimVerdict verdict = ClaimVerdict::inconclusive;
  std::optional<double> measured{};
  std::string why{};
  bool is_lost_to_time = false;  ///< its protocol was ended before it came to the number
};

/// A number that lies nearer to its limit than this share of it decides nothing; nor one that lies nearer than the
/// rounds of its row vary, where the table has a column `mad_percent`.
inline constexpr double k_claim_margin = 0.03;

/// Judges one claim by the result of its protocol. `was_ended`: before the protocol was through.
[[nodiscard]] ClaimAnswer judge(const Claim& claim, const evidence::Document& result, bool was_ended = false);

/// What a protocol came to, its time perhaps over before it was through.
struct ProtocolResult {
  evidence::Document document;
  bool was_ended = false;
};
/// Why a protocol has no result.
struct ProtocolTrouble {
  std::string why;
  bool is_of_time = false;  ///< it was ended
};

struct ClaimPlan {
  bool is_short = false;
  /// Every protocol gets so many times what is planned for it.
  double patience = 1;
  /// Runs a protocol for at most so many seconds and gives its result as JSON.
  std::function<std::expected<ProtocolResult, ProtocolTrouble>(const std::vector<std::string>& words, double seconds)>
      run{};
  /// A clock, in seconds. With it a protocol may use what those before it have left of their time, and has to make up
  /// for what they took too much; without it each has its own.
  std::function<double()> now_s{};
  std::function<bool()> is_interrupted{};
  /// Before each protocol: the seconds that are planned for those before it and for all.
  std::function<void(double done_s, double all_s, const std::string& what)> progress{};
};

/// The seconds planned for the protocols that the claims of the set need, without patience.
[[nodiscard]] double planned_seconds(const ClaimSet& set, bool is_short);

/// One answer a claim, in their order. Each protocol runs once.
[[nodiscard]] std::vector<ClaimAnswer> ask(const ClaimSet& set, const ClaimPlan& plan);

/// How many claims were lost to time, of which protocols, and what to do; empty: none.
[[nodiscard]] std::string lost_to_time(const ClaimSet& set, const std::vector<ClaimAnswer>& answers);

/// The table `claims`, one of how many came to which verdict, and the protocols. `plan` as it was asked with.
[[nodiscard]] evidence::Artefact artefact_of_claims(const ClaimSet& set, const std::vector<ClaimAnswer>& answers,
                                                    const ClaimPlan& plan);

}  // namespace dojima::harness
