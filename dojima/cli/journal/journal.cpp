// dojima journal info | verify | dump | recover | snapshot | archive | day

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/core.h>
#include <limits>
#include <memory>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/journal/archive.hpp"
#include "dojima/cli/journal/command_text.hpp"
#include "dojima/cli/journal/day.hpp"
#include "dojima/cli/journal/journal_folders.hpp"
#include "dojima/cli/journal/store_tables.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/fix/store_record.hpp"
#include "dojima/journal/snapshots.hpp"
#include "dojima/time/timestamp_text.hpp"
#include "dojima/venue/recovery/follower.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"

namespace dojima::cli {
namespace {

struct JournalRequest {
  std::string directory;
  InstrumentOptions output;
  bool shows_settings = false;
  bool shows_orders = false;
  bool from_first = false;
  std::size_t from = 1;
  std::size_t to = std::numeric_limits<std::size_t>::max();
  std::size_t most = 1000;
  std::size_t keep = 2;
  std::string out;
};

std::string journal_time_text(time::Time time) {
  std::array<char, time::k_timestamp_max> text{};
  constexpr unsigned k_decimals = 9;
  if (time < time::Time{} || time > time::from_nanoseconds(std::numeric_limits<std::int64_t>::max() - 1))
    return "no time";
  return std::string(time::format_timestamp(time, k_decimals, text));
}

/// The folders and the run that all subcommands begin with; the status when there is none.
struct JournalWork {
  std::vector<JournalFolder> folders;
  std::unique_ptr<InstrumentRun> run;
  evidence::Artefact artefact;
  int status = k_success;

  JournalWork(const JournalRequest& request, const char* command) : artefact(command) {
    auto found = journal_folders(request.directory);
    if (!found) {
      complain(found.error());
      status = k_usage;
      return;
    }
    folders = std::move(*found);
    run = std::make_unique<InstrumentRun>(request.output);
    if (!run->can_write()) status = k_environment;
    artefact.set_parameter("directory", request.directory);
  }
};

/// What a directory's survey says; nothing when it cannot be read, and that is a failed check.
std::optional<journal::Survey> survey_of(const JournalFolder& folder, evidence::Artefact& artefact) {
  auto found = journal::survey(*folder.disk);
  if (!found) {
    artefact.add_check(folder.name + " can be read", false, journal::text_of(found.error()));
    return {};
  }
  return std::move(*found);
}

void check_whole(const std::string& name, const journal::Survey& found, evidence::Artefact& artefact) {
  const bool is_good = found.verdict == journal::Verdict::whole || found.verdict == journal::Verdict::torn_tail;
  std::string detail = fmt::format("{} to {}", found.first.value, found.last.value);
  if (found.verdict == journal::Verdict::torn_tail)
    detail += fmt::format("; torn tail at byte {} of {}, cut at the next start", found.place.offset, found.place.file);
  if (!is_good)
    detail = journal::describe(journal::Trouble{
        .error = {},
        .place = found.place,
        .what = fmt::format("{} behind record {}: {}", journal::name_of(found.verdict), found.last.value, found.what),
        .advice = found.advice});
  artefact.add_check(name + ": records are whole", is_good, detail);
}

void check_snapshot(const JournalFolder& folder, const std::string& name, evidence::Artefact& artefact) {
  const auto snapshot = journal::read_snapshot(*folder.disk, name);
  artefact.add_check(folder.name + "/" + name + ": is good", snapshot.has_value(),
                     snapshot
                         ? fmt::format("the state behind record {}", snapshot->info().sequence.value)
                         : journal::text_of(snapshot.error()) +
                               "\n  what to do: remove it; a start takes the one before, and the records behind it");
}

// ---- info ----------------------------------------------------------------------------------------------------------

int show_info(const JournalRequest& request) {
  JournalWork work(request, "dojima journal info");
  if (work.status != k_success) return work.status;
  evidence::Table journals{"journals",
                           "what is there, by partition",
                           {{"journal"},
                            {"durability"},
                            {"first"},
                            {"last"},
                            {"segments"},
                            {"spare"},
                            {"bytes"},
                            {"snapshots"},
                            {"verdict"}}};
  evidence::Table snapshots{
      "snapshots", "states from which a start goes on", {{"journal"}, {"file"}, {"record"}, {"bytes"}, {"good"}}};
  evidence::Table sessions = sessions_table();
  evidence::Table settings{"settings", "what the partitions are made from", {{"journal"}, {"key"}, {"value"}}};
  for (const JournalFolder& folder : work.folders) {
    const auto found = survey_of(folder, work.artefact);
    if (!found) continue;
    std::uint64_t bytes = 0, spare = 0, count = 0;
    for (const journal::SegmentInfo& segment : found->segments) {
      bytes += segment.bytes;
      spare += segment.is_blank ? 1U : 0U;
    }
    const auto names = folder.disk->list();
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      if (!name.ends_with(".snapshot")) continue;
      ++count;
      const auto snapshot = journal::read_snapshot(*folder.disk, name);
      if (snapshot)
        snapshots.add_row({folder.name, name, snapshot->info().sequence.value, snapshot->bytes().size(), true});
      else
        snapshots.add_row({folder.name, name, evidence::Unmeasured{journal::text_of(snapshot.error())},
                           evidence::Unmeasured{journal::text_of(snapshot.error())}, false});
    }
    journals.add_row({folder.name, std::string(journal::name_of(found->durability)), found->first.value,
                      found->last.value, found->segments.size() - spare, spare, bytes, count,
                      std::string(journal::name_of(found->verdict))});
    if (fix::is_store(found->identity)) {
      if (!add_sessions(folder, *found, sessions))
        work.artefact.add_check(folder.name + ": records can be read", false, "look with `dojima journal verify`");
      continue;
    }
    // Those of the end: in the newest snapshot, or behind it.
    if (!request.shows_settings) continue;
    const auto replayed = venue::replay_directory(*folder.disk);
    if (!replayed || replayed->replayer->partition() == nullptr) continue;
    std::string text = venue::text_of(replayed->replayer->settings());
    for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string line = text.substr(begin, end - begin);
      const std::size_t equals = line.find(" = ");
      settings.add_row({folder.name, line.substr(0, equals), line.substr(equals + 3)});
    }
  }
  work.artefact.add_table(journals);
  if (!snapshots.rows.empty()) work.artefact.add_table(snapshots);
  if (!sessions.rows.empty()) work.artefact.add_table(sessions);
  if (!settings.rows.empty()) work.artefact.add_table(settings);
  return work.run->finish(work.artefact, {});
}

