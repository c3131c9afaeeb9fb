#pragma once

// What the program's commands take, as plain values: made from the parser's definitions (`Command::shape`), so that who
// completes command lines or lists commands reads no parser.

#include <string>
#include <vector>

namespace dojima::cli {

struct OptionShape {
  std::vector<std::string> names;  ///< "--json", "-h"; empty: one of the words after the command
  std::string word_name;           ///< of such a word: "FILE"
  std::string type;                ///< what its value is: "FILE", "UINT"; for a word without a type of its own its name
  std::vector<std::string> words;  ///< all that it takes; empty: anything
  std::string meaning;
  int values_min = 0;  ///< that must follow each mention
  int values_max = 0;  ///< that may follow each mention; 0: a flag
  bool is_repeatable = false;
  char delimiter = '\0';  ///< between values in one word; none: '\0'
};

struct CommandShape {
  std::string name;
  std::string meaning;
  std::vector<OptionShape> options;  ///< in the order of --help
  std::vector<CommandShape> commands;
};

}  // namespace dojima::cli
