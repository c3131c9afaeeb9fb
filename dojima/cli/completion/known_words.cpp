#include "dojima/cli/completion/known_words.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "dojima/app/admin_answer.hpp"
#include "dojima/app/config.hpp"
#include "dojima/app/machines.hpp"
#include "dojima/app/market_config.hpp"
#include "dojima/backtest/strategies.hpp"
#include "dojima/backtest/sweep.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/harness/claims.hpp"
#include "dojima/mit/describe.hpp"
#include "dojima/recorded/files/recorded_file.hpp"

namespace dojima::cli {
namespace {

using Words = std::vector<std::string>;

std::string given(const WordPlace& place, std::string_view option) {
  const auto found = std::ranges::find(place.words_given, option, [](const auto& each) { return each.first; });
  return found == place.words_given.end() ? std::string() : found->second;
}

/// As a shell reads "~/".
std::string in_home(std::string file) {
  const char* home = std::getenv("HOME");
  if (file.starts_with("~/") && home != nullptr) file.replace(0, 1, home);
  return file;
}

bool is_plain_file(const std::string& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error);
}

Words formats(const WordPlace&) {
  Words names;
  for (const recorded::Format one : recorded::all_formats()) names.emplace_back(name_of(one));
  return names;
}

/// Those that the file names, as far as it is read in the time there is.
Words symbols(const WordPlace& place) {
  const std::string file = in_home(given(place, "FILE"));
  if (!is_plain_file(file)) return {};
  recorded::RecordedOptions options;
  options.symbol = given(place, "--symbol");
  options.format = recorded::format_named(given(place, "--format"));
  options.has_book = false;
  auto opened = recorded::RecordedFile::open(file, options);
  if (!opened) return {};
  constexpr std::chrono::milliseconds k_most{400};
  const auto end = std::chrono::steady_clock::now() + k_most;
  while (!opened->reader().next_batch().empty() && std::chrono::steady_clock::now() < end) {
  }
  Words names;
  for (const recorded::RecordedInstrument& one : opened->reader().instruments())
    if (!one.symbol.empty()) names.push_back(one.symbol);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Words benchmarks(const WordPlace&) {
  return benchmark_names();
}

Words machines(const WordPlace&) {
  return app::machine_names();
}

Words claims(const WordPlace&) {
  Words ids;
  const auto set = harness::parse_claims(harness::known_claims());
  if (!set) return ids;
  for (const harness::Claim& claim : set->claims) ids.push_back(claim.id);
  return ids;
}

Words dialects(const WordPlace&) {
  Words names;
  for (const mit::Dialect* dialect : mit::dialects()) names.emplace_back(dialect->name);
  return names;
}

/// A section's rows in a list, which --set names by their numbers.
enum class Rows : std::uint8_t { left_out, numbered };

/// "listen.port=" for every key of the configuration, "population.0.count=" for those of rows that are numbered.
Words keys_of(const std::string& configuration, Rows rows = Rows::left_out) {
  Words keys;
  std::string section, list;
  std::size_t row = 0;
  std::string_view rest = configuration;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("[[")) {
      const std::string name(line.substr(2, line.find(']') - 2));
      row = name == list ? row + 1 : 0;
      list = name;
      // Of most lists --set reaches no row by name.
      section = rows == Rows::left_out ? "[" : list + "." + std::to_string(row) + ".";
    } else if (line.starts_with('[')) {
      section = std::string(line.substr(1, line.find(']') - 1)) + ".";
    } else if (const std::size_t equals = line.find(" = "); equals != std::string_view::npos && line.front() != '#') {
      if (section != "[") keys.push_back(section + std::string(line.substr(0, equals)) + "=");
    }
  }
  return keys;
}

Words keys(const WordPlace& place) {
  return keys_of(place.command == "venue" ? app::text_of(app::default_venue()) : app::text_of(app::default_gateway()));
}

Words strategies(const WordPlace&) {
  Words names;
  for (const backtest::StrategyKind& kind : backtest::strategy_kinds()) names.emplace_back(kind.name);
  return names;
}

/// Those of the file that the line names, or of the standard market.
Words market_keys(const WordPlace& place) {
  backtest::MarketConfig config{.populations = backtest::standard_populations()};
  if (const std::string file = in_home(given(place, "--population")); !file.empty() && is_plain_file(file)) {
    const auto text = app::read_text_file(file);
    if (auto made = text ? app::parse_market(*text, file, {}) : std::unexpected(text.error()))
      config = *std::move(made);
  }
  return keys_of(app::text_of(config), Rows::numbered);
}

