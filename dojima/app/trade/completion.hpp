#pragma once

// What a word that is being typed can become: commands at the beginning of a line, words and options of an order behind
// `buy` and `sell`, symbols that were used before. A pure function.
//
//   complete("am", {})                       // "amend "
//   complete("buy 5 KAGA @ 1 disp", {})      // "lay="

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::app {

struct Completion {
  std::string insertion{};             ///< what all candidates have in common behind what was typed
  std::vector<std::string> choices{};  ///< the candidates, where there are several
  friend bool operator==(const Completion&, const Completion&) = default;
};

/// `before` is the line up to the cursor; `symbols` those that are known.
[[nodiscard]] Completion complete(std::string_view before, std::span<const std::string> symbols);

}  // namespace dojima::app
