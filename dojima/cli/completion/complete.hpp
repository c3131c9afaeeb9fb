#pragma once

// What can follow a command line that is not finished: the question that a shell asks when the tab key is pressed. Pure
// functions over the shape of the commands; what only the disk or other rooms know (benchmarks, symbols of a file)
// comes from the function that is handed in.
//
//   const Completion answer = complete(shape, "dojima data info --for", known_words);   // --format

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/cli/completion/command_shape.hpp"

namespace dojima::cli {

/// A line up to the cursor, taken apart as a shell does: blanks between words, quotes and backslashes undone.
struct ShellLine {
  std::vector<std::string> words;  ///< that are finished; the first is the program
  std::string current;             ///< the one at the cursor; empty behind a blank
};
[[nodiscard]] ShellLine split_line(std::string_view line);

/// The place of a word on the command line.
struct WordPlace {
  std::string command;                                           ///< "data info"; empty: the program itself
  const OptionShape* option = nullptr;                           ///< whose value it is; never null
  std::vector<std::pair<std::string, std::string>> words_given;  ///< values so far, by the name of their option
};

/// The words that are known for a place and that the shape does not say; none where it knows of no such place.
using KnownWords = std::function<std::vector<std::string>(const WordPlace&)>;

struct Completion {
  enum class Kind { words, files, folders };
  struct Word {
    std::string text;  ///< the whole of the word at the cursor
    std::string meaning;
  };
  Kind kind = Kind::words;  ///< files, folders: the shell offers its own, and the words as well
  std::string prefix;       ///< of the word at the cursor, in front of the file's name: "--json="
  std::vector<Word> words;  ///< that begin as the word at the cursor does, in the order of --help
};

[[nodiscard]] Completion complete(const CommandShape& program, std::string_view line, const KnownWords& known);

/// As `dojima completion --line` prints it: a line with the kind and the prefix, then one a word, with a tab in front
/// of its meaning.
[[nodiscard]] std::string to_text(const Completion& completion);

}  // namespace dojima::cli
