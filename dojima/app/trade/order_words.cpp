// The words of an order that come alone, or with the one behind them.

#include <algorithm>
#include <array>
#include <fmt/core.h>

#include "dojima/app/trade/order_draft.hpp"
#include "dojima/app/trade/order_language.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::app {
namespace {

using market::TimeInForce;

struct TimeWord {
  const char* word;
  TimeInForce value;
};
/// The first word of a value is the one that is shown.
constexpr std::array k_times_in_force{TimeWord{"day", TimeInForce::day},
                                      TimeWord{"gtc", TimeInForce::good_till_cancel},
                                      TimeWord{"ioc", TimeInForce::immediate_or_cancel},
                                      TimeWord{"fok", TimeInForce::fill_or_kill},
                                      TimeWord{"opg", TimeInForce::at_the_opening},
                                      TimeWord{"gtd", TimeInForce::good_till_date},
                                      TimeWord{"gtt", TimeInForce::good_till_time},
                                      TimeWord{"gfa", TimeInForce::good_for_auction},
                                      TimeWord{"close", TimeInForce::at_the_close},
                                      TimeWord{"atc", TimeInForce::at_the_close},
                                      TimeWord{"cpx", TimeInForce::closing_price_cross},
                                      TimeWord{"atclose", TimeInForce::at_closing_price},
                                      TimeWord{"next", TimeInForce::good_for_next_auction},
                                      TimeWord{"intraday", TimeInForce::good_for_intraday_auction},
                                      TimeWord{"scheduled", TimeInForce::good_for_scheduled_auction},
                                      TimeWord{"avd", TimeInForce::auction_volume_discovery},
                                      TimeWord{"vdc", TimeInForce::volume_discovery_and_cross}};

/// A date and a time of day as FIX writes them, from the words of people: "2026-12-24" without dashes.
std::string compact_date(std::string_view word) {
  std::string date(word);
  const bool has_dashes = word.size() == 10 && word[4] == '-' && word[7] == '-';
  if (has_dashes) std::erase(date, '-');
  return date;
}

/// "16:30", "16:30:00", or the same behind a date and a 'T' or '-'.
Understood<time::Time> instant_in(std::string_view word, time::Time now) {
  const std::size_t colon = word.find(':');
  const auto complaint = [&] {
    return wrong(fmt::format("\"{}\" is not a time: HH:MM[:SS] of today, or YYYY-MM-DDTHH:MM[:SS], UTC", word));
  };
  if (colon == std::string_view::npos || colon < 2) return complaint();
  char today[time::k_timestamp_max];
  const std::string_view date_part = word.substr(0, colon - 2);
  std::string date(time::format_timestamp(now, 0, today).substr(0, 8));
  if (!date_part.empty()) {
    if (date_part.size() < 9 || (date_part.back() != 'T' && date_part.back() != '-')) return complaint();
    date = compact_date(date_part.substr(0, date_part.size() - 1));
  }
  std::string clock(word.substr(colon - 2));
  if (clock.size() == 5) clock += ":00";
  const auto time = time::parse_timestamp(date + "-" + clock);
  if (!time || clock.size() != 8) return complaint();
  return *time;
}

Understood<void> read_time_in_force(const TimeWord& word, WordReader& words, OrderDraft& draft) {
  if (auto once = draft.say("the time in force"); !once) return once;
  market::OrderTerms& terms = draft.entry.terms;
  terms.time_in_force = word.value;
  if (word.value != TimeInForce::good_till_date && word.value != TimeInForce::good_till_time) return {};
  if (words.is_over()) return wrong(fmt::format("{} needs its end: gtd YYYY-MM-DD, gtt HH:MM[:SS]", word.word));
  const auto end =
      word.value == TimeInForce::good_till_date ? date_in(words.take()) : instant_in(words.take(), draft.now);
  if (!end) return wrong(end.error());
  terms.expiry = *end;
  // It is good until the end of its date.
  if (word.value == TimeInForce::good_till_date) terms.expiry += std::chrono::days{1} - std::chrono::seconds{1};
  return {};
}

using WordsReader = Understood<void> (*)(WordReader& words, OrderDraft& draft);

struct PlainWord {
  const char* word;
  WordsReader read;
};

Understood<void> read_limit(WordReader& words, OrderDraft& draft) {
  if (words.is_over()) return wrong("@ PRICE or market is missing");
  if (words.take_if("market")) {
    draft.is_market = true;
    return {};
  }
  if (auto once = draft.say("the price"); !once) return once;
  const auto price = price_in(words.take());
  if (!price) return wrong(price.error());
  draft.entry.terms.limit = *price;
  draft.has_limit = true;
  return {};
}

Understood<void> read_stop(WordReader& words, OrderDraft& draft) {
  if (auto once = draft.say("stop"); !once) return once;
  const auto price = price_in(words.take());
  if (!price) return wrong(price.error() + "; write: stop PRICE");
  draft.entry.terms.stop = *price;
  draft.has_stop = true;
  return {};
}

Understood<void> read_offset(WordReader& words, OrderDraft& draft) {
  if (auto once = draft.say("offset"); !once) return once;
  const std::string word = words.take();
  const auto points = number_in<std::int32_t>(word);
  if (!points) return wrong(fmt::format("\"{}\" is not a number of basis points; write: offset 25", word));
  draft.entry.terms.offset_bp = *points;
  draft.is_offset = true;
  return {};
}

Understood<void> set_flag(OrderDraft& draft, std::uint8_t flag) {
  draft.entry.mifid = static_cast<std::uint8_t>(draft.entry.mifid.value_or(0) | flag);
  return {};
}

Understood<void> set_named(OrderDraft& draft, bool is_named) {
  if (auto once = draft.say("named or anonymous"); !once) return once;
  draft.entry.is_named = is_named;
  return {};
}

constexpr std::array k_plain_words{
    PlainWord{"@", read_limit},
    PlainWord{"stop", read_stop},
    PlainWord{"offset", read_offset},
    PlainWord{
        "market",
        [](WordReader&, OrderDraft& draft) -> Understood<void> { return draft.is_market = true, Understood<void>{}; }},
    PlainWord{"mtl",
              [](WordReader&, OrderDraft& draft) -> Understood<void> {
                return draft.is_market_to_limit = true, Understood<void>{};
              }},
    PlainWord{
        "peg",
        [](WordReader&, OrderDraft& draft) -> Understood<void> { return draft.is_pegged = true, Understood<void>{}; }},
    PlainWord{
        "hidden",
        [](WordReader&, OrderDraft& draft) -> Understood<void> { return draft.is_hidden = true, Understood<void>{}; }},
    PlainWord{"named", [](WordReader&, OrderDraft& draft) { return set_named(draft, true); }},
    PlainWord{"anonymous", [](WordReader&, OrderDraft& draft) { return set_named(draft, false); }},
    PlainWord{"dea", [](WordReader&, OrderDraft& draft) { return set_flag(draft, k_direct_access); }},
    PlainWord{"liquidity", [](WordReader&, OrderDraft& draft) { return set_flag(draft, k_liquidity_provision); }},
    PlainWord{"algo", [](WordReader&, OrderDraft& draft) { return set_flag(draft, k_algorithm); }}};

}  // namespace

