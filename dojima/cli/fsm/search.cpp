// dojima fsm search

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "dojima/app/config.hpp"
#include "dojima/app/stop_signal.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/fsm/fsm.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/cli/progress.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/fsm/hash_search.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::cli {
namespace {

struct SearchOptions {
  std::string keys;
  std::string checkpoint;
  std::string emit;
  std::string name = "keys";
  unsigned threads = 0;
  bool digits_are_numbers = false;
  bool no_progress = false;
  fsm::HashSearchLimits limits;
  JsonOption json;
};

std::string described(const Error& error) {
  char text[160];
  return std::string(describe(error, text));
}

/// The line of the file is said already; a key that is there twice is named as it is written.
std::string described(Error error, std::string_view text) {
  std::string_view line = text;
  for (std::uint32_t number = 1; number < error.offset; ++number) line.remove_prefix(line.find('\n') + 1);
  error.offset = 0;
  if (error.code == ErrorCode::duplicate)
    return fmt::format("duplicate: {} is in a line before this one, expected {}",
                       fsm::key_in_line(line.substr(0, line.find('\n'))), error.expected);
  return described(error);
}

/// 0: nothing to go on from.
int resume(fsm::HashSearch& search, const std::string& file) {
  if (file.empty() || !std::filesystem::exists(file)) return k_success;
  const auto text = app::read_text_file(file);
  if (!text) {
    complain(text.error());
    return k_environment;
  }
  if (const auto resumed = search.resume(*text); !resumed) {
    complain(fmt::format("{}: {}; remove the file to begin anew", file, described(resumed.error())));
    return k_usage;
  }
  return k_success;
}

/// Written beside it and renamed: an interruption leaves the old position or the new one.
bool keep_position(const fsm::HashSearch& search, const std::string& file) {
  if (file.empty()) return true;
  const std::string fresh = file + ".new";
  {
    std::ofstream stream(fresh, std::ios::binary);
    stream << search.checkpoint() << '\n';
    stream.close();
    if (!stream) {
      complain(file + ": the position cannot be written; does the folder exist, and may you write there?");
      return false;
    }
  }
  std::error_code error;
  std::filesystem::rename(fresh, file, error);
  if (error) complain(fmt::format("{}: {}", file, error.message()));
  return !error;
}

/// Runs slices until there is an answer or a stop is asked for; false when the position could not be kept.
bool search_all(fsm::HashSearch& search, const SearchOptions& options, unsigned threads) {
  using Clock = std::chrono::steady_clock;
  const app::StopSignal stop;
  ProgressLine line(!options.no_progress);
  const Clock::time_point begin = Clock::now();
  Clock::time_point kept = begin;
  const std::uint64_t tries_before = search.position().tries;
  while (search.status() == fsm::HashSearch::Status::searching && !stop.is_raised()) {
    constexpr std::uint64_t slice_blocks = 512;
    search.run(threads, slice_blocks);
    const Clock::time_point now = Clock::now();
    if (line.is_shown()) {
      const double seconds = std::chrono::duration<double>(now - begin).count();
      const double rate = static_cast<double>(search.position().tries - tries_before) / std::max(seconds, 1e-9);
      const double left = static_cast<double>(search.last_denominator() - search.position().denominator) *
                          static_cast<double>(search.seeds()) / std::max(rate, 1.0);
      line.show(fmt::format("denominator {} of at most {}, {:.1f} M seeds/s, at most {:.0f} s left",
                            search.position().denominator, search.last_denominator(), rate / 1e6, left));
    }
    if (now - kept > std::chrono::seconds{1}) {
      if (!keep_position(search, options.checkpoint)) return false;
      kept = now;
    }
  }
  return keep_position(search, options.checkpoint);
}

evidence::Artefact result_of(const fsm::HashSearch& search, unsigned threads) {
  const fsm::HashPlan plan = search.plan();
  evidence::Artefact result("dojima fsm search");
  result.set_parameter("threads", std::uint64_t{threads}).set_parameter("seeds", search.seeds());
  evidence::Table table{"search",
                        "smallest (key ^ seed) % denominator without collision",
                        {{"keys"}, {"is_found"}, {"denominator"}, {"seed"}, {"tries"}, {"is_exhaustive"}}};
  const fsm::XorModuloPosition& at = search.position();
  table.add_row({search.keys().size(), plan.is_found, at.denominator, at.seed, at.tries, plan.is_exhaustive});
  result.add_table(std::move(table));
  result.add_check("found", plan.is_found, "");
  return result;
}

int search_keys(const SearchOptions& options) {
  const auto text = app::read_text_file(options.keys);
  if (!text) {
    complain(text.error());
    return k_usage;
  }
  const auto keys = fsm::parse_keys(*text, options.digits_are_numbers);
  if (!keys) {
    complain(fmt::format("{}:{}: {}", options.keys, keys.error().offset, described(keys.error(), *text)));
    return k_usage;
  }
  auto search = fsm::HashSearch::begin(*keys, options.limits);
  if (!search) {
    complain(fmt::format("{}: {}", options.keys, described(search.error())));
    return k_usage;
  }
  if (const int status = resume(*search, options.checkpoint); status != k_success) return status;
  const evidence::EvidenceCollector evidence({.build = evidence::build_identity(), .argv = command_line()});
  const unsigned threads = options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  if (!search_all(*search, options, threads)) return k_environment;

  if (options.json.is_wanted()) {
    evidence::Artefact result = result_of(*search, threads);
    time::SystemClock clock;
    result.set_evidence(evidence.finish({.created = clock.now(), .applied = evidence::applied_settings()}));
    if (!options.json.write(result.text())) return k_environment;
  }
  switch (search->status()) {
    case fsm::HashSearch::Status::found:
      if (!options.json.is_on_stdout())
        fmt::print("{}",
                   options.emit == "header" ? fsm::emit_header(*search, options.name) : fsm::explain(search->plan()));
      return k_success;
    case fsm::HashSearch::Status::exhausted:
      complain(fmt::format("no denominator up to {} works; --last-denominator takes a larger one",
                           search->last_denominator()));
      return k_failed;
    case fsm::HashSearch::Status::searching:
      break;
  }
  complain(fmt::format("interrupted: nothing found below denominator {}{}", search->position().denominator,
                       options.checkpoint.empty() ? "; --checkpoint FILE keeps the position"
                                                  : "; the same command goes on from " + options.checkpoint));
  return k_failed;
}

}  // namespace

