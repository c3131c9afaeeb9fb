#include "dojima/harness/claims.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

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
  if (one.has("seconds")) protocol.seconds = one.at("seconds").as_number();
  if (one.has("short_seconds")) protocol.short_seconds = one.at("short_seconds").as_number();
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
  if (!one.at("limit").is_number()) return std::unexpected(what + "lacks the limit of its rule");
  claim.limit = one.at("limit").as_number();
  if (one.has("tolerance")) claim.tolerance = one.at("tolerance").as_number();
  if (claim.rule == ClaimRule::within && !(claim.tolerance > 0))
    return std::unexpected(what + "the rule within needs a tolerance above 0");
  return {};
}

std::expected<Claim, std::string> claim_from(const evidence::Document& one, const ClaimSet& set) {
  Claim claim{.id = std::string(one.at("id").as_text()),
              .source = std::string(one.at("source").as_text()),
              .statement = std::string(one.at("statement").as_text()),
              .given_text = std::string(one.at("given_text").as_text()),
              .cannot = std::string(one.at("cannot").as_text())};
  const std::string what = "claim " + (claim.id.empty() ? "without an id" : claim.id) + ": ";
  if (const auto unknown =
          unknown_member(one, {"id", "source", "statement", "given", "given_text", "cannot", "protocol", "number",
                               "divisor", "rule", "limit", "tolerance", "reason"}))
    return std::unexpected(what + "unknown member '" + *unknown + "'");
  if (claim.id.empty() || claim.source.empty() || claim.statement.empty())
    return std::unexpected(what + "lacks an id, a source or a statement");
  if (!one.at("given").is_number()) return std::unexpected(what + "lacks the figure that the source gave");
  claim.given = one.at("given").as_number();
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

std::string number_text(double value) {
  char text[48];
  std::snprintf(text, sizeof text, std::fabs(value) >= 1e5 ? "%.0f" : "%.4g", value);
  return text;
}

std::string rule_text(const Claim& claim) {
  if (claim.rule == ClaimRule::within) return number_text(claim.limit) + " within " + number_text(claim.tolerance);
  return (claim.rule == ClaimRule::at_most ? "at most " : "at least ") + number_text(claim.limit);
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
    set.protocols.push_back(std::move(*protocol));
  }
  for (const evidence::Document& one : document->at("claims").elements()) {
    auto claim = claim_from(one, set);
    if (!claim) return std::unexpected(claim.error());
    if (std::ranges::find(set.claims, claim->id, &Claim::id) != set.claims.end())
      return std::unexpected("claim " + claim->id + " stands there twice");
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
  return "cannot be told here";
}

ClaimAnswer judge(const Claim& claim, const evidence::Document& result) {
  double value = 0;
  double noise = 0;
  for (const std::string* figure : {&claim.number, &claim.divisor}) {
    if (figure->empty()) continue;
    const auto found = figure_of(result, *figure);
    if (!found && found.error().starts_with("0 rows") && was_cut_short(result, *figure))
      return {.why = "the time that is planned for it was over before this row was measured"};
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
  answer.why = number_text(value) + ", the rule: " + rule_text(claim);
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

std::vector<ClaimAnswer> ask(const ClaimSet& set, const ClaimPlan& plan) {
  std::map<std::string, std::expected<evidence::Document, std::string>> results;
  const double planned = planned_seconds(set, plan.is_short);
  double done = 0;
  for (const ClaimProtocol& protocol : set.protocols) {
    if (!is_wanted(set, protocol)) continue;
    const auto& words = plan.is_short ? protocol.short_words : protocol.words;
    const double seconds = seconds_of(protocol, plan.is_short);
    if (plan.progress && !words.empty()) plan.progress(done, planned, protocol.name);
    done += seconds;
    if (plan.is_interrupted && plan.is_interrupted())
      results.emplace(protocol.name, std::unexpected("the run ended before it was measured"));
    else if (words.empty())
      results.emplace(protocol.name, std::unexpected("not in the short form: it takes longer"));
    else
      results.emplace(protocol.name, plan.run(words, seconds));
  }
  std::vector<ClaimAnswer> answers;
  for (const Claim& claim : set.claims) {
    if (!claim.cannot.empty()) {
      answers.push_back({.why = claim.cannot});
      continue;
    }
    const auto& result = results.at(claim.protocol);
    answers.push_back(result ? judge(claim, *result) : ClaimAnswer{.why = result.error()});
  }
  return answers;
}

evidence::Artefact artefact_of_claims(const ClaimSet& set, const std::vector<ClaimAnswer>& answers, bool is_short) {
  DOJIMA_ASSERT(answers.size() == set.claims.size(), "an answer a claim", answers.size(), set.claims.size());
  evidence::Artefact artefact("dojima lab claims");
  artefact.set_parameter("short", is_short);
  evidence::Table counts{"verdicts", "how many claims came to which verdict", {{"verdict"}, {"claims"}}};
  for (const ClaimVerdict verdict :
       {ClaimVerdict::reproduced, ClaimVerdict::not_reproduced, ClaimVerdict::inconclusive})
    counts.add_row({name_of(verdict), std::ranges::count(answers, verdict, &ClaimAnswer::verdict)});
  evidence::Table table{"claims",
                        "what the sources say, and what these runs say of it",
                        {{"id"},
                         {"statement"},
                         {"given_text", 0, true, "the figure of the source"},
                         {"measured", 3},
                         {"verdict"},
                         {"why"},
                         {.name = "source", .on_screen = false},
                         {.name = "given", .decimals = 3, .on_screen = false},
                         {.name = "rule", .on_screen = false},
                         {.name = "reason", .on_screen = false, .meaning = "why that limit"},
                         {.name = "protocol", .on_screen = false},
                         {.name = "number", .on_screen = false},
                         {.name = "divisor", .on_screen = false}}};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Claim& claim = set.claims[i];
    const bool has_rule = claim.cannot.empty();
    table.add_row({claim.id, claim.statement, claim.given_text,
                   answers[i].measured ? evidence::Cell(*answers[i].measured)
                                       : evidence::Cell(evidence::Unmeasured{"see the column why"}),
                   name_of(answers[i].verdict), answers[i].why, claim.source, claim.given,
                   has_rule ? rule_text(claim) : std::string("none"), claim.reason, claim.protocol, claim.number,
                   claim.divisor});
  }
  evidence::Table protocols{
      "protocols", "what was run", {{"name"}, {"meaning"}, {"planned_s", 1, true, "what it may take"}, {"command"}}};
  for (const ClaimProtocol& protocol : set.protocols) {
    std::string words;
    for (const std::string& word : is_short ? protocol.short_words : protocol.words)
      words += (words.empty() ? "" : " ") + (word.find(' ') == std::string::npos ? word : "'" + word + "'");
    protocols.add_row({protocol.name, protocol.meaning, seconds_of(protocol, is_short),
                       words.empty() ? std::string("not in the short form") : words});
  }
  artefact.add_table(std::move(counts)).add_table(std::move(table)).add_table(std::move(protocols));
  return artefact;
}

}  // namespace dojima::harness