// ---- verify --------------------------------------------------------------------------------------------------------

int verify(const JournalRequest& request) {
  JournalWork work(request, "dojima journal verify");
  if (work.status != k_success) return work.status;
  evidence::Table table{"verified", "what was read and summed", {{"journal"}, {"records"}, {"bytes"}, {"verdict"}}};
  for (const JournalFolder& folder : work.folders) {
    const auto found = survey_of(folder, work.artefact);
    if (!found) continue;
    std::uint64_t bytes = 0;
    for (const journal::SegmentInfo& segment : found->segments) bytes += segment.bytes;
    const std::uint64_t records = found->is_begun() ? found->last.value + 1 - found->first.value : 0;
    table.add_row({folder.name, records, bytes, std::string(journal::name_of(found->verdict))});
    check_whole(folder.name, *found, work.artefact);
    const auto names = folder.disk->list();
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      if (!name.ends_with(".snapshot")) continue;
      check_snapshot(folder, name, work.artefact);
    }
  }
  work.artefact.add_table(table);
  return work.run->finish(work.artefact, {});
}

// ---- dump ----------------------------------------------------------------------------------------------------------

int dump(const JournalRequest& request) {
  JournalWork work(request, "dojima journal dump");
  if (work.status != k_success) return work.status;
  work.artefact.set_parameter("from", static_cast<std::int64_t>(request.from));
  work.artefact.set_parameter("most", static_cast<std::int64_t>(request.most));
  evidence::Table table{"records",
                        "commands, as they were taken",
                        {{"journal"}, {"record"}, {"time"}, {"type"}, {"user"}, {"instrument"}, {"details"}}};
  evidence::Table of_stores = store_records_table();
  bool is_cut = false;
  for (const JournalFolder& folder : work.folders) {
    const auto found = survey_of(folder, work.artefact);
    if (!found) continue;
    check_whole(folder.name, *found, work.artefact);
    const std::uint64_t first = std::max<std::uint64_t>(request.from, found->first.value);
    if (first > found->last.value) continue;
    const auto reader = journal::read_directory(*folder.disk, *found, {first - 1});
    if (!reader) {
      work.artefact.add_check(folder.name + ": records can be read", false, journal::text_of(reader.error()));
      continue;
    }
    if (fix::is_store(found->identity)) {
      const std::uint64_t last = std::min<std::uint64_t>(request.to, found->last.value);
      is_cut |= add_store_records(folder, **reader, last, request.most, of_stores);
      continue;
    }
    for (std::uint64_t at = first; at <= std::min<std::uint64_t>(request.to, found->last.value); ++at) {
      if (table.rows.size() == request.most) {
        is_cut = true;
        break;
      }
      const auto record = (*reader)->next();
      if (!record || !*record) break;
      const Bytes bytes = (*record)->bytes;
      const auto* header = reinterpret_cast<const market::CommandHeader*>(bytes.data());
      if (bytes.size() < sizeof *header || market::size_of(header->type) != bytes.size()) {
        table.add_row({folder.name, at, "", "no command", "", "", fmt::format("{} bytes", bytes.size())});
        continue;
      }
      evidence::Cell user = "operator";
      if (header->user != market::k_no_user) user = static_cast<unsigned>(header->user);
      evidence::Cell instrument = "";
      if (header->instrument != 0) instrument = header->instrument;
      table.add_row({folder.name, at, journal_time_text(header->time), std::string(name_of(header->type)),
                     std::move(user), std::move(instrument), details_of(*header)});
    }
  }
  evidence::Table& shown = of_stores.rows.empty() ? table : of_stores;
  if (is_cut) shown.notes.push_back(fmt::format("only {} are shown (--most, --from, --to)", request.most));
  if (!table.rows.empty() || of_stores.rows.empty()) work.artefact.add_table(table);
  if (!of_stores.rows.empty()) work.artefact.add_table(of_stores);
  return work.run->finish(work.artefact, {});
}