void add_fsm_search(Command fsm, int& status) {
  auto options = std::make_shared<SearchOptions>();
  Command search = fsm.add_command("search", "Search the smallest perfect hash of a key set, on all cores");
  search.footer("example: dojima fsm search --keys types.txt --emit header --name fix_types > fix_types.hpp");
  search.add_option("--keys", options->keys, "File with one key a line: 12, 0x1f, D or \"AE\"; # begins a comment")
      .required()
      .existing_file();
  search.add_option("--checkpoint", options->checkpoint, "Keep the position there, and go on from it");
  search.add_option("--emit", options->emit, "Print a C++ header instead of the facts").one_of({"header"});
  search.add_option("--name", options->name, "Of the header's types, in snake_case").check([](const std::string& name) {
    const bool is_name = !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
                         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
    return is_name ? std::string() : std::string("a name begins with a letter and is in snake_case");
  });
  search.add_option("--threads", options->threads, "0: all cores").between(0, 1024);
  search.add_option("--last-denominator", options->limits.last_denominator, "0: eight times the number of keys");
  search.add_option("--seeds-max", options->limits.seeds_max, "For each denominator, where there are more").positive();
  search.add_flag("--digits-are-numbers", options->digits_are_numbers, "A lone digit is a number, not a character");
  search.add_flag("--no-progress", options->no_progress, "No progress line on stderr");
  options->json.add_to(search);
  search.on_run([options, &status] { status = search_keys(*options); });
}

}  // namespace dojima::cli