/// What a back-test's or a sweep's --set may name, with what the line says so far.
Words parameters(const WordPlace& place) {
  Words names;
  const std::string strategy = given(place, "--strategy");
  for (const auto& [name, value] : backtest::values_in_force(strategy.empty() ? "touch" : strategy, {}))
    names.push_back(name + "=");
  const bool is_market = given(place, "--exchange") == "market";
  const std::span settings(backtest::k_run_settings);
  if (place.command == "sweep")
    for (const std::string_view name : is_market ? settings.first(backtest::k_run_settings_of_markets) : settings)
      names.push_back(std::string(name) + "=");
  if (is_market) std::ranges::copy(market_keys(place), std::back_inserter(names));
  return names;
}

Words sweep_columns(const WordPlace&) {
  Words names;
  std::string_view rest = backtest::sweep_columns();
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    names.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return names;
}

Words tables(const WordPlace& place) {
  const std::string benchmark = given(place, "NAME");
  return benchmark.empty() ? Words() : benchmark_tables(benchmark);
}

template <const char* const* First, std::size_t Count>
Words fixed(const WordPlace&) {
  return Words(First, First + Count);
}

constexpr const char* k_shells[] = {"bash", "zsh", "fish"};
constexpr const char* k_settings[] = {"processor",   "policy",    "lock_memory", "huge_pages",
                                      "timer_slack", "busy_poll", "all"};
constexpr const char* k_importable[] = {"auto", "cyclictest", "oslat", "hlog", "google-benchmark", "hyperfine"};
constexpr const char* k_queues[] = {"risk_averse", "power1", "power2", "power3", "log1", "log2"};
constexpr const char* k_versions[] = {"FIX.4.2", "FIX.4.4", "FIX.5.0SP2"};

/// Those of a venue and of a gateway: which one answers is not asked.
Words admin_words(const WordPlace& place) {
  if (!given(place, "WORDS").empty()) return {};
  Words words = {"help", "metrics", "live", "ready"};
  for (const std::string_view verb : app::admin_verbs()) words.emplace_back(verb);
  return words;
}

struct Source {
  std::string_view command;
  std::string_view option;
  Words (*words)(const WordPlace&);
};

constexpr Source k_sources[] = {
    {"completion", "SHELL", fixed<k_shells, std::size(k_shells)>},
    {"bench", "NAME", benchmarks},
    {"bench", "--table", tables},
    {"fsm print", "NAME", machines},
    {"data info", "--format", formats},
    {"data convert", "--format", formats},
    {"data convert", "--only", symbols},
    {"replay", "--format", formats},
    {"replay", "--only", symbols},
    {"backtest", "--format", formats},
    {"backtest", "--only", symbols},
    {"backtest", "--strategy", strategies},
    {"backtest", "--queue", fixed<k_queues, std::size(k_queues)>},
    {"backtest", "--set", parameters},
    {"sweep", "--format", formats},
    {"sweep", "--only", symbols},
    {"sweep", "--strategy", strategies},
    {"sweep", "--queue", fixed<k_queues, std::size(k_queues)>},
    {"sweep", "--set", parameters},
    {"sweep", "--by", sweep_columns},
    {"queue fill", "--format", formats},
    {"queue fill", "--only", symbols},
    {"queue calibrate", "--format", formats},
    {"queue calibrate", "--only", symbols},
    {"lab import", "--format", fixed<k_importable, std::size(k_importable)>},
    {"lab claims", "--only", claims},
    {"lab tune", "SETTING", fixed<k_settings, std::size(k_settings)>},
    {"mit print", "--dialect", dialects},
    {"mit layouts", "--dialect", dialects},
    {"trade", "--dialect", dialects},
    {"trade", "--strategy", strategies},
    {"trade", "--set", parameters},
    {"trade", "--version", fixed<k_versions, std::size(k_versions)>},
    {"venue", "--set", keys},
    {"gateway", "--set", keys},
    {"admin", "WORDS", admin_words},
};

bool is_named(const OptionShape& option, std::string_view name) {
  return option.names.empty() ? option.word_name == name : std::ranges::find(option.names, name) != option.names.end();
}

const CommandShape* find_command(const CommandShape& program, std::string_view path) {
  const CommandShape* at = &program;
  while (!path.empty() && at != nullptr) {
    const std::size_t end = std::min(path.find(' '), path.size());
    const auto inner = std::ranges::find(at->commands, path.substr(0, end), &CommandShape::name);
    at = inner == at->commands.end() ? nullptr : &*inner;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return at;
}

}  // namespace

std::vector<std::string> known_words(const WordPlace& place) {
  for (const Source& source : k_sources)
    if (source.command == place.command && is_named(*place.option, source.option)) return source.words(place);
  return {};
}

std::vector<std::string> places_that_are_none(const CommandShape& program) {
  std::vector<std::string> wrong;
  for (const Source& source : k_sources) {
    const CommandShape* command = find_command(program, source.command);
    const bool is_there =
        command != nullptr && std::ranges::any_of(command->options, [&source](const OptionShape& option) {
          return is_named(option, source.option);
        });
    if (!is_there) wrong.push_back(std::string(source.command) + " " + std::string(source.option));
  }
  return wrong;
}

}  // namespace dojima::cli