// ---- recover -------------------------------------------------------------------------------------------------------

void add_orders(const JournalFolder& folder, const venue::Partition& partition, evidence::Table& table) {
  for (const market::Instrument& instrument : partition.instruments())
    for (const market::Side side : {market::Side::buy, market::Side::sell})
      partition.book(instrument.id)->each_resting(side, [&](const book::RestingOrder& order) {
        std::array<char, market::k_price_text_max> price{};
        table.add_row({folder.name, fmt::format("{:016x}", order.id.value), instrument.symbol,
                       std::string(side == market::Side::buy ? "buy" : "sell"),
                       std::string(market::format_price(order.price, price)), order.leaves.lots,
                       static_cast<unsigned>(order.owner)});
      });
}

int recover(const JournalRequest& request) {
  JournalWork work(request, "dojima journal recover");
  if (work.status != k_success) return work.status;
  evidence::Table table{"recovered",
                        "what a start would come to",
                        {{"journal"},
                         {"last"},
                         {"last_time"},
                         {"snapshot"},
                         {"replayed"},
                         {"seconds", 3},
                         {"orders"},
                         {"trades"},
                         {"reports"},
                         {"open_sessions"},
                         {"digest"}}};
  evidence::Table orders{"orders",
                         "orders that rest",
                         {{"journal"}, {"order"}, {"instrument"}, {"side"}, {"price"}, {"leaves"}, {"user"}}};
  for (const JournalFolder& folder : work.folders) {
    venue::ReplayOptions options;
    options.from_snapshot = !request.from_first;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      work.run->show("records", static_cast<double>(done), static_cast<double>(total), "");
    };
    const auto begin = std::chrono::steady_clock::now();
    const auto replayed = venue::replay_directory(*folder.disk, options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!replayed) {
      work.artefact.add_check(folder.name + ": recovers", false, journal::describe(replayed.error()));
      continue;
    }
    const venue::PartitionRecovery& recovery = replayed->recovery;
    const auto trouble = trouble_of(recovery);
    work.artefact.add_check(
        folder.name + ": recovers", !trouble,
        trouble ? journal::describe(*trouble)
                : fmt::format("{}, up to record {}", journal::name_of(recovery.journal.verdict), recovery.last.value));
    for (const auto& bad : recovery.passed_over)
      work.artefact.add_check(folder.name + "/" + bad.file + ": is good", false,
                              journal::text_of(bad.error) + "; passed over");
    const venue::Partition* partition = replayed->replayer->partition();
    if (partition == nullptr) continue;
    std::uint64_t open_sessions = 0;
    for (std::size_t user = 0; user < partition->users(); ++user)
      open_sessions += partition->is_logged_on(static_cast<std::uint16_t>(user)) ? 1U : 0U;
    constexpr std::uint64_t k_number_bits = (std::uint64_t{1} << 48U) - 1;
    table.add_row({folder.name, recovery.last.value, journal_time_text(recovery.last_time), recovery.snapshot.value,
                   recovery.replayed, seconds, partition->live_orders(), (partition->next_trade() & k_number_bits) - 1,
                   partition->reports().end(), open_sessions, fmt::format("{:016x}", recovery.digest)});
    if (request.shows_orders) add_orders(folder, *partition, orders);
  }
  work.artefact.add_table(table);
  if (request.shows_orders) work.artefact.add_table(orders);
  return work.run->finish(work.artefact, {});
}

