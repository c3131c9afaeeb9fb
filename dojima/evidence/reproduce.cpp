#include "dojima/evidence/reproduce.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dojima/evidence/artefact_summary.hpp"

namespace dojima::evidence {
namespace {

namespace files = std::filesystem;

// --------------------------------------------------------------------------------------------------------- judging

class Judge {
 public:
  Judge() {
    result_.table = {"reproduction",
                     "recorded beside again",
                     {{"what"}, {"rule"}, {"recorded", 3}, {"again", 3}, {"ratio", 3}, {"outcome"}}};
  }

  void add(const std::string& what, const std::string& rule, const Cell& recorded, const Cell& again, bool is_judged,
           bool is_same) {
    const double ratio = again.number() / recorded.number();
    const Cell shown_ratio = std::isfinite(ratio) ? Cell(ratio) : Cell(Unmeasured{"no ratio of these"});
    result_.table.add_row({what, rule, recorded, again, shown_ratio,
                           !is_judged ? "shown"
                           : is_same  ? "same"
                                      : "DIFFERS"});
    if (is_judged && !is_same) ++result_.failures;
  }

  void equal(const std::string& what, const Cell& recorded, const Cell& again) {
    add(what, "equal", recorded, again, true, recorded == again);
  }

  void by_rule(const std::string& what, const ColumnRule& rule, const Cell& recorded, const Cell& again) {
    if (rule.rule == Rule::equal) return equal(what, recorded, again);
    if (rule.rule == Rule::shown) return add(what, "shown", recorded, again, false, true);
    const double allowed = rule.tolerance * std::fabs(recorded.number());
    char text[48];
    std::snprintf(text, sizeof text, "within %.3g %%", rule.tolerance * 100);
    add(what, text, recorded, again, true, std::fabs(again.number() - recorded.number()) <= allowed);
  }

  [[nodiscard]] Reproduction result() && { return std::move(result_); }

 private:
  Reproduction result_;
};

ColumnRule rule_of(const Artefact& recorded, const std::string& table, const std::string& column, const Cell& cell) {
  for (const ColumnRule& rule : recorded.rules()) {
    if (rule.table == table && rule.column == column) return rule;
  }
  return {table, column, cell.text() != nullptr ? Rule::equal : Rule::shown, 0};
}

/// The column of a row's name: its first text that no rule speaks of; npos when there is none.
std::size_t name_column(const Artefact& recorded, const Table& table, std::size_t row) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool has_rule = std::ranges::any_of(recorded.rules(), [&](const ColumnRule& rule) {
      return rule.table == table.name && rule.column == table.columns[i].name;
    });
    if (table.rows[row][i].text() != nullptr && !has_rule) return i;
  }
  return std::string::npos;
}

void judge_table(const Artefact& recorded, const Table& table, const Table* again, Judge& judge) {
  if (again == nullptr) return judge.equal("table " + table.name, "there", "missing");
  judge.equal("rows of " + table.name, table.rows.size(), again->rows.size());
  for (std::size_t row = 0; row < std::min(table.rows.size(), again->rows.size()); ++row) {
    const std::size_t naming = name_column(recorded, table, row);
    const std::string name = naming == std::string::npos ? std::to_string(row) : *table.rows[row][naming].text();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string& column = table.columns[i].name;
      const std::size_t there = again->column(column);
      const Cell other = there < again->columns.size() ? again->rows[row][there] : Cell(Unmeasured{"no such column"});
      const Cell& cell = table.rows[row][i];
      // A name that is the same again is in every other line of its row.
      if (i == naming && cell == other) continue;
      judge.by_rule(table.name + " / " + name + " / " + column, rule_of(recorded, table.name, column, cell), cell,
                    other);
    }
  }
}

