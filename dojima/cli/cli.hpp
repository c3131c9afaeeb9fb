#pragma once

// The `dojima` program as a function: parses the words of a command line, calls `app`, prints, answers with the exit
// status. One file per subcommand; each adds itself to the parser with an `add_...` of its own.

#include <string>
#include <vector>

namespace dojima::cli {

class Command;

/// Exit statuses, the same for every subcommand.
inline constexpr int k_success = 0;
inline constexpr int k_failed = 1;       ///< the work was done and found a failure
inline constexpr int k_usage = 2;        ///< bad arguments or configuration
inline constexpr int k_environment = 3;  ///< this machine cannot do it now: port taken, no permission

/// Runs the program. Prints results to stdout, messages and progress to stderr.
[[nodiscard]] int run(int count, const char* const* words);

/// "dojima: MESSAGE" on stderr, one line per line of the message.
void complain(const std::string& message);

/// The words that run() was given, the program's name first: evidence of how a result came about. Passwords are `***`,
/// behind `--...password` and where a key `...password` or `...password_hash` is set.
[[nodiscard]] const std::vector<std::string>& command_line();

/// Those of them after the first `--`.
[[nodiscard]] std::vector<std::string> words_after_dashes();

/// The benchmarks beside this program, without dojima-bench-, in order.
[[nodiscard]] std::vector<std::string> benchmark_names();
/// What `--table` of one of them takes: it is run to list them, for a second at most. None: it is no benchmark.
[[nodiscard]] std::vector<std::string> benchmark_tables(const std::string& benchmark);

// Each registers one subcommand; its callback sets `status`.
void add_demo(Command program, int& status);
void add_servers(Command program, int& status);
void add_trade(Command program, int& status);
void add_admin(Command program, int& status);
void add_top(Command program, int& status);
void add_feed(Command program, int& status);
void add_drop_copy(Command program, int& status);
void add_config(Command program, int& status);
void add_bench(Command program, int& status);
void add_book(Command program, int& status);
void add_completion(Command program, int& status);
void add_data(Command program, int& status);
void add_fix(Command program, int& status);
void add_fsm(Command program, int& status);
void add_journal(Command program, int& status);
void add_lab(Command program, int& status);
void add_queue(Command program, int& status);
void add_wire(Command program, int& status);

}  // namespace dojima::cli
