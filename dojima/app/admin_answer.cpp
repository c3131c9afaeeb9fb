#include "dojima/app/admin_answer.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dojima::app {
namespace {

bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
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

std::vector<std::string> without_secrets(std::span<const std::string> words) {
  constexpr std::string_view k_kept = "$scrypt$";
  constexpr std::size_t k_place = 3;  // user add NAME HASH
  std::vector<std::string> shown(words.begin(), words.end());
  for (std::string& word : shown)
    if (word.starts_with(k_kept)) word = std::string(k_kept) + "...";
  const bool has_one = words.size() > k_place && words[0] == "user" && (words[1] == "add" || words[1] == "password");
  if (has_one && !words[k_place].starts_with(k_kept)) shown[k_place] = "***";
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
