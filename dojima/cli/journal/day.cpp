#include "dojima/cli/journal/day.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/core.h>
#include <memory>
#include <optional>

#include "dojima/app/venue_journals.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/journal/day_files.hpp"
#include "dojima/cli/journal/journal_folders.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/fix/store_record.hpp"
#include "dojima/journal/survey.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"

namespace dojima::cli {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

struct DayRequest {
  std::string directory, out, date;
  InstrumentOptions output;
};

/// What is known of a partition before its day is read.
struct DayJournal {
  const JournalFolder* folder = nullptr;
  venue::PartitionSettings settings;
  time::Time last;
};

/// "2026-11-23"; nothing: it is no date.
std::optional<sys_days> parse_date(const std::string& text) {
  int year = 0;
  unsigned month = 0, day = 0;
  int used = 0;
  constexpr std::size_t k_size = 10;
  if (text.size() != k_size || std::sscanf(text.c_str(), "%4d-%2u-%2u%n", &year, &month, &day, &used) != 3 ||
      static_cast<std::size_t>(used) != text.size())
    return {};
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
  if (!date.ok()) return {};
  return sys_days{date};
}

std::string date_text(sys_days date) {
  const std::chrono::year_month_day of{date};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(of.year()), static_cast<unsigned>(of.month()),
                     static_cast<unsigned>(of.day()));
}

time::Duration offset_of(const venue::PartitionSettings& settings) {
  return std::chrono::minutes{settings.utc_offset_minutes};
}

/// The venue's midnight, in UTC.
time::Time begin_of(sys_days date, const venue::PartitionSettings& settings) {
  return time::Time{date.time_since_epoch()} - offset_of(settings);
}

std::vector<DayJournal> journals_of(const std::vector<JournalFolder>& folders, evidence::Artefact& artefact) {
  std::vector<DayJournal> journals;
  for (const JournalFolder& folder : folders) {
    const auto found = journal::survey(*folder.disk);
    if (found && fix::is_store(found->identity)) continue;
    const auto replayed = venue::replay_directory(*folder.disk);
    const bool is_good = replayed && replayed->replayer->partition() != nullptr;
    if (!is_good) {
      artefact.add_check(folder.name + ": recovers", false,
                         replayed ? "it holds no commands" : journal::describe(replayed.error()));
      continue;
    }
    journals.push_back(
        {.folder = &folder, .settings = replayed->replayer->settings(), .last = replayed->recovery.last_time});
  }
  return journals;
}

/// The operator's log beside the partitions; nothing where there is none.
std::vector<venue::OperatorRecord> operations_of(const std::string& directory, time::Time begin, time::Time end,
                                                 evidence::Artefact& artefact) {
  const std::string path = directory + "/" + app::k_operator_folder;
  std::vector<venue::OperatorRecord> records;
  if (!std::filesystem::is_directory(path)) return records;
  const auto disk = journal::RealDisk::open(path);
  const auto found = disk ? journal::survey(**disk) : Result<journal::Survey>(std::unexpected(disk.error()));
  if (!found || !found->is_begun()) {
    artefact.add_check("operator: can be read", found.has_value(),
                       found ? "it holds no records" : journal::text_of(found.error()));
    return records;
  }
  const auto reader = journal::read_directory(**disk, *found);
  while (reader) {
    const auto record = (*reader)->next();
    if (!record || !*record) break;
    auto read = venue::read_operator_record((*record)->bytes);
    if (!read) {
      artefact.add_check("operator: can be read", false, journal::text_of(read.error()));
      break;
    }
    if (read->time >= begin && read->time < end) records.push_back(std::move(*read));
  }
  return records;
}

