#include "dojima/evidence/privacy.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace dojima::evidence {
namespace {

constexpr std::string_view k_separators = " \t\n\"'<>|;()[]{},";

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' || c == '~' || c == '+';
}

/// "/ask" may be anything; "/tmp" and "/home/x" are paths.
bool is_path(std::string_view text) {
  static constexpr std::array<std::string_view, 22> k_roots = {
      "bin", "boot", "data", "dev", "etc",  "home", "lib", "lib64", "media", "mnt", "nix",
      "opt", "proc", "root", "run", "sbin", "srv",  "sys", "tmp",   "usr",   "var", "work"};
  if (text.size() < 2 || text[0] != '/' || !is_name_character(text[1])) return false;
  const std::size_t end = text.find('/', 1);
  if (end != std::string_view::npos && end + 1 < text.size() && is_name_character(text[end + 1])) return true;
  return std::ranges::find(k_roots, text.substr(1, end == std::string_view::npos ? end : end - 1)) != k_roots.end();
}

/// Where an absolute path begins in a word, or npos. It begins the word, follows a sign such as `=` or `:`, or sticks
/// to a compiler's option (-I/usr/include).
std::size_t path_begin(std::string_view word) {
  for (std::size_t at = word.find('/'); at != std::string_view::npos; at = word.find('/', at + 1)) {
    const bool begins =
        at == 0 || word[at - 1] == '=' || word[at - 1] == ':' || word[at - 1] == '@' || (word[0] == '-' && at <= 2);
    if (begins && is_path(word.substr(at))) return at;
  }
  return std::string_view::npos;
}

std::string word_without_path(std::string_view word) {
  const std::size_t begin = path_begin(word);
  if (begin == std::string_view::npos) return std::string(word);
  // Several paths in one word: /a/b:/c/d.
  const std::size_t end = std::min(word.find(':', begin), word.size());
  std::string_view path = word.substr(begin, end - begin);
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  std::string result(word.substr(0, begin));
  result += path.substr(path.rfind('/') + 1);
  return result + word_without_path(word.substr(end));
}

void collect(const Document& value, const std::string& place, std::vector<std::string>& places) {
  if (value.is_text() && without_paths(value.as_text()) != value.as_text()) places.push_back(place);
  for (std::size_t i = 0; i < value.elements().size(); ++i) {
    collect(value.elements()[i], place + "[" + std::to_string(i) + "]", places);
  }
  for (const auto& [key, member] : value.members()) {
    std::string inner = place;
    if (!inner.empty()) inner.append(".");
    collect(member, inner.append(key), places);
  }
}

}  // namespace

std::string without_paths(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(k_separators), text.size());
    result += word_without_path(text.substr(0, end));
    const std::size_t next = std::min(text.find_first_not_of(k_separators, end), text.size());
    result += text.substr(end, next - end);
    text.remove_prefix(next);
  }
  return result;
}

Document document_without_paths(const Document& document) {
  if (document.is_text()) return without_paths(document.as_text());
  if (document.is_array()) {
    Document::Array elements;
    for (const Document& element : document.elements()) elements.push_back(document_without_paths(element));
    return Document::array(std::move(elements));
  }
  if (document.is_object()) {
    Document object = Document::object();
    for (const auto& [key, member] : document.members()) object.set(without_paths(key), document_without_paths(member));
    return object;
  }
  return document;
}

std::vector<std::string> places_with_paths(const Document& document) {
  std::vector<std::string> places;
  collect(document, {}, places);
  return places;
}

}  // namespace dojima::evidence
