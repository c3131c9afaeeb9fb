// dojima mit print|layouts, dojima mitch print|layouts

#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/app/nearest.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/mit/describe.hpp"
#include "dojima/mitch/describe.hpp"
#include "dojima/recorded/captures/capture.hpp"
#include "dojima/recorded/captures/capture_packets.hpp"
#include "dojima/time/clock.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::cli {
namespace {

/// What was read, in either protocol.
struct Reading {
  std::vector<MessageText> messages;
  std::string trouble;
};

/// The messages of one stream of bytes.
using ReadStream = std::function<Reading(Bytes)>;

std::string capture_time_text(time::Time at) {
  char text[time::k_timestamp_max];
  return std::string(time::format_timestamp(at, 9, text));
}

/// A message of a capture: when it arrived, and after how many others that were read.
struct Arrived {
  time::Time at;
  std::size_t number = 0;
  MessageText message;
};

/// Notes where each message came from and when, and what is wrong with its stream.
void add_stream(Reading& all, std::vector<Arrived>& messages, const recorded::CapturedStream& stream, Reading of) {
  const std::string road = stream.from + " > " + stream.to;
  for (MessageText& message : of.messages) {
    const time::Time at = stream.time_of(message.offset);
    message.note = road + " " + capture_time_text(at) + (message.note.empty() ? "" : ", " + message.note);
    messages.push_back({at, messages.size(), std::move(message)});
  }
  if (stream.gaps != 0) of.trouble = fmt::format("{} gaps in the capture", stream.gaps);
  if (!of.trouble.empty()) all.trouble += (all.trouble.empty() ? "" : "; ") + road + ": " + of.trouble;
}

/// The messages of a capture in the order in which they arrived. Streams that begin with no message are of another
/// protocol, and left out.
Reading read_streams(std::string_view file, recorded::Carriers carriers, const ReadStream& read) {
  const auto streams = recorded::read_capture(file, carriers);
  if (!streams) return {.messages = {}, .trouble = streams.error()};
  Reading all;
  std::vector<Arrived> messages;
  for (const recorded::CapturedStream& stream : *streams) {
    Reading of = read(as_bytes(stream.bytes));
    if (!of.messages.empty()) add_stream(all, messages, stream, std::move(of));
  }
  std::ranges::sort(messages, {}, [](const Arrived& each) { return std::pair(each.at, each.number); });
  for (Arrived& each : messages) all.messages.push_back(std::move(each.message));
  if (all.messages.empty() && all.trouble.empty()) all.trouble = "no stream of the capture is of this protocol";
  return all;
}

Reading read_file(std::string_view bytes, recorded::Carriers carriers, const ReadStream& read) {
  return recorded::is_capture(bytes) ? read_streams(bytes, carriers, read) : read(as_bytes(bytes));
}

/// All of a file, or of stdin where none is named. None: it cannot be read; that has been reported.
std::optional<std::string> contents(const std::string& file) {
  if (file.empty() || file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.is_open() && !in.bad()) return text;
  complain(fmt::format("{} cannot be read", file));
  return std::nullopt;
}

std::size_t troubled_in(const Reading& reading) {
  std::size_t count = 0;
  for (const MessageText& message : reading.messages) count += message.is_troubled() ? 1U : 0U;
  return count;
}

evidence::Artefact artefact_of(std::string command, const Reading& reading) {
  evidence::Artefact result(std::move(command));
  evidence::Table messages{
      "messages",
      "the messages, in the order of the bytes",
      {{"number"}, {"offset"}, {"message"}, {"bytes"}, {"note"}, {"trouble", 0, true, "empty: none"}}};
  evidence::Table fields{"fields",
                         "their fields",
                         {{"number"},
                          {"field"},
                          {"value"},
                          {"meaning", 0, true, "empty: the field has no table of values"},
                          {"trouble", 0, true, "empty: none"}}};
  std::size_t number = 0;
  for (const MessageText& message : reading.messages) {
    messages.add_row({number, message.offset, message.name, message.size, message.note, message.trouble});
    for (const FieldText& field : message.fields)
      if (!field.is_reserved || !field.trouble.empty())
        fields.add_row({number, field.name, field.value, field.meaning, field.trouble});
    ++number;
  }
  result.add_table(std::move(messages)).add_table(std::move(fields));
  result.add_check("the bytes are messages to their end", reading.trouble.empty(), reading.trouble);
  const std::size_t troubled = troubled_in(reading);
  result.add_check("no message is in trouble", troubled == 0, fmt::format("{} are", troubled));
  return result;
}

int print_result(const std::string& command, const Reading& reading, const JsonOption& json) {
  if (!json.is_on_stdout()) {
    for (const MessageText& message : reading.messages) fmt::print("{}", lines_of(message));
  }
  if (!reading.trouble.empty()) complain(reading.trouble);
  const int status = reading.trouble.empty() && troubled_in(reading) == 0 ? k_success : k_failed;
  if (!json.is_wanted()) return status;
  evidence::Artefact result = artefact_of(command, reading);
  const evidence::EvidenceCollector evidence({.build = evidence::build_identity(), .argv = command_line()});
  time::SystemClock clock;
  result.set_evidence(evidence.finish({.created = clock.now(), .applied = evidence::applied_settings()}));
  return json.write(result.text()) ? status : k_environment;
}

struct PrintOptions {
  std::string file;
  std::string dialect = "LSE-21.2";
  JsonOption json;
};

/// Null: there is none of that name; that has been reported.
const mit::Dialect* dialect_named(const std::string& name) {
  if (const mit::Dialect* dialect = mit::find_dialect(name)) return dialect;
  std::vector<std::string> names;
  std::string all;
  for (const mit::Dialect* dialect : mit::dialects()) {
    names.emplace_back(dialect->name);
    all += (all.empty() ? "" : ", ") + names.back();
  }
  const auto meant = app::nearest(name, names);
  complain(fmt::format("no dialect \"{}\"{}; there are {}", name,
                       meant ? fmt::format("; did you mean {}?", *meant) : std::string(), all));
  return nullptr;
}

int print_mit(const PrintOptions& options) {
  const mit::Dialect* dialect = dialect_named(options.dialect);
  if (dialect == nullptr || !options.json.can_write()) return k_usage;
  const std::optional<std::string> bytes = contents(options.file);
  if (!bytes) return k_usage;
  const ReadStream read = [dialect](Bytes stream) -> Reading {
    mit::StreamText text = mit::describe_stream(*dialect, stream);
    return {std::move(text.messages), std::move(text.trouble)};
  };
  return print_result("dojima mit print", read_file(*bytes, recorded::Carriers::tcp, read), options.json);
}

int print_mitch(const PrintOptions& options) {
  if (!options.json.can_write()) return k_usage;
  const std::optional<std::string> bytes = contents(options.file);
  if (!bytes) return k_usage;
  const ReadStream read = [](Bytes stream) -> Reading {
    mitch::UnitsText text = mitch::describe_units(stream);
    return {std::move(text.messages), std::move(text.trouble)};
  };
  return print_result("dojima mitch print", read_file(*bytes, recorded::Carriers::tcp_and_udp, read), options.json);
}

void add_file(Command print, PrintOptions& options) {
  print.add_option("FILE", options.file,
                   "Bytes as they were on the wire, or a packet capture (pcap, pcapng); left out or -: stdin");
  options.json.add_to(print);
}

}  // namespace

