#pragma once

// The subcommands for recorded data, one file each (`dojima data`, `gen`, `replay`, `backtest`, `sweep`), and what they
// share: which file, of which format and day, which events.

#include <optional>
#include <string>
#include <vector>

#include "dojima/recorded/files/recorded_file.hpp"

namespace dojima::cli {

class Command;

/// FILE, --format, --date and --symbol.
struct RecordedInput {
  std::string file, format, date, symbol;

  void add_to(Command command);
  /// The same without FILE.
  void add_options_to(Command command);
  /// None: a value makes no sense; that has been reported.
  [[nodiscard]] std::optional<recorded::RecordedOptions> options() const;
  /// None: it cannot be opened, or an option is wrong; that has been reported.
  [[nodiscard]] std::optional<recorded::RecordedFile> open() const;
};

/// --from, --until and --only: which events.
struct EventChoice {
  std::string from, until;
  std::vector<std::string> symbols;
  std::optional<time::Time> from_time, until_time;

  void add_to(Command command);
  /// Reads the times. False: one makes no sense; that has been reported.
  [[nodiscard]] bool read();
};

void add_data_info(Command data, int& status);
void add_data_convert(Command data, int& status);
void add_gen(Command program, int& status);
void add_replay(Command program, int& status);
void add_backtest(Command program, int& status);
/// `was_run`: that the work was this and not a back-test's; outlives the command.
void add_calibrate(Command backtest, bool& was_run, int& status);
void add_sweep(Command program, int& status);

}  // namespace dojima::cli
