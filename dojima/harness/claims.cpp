#include "dojima/harness/claims.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/harness/command_ab.hpp"

namespace dojima::harness {
namespace {

struct NamedRule {
  ClaimRule rule;
  std::string_view name;
};
constexpr NamedRule k_rules[] = {
    {ClaimRule::at_most, "at_most"}, {ClaimRule::at_least, "at_least"}, {ClaimRule::within, "within"}};

/// The members that an object may have; the first one that is none of them, or nothing.
std::optional<std::string> unknown_member(const evidence::Document& object,
                                          std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.members()) {
    if (std::ranges::find(known, std::string_view(key)) == known.end()) return std::string(key);
  }
  return std::nullopt;
}

std::vector<std::string> words_of(const evidence::Document& array) {
  std::vector<std::string> words;
  for (const evidence::Document& word : array.elements()) words.emplace_back(word.as_text());
  return words;
}

/// The number of a member; `meaning` says what it is. The error says that it is not there, or what is there instead.
std::expected<double, std::string> number_of(const evidence::Document& one, std::string_view member,
                                             std::string_view meaning) {
  const evidence::Document& value = one.at(member);
  if (value.is_number()) return value.as_number();
  if (!one.has(member)) return std::unexpected("lacks " + std::string(meaning));
  return std::unexpected("the member " + std::string(member) + " is not a number: " + value.canonical());
}

/// What is run is a program of this project, which is looked for beside the running one and nowhere else.
bool is_own_program(std::string_view word) {
  constexpr std::string_view k_project = "dojima";
  return word.find('/') == std::string_view::npos && (word == k_project || word.starts_with("dojima-"));
}

std::expected<ClaimProtocol, std::string> protocol_from(const evidence::Document& one) {
  ClaimProtocol protocol{.name = std::string(one.at("name").as_text()),
                         .meaning = std::string(one.at("meaning").as_text()),
                         .words = words_of(one.at("words")),
                         .short_words = words_of(one.at("short_words"))};
  const std::string what = "protocol '" + protocol.name + "': ";
  if (const auto unknown = unknown_member(one, {"name", "meaning", "words", "short_words", "seconds", "short_seconds"}))
    return std::unexpected(what + "unknown member '" + *unknown + "'");
  if (protocol.name.empty() || protocol.meaning.empty()) return std::unexpected(what + "lacks a name or a meaning");
  if (protocol.words.empty()) return std::unexpected(what + "has no words to run");
  for (const std::vector<std::string>* words : {&protocol.words, &protocol.short_words}) {
    if (!words->empty() && !is_own_program(words->front()))
      return std::unexpected(what + "'" + words->front() +
                             "' is no program of this project: dojima or dojima-..., without a path");
  }
  for (const auto& [member, seconds] :
       {std::pair{"seconds", &protocol.seconds}, std::pair{"short_seconds", &protocol.short_seconds}}) {
    if (!one.has(member)) continue;
    const auto number = number_of(one, member, member);
    if (!number) return std::unexpected(what + number.error());
    *seconds = *number;
  }
  if (!(protocol.seconds > 0) || !(protocol.short_seconds > 0))
    return std::unexpected(what + "may take no time: seconds and short_seconds are above 0");
  return protocol;
}

/// The part of a claim that decides it.
std::expected<void, std::string> read_rule(const evidence::Document& one, const ClaimSet& set, Claim& claim) {
  const std::string what = "claim " + claim.id + ": ";
  claim.protocol = std::string(one.at("protocol").as_text());
  claim.number = std::string(one.at("number").as_text());
  claim.divisor = std::string(one.at("divisor").as_text());
  claim.reason = std::string(one.at("reason").as_text());
  if (std::ranges::find(set.protocols, claim.protocol, &ClaimProtocol::name) == set.protocols.end())
    return std::unexpected(what + "no protocol '" + claim.protocol + "'");
  if (claim.number.empty()) return std::unexpected(what + "lacks the number that is to be measured");
  const std::string_view rule = one.at("rule").as_text();
  const auto found = std::ranges::find(k_rules, rule, &NamedRule::name);
  if (found == std::end(k_rules))
    return std::unexpected(what + "the rule is one of at_most, at_least, within, not '" + std::string(rule) + "'");
  claim.rule = found->rule;
  const auto limit = number_of(one, "limit", "the limit of its rule");
  if (!limit) return std::unexpected(what + limit.error());
  claim.limit = *limit;
  if (one.has("tolerance")) {
    const auto tolerance = number_of(one, "tolerance", "its tolerance");
    if (!tolerance) return std::unexpected(what + tolerance.error());
    claim.tolerance = *tolerance;
  }
  if (claim.rule == ClaimRule::within && !(claim.tolerance > 0))
    return std::unexpected(what + "the rule within needs a tolerance above 0");
  return {};
}

std::expected<Claim, std::string> claim_from(const evidence::Document& one, const ClaimSet& set) {
  Claim claim{.id = std::string(one.at("id").as_text()),
              .source = std::string(one.at("source").as_text()),
              .statement = std::string(one.at("statement").as_text()),
              .given_text = std::string(one.at("given_text").as_text()),
              .unit = std::string(one.at("unit").as_text()),
              .cannot = std::string(one.at("cannot").as_text())};
  const std::string what = "claim " + (claim.id.empty() ? "without an id" : claim.id) + ": ";
  if (const auto unknown =
          unknown_member(one, {"id", "source", "statement", "given", "given_text", "unit", "cannot", "protocol",
                               "number", "divisor", "rule", "limit", "tolerance", "reason"}))
    return std::unexpected(what + "unknown member '" + *unknown + "'");
  if (claim.id.empty() || claim.source.empty() || claim.statement.empty())
    return std::unexpected(what + "lacks an id, a source or a statement");
  const auto given = number_of(one, "given", "the figure that the source gave");
  if (!given) return std::unexpected(what + given.error());
  claim.given = *given;
  if (claim.given_text.empty()) return std::unexpected(what + "lacks the figure in words");
  if (!claim.cannot.empty()) {
    if (one.has("protocol")) return std::unexpected(what + "has a protocol and a reason why there is none");
    return claim;
  }
  if (auto read = read_rule(one, set, claim); !read) return std::unexpected(read.error());
  return claim;
}

std::string_view table_of(std::string_view figure) {
  return figure.substr(0, figure.find('.'));
}

/// Whether the table of a figure was ended before all of its rows were there.
bool was_cut_short(const evidence::Document& result, std::string_view figure) {
  for (const evidence::Document& table : result.at("tables").elements()) {
    if (table.at("name").as_text() != table_of(figure)) continue;
    for (const evidence::Document& note : table.at("notes").elements()) {
      if (note.as_text().starts_with("interrupted")) return true;
    }
  }
  return false;
}

/// Why a cell of a result is empty, from the notes of its quality.
std::string reason_of(const evidence::Document& result, std::string_view figure) {
  const std::string field = "tables." + std::string(figure.substr(0, figure.find('@')));
  for (const evidence::Document& note : result.at("evidence").at("quality").elements()) {
    if (note.at("field").as_text() == field) return std::string(note.at("reason").as_text());
  }
  return {};
}

/// How far the rounds of a figure's row vary, a share; 0 where the table does not say.
double noise_of(const evidence::Document& result, const std::string& figure) {
  const std::size_t dot = figure.find('.');
  const std::size_t at = std::min(figure.find('@'), figure.size());
  if (dot == std::string::npos || dot > at) return 0;
  return figure_of(result, figure.substr(0, dot) + ".mad_percent" + figure.substr(at)).value_or(0) / 100;
}

/// Four digits and no exponent; from 1,000 on whole.
std::string number_text(double value) {
  constexpr double k_whole = 1e3, k_most = 1e18;
  if (std::fabs(value) >= k_whole && std::fabs(value) < k_most)
    return evidence::to_text(evidence::Cell(static_cast<std::int64_t>(std::llround(value))), 0);
  constexpr int k_most_decimals = 12;
  const double size = value == 0 ? 0 : std::floor(std::log10(std::fabs(value)));
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", static_cast<int>(std::clamp(3 - size, 0.0, double{k_most_decimals})), value);
  std::string number = text;
  if (number.find('.') != std::string::npos) {
    number.erase(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
  }
  return number;
}

std::string figure_text(const Claim& claim, double value) {
  if (claim.unit == k_yes_or_no) return value != 0 ? "yes" : "no";
  return number_text(value) + (claim.unit.empty() ? "" : " " + claim.unit);
}

std::string rule_text(const Claim& claim) {
  if (claim.unit == k_yes_or_no) return claim.rule == ClaimRule::at_least ? "yes" : "no";
  if (claim.rule == ClaimRule::within)
    return number_text(claim.limit) + " within " + figure_text(claim, claim.tolerance);
  return (claim.rule == ClaimRule::at_most ? "at most " : "at least ") + figure_text(claim, claim.limit);
}

}  // namespace

std::expected<ClaimSet, std::string> parse_claims(std::string_view json) {
  const auto document = evidence::parse_document(json);
  if (!document) return std::unexpected("no JSON: " + document.error());
  if (const auto unknown = unknown_member(*document, {"schema", "protocols", "claims"}))
    return std::unexpected("unknown member '" + *unknown + "'");
  if (document->at("schema").as_text() != "dojima.claims/1") return std::unexpected("the schema is dojima.claims/1");
  ClaimSet set;
  for (const evidence::Document& one : document->at("protocols").elements()) {
    auto protocol = protocol_from(one);
    if (!protocol) return std::unexpected(protocol.error());
    if (std::ranges::find(set.protocols, protocol->name, &ClaimProtocol::name) != set.protocols.end())
      return std::unexpected("protocol '" + protocol->name + "' is listed twice");
    set.protocols.push_back(std::move(*protocol));
  }
  for (const evidence::Document& one : document->at("claims").elements()) {
    auto claim = claim_from(one, set);
    if (!claim) return std::unexpected(claim.error());
    if (std::ranges::find(set.claims, claim->id, &Claim::id) != set.claims.end())
      return std::unexpected("claim " + claim->id + " is listed twice");
    set.claims.push_back(std::move(*claim));
  }
  if (set.claims.empty()) return std::unexpected("no claims");
  return set;
}

std::string_view name_of(ClaimVerdict verdict) noexcept {
  switch (verdict) {
    case ClaimVerdict::reproduced:
      return "reproduced";
    case ClaimVerdict::not_reproduced:
      return "not reproduced";
    case ClaimVerdict::inconclusive:
      break;
  }
  return "cannot be judged here";
}

ClaimAnswer judge(const Claim& claim, const evidence::Document& result, bool was_ended) {
  double value = 0;
  double noise = 0;
  for (const std::string* figure : {&claim.number, &claim.divisor}) {
    if (figure->empty()) continue;
    const auto found = figure_of(result, *figure);
    if (!found && (was_ended || (found.error().starts_with("0 rows") && was_cut_short(result, *figure))))
      return {.why = "the time that is planned for it was over before this row was measured", .is_lost_to_time = true};
    if (!found) {
      const bool is_empty = found.error().starts_with("no number");
      const std::string reason = is_empty ? reason_of(result, *figure) : std::string();
      return {.why = reason.empty() ? found.error() : reason};
    }
    if (figure == &claim.divisor && *found == 0) return {.why = *figure + " is 0"};
    value = figure == &claim.number ? *found : value / *found;
    noise += noise_of(result, *figure);
  }
  ClaimAnswer answer{.measured = value};
  const double edge = claim.rule == ClaimRule::within    ? std::fabs(value - claim.limit) - claim.tolerance
                      : claim.rule == ClaimRule::at_most ? value - claim.limit
                                                         : claim.limit - value;
  answer.verdict = edge <= 0 ? ClaimVerdict::reproduced : ClaimVerdict::not_reproduced;
  answer.why = figure_text(claim, value) + ", the rule: " + rule_text(claim);
  // A limit of 0 is about counts, which have no noise.
  const double margin = std::max(k_claim_margin, noise) * std::fabs(claim.limit);
  if (edge != 0 && claim.limit != 0 && std::fabs(edge) < margin) {
    answer.verdict = ClaimVerdict::inconclusive;
    answer.why += ": too near to the limit for what these runs vary by";
  }
  return answer;
}

namespace {

bool is_wanted(const ClaimSet& set, const ClaimProtocol& protocol) {
  return std::ranges::find(set.claims, protocol.name, &Claim::protocol) != set.claims.end();
}

/// 0 where the short form leaves it out.
double seconds_of(const ClaimProtocol& protocol, bool is_short) {
  if (!is_short) return protocol.seconds;
  return protocol.short_words.empty() ? 0 : protocol.short_seconds;
}

}  // namespace

double planned_seconds(const ClaimSet& set, bool is_short) {
  double sum = 0;
  for (const ClaimProtocol& protocol : set.protocols) {
    if (is_wanted(set, protocol)) sum += seconds_of(protocol, is_short);
  }
  return sum;
}

namespace {

/// How long protocols may take, one after the other.
class TimeTable {
 public:
  TimeTable(const ClaimPlan& plan) : plan_(plan) {}

