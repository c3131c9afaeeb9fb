#include "dojima/recorded/parsing/json_cursor.hpp"

#include <array>

namespace dojima::recorded {

void JsonCursor::skip_blanks() noexcept {
  while (!fields_.is_at_end()) {
    const char next = fields_.rest().front();
    if (next != ' ' && next != '\t' && next != '\r' && next != '\n') return;
    fields_.skip(1);
  }
}

char JsonCursor::peek() noexcept {
  skip_blanks();
  return fields_.is_at_end() ? '\0' : fields_.rest().front();
}

bool JsonCursor::begin(char open) noexcept {
  if (peek() != open) return refuse();
  fields_.skip(1);
  const char close = open == '{' ? '}' : ']';
  if (peek() != close) return true;
  fields_.skip(1);
  return false;
}

bool JsonCursor::more(char close) noexcept {
  if (!is_good_) return false;
  const char next = peek();
  if (next != ',' && next != close) return refuse();
  fields_.skip(1);
  return next == ',';
}

bool JsonCursor::key(std::string_view& key) noexcept {
  if (!string(key) || peek() != ':') return refuse();
  fields_.skip(1);
  return true;
}

bool JsonCursor::string(std::string_view& text) noexcept {
  if (peek() != '"') return refuse();
  fields_.skip(1);
  const std::string_view rest = fields_.rest();
  std::size_t end = 0;
  while (true) {
    end = rest.find('"', end);
    if (end == std::string_view::npos) return refuse();
    std::size_t escapes = 0;
    while (escapes < end && rest[end - 1 - escapes] == '\\') ++escapes;
    if (escapes % 2 == 0) break;
    ++end;
  }
  text = rest.substr(0, end);
  fields_.skip(end + 1);
  return true;
}

bool JsonCursor::number(std::uint64_t& value) noexcept {
  skip_blanks();
  return fields_.take_number(value) || refuse();
}

bool JsonCursor::decimal(unsigned decimals, std::int64_t& value) noexcept {
  const bool is_quoted = peek() == '"';
  if (is_quoted) fields_.skip(1);
  if (!fields_.take_decimal(decimals, value)) return refuse();
  return !is_quoted || fields_.take('"') || refuse();
}

bool JsonCursor::boolean(bool& value) noexcept {
  skip_blanks();
  value = fields_.take("true");
  return value || fields_.take("false") || refuse();
}

bool JsonCursor::is_done() noexcept {
  return peek() == '\0' && fields_.is_at_end() && is_good_;
}

/// Without recursion: what is open is in a row.
bool JsonCursor::skip() noexcept {
  constexpr std::size_t k_deepest = 64;
  std::array<char, k_deepest> closing{};
  std::size_t depth = 0;
  std::string_view ignored;
  while (true) {
    const char next = peek();
    bool is_value = true;
    if (next == '{' || next == '[') {
      if (depth == k_deepest) return refuse();
      closing[depth++] = next == '{' ? '}' : ']';
      if (begin(next)) {
        if (next == '{' && !key(ignored)) return false;
        is_value = false;
      } else {
        --depth;
      }
    } else if (next == '"') {
      if (!string(ignored)) return false;
    } else {
      std::size_t size = 0;
      const std::string_view rest = fields_.rest();
      while (size < rest.size() && std::string_view(",]} \t\r\n:\"{[").find(rest[size]) == std::string_view::npos)
        ++size;
      if (size == 0) return refuse();
      fields_.skip(size);
    }
    if (!is_value) continue;
    while (depth != 0 && !more(closing[depth - 1])) {
      if (!is_good_) return false;
      --depth;
    }
    if (depth == 0) return true;
    if (closing[depth - 1] == '}' && !key(ignored)) return false;
  }
}

}  // namespace dojima::recorded