// ---- snapshot ------------------------------------------------------------------------------------------------------

int snapshot(const JournalRequest& request) {
  JournalWork work(request, "dojima journal snapshot");
  if (work.status != k_success) return work.status;
  evidence::Table table{"snapshots", "written, read back and compared", {{"journal"}, {"record"}, {"seconds", 3}}};
  for (const JournalFolder& folder : work.folders) {
    const auto lock = folder.disk->lock();
    if (!lock) {
      work.artefact.add_check(folder.name + ": is free", false,
                              "a venue runs on it, or it cannot be written: a running venue writes its own snapshots");
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto replayed = venue::replay_directory(*folder.disk);
    if (!replayed || replayed->replayer->partition() == nullptr) {
      work.artefact.add_check(folder.name + ": recovers", false,
                              replayed ? "it holds no commands" : journal::describe(replayed.error()));
      continue;
    }
    // A state that lacks what the journal holds would replace it at the next start.
    if (const auto trouble = trouble_of(replayed->recovery)) {
      work.artefact.add_check(folder.name + ": recovers", false, journal::describe(*trouble));
      continue;
    }
    const auto identity = venue::identity_of_partition(replayed->replayer->partition()->app_id());
    const auto written =
        venue::write_snapshot(*folder.disk, identity, *replayed->replayer, std::numeric_limits<std::uint64_t>::max());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    work.artefact.add_check(folder.name + ": snapshot is written", written.has_value(),
                            written ? journal::snapshot_name(*written) : journal::text_of(written.error()));
    if (written) table.add_row({folder.name, written->value, seconds});
  }
  work.artefact.add_table(table);
  return work.run->finish(work.artefact, {});
}

// ---- archive -------------------------------------------------------------------------------------------------------

int archive(const JournalRequest& request) {
  JournalWork work(request, "dojima journal archive");
  if (work.status != k_success) return work.status;
  work.artefact.set_parameter("out", request.out);
  evidence::Table table{
      "archived", "complete files, packed, read back and compared", {{"journal"}, {"file"}, {"bytes"}, {"packed"}}};
  std::uint64_t there = 0;
  for (const JournalFolder& folder : work.folders) {
    const auto found = survey_of(folder, work.artefact);
    if (!found) continue;
    check_whole(folder.name, *found, work.artefact);
    std::vector<std::string> names;
    // The segment in use is not complete, and spare ones are empty.
    for (std::size_t at = 0; at < std::min(found->current, found->segments.size()); ++at)
      names.push_back(found->segments[at].file);
    const auto all = folder.disk->list();
    for (const std::string& name : all ? *all : std::vector<std::string>())
      if (name.ends_with(".snapshot")) names.push_back(name);
    const std::string target = request.out + "/" + std::filesystem::path(folder.path).filename().string();
    for (const std::string& name : names) {
      const auto packed = archive_file(folder.path + "/" + name, target, name + ".zst");
      if (!packed) {
        work.artefact.add_check(folder.name + "/" + name + ": archived", false, packed.error());
        continue;
      }
      if (!packed->is_new) {
        ++there;
        continue;
      }
      table.add_row({folder.name, name, packed->bytes, packed->packed});
      work.run->show("files", static_cast<double>(table.rows.size()), static_cast<double>(names.size()), "");
    }
  }
  if (there != 0) table.notes.push_back(fmt::format("{} files were there already and are left alone", there));
  work.artefact.add_table(table);
  return work.run->finish(work.artefact, {});
}

Command add(Command group, const char* name, const char* meaning, const std::shared_ptr<JournalRequest>& request) {
  Command command = group.add_command(name, meaning);
  command
      .add_option("DIR", request->directory,
                  "The venue's journal directory, the folder of one partition in it, or a FIX store's directory")
      .required();
  request->output.json.add_to(command);
  command.add_flag("--no-progress", request->output.is_silent, "No progress line");
  return command;
}

}  // namespace