void add_wire(Command program, int& status) {
  Command mit = program.add_command("mit", "MIT203, the native order entry: messages shown, layouts");
  mit.require_command();
  mit.footer("example: dojima mit print orders.bin");
  auto of_mit = std::make_shared<PrintOptions>();
  Command print = mit.add_command("print", "Show the messages of one direction of a connection");
  add_file(print, *of_mit);
  print.add_option("--dialect", of_mit->dialect, "LSE-21.2, BIT-9.4 or LSE-11.8.5").show_default();
  print.footer("example: dojima mit print --dialect BIT-9.4 orders.bin");
  print.on_run([of_mit, &status] { status = print_mit(*of_mit); });

  auto page = std::make_shared<std::string>("LSE-21.2");
  Command layouts = mit.add_command("layouts", "Every message of a dialect as pictures and tables: docs/layouts");
  layouts.add_option("--dialect", *page, "LSE-21.2, BIT-9.4 or LSE-11.8.5").show_default();
  layouts.footer("example: dojima mit layouts --dialect BIT-9.4");
  layouts.on_run([page, &status] {
    const mit::Dialect* dialect = dialect_named(*page);
    status = dialect == nullptr ? k_usage : k_success;
    if (dialect != nullptr) fmt::print("{}", mit::page_of(*dialect));
  });

  Command mitch = program.add_command("mitch", "MIT303, the market data: messages shown, layouts");
  mitch.require_command();
  mitch.footer("example: dojima mitch print feed.bin");
  auto of_mitch = std::make_shared<PrintOptions>();
  Command units = mitch.add_command("print", "Show the messages of units, back to back");
  add_file(units, *of_mitch);
  units.footer("example: dojima mitch print --json < feed.bin");
  units.on_run([of_mitch, &status] { status = print_mitch(*of_mitch); });

  Command tables = mitch.add_command("layouts", "Every message as pictures and tables: docs/layouts");
  tables.footer("example: dojima mitch layouts");
  tables.on_run([&status] {
    fmt::print("{}", mitch::layouts_page());
    status = k_success;
  });
}

}  // namespace dojima::cli