/// False: the day could not be read to its end, which has been told.
bool read_day(const DayJournal& journal, DayBook& book, InstrumentRun& run, evidence::Artefact& artefact) {
  const std::string& name = journal.folder->name;
  bool is_over = false;
  venue::ReplayOptions options{.from_oldest_snapshot = true};
  options.on_made = [&book](venue::Partition& partition) { book.on_made(partition); };
  options.before = [&](const venue::Partition* partition, const journal::Record& record) {
    if (!is_over) is_over = !book.before(partition, record);
    return !is_over;
  };
  options.progress = [&run](std::uint64_t done, std::uint64_t total) {
    run.show("records", static_cast<double>(done), static_cast<double>(total), "");
  };
  const auto replayed = venue::replay_directory(*journal.folder->disk, options);
  if (!replayed) {
    artefact.add_check(name + ": the day can be read", false, journal::describe(replayed.error()));
    return false;
  }
  if (const auto trouble = trouble_of(replayed->recovery); trouble && !is_over) {
    artefact.add_check(name + ": the day can be read", false, journal::describe(*trouble));
    return false;
  }
  const venue::Partition* const partition = replayed->replayer->partition();
  if (partition != nullptr) book.finish(*partition);
  for (const DayCheck& check : book.checks()) artefact.add_check(name + ": " + check.what, check.is_good, check.detail);
  return partition != nullptr;
}

int write_day(const DayRequest& request) {
  const auto wanted = request.date.empty() ? std::optional<sys_days>() : parse_date(request.date);
  if (!request.date.empty() && !wanted) {
    complain(request.date + " is no date such as 2026-11-23");
    return k_usage;
  }
  const auto folders = journal_folders(request.directory);
  if (!folders) {
    complain(folders.error());
    return k_usage;
  }
  InstrumentRun run(request.output);
  if (!run.can_write()) return k_environment;
  evidence::Artefact artefact("dojima journal day");
  artefact.set_parameter("directory", request.directory);
  artefact.set_parameter("out", request.out);
  const std::vector<DayJournal> journals = journals_of(*folders, artefact);
  if (journals.empty()) {
    complain(request.directory + ": there are no partitions with commands");
    return k_failed;
  }
  const DayJournal& newest = *std::ranges::max_element(journals, {}, &DayJournal::last);
  const sys_days date = wanted ? *wanted : std::chrono::floor<days>(newest.last + offset_of(newest.settings));
  artefact.set_parameter("date", date_text(date));

  std::vector<std::unique_ptr<DayBook>> books;
  std::vector<DayOfPartition> partitions;
  std::uint64_t commands = 0;
  for (const DayJournal& journal : journals) {
    books.push_back(
        std::make_unique<DayBook>(begin_of(date, journal.settings), begin_of(date + days{1}, journal.settings)));
    if (!read_day(journal, *books.back(), run, artefact)) continue;
    commands += books.back()->commands();
    partitions.push_back({.name = journal.folder->name, .book = books.back().get(), .settings = &journal.settings});
  }
  if (commands == 0 && std::ranges::all_of(artefact.checks(), &evidence::Check::ok)) {
    complain(fmt::format("{}: there are no commands of {}", request.directory, date_text(date)));
    return k_failed;
  }
  const auto operations = operations_of(request.directory, begin_of(date, newest.settings),
                                        begin_of(date + days{1}, newest.settings), artefact);
  const std::vector<DayFile> files = day_files(partitions, operations);
  const auto written = write_day_files(request.out, files);
  if (!written) {
    complain(written.error());
    return k_environment;
  }
  evidence::Table table{"files", "the day's files", {{"file"}, {"rows"}, {"bytes"}}};
  for (const DayFile& file : files) table.add_row({request.out + "/" + file.name, file.rows, file.text.size()});
  artefact.add_table(table);
  return run.finish(artefact, {});
}

}  // namespace

void add_journal_day(Command group, int& status) {
  auto request = std::make_shared<DayRequest>();
  Command command =
      group.add_command("day", "Write the files of a trading day, and check that they agree with the journal");
  command.add_option("DIR", request->directory, "The venue's journal directory, or the folder of one partition in it")
      .required();
  command.add_option("--out", request->out, "Folder for orders, trades, positions, statistics and audit, as CSV")
      .type_name("FOLDER")
      .required();
  command.add_option("--date", request->date, "The venue's date; without it that of the last command")
      .type_name("YYYY-MM-DD");
  request->output.json.add_to(command);
  command.add_flag("--no-progress", request->output.is_silent, "No progress line");
  command.footer(
      "Also beside a running venue; what was there of an earlier run is replaced.\n"
      "Exit status 1: the files and the journal do not agree, or the journal is damaged; which, is said.\n"
      "example: dojima journal day day --out day/files --date 2026-11-23");
  command.on_run([request, &status] { status = write_day(*request); });
}

}  // namespace dojima::cli
