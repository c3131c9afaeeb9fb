#include "dojima/fix/script/script_match.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "dojima/fix/frame.hpp"

namespace dojima::fix {
namespace {

struct Pair {
  std::string_view tag, value;
};

std::vector<Pair> pairs_of(std::string_view text, char separator) {
  std::vector<Pair> pairs;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t sign = std::min(field.find('='), field.size());
    if (!field.empty()) pairs.push_back({field.substr(0, sign), field.substr(std::min(sign + 1, field.size()))});
  }
  return pairs;
}

bool is_frame(std::string_view tag) {
  return tag == "8" || tag == "9" || tag == "10";
}

/// Whether the field is only compared where it is named.
bool is_given(std::string_view tag) {
  return is_frame(tag) || tag == "49" || tag == "52" || tag == "56";
}

bool may_be_missing(const Pair& expected) {
  return expected.value == "*?";
}

/// A `#` of what is expected is any digit.
bool is_alike(std::string_view expected, std::string_view got) {
  return std::ranges::equal(expected, got, [](char wanted, char there) {
    return wanted == there || (wanted == '#' && there >= '0' && there <= '9');
  });
}

bool fits(const Pair& expected, const Pair& got) {
  if (expected.tag != got.tag) return false;
  return expected.value == "*" || expected.value == "*?" || is_alike(expected.value, got.value);
}

std::string named(const Pair& pair) {
  return std::string(pair.tag) + "=" + std::string(pair.value);
}

}  // namespace

std::string script_text_of(Bytes message) {
  std::string text;
  for (const Pair& pair : pairs_of(as_text(message), '\x01')) {
    if (!is_frame(pair.tag)) text += named(pair) + "|";
  }
  return text;
}

std::string difference(std::string_view expected, Bytes message, bool is_order_fixed) {
  const std::vector<Pair> wanted = pairs_of(expected, '|');
  std::vector<Pair> got = pairs_of(as_text(message), '\x01');
  std::size_t place = 0;
  for (const Pair& pair : wanted) {
    const auto found = std::ranges::find_if(got, [&](const Pair& other) { return fits(pair, other); });
    if (found == got.end()) {
      if (may_be_missing(pair)) continue;
      const auto other = std::ranges::find(got, pair.tag, &Pair::tag);
      return other == got.end() ? named(pair) + " is missing"
                                : named(pair) + " expected, " + named(*other) + " received";
    }
    const auto at = static_cast<std::size_t>(found - got.begin());
    if (is_order_fixed && at < place) return named(pair) + " is not in its place";
    place = at;
    got.erase(found);
  }
  for (const Pair& pair : got) {
    if (!is_given(pair.tag)) return named(pair) + " is too many";
  }
  return {};
}

std::string script_message(std::string_view fields, std::string_view begin_string, std::string_view sender,
                           std::string_view target, std::string_view now) {
  const std::vector<Pair> pairs = pairs_of(fields, '|');
  const auto has = [&](std::string_view tag) { return std::ranges::find(pairs, tag, &Pair::tag) != pairs.end(); };
  std::string added;
  if (!has("49")) added += "49=" + std::string(sender) + "|";
  if (!has("52")) added += "52=" + std::string(now) + "|";
  if (!has("56")) added += "56=" + std::string(target) + "|";
  std::string body;
  for (const Pair& pair : pairs) {
    if (pair.tag == "8" || pair.tag == "9" || pair.tag == "10") continue;
    body += named(pair) + "|";
    if (pair.tag == "34" || (pair.tag == "35" && !has("34"))) body += added;
  }
  std::ranges::replace(body, '|', '\x01');
  const auto given = std::ranges::find(pairs, "8", &Pair::tag);
  const auto length = std::ranges::find(pairs, "9", &Pair::tag);
  const auto check = std::ranges::find(pairs, "10", &Pair::tag);
  std::string message = "8=" + std::string(given == pairs.end() ? begin_string : given->value) + "\x01" +
                        "9=" + (length == pairs.end() ? std::to_string(body.size()) : std::string(length->value)) +
                        "\x01" + body;
  // The stamp makes each message another one, so a constant in a script would be right once in 256 times.
  const bool is_wrong = check != pairs.end() && check->value == "wrong";
  char sum[8];
  std::snprintf(sum, sizeof sum, "%03u", (check_sum(as_bytes(message)) + (is_wrong ? 1U : 0U)) % 256U);
  const bool is_made = check == pairs.end() || is_wrong;
  return message + "10=" + (is_made ? std::string(sum) : std::string(check->value)) + "\x01";
}

}  // namespace dojima::fix
