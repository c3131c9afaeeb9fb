#include <algorithm>
#include <charconv>
#include <expected>
#include <optional>

#include "dojima/fix/script.hpp"

namespace dojima::fix {
namespace {

using Kind = ScriptStep::Kind;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// The first word, taken off.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

/// "2s", "1.5s", "300ms".
std::optional<time::Duration> duration_of(std::string_view text) {
  double number = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (trouble != std::errc{} || number < 0 || number > 1e6) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double scale = unit == "s" ? 1e9 : unit == "ms" ? 1e6 : 0;
  if (scale == 0) return std::nullopt;
  return time::Duration{static_cast<std::int64_t>(number * scale)};
}

/// The beginning of a word as a terminal can show it.
std::string shown(std::string_view word) {
  constexpr std::size_t k_most = 40;
  std::string text(word.substr(0, k_most));
  std::ranges::replace_if(text, [](char character) { return character < ' ' || character > '~'; }, '?');
  return text;
}

std::expected<std::string, std::string> bytes_of(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '|') {
      bytes += '\x01';
    } else if (text[at] == '\\') {
      unsigned value = 0;
      const bool is_hex = at + 3 < text.size() && text[at + 1] == 'x';
      const char* const digits = text.data() + at + 2;
      if (!is_hex || std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2)
        return std::unexpected("\\xHH with two hexadecimal digits behind a backslash");
      bytes += static_cast<char>(value);
      at += 3;
    } else {
      bytes += text[at];
    }
  }
  return bytes;
}

class Parser {
 public:
  std::expected<Script, ScriptTrouble> parse(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      if (auto why = read_line(trimmed(text.substr(0, end))); !why.empty())
        return std::unexpected(ScriptTrouble{line_, std::move(why)});
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (script_.steps.empty()) return std::unexpected(ScriptTrouble{line_, "no steps"});
    script_.accepts = std::ranges::find(script_.steps, Kind::accept, &ScriptStep::kind) != script_.steps.end();
    const auto connects = std::ranges::find(script_.steps, Kind::connect, &ScriptStep::kind);
    if (script_.accepts && connects != script_.steps.end())
      return std::unexpected(ScriptTrouble{connects->line, "a script connects or accepts, not both"});
    return std::move(script_);
  }

 private:
  /// Why the line is none; empty: it is one.
  std::string read_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return {};
    ScriptStep step{.line = line_};
    std::string_view rest = line;
    std::string_view word = take_word(rest);
    if (word.size() > 1 && word.back() == ':') {
      step.connection = std::string(word.substr(0, word.size() - 1));
      word = take_word(rest);
    }
    if (word == "set") return read_variable(rest);
    if (word == "versions") return read_versions(rest);
    if (word == "config") return read_config(rest);
    struct Named {
      std::string_view word;
      Kind kind;
      bool has_fields;
    };
    static constexpr Named k_words[] = {
        {"connect", Kind::connect, false}, {"accept", Kind::accept, false}, {">", Kind::send, true},
        {"raw", Kind::send_raw, true},     {"<", Kind::expect, true},       {"<=", Kind::expect_in_order, true},
        {"?", Kind::may_expect, true},     {"closed", Kind::closed, false}, {"silent", Kind::silent, true},
        {"wait", Kind::wait, true},        {"close", Kind::close, false}};
    const auto* const known = std::ranges::find(k_words, word, &Named::word);
    if (known == std::end(k_words)) return "unknown step: " + shown(word);
    step.kind = known->kind;
    if (known->has_fields == rest.empty())
      return std::string(word) + (rest.empty() ? " needs something behind it" : " has nothing behind it");
    if (auto why = read_rest(step, rest); !why.empty()) return why;
    script_.steps.push_back(std::move(step));
    return {};
  }

  std::string read_variable(std::string_view rest) {
    const std::string_view name = take_word(rest);
    if (name.empty() || rest.empty()) return "set needs a name and a value";
    script_.variables[std::string(name)] = std::string(rest);
    return {};
  }

  std::string read_versions(std::string_view rest) {
    while (!rest.empty()) script_.versions.emplace_back(take_word(rest));
    return script_.versions.empty() ? "versions needs BeginStrings" : std::string{};
  }

  std::string read_config(std::string_view rest) {
    const std::size_t sign = std::min(rest.find('='), rest.size());
    const std::string_view key = trimmed(rest.substr(0, sign));
    const std::string_view value = trimmed(rest.substr(std::min(sign + 1, rest.size())));
    if (key.empty() || value.empty()) return "config needs a key, = and a value";
    script_.config.emplace_back(key, value);
    return {};
  }

  static std::string read_rest(ScriptStep& step, std::string_view rest) {
    switch (step.kind) {
      case Kind::silent:
      case Kind::wait: {
        const auto duration = duration_of(rest);
        if (!duration) return "a time such as 2s or 300ms: " + std::string(rest);
        step.latest = *duration;
        return {};
      }
      case Kind::expect:
      case Kind::expect_in_order:
      case Kind::may_expect:
        return read_expected(step, rest);
      case Kind::send_raw: {
        auto bytes = bytes_of(rest);
        if (!bytes) return bytes.error();
        step.text = *std::move(bytes);
        return {};
      }
      case Kind::send:
        step.text = std::string(rest);
        return rest.find("35=") == std::string_view::npos ? "a message needs MsgType(35)" : std::string{};
      default:
        return {};
    }
  }

  static std::string read_expected(ScriptStep& step, std::string_view rest) {
    if (rest.front() == '[') {
      const std::size_t end = rest.find(']');
      std::string_view window = rest.substr(1, end == std::string_view::npos ? 0 : end - 1);
      const auto earliest = duration_of(take_word(window));
      const auto latest = duration_of(take_word(window));
      if (!earliest || !latest || *earliest > *latest) return "a window such as [29s 31s]";
      step.earliest = *earliest;
      step.latest = *latest;
      rest = trimmed(rest.substr(end + 1));
    }
    step.text = std::string(rest);
    return rest.find("35=") == std::string_view::npos ? "what is expected needs MsgType(35)" : std::string{};
  }

  Script script_;
  unsigned line_ = 0;
};

}  // namespace

bool Script::is_for(std::string_view begin_string) const {
  return versions.empty() || std::ranges::find(versions, begin_string) != versions.end();
}

ScriptVariables script_variables(std::string_view begin_string) {
  const bool is_old = begin_string == "FIX.4.0" || begin_string == "FIX.4.1";
  const bool is_fixt = begin_string == "FIXT.1.1";
  const std::string order = "21=1|38=100|40=1|54=1|55=RICE";
  return {{"begin_string", std::string(begin_string)},
          {"default_appl_ver_id", is_fixt ? "9" : ""},
          {"version", is_fixt ? "|1137=${default_appl_ver_id}" : ""},
          {"logon", "98=0|108=30${version}"},
          {"reset", begin_string == "FIX.4.0" ? "" : "|141=Y"},
          {"order", order + (is_old ? "" : "|60=${now}")},
          {"order_back", order + (is_old ? "" : "|60=*")}};
}

std::expected<Script, ScriptTrouble> parse_script(std::string_view text) {
  return Parser().parse(text);
}

}  // namespace dojima::fix