void judge_parameters(const Document& recorded, const Document& again, Judge& judge) {
  const auto shown = [](const Document& parameters, const std::string& name) {
    return parameters.has(name) ? parameters.at(name).canonical() : std::string("missing");
  };
  judge.equal("parameters", recorded.members().size(), again.members().size());
  for (const auto& [name, value] : recorded.members()) {
    if (shown(again, name) != value.canonical())
      judge.equal("parameter " + name, value.canonical(), shown(again, name));
  }
}

void judge_checks(const Artefact& recorded, const Artefact& again, Judge& judge) {
  for (const Check& check : recorded.checks()) {
    const auto found = std::ranges::find(again.checks(), check.name, &Check::name);
    judge.equal("check: " + check.name, check.ok ? "ok" : "failed",
                found == again.checks().end() ? "missing"
                : found->ok                   ? "ok"
                                              : "failed");
  }
}

void judge_distributions(const Artefact& recorded, const Artefact& again, Judge& judge) {
  const std::vector<MergedHistogram> others = merged_histograms(again.runs());
  for (const MergedHistogram& merged : merged_histograms(recorded.runs())) {
    const std::string name = merged.of.name + (merged.arm.empty() ? "" : " (" + merged.arm + ")");
    const auto found = std::ranges::find_if(others, [&](const MergedHistogram& other) {
      return other.of.name == merged.of.name && other.arm == merged.arm;
    });
    if (found == others.end()) {
      judge.equal("distribution " + name, "there", "missing");
      continue;
    }
    judge.by_rule(name + " / n", rule_of(recorded, merged.of.name, "n", 0), merged.histogram.view().count(),
                  found->histogram.view().count());
    for (const auto& [label, share] : {std::pair{"p50", 0.5}, {"p99", 0.99}}) {
      judge.by_rule(name + " / " + label, rule_of(recorded, merged.of.name, label, 0),
                    merged.histogram.view().value_at(share), found->histogram.view().value_at(share));
    }
  }
}

// --------------------------------------------------------------------------------------------------------- running

bool is_our_program(std::string_view name) {
  const bool is_named_so = name == "dojima" || name.starts_with("dojima-bench-");
  return is_named_so && std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || c == '-' || c == '_' || (c >= '0' && c <= '9');
         });
}

/// What may be run again: work that only computes and measures. `lab ab` starts commands, which must be ours as well.
std::string refusal(const std::vector<std::string>& words) {
  static constexpr std::array<std::string_view, 6> k_commands = {"demo", "bench", "replay", "queue", "fsm", "lab"};
  if (words.empty()) return "the artefact names no command";
  if (!is_our_program(words[0])) return "'" + words[0] + "' is no program of this project";
  if (words[0] != "dojima") return {};
  if (words.size() < 2 || std::ranges::find(k_commands, words[1]) == k_commands.end()) {
    return "'dojima " + (words.size() < 2 ? std::string() : words[1]) + "' is no measurement";
  }
  const auto is_masked = [](const std::string& word) { return word == "***" || word.ends_with("=***"); };
  if (std::ranges::any_of(words, is_masked)) return "its command had a password, which artefacts do not keep";
  if (words[1] != "lab" || words.size() < 3 || words[2] != "ab") return {};
  for (std::size_t i = 3; i + 1 < words.size(); ++i) {
    if ((words[i] == "--" || words[i] == "--vs") && !is_our_program(words[i + 1])) {
      return "it would start '" + words[i + 1] + "', which is no program of this project";
    }
  }
  return {};
}

/// A folder for one file, removed with it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (files::temp_directory_path() / "dojima-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code error;
    if (!path_.empty()) files::remove_all(path_, error);
  }
  [[nodiscard]] const files::path& path() const { return path_; }

 private:
  files::path path_;
};

