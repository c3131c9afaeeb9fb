#pragma once

// The words of a scenario file (script.hpp) as commands, and reports as words. Nothing here runs anything.

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/book/rules.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"

namespace dojima::book {

/// A line that cannot be understood; what() says why. It quotes the script, and can be shown on a terminal all the
/// same: one short line of printable ASCII.
struct ScriptTrouble : std::runtime_error {
  explicit ScriptTrouble(std::string_view text);
};

/// One line: plain words, and "key=value" pairs. Every pair must be used.
class ScriptLine {
 public:
  /// Throws ScriptTrouble for a key that is given twice.
  explicit ScriptLine(std::string_view line);

  /// The next plain word; empty: there is none.
  [[nodiscard]] std::string_view next();
  [[nodiscard]] std::string_view peek() const { return at_ < words_.size() ? words_[at_] : std::string_view{}; }
  /// The next word, which must be there.
  [[nodiscard]] std::string_view take(const char* what);
  [[nodiscard]] std::optional<std::string_view> value(std::string_view key);
  [[nodiscard]] std::int64_t number(std::string_view key, std::int64_t otherwise);
  [[nodiscard]] market::Price price(std::string_view key, market::Price otherwise);
  /// Throws ScriptTrouble when something is left.
  void end() const;

 private:
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  std::map<std::string_view, std::string_view> values_;
};

[[nodiscard]] std::int64_t script_number(std::string_view word);
[[nodiscard]] market::Price script_price(std::string_view word);
/// "yes" or "no"; no when it is not given.
[[nodiscard]] bool script_yes(ScriptLine& line, std::string_view key);

/// A number of a narrower type; throws ScriptTrouble when it does not fit.
template <class Number>
[[nodiscard]] Number script_narrowed(std::string_view key, std::int64_t number) {
  if (!std::in_range<Number>(number)) throw ScriptTrouble(std::string(key) + " is out of range");
  return static_cast<Number>(number);
}
template <class Number>
[[nodiscard]] Number script_narrow(ScriptLine& line, std::string_view key, Number otherwise) {
  return script_narrowed<Number>(key, line.number(key, static_cast<std::int64_t>(otherwise)));
}

/// What the words after "book" and after "buy NAME" say.
struct ScriptBook {
  market::Price tick{market::k_price_scale}, lowest{market::k_price_scale}, highest{10'000 * market::k_price_scale};
  std::int64_t largest = 1'000'000'000;
  std::size_t orders = 1'000, owners = 16, levels = 1'000, hidden_levels = 256, stop_levels = 256;
  BookRules rules;
};
[[nodiscard]] ScriptBook read_book(ScriptLine& line);

/// The order that the words describe; `linked` is left to the caller.
[[nodiscard]] market::NewOrder read_order(market::Side side, ScriptLine& line);
/// What the words after "replace NAME" say; whose order it is is left to the caller.
[[nodiscard]] market::Replace read_replace(ScriptLine& line);
/// What the words after "cancel_all" say.
[[nodiscard]] market::MassCancel read_mass_cancel(ScriptLine& line);

[[nodiscard]] market::Side read_side(std::string_view word);
[[nodiscard]] market::Phase read_phase(std::string_view word);
[[nodiscard]] std::string_view name_of(market::Phase phase) noexcept;
[[nodiscard]] std::string_view name_of(market::BookReportKind kind) noexcept;
[[nodiscard]] std::string_view name_of(market::Reason reason) noexcept;
[[nodiscard]] std::string_view name_of(market::Side side) noexcept;
[[nodiscard]] std::string text_of(market::Price price);

}  // namespace dojima::book
