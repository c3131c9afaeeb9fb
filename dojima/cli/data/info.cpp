// dojima data info

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <memory>
#include <numeric>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/data/data.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/recorded/files/data_info.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::cli {
namespace {

struct InfoRequest {
  RecordedInput input;
  std::size_t most_instruments = 20;
  InstrumentOptions options;
};

evidence::Cell cell_of(time::Time time) {
  if (time == recorded::k_unknown_time) return evidence::Unmeasured{"unknown"};
  std::array<char, time::k_timestamp_max> text;
  constexpr unsigned k_decimals = 9;
  if (time < time::Time{} || time > time::from_nanoseconds(std::numeric_limits<std::int64_t>::max() - 1))
    return evidence::Unmeasured{"before 1970"};
  return time::format_timestamp(time, k_decimals, text);
}

std::string milliseconds(time::Duration duration) {
  return fmt::format("{:.3f} ms", static_cast<double>(duration.count()) / 1e6);
}

evidence::Table file_table(const recorded::RecordedFile& file, const recorded::DataInfo& info) {
  evidence::Table table{"file", "what the file is", {{"fact"}, {"value"}}};
  const auto span = [&table](const std::string& name, const recorded::TimeSpan& time) {
    table.add_row({"first " + name, cell_of(time.first)});
    table.add_row({"last " + name, cell_of(time.last)});
    if (time.first != recorded::k_unknown_time) {
      const auto seconds = static_cast<double>((time.last - time.first).count()) / 1e9;
      table.add_row({name + " span", fmt::format("{:.3f} s", seconds)});
      table.add_row({"steps back of " + name, time.steps_back});
    }
  };
  table.add_row({"format", file.reader().format()});
  for (const std::string& name : file.names()) table.add_row({"file", name});
  for (const auto& [name, value] : file.reader().notes()) table.add_row({name, value});
  table.add_row({"bytes, unpacked", file.reader().bytes_read()});
  table.add_row({"events", info.events()});
  table.add_row({"instruments", recorded::count_of(file.reader().instruments())});
  span("event time", info.event_time());
  span("receive time", info.receive_time());
  if (info.has_latency()) {
    table.add_row({"least receive less event time", milliseconds(info.least_latency())});
    table.add_row({"most receive less event time", milliseconds(info.most_latency())});
  }
  table.add_row({"gaps", info.gaps()});
  table.add_row({"missing numbers", info.missing()});
  return table;
}

evidence::Table types_table(const recorded::RecordedFile& file) {
  evidence::Table table{"types", "messages, by the format's own types", {{"type"}, {"count"}}};
  for (const recorded::TypeCount& type : file.reader().type_counts()) table.add_row({type.name, type.count});
  return table;
}

evidence::Table kinds_table(const recorded::DataInfo& info) {
  evidence::Table table{"events", "events, by kind", {{"kind"}, {"count"}}};
  for (std::uint8_t kind = 0; kind < recorded::k_event_kinds; ++kind) {
    const auto of = static_cast<recorded::EventKind>(kind);
    if (info.count(of) != 0) table.add_row({name_of(of), info.count(of)});
  }
  return table;
}

/// The busiest instruments first.
evidence::Table instruments_table(const recorded::RecordedFile& file, const recorded::DataInfo& info,
                                  std::size_t most) {
  evidence::Table table{"instruments",
                        "instruments, the busiest first",
                        {{"symbol"},
                         {"number", 0, true, "the feed's own"},
                         {"events"},
                         {"trades"},
                         {"first"},
                         {"last"},
                         {"price_decimals"},
                         {"quantity_decimals"}}};
  const std::vector<recorded::RecordedInstrument>& known = file.reader().instruments();
  std::vector<std::size_t> order(std::min(known.size(), info.instruments().size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&info](std::size_t one, std::size_t other) {
    const std::uint64_t of_one = info.instruments()[one].events, of_other = info.instruments()[other].events;
    return of_one != of_other ? of_one > of_other : one < other;
  });
  for (const std::size_t at : order) {
    if (table.rows.size() == most) {
      table.notes.push_back(fmt::format("and {} more (--top)", order.size() - most));
      break;
    }
    const recorded::DataInfo::OfInstrument& counts = info.instruments()[at];
    table.add_row({known[at].symbol.empty() ? std::string("-") : known[at].symbol, known[at].number, counts.events,
                   counts.trades, cell_of(counts.time.first), cell_of(counts.time.last),
                   static_cast<unsigned>(known[at].price_decimals),
                   static_cast<unsigned>(known[at].quantity_decimals)});
  }
  return table;
}

int show(const InfoRequest& request) {
  auto file = request.input.open();
  if (!file) return k_usage;
  InstrumentRun run(request.options);
  if (!run.can_write()) return k_environment;
  recorded::DataInfo info;
  constexpr std::uint64_t k_look_every = 1 << 18;
  std::uint64_t next_look = k_look_every;
  for (auto events = file->reader().next_batch(); !events.empty(); events = file->reader().next_batch()) {
    info.add(events);
    if (info.events() < next_look) continue;
    next_look = info.events() + k_look_every;
    if (run.is_interrupted()) break;
    const double done = static_cast<double>(info.events());
    run.show("events", done, file->progress() ? done / std::max(*file->progress(), 1e-3) : done, "");
  }
  const std::string trouble = file->trouble();
  evidence::Artefact artefact("dojima data info");
  artefact.set_parameter("file", request.input.file)
      .set_parameter("format", name_of(file->format()))
      .set_parameter("date", request.input.date)
      .set_parameter("symbol", request.input.symbol);
  artefact.add_table(file_table(*file, info)).add_table(types_table(*file)).add_table(kinds_table(info));
  artefact.add_table(instruments_table(*file, info, request.most_instruments));
  artefact.add_check("the file can be read to its end", trouble.empty(), trouble);
  return run.finish(artefact, {});
}

}  // namespace

void add_data_info(Command data, int& status) {
  Command info = data.add_command("info", "What a file holds: format, counts by type, times, gaps, instruments");
  auto request = std::make_shared<InfoRequest>();
  request->input.add_to(info);
  info.add_option("--top", request->most_instruments, "How many instruments to list").show_default();
  request->options.json.add_to(info);
  info.add_flag("--no-progress", request->options.is_silent, "No progress line");
  info.footer(
      "Formats: lobster, itch50 (also in pcap), dbn, binance, bitstamp, fix, commands, compact, csv; guessed from the "
      "content.\nExit status 1: the file is damaged or cut; what comes before the damage is counted.\n"
      "example: dojima data info esh4.mbo.dbn.zst --json info.json");
  info.on_run([request, &status] { status = show(*request); });
}

}  // namespace dojima::cli