Understood<time::Time> date_in(std::string_view word) {
  const std::string date = compact_date(word);
  const auto time = time::parse_timestamp(date + "-00:00:00");
  if (!time) return wrong(fmt::format("\"{}\" is not a date: YYYY-MM-DD", word));
  return *time;
}

Understood<bool> read_order_word(const std::string& word, WordReader& words, OrderDraft& draft) {
  const std::string name = lower(word);
  if (const auto time = std::ranges::find(k_times_in_force, name, &TimeWord::word); time != k_times_in_force.end()) {
    if (auto read = read_time_in_force(*time, words, draft); !read) return wrong(read.error());
    return true;
  }
  const auto plain = std::ranges::find(k_plain_words, name, &PlainWord::word);
  if (plain == k_plain_words.end()) return false;
  if (auto read = plain->read(words, draft); !read) return wrong(read.error());
  return true;
}

std::vector<std::string> order_word_names() {
  std::vector<std::string> names;
  for (const PlainWord& word : k_plain_words) names.emplace_back(word.word);
  for (const TimeWord& word : k_times_in_force) names.emplace_back(word.word);
  return names;
}

std::string time_in_force_text(const market::OrderTerms& terms) {
  const auto word = std::ranges::find(k_times_in_force, terms.time_in_force, &TimeWord::value);
  if (word == k_times_in_force.end()) return "?";
  char text[time::k_timestamp_max];
  const std::string_view end = time::format_timestamp(terms.expiry, 0, text);
  const auto date = [&] { return fmt::format("{}-{}-{}", end.substr(0, 4), end.substr(4, 2), end.substr(6, 2)); };
  if (terms.time_in_force == TimeInForce::good_till_date) return fmt::format("gtd {}", date());
  if (terms.time_in_force == TimeInForce::good_till_time) return fmt::format("gtt {}T{}", date(), end.substr(9));
  return word->word;
}

}  // namespace dojima::app
