#pragma once

// What an operator says to a running server and is answered: plain values, and the text that carries them. Cold path.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dojima::app {

/// What an operator is answered.
struct AdminAnswer {
  bool is_done = true;               ///< false: refused, `text` says why, nothing has changed
  std::string text;                  ///< for a person; may be empty
  std::vector<std::string> columns;  ///< of a table; empty: there is none
  std::vector<std::vector<std::string>> rows;

  [[nodiscard]] static AdminAnswer refusal(std::string why) {
    AdminAnswer answer;
    answer.is_done = false;
    answer.text = std::move(why);
    return answer;
  }
  friend bool operator==(const AdminAnswer&, const AdminAnswer&) = default;
};

/// Words of a command, between spaces; the text between double quotes is one word, and a backslash takes the next
/// character as it is. None: a quotation mark is not closed.
[[nodiscard]] std::optional<std::vector<std::string>> admin_words(std::string_view line);
/// A line that admin_words reads back to these words.
[[nodiscard]] std::string admin_line(std::span<const std::string> words);

/// The verbs of a venue and those of a gateway.
[[nodiscard]] std::span<const std::string_view> admin_verbs() noexcept;
/// Whether any of the programs has a verb of this name.
[[nodiscard]] bool is_admin_verb(std::string_view word) noexcept;

/// The words as logs may have them: only those that a command of this verb takes at their place. *** stands for every
/// word where a password may be, in an incomplete command about users and in a command with an unknown verb;
/// $scrypt$... stands for a password's hash. `is_verb`: the first word is a verb of the program at hand.
[[nodiscard]] std::vector<std::string> without_secrets(std::span<const std::string> words, bool is_verb);

/// The answer as a JSON object: "done", "text", "columns" and "rows". What is no UTF-8 is replaced.
[[nodiscard]] std::string json_of(const AdminAnswer& answer);
/// None: it is no such object.
[[nodiscard]] std::optional<AdminAnswer> parse_admin_answer(std::string_view json);

}  // namespace dojima::app
