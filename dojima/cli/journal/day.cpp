#include "dojima/cli/journal/day.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>

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
  std::string directory, out, compare, date, day;
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

/// Called with how far the reading has come. False: stop.
using DayProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

/// False: the day could not be read to its end, which has been reported.
bool read_day(const DayJournal& journal, DayBook& book, const DayProgress& progress, evidence::Artefact& artefact) {
  const std::string& name = journal.folder->name;
  bool is_over = false;
  venue::ReplayOptions options{.from_oldest_snapshot = true};
  options.on_made = [&book](venue::Partition& partition) { book.on_made(partition); };
  options.before = [&](const venue::Partition* partition, const journal::Record& record) {
    if (!is_over) is_over = !book.before(partition, record);
    return !is_over;
  };
  options.progress = [&](std::uint64_t done, std::uint64_t total) { is_over = !progress(done, total) || is_over; };
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

/// Which day the files are of.
struct WhichDay {
  std::optional<std::uint64_t> number;  ///< of the venue's days
  sys_days date{};                      ///< else
  [[nodiscard]] std::string text() const { return number ? "day " + std::to_string(*number) : date_text(date); }
};

/// Files made out of a journal.
struct MadeDay {
  std::vector<DayFile> files;
  std::uint64_t commands = 0;
  bool is_over = true;  ///< the journals go on behind it
};

/// Reads the day, and adds to the artefact what does not agree.
MadeDay make_day(const std::string& directory, const std::vector<DayJournal>& journals, const WhichDay& which,
                 const DayProgress& progress, evidence::Artefact& artefact) {
  MadeDay made;
  std::vector<std::unique_ptr<DayBook>> books;
  std::vector<DayOfPartition> partitions;
  time::Time begin = time::k_never, end{};
  for (const DayJournal& journal : journals) {
    books.push_back(which.number ? std::make_unique<DayBook>(*which.number)
                                 : std::make_unique<DayBook>(begin_of(which.date, journal.settings),
                                                             begin_of(which.date + days{1}, journal.settings)));
    if (!read_day(journal, *books.back(), progress, artefact)) continue;
    if (books.back()->commands() != 0) {
      begin = std::min(begin, books.back()->begin());
      end = std::max(end, books.back()->end());
    }
    made.commands += books.back()->commands();
    made.is_over = made.is_over && books.back()->end() != time::k_never;
    partitions.push_back({.name = journal.folder->name, .book = books.back().get(), .settings = &journal.settings});
  }
  made.files = day_files(partitions, operations_of(directory, begin, end, artefact));
  return made;
}

/// What is in a file; nothing: it is not there.
std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// The files of the folder are held against those that the journal gives.
void compare_files(const std::string& folder, const std::vector<DayFile>& files, evidence::Artefact& artefact) {
  for (const DayFile& file : files) {
    const auto there = text_of_file(folder + "/" + file.name);
    std::string detail = "equal";
    if (!there) {
      detail = "it is not there";
    } else if (*there != file.text) {
      const auto differs = std::ranges::mismatch(*there, file.text);
      const auto lines = std::count(there->begin(), differs.in1, '\n');
      detail = fmt::format("differs from line {} on", lines + 1);
    }
    artefact.add_check(folder + "/" + file.name + ": is what the journal gives", there && *there == file.text, detail);
  }
}

int write_day(const DayRequest& request) {
  const auto wanted = request.date.empty() ? std::optional<sys_days>() : parse_date(request.date);
  if (!request.date.empty() && !wanted) {
    complain(request.date + " is no date such as 2026-11-23");
    return k_usage;
  }
  WhichDay which;
  if (!request.day.empty()) {
    std::uint64_t number = 0;
    const char* const last = request.day.data() + request.day.size();
    const auto [end, error] = std::from_chars(request.day.data(), last, number);
    if (error != std::errc{} || end != last) {
      complain(request.day + " is no number of a day");
      return k_usage;
    }
    which.number = number;
  }
  if (!request.day.empty() && !request.date.empty()) {
    complain("either --day or --date says which day");
    return k_usage;
  }
  if (request.out.empty() == request.compare.empty()) {
    complain("either --out or --compare names a folder");
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
  if (!request.out.empty()) artefact.set_parameter("out", request.out);
  if (!request.compare.empty()) artefact.set_parameter("compare", request.compare);
  const std::vector<DayJournal> journals = journals_of(*folders, artefact);
  if (journals.empty()) {
    complain(request.directory + ": there are no partitions with commands");
    return k_failed;
  }
  const DayJournal& newest = *std::ranges::max_element(journals, {}, &DayJournal::last);
  which.date = wanted ? *wanted : std::chrono::floor<days>(newest.last + offset_of(newest.settings));
  if (which.number)
    artefact.set_parameter("day", std::to_string(*which.number));
  else
    artefact.set_parameter("date", date_text(which.date));
  const MadeDay made = make_day(
      request.directory, journals, which,
      [&run](std::uint64_t done, std::uint64_t total) {
        run.show("records", static_cast<double>(done), static_cast<double>(total), "");
        return true;
      },
      artefact);
  if (made.commands == 0 && std::ranges::all_of(artefact.checks(), &evidence::Check::ok)) {
    complain(fmt::format("{}: there are no commands of {}", request.directory, which.text()));
    return k_failed;
  }
  const std::string& folder = request.out.empty() ? request.compare : request.out;
  if (!request.compare.empty()) {
    compare_files(request.compare, made.files, artefact);
  } else if (const auto written = write_day_files(request.out, made.files); !written) {
    complain(written.error());
    return k_environment;
  }
  evidence::Table table{"files", "the day's files", {{"file"}, {"rows"}, {"bytes"}}};
  for (const DayFile& file : made.files) table.add_row({folder + "/" + file.name, file.rows, file.text.size()});
  artefact.add_table(table);
  return run.finish(artefact, {});
}

}  // namespace

std::expected<std::string, std::string> write_files_of_day(const std::string& directory, std::uint64_t number,
                                                           const std::string& folder, const std::stop_token& stop) {
  const auto folders = journal_folders(directory);
  if (!folders) return std::unexpected(folders.error());
  evidence::Artefact artefact("dojima journal day");
  const std::vector<DayJournal> journals = journals_of(*folders, artefact);
  const MadeDay made = make_day(
      directory, journals, {.number = number}, [&stop](std::uint64_t, std::uint64_t) { return !stop.stop_requested(); },
      artefact);
  if (stop.stop_requested()) return std::unexpected(std::string("the venue was stopped"));
  for (const evidence::Check& check : artefact.checks())
    if (!check.ok) return std::unexpected(fmt::format("{}: {}", check.name, check.detail));
  if (made.commands == 0 || !made.is_over)
    return std::unexpected(std::string("the journal does not hold all of it yet"));
  if (const auto written = write_day_files(folder, made.files); !written) return std::unexpected(written.error());
  std::string text;
  for (const DayFile& file : made.files)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", file.rows, file.name.substr(0, file.name.find('.')));
  return text;
}

void add_journal_day(Command group, int& status) {
  auto request = std::make_shared<DayRequest>();
  Command command =
      group.add_command("day", "Write the files of a trading day, and check that they agree with the journal");
  command.add_option("DIR", request->directory, "The venue's journal directory, or the folder of one partition in it")
      .required();
  command.add_option("--out", request->out, "Folder for orders, trades, positions, statistics and audit, as CSV")
      .type_name("FOLDER");
  command
      .add_option("--compare", request->compare, "Writes nothing: holds the files in this folder against the journal")
      .type_name("FOLDER");
  command.add_option("--date", request->date, "The venue's date; without it that of the last command")
      .type_name("YYYY-MM-DD");
  command.add_option("--day", request->day, "The venue's day of this number (dojima admin next-day), from 0 on")
      .type_name("N");
  request->output.json.add_to(command);
  command.add_flag("--no-progress", request->output.is_silent, "No progress line");
  command.footer(
      "Also beside a running venue; what was there of an earlier run is replaced.\n"
      "Exit status 1: the files and the journal do not agree, or the journal is damaged; which, is said.\n"
      "example: dojima journal day day --out day/files --date 2026-11-23\n"
      "         dojima journal day day --compare day-files/day-0 --day 0");
  command.on_run([request, &status] { status = write_day(*request); });
}

}  // namespace dojima::cli