  /// Runs what is planned to take so many seconds.
  auto run(const std::vector<std::string>& words, double planned) {
    const double allowed = std::max(planned / 2, planned + spare_);
    const double begin = plan_.now_s ? plan_.now_s() : 0;
    auto result = plan_.run(words, allowed);
    if (plan_.now_s) spare_ += planned - (plan_.now_s() - begin);
    return result;
  }

 private:
  const ClaimPlan& plan_;
  double spare_ = 0;  // what those before have left; below 0: what they took too much
};

}  // namespace

std::vector<ClaimAnswer> ask(const ClaimSet& set, const ClaimPlan& plan) {
  std::map<std::string, std::expected<ProtocolResult, ProtocolTrouble>> results;
  const double planned = plan.patience * planned_seconds(set, plan.is_short);
  TimeTable table(plan);
  double done = 0;
  for (const ClaimProtocol& protocol : set.protocols) {
    if (!is_wanted(set, protocol)) continue;
    const auto& words = plan.is_short ? protocol.short_words : protocol.words;
    const double seconds = plan.patience * seconds_of(protocol, plan.is_short);
    if (plan.progress && !words.empty()) plan.progress(done, planned, protocol.name);
    done += seconds;
    if (plan.is_interrupted && plan.is_interrupted())
      results.emplace(protocol.name, std::unexpected(ProtocolTrouble{"the run ended before it was measured"}));
    else if (words.empty())
      results.emplace(protocol.name, std::unexpected(ProtocolTrouble{"not in the short form: it takes longer"}));
    else
      results.emplace(protocol.name, table.run(words, seconds));
  }
  std::vector<ClaimAnswer> answers;
  for (const Claim& claim : set.claims) {
    if (!claim.cannot.empty()) {
      answers.push_back({.why = claim.cannot});
      continue;
    }
    const auto& result = results.at(claim.protocol);
    answers.push_back(result ? judge(claim, result->document, result->was_ended)
                             : ClaimAnswer{.why = result.error().why, .is_lost_to_time = result.error().is_of_time});
  }
  return answers;
}

std::string lost_to_time(const ClaimSet& set, const std::vector<ClaimAnswer>& answers) {
  const auto lost = std::ranges::count(answers, true, &ClaimAnswer::is_lost_to_time);
  if (lost == 0) return {};
  std::string names;
  for (const ClaimProtocol& protocol : set.protocols) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i].is_lost_to_time || set.claims[i].protocol != protocol.name) continue;
      names += (names.empty() ? "" : ", ") + protocol.name;
      break;
    }
  }
  return std::to_string(lost) + (lost == 1 ? " claim was" : " claims were") + " lost to time, of " + names +
         ": is the machine busy? --patience 4 gives every protocol four times as long";
}

