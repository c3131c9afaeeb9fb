#include "dojima/app/admin_answer.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "dojima/venue/limit_keys.hpp"

namespace dojima::app {
namespace {

bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr std::string_view k_hidden = "***", k_hash = "$scrypt$";

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, word) != all.end();
}

/// A password that the rules allow has a digit and another character; a verb that was mistyped seldom has.
bool looks_like_verb(std::string_view word) {
  return std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

/// account=ACCOUNT, or a limit with a value that it can have.
bool is_setting(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const venue::LimitKey* const key = venue::find_limit_key(word.substr(0, equals));
  return word.starts_with("account=") || (key != nullptr && venue::parse_limit(*key, word.substr(equals + 1)));
}

/// `user WHAT USER ...`: only words that belong in their place are shown. A user who writes a password in clear, or in
/// the wrong place, may have written it anywhere.
bool may_show_of_user(std::span<const std::string> words, std::size_t at) {
  constexpr std::size_t k_what = 1, k_name = 2, k_value = 3;
  const std::string& what = words[k_what];
  const bool takes_password = is_one_of(what, {"add", "password"});
  const bool is_known = takes_password || is_one_of(what, {"remove", "role", "lock", "unlock", "expire"});
  if (at == k_what) return is_known || looks_like_verb(what);
  if (!is_known) return false;
  if (takes_password) {
    const bool is_kept = words.size() > k_value && (words[k_value].starts_with(k_hash) || words[k_value] == "-");
    if (!is_kept) return false;
    return at == k_name || at == k_value || is_one_of(words[at], {"read", "first"}) || is_setting(words[at]);
  }
  if (at == k_name) return true;
  return at == k_value && what == "role" && is_one_of(words[at], {"trade", "read"});
}

/// A word before the reason.
bool may_show(std::span<const std::string> words, std::size_t at) {
  const std::string& verb = words.front();
  if (verb == "user") return may_show_of_user(words, at);
  // These take no words, or one name: other words were meant for another verb.
  if (is_one_of(verb, {"users", "sessions", "status", "instruments", "drain", "undrain", "end-of-day", "next-day"}))
    return false;
  return at == 1 || !is_one_of(verb, {"lock", "unlock", "expire"});
}

/// The reason, too, where the words before it are shown.
bool may_show_reason(std::span<const std::string> words) {
  for (std::size_t at = 1; at < words.size(); ++at)
    if (!may_show(words, at) && !words[at].starts_with(k_hash)) return false;
  return true;
}

}  // namespace

std::optional<std::vector<std::string>> admin_words(std::string_view line) {
  std::vector<std::string> words;
  bool is_quoted = false, is_word = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    char c = line[at];
    if (!is_quoted && is_space(c)) {
      is_word = false;
      continue;
    }
    if (!is_word) words.emplace_back();
    is_word = true;
    if (c == '"') {
      is_quoted = !is_quoted;
      continue;
    }
    if (c == '\\' && at + 1 < line.size()) c = line[++at];
    words.back() += c;
  }
  if (is_quoted) return std::nullopt;
  return words;
}

std::span<const std::string_view> admin_verbs() noexcept {
  static constexpr std::string_view k_all[] = {
      "audit",   "bust",        "cancel",         "correct",  "delist", "drain",  "end-of-day", "expire",
      "halt",    "instruments", "kill",           "limits",   "list",   "lock",   "logout",     "next-day",
      "numbers", "orders",      "phase",          "recovery", "resume", "revive", "sessions",   "status",
      "suspend", "undrain",     "unknown-trades", "unlock",   "user",   "users"};
  return k_all;
}

bool is_admin_verb(std::string_view word) noexcept {
  return std::ranges::find(admin_verbs(), word) != admin_verbs().end();
}

std::vector<std::string> without_secrets(std::span<const std::string> words, bool is_verb) {
  std::vector<std::string> shown;
  if (words.empty()) return shown;
  shown.push_back(is_verb || looks_like_verb(words.front()) ? words.front() : std::string(k_hidden));
  // The words behind -- are the reason.
  const auto end = static_cast<std::size_t>(std::ranges::find(words, "--") - words.begin());
  for (std::size_t at = 1; at < words.size(); ++at) {
    const bool is_shown =
        at == end || (is_verb && (at < end ? may_show(words.first(end), at) : may_show_reason(words.first(end))));
    const bool is_hash = words[at].starts_with(k_hash);
    shown.push_back(is_hash ? std::string(k_hash) + "..." : is_shown ? words[at] : std::string(k_hidden));
  }
  return shown;
}

std::string admin_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    const bool is_plain =
        !word.empty() && std::ranges::none_of(word, [](char c) { return is_space(c) || c == '"' || c == '\\'; });
    if (!is_plain) line += '"';
    for (const char c : word) {
      if (c == '"' || c == '\\') line += '\\';
      line += c;
    }
    if (!is_plain) line += '"';
  }
  return line;
}

std::string json_of(const AdminAnswer& answer) {
  const nlohmann::ordered_json object = {
      {"done", answer.is_done}, {"text", answer.text}, {"columns", answer.columns}, {"rows", answer.rows}};
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::optional<AdminAnswer> parse_admin_answer(std::string_view json) {
  const auto object = nlohmann::json::parse(json, nullptr, false);
  if (object.is_discarded()) return std::nullopt;
  try {
    AdminAnswer answer;
    object.at("done").get_to(answer.is_done);
    object.at("text").get_to(answer.text);
    object.at("columns").get_to(answer.columns);
    object.at("rows").get_to(answer.rows);
    for (const auto& row : answer.rows)
      if (row.size() != answer.columns.size()) return std::nullopt;
    return answer;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace dojima::app