/// Waits for the program; its results go to the file, what it prints is not of interest here.
std::expected<int, std::string> run_program(const files::path& program, const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // Commands that the program starts in turn (lab ab) are to be those of this folder, too.
  std::vector<std::string> settings;
  for (char** setting = environ; *setting != nullptr; ++setting) {
    if (!std::string_view(*setting).starts_with("PATH=")) settings.emplace_back(*setting);
  }
  const char* old_path = std::getenv("PATH");
  settings.push_back("PATH=" + program.parent_path().string() +
                     (old_path == nullptr ? "" : ":" + std::string(old_path)));
  std::vector<char*> environment;
  for (std::string& setting : settings) environment.push_back(setting.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int trouble = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (trouble != 0) return std::unexpected("cannot start " + words[0] + ": " + std::strerror(trouble));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return std::unexpected(std::string("cannot wait for it: ") + std::strerror(errno));
  }
  if (!WIFEXITED(status)) return std::unexpected(words[0] + " ended by signal " + std::to_string(WTERMSIG(status)));
  return WEXITSTATUS(status);
}

}  // namespace

Reproduction reproduction_of(const Artefact& recorded, const Artefact& again) {
  Judge judge;
  judge.equal("command", recorded.command(), again.command());
  judge_parameters(recorded.parameters(), again.parameters(), judge);
  const auto digest = [](const Artefact& artefact) {
    return artefact.evidence().at("source_digest").as_text("unknown").substr(0, 12);
  };
  judge.add("source digest", "shown", digest(recorded), digest(again), false, true);
  judge_checks(recorded, again, judge);
  for (const Table& table : recorded.tables()) {
    const auto found = std::ranges::find(again.tables(), table.name, &Table::name);
    judge_table(recorded, table, found == again.tables().end() ? nullptr : &*found, judge);
  }
  judge_distributions(recorded, again, judge);
  if (const auto& comparison = recorded.comparison()) {
    judge.equal("verdict on " + comparison->figure, name_of(comparison->result.verdict),
                again.comparison() ? name_of(again.comparison()->result.verdict) : "missing");
  }
  return std::move(judge).result();
}

std::expected<std::vector<std::string>, std::string> words_to_run(const std::vector<std::string>& argv) {
  static constexpr std::array<std::string_view, 3> k_outputs = {"--json", "--report", "--out"};
  const std::string trouble = refusal(argv);
  if (!trouble.empty()) return std::unexpected(trouble);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    // The commands of `lab ab` come after the bare dashes and are left as they are.
    if (argv[i] == "--") {
      words.insert(words.end(), argv.begin() + static_cast<std::ptrdiff_t>(i), argv.end());
      break;
    }
    const std::string_view name = std::string_view(argv[i]).substr(0, argv[i].find('='));
    if (std::ranges::find(k_outputs, name) == k_outputs.end()) {
      words.push_back(argv[i]);
    } else if (name == argv[i] && i + 1 < argv.size() && !argv[i + 1].starts_with('-')) {
      ++i;
    }
  }
  return words;
}

std::expected<Artefact, std::string> run_again(const Artefact& recorded, const files::path& folder) {
  std::vector<std::string> argv;
  for (const Document& word : recorded.evidence().at("argv").elements()) argv.emplace_back(word.as_text());
  auto words = words_to_run(argv);
  if (!words) return std::unexpected("not run again: " + words.error());

  const files::path program = folder / words->front();
  std::error_code error;
  if (!files::is_regular_file(program, error)) {
    return std::unexpected(words->front() +
                           " does not lie beside this program; build it, or use the build that has it");
  }
  const ScratchFolder scratch;
  if (scratch.path().empty()) return std::unexpected("cannot make a temporary folder");
  const files::path output = scratch.path() / "again.json";
  const auto dashes = std::ranges::find(*words, "--");
  words->insert(dashes, {"--json", output.string(), "--no-progress"});

  const auto status = run_program(program, *words);
  if (!status) return std::unexpected(status.error());
  std::ifstream file(output, std::ios::binary);
  if (!file) {
    return std::unexpected(words->front() + " ended with status " + std::to_string(*status) + " and wrote no result");
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto document = parse_document(text);
  if (!document) return std::unexpected("the new result is no JSON: " + document.error());
  return Artefact::from(*document);
}

}  // namespace dojima::evidence