evidence::Artefact artefact_of_claims(const ClaimSet& set, const std::vector<ClaimAnswer>& answers,
                                      const ClaimPlan& plan) {
  DOJIMA_ASSERT(answers.size() == set.claims.size(), "an answer a claim", answers.size(), set.claims.size());
  evidence::Artefact artefact("dojima lab claims");
  artefact.set_parameter("short", plan.is_short).set_parameter("patience", plan.patience);
  evidence::Table counts{"verdicts", "how many claims came to which verdict", {{"verdict"}, {"claims"}}};
  for (const ClaimVerdict verdict :
       {ClaimVerdict::reproduced, ClaimVerdict::not_reproduced, ClaimVerdict::inconclusive})
    counts.add_row({name_of(verdict), std::ranges::count(answers, verdict, &ClaimAnswer::verdict)});
  evidence::Table table{"claims",
                        "what the sources say, and what these runs say of it",
                        {{"id"},
                         {"statement"},
                         {"given_text", 0, true, "the figure of the source"},
                         {"measured_text", 0, true, "the figure of this machine"},
                         {"verdict"},
                         {"why"},
                         {.name = "source", .on_screen = false},
                         {.name = "given", .decimals = 3, .on_screen = false},
                         {.name = "measured", .decimals = 3, .on_screen = false},
                         {.name = "unit", .on_screen = false, .meaning = "of given, measured and rule; x: a ratio"},
                         {.name = "rule", .on_screen = false},
                         {.name = "reason", .on_screen = false, .meaning = "why that limit"},
                         {.name = "protocol", .on_screen = false},
                         {.name = "number", .on_screen = false},
                         {.name = "divisor", .on_screen = false}}};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Claim& claim = set.claims[i];
    const bool has_rule = claim.cannot.empty();
    const std::optional<double>& measured = answers[i].measured;
    const evidence::Cell nothing = evidence::Unmeasured{"see the column why"};
    table.add_row({claim.id, claim.statement, claim.given_text,
                   measured ? evidence::Cell(figure_text(claim, *measured)) : nothing, name_of(answers[i].verdict),
                   answers[i].why, claim.source, claim.given, measured ? evidence::Cell(*measured) : nothing,
                   claim.unit, has_rule ? rule_text(claim) : std::string("none"), claim.reason, claim.protocol,
                   claim.number, claim.divisor});
  }
  evidence::Table protocols{
      "protocols", "what was run", {{"name"}, {"meaning"}, {"planned_s", 1, true, "what it may take"}, {"command"}}};
  for (const ClaimProtocol& protocol : set.protocols) {
    std::string words;
    for (const std::string& word : plan.is_short ? protocol.short_words : protocol.words)
      words += (words.empty() ? "" : " ") + (word.find(' ') == std::string::npos ? word : "'" + word + "'");
    protocols.add_row({protocol.name, protocol.meaning, plan.patience * seconds_of(protocol, plan.is_short),
                       words.empty() ? std::string("not in the short form") : words});
  }
  if (std::string lost = lost_to_time(set, answers); !lost.empty()) counts.notes.push_back(std::move(lost));
  artefact.add_table(std::move(counts)).add_table(std::move(table)).add_table(std::move(protocols));
  return artefact;
}

}  // namespace dojima::harness