void add_journal(Command program, int& status) {
  Command group =
      program.add_command("journal", "Look into, check and recover what a venue or a FIX store has written");
  group.require_command();

  auto of_info = std::make_shared<JournalRequest>();
  Command command = add(group, "info", "What is there: records, segments, snapshots, durability", of_info);
  command.add_flag("--settings", of_info->shows_settings, "Also what the venue was made from");
  command.footer("example: dojima journal info day --settings");
  command.on_run([of_info, &status] { status = show_info(*of_info); });

  auto of_verify = std::make_shared<JournalRequest>();
  command = add(group, "verify", "Read everything and check every sum", of_verify);
  command.footer(
      "Exit status 1: something is damaged; where, and what to do, is said.\nexample: dojima journal verify day");
  command.on_run([of_verify, &status] { status = verify(*of_verify); });

  auto of_dump = std::make_shared<JournalRequest>();
  command = add(group, "dump", "Records as text, a line each", of_dump);
  command.add_option("--from", of_dump->from, "The first record").show_default();
  command.add_option("--to", of_dump->to, "The last record");
  command.add_option("--most", of_dump->most, "At most so many").show_default();
  command.footer("example: dojima journal dump day --from 1000 --most 20");
  command.on_run([of_dump, &status] { status = dump(*of_dump); });

  auto of_recover = std::make_shared<JournalRequest>();
  command = add(group, "recover", "Replay it to where a start would go on; writes nothing", of_recover);
  command.add_flag("--orders", of_recover->shows_orders, "List the orders that rest");
  command.add_flag("--from-first", of_recover->from_first, "From the first record, whatever snapshots there are");
  command.footer("Also beside a running venue.\nexample: dojima journal recover day --orders");
  command.on_run([of_recover, &status] { status = recover(*of_recover); });

  auto of_snapshot = std::make_shared<JournalRequest>();
  command = add(group, "snapshot", "Write a snapshot of the last state, so that the next start is quick", of_snapshot);
  command.footer("Not while a venue runs on it: that one writes its own.\nexample: dojima journal snapshot day");
  command.on_run([of_snapshot, &status] { status = snapshot(*of_snapshot); });

  auto of_archive = std::make_shared<JournalRequest>();
  command = add(group, "archive", "Pack segments that are complete, and snapshots, with zstd", of_archive);
  command.add_option("--out", of_archive->out, "Folder to write to; files that are there already are left alone")
      .type_name("FOLDER")
      .required();
  command.footer(
      "Each file is read back and compared. To restore: unzstd into the partition's folder.\n"
      "example: dojima journal archive day --out archive");
  command.on_run([of_archive, &status] { status = archive(*of_archive); });

  add_journal_day(group, status);
}

}  // namespace dojima::cli
