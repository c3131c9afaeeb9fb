#pragma once

// The lines of a terminal client in the order in which they are to be run: those of a source, and what `repeat N ...
// end` and `source FILE` make of them. Each line knows its place. No waiting, no clock; files are read whole.
//
//   Script script(lines, "stdin");
//   const auto line = script.next();     // an error: what is wrong with repeat, end or source

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/app/trade/line_source.hpp"
#include "dojima/app/trade/words.hpp"

namespace dojima::app {

struct ScriptLine {
  std::string text;
  std::string where;  ///< "FILE:LINE"; empty: a person typed it
  friend bool operator==(const ScriptLine&, const ScriptLine&) = default;
};

/// What was wrong, and on which line.
struct ScriptTrouble {
  std::string text;
  std::string where;
};

class Script {
 public:
  /// Files in files, and repetitions in repetitions, at most so deep.
  static constexpr std::size_t k_deepest = 16;
  /// Lines of one repetition.
  static constexpr std::size_t k_longest = 100'000;

  /// `name` stands for the source in places; empty: a person types. The source outlives the script.
  Script(LineSource& lines, std::string name) : lines_(lines), name_(std::move(name)) {}

  /// The next line to be run; none: nothing yet, or nothing more.
  [[nodiscard]] std::expected<std::optional<ScriptLine>, ScriptTrouble> next();
  /// Nothing more will come.
  [[nodiscard]] bool is_over() const;

  /// Runs the lines of a file before what comes next. An error where it cannot be read, or is too deep.
  Understood<void> source(const std::string& file);

 private:
  /// Lines that are there already, to be run so many times.
  struct Frame {
    std::vector<ScriptLine> lines;
    std::size_t next = 0;
    std::uint32_t rounds = 1;
  };
  /// A repetition that is being read.
  struct Recording {
    Frame frame;
    std::string where;
    std::size_t depth = 0;   // of repetitions inside it
    std::size_t frames = 0;  // how many there were when it began
  };

  [[nodiscard]] std::optional<ScriptLine> take();
  [[nodiscard]] std::expected<std::optional<ScriptLine>, ScriptTrouble> record(ScriptLine line);

  LineSource& lines_;
  std::string name_;
  std::size_t line_ = 0;
  std::vector<Frame> frames_;
  std::optional<Recording> recording_;
};

}  // namespace dojima::app
