// dojima fix print [FILE...]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/core.h>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/followed_file.hpp"
#include "dojima/app/stop_signal.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/recorded/captures/capture.hpp"
#include "dojima/recorded/captures/capture_packets.hpp"
#include "dojima/recorded/files/packed_file.hpp"
#include "dojima/recorded/fix/fix_log.hpp"
#include "dojima/recorded/fix/fix_print.hpp"
#include "dojima/time/clock.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::cli {
namespace {

struct FixRequest {
  std::vector<std::string> files;
  std::vector<std::string> only;
  std::vector<std::string> dictionaries;
  std::string color = "auto";
  bool is_lenient = false;
  bool is_summary = false;
  bool is_followed = false;
  JsonOption json;
};

/// Where printed messages go: the terminal, or tables.
class Output {
 public:
  Output(const FixRequest& request, bool is_coloured) : request_(request), is_coloured_(is_coloured) {}

  void add(const recorded::PrintedMessage& message) {
    ++number_;
    if (!request_.json.is_on_stdout() && !request_.is_summary)
      fmt::print("{}", recorded::to_text(message, is_coloured_));
    if (!request_.json.is_wanted()) return;
    messages_.add_row({number_, message.time, message.source, message.sender, message.target, message.sequence,
                       message.type, message.type_name, message.is_valid, message.trouble});
    for (const recorded::PrintedField& field : message.fields)
      fields_.add_row({number_, field.depth, static_cast<unsigned>(field.tag), field.name, field.value, field.meaning,
                       field.trouble});
  }

  /// A file without any message.
  void note_empty() { ++empty_files_; }

  int finish(const recorded::PrintCounts& counts) {
    const bool is_good =
        counts.wrong_checksums == 0 && counts.wrong_lengths == 0 && counts.cut == 0 && empty_files_ == 0;
    if (!request_.json.is_on_stdout()) fmt::print("{}", recorded::to_text(counts));
    if (request_.json.is_wanted()) {
      evidence::Artefact result("dojima fix print");
      evidence::Table types{.name = "types", .title = "messages by type", .columns = {{"type"}, {"count"}}};
      for (const auto& [type, count] : counts.types) types.add_row({type, count});
      result.add_table(std::move(types)).add_table(std::move(messages_)).add_table(std::move(fields_));
      result.add_check("checksums", counts.wrong_checksums == 0, fmt::format("{} wrong", counts.wrong_checksums));
      result.add_check("lengths", counts.wrong_lengths == 0, fmt::format("{} wrong", counts.wrong_lengths));
      result.add_check("whole", counts.cut == 0, fmt::format("{} cut", counts.cut));
      result.add_check("messages", empty_files_ == 0, fmt::format("{} files without one", empty_files_));
      result.add_check("valid", counts.invalid == 0, fmt::format("{} invalid", counts.invalid));
      const evidence::EvidenceCollector evidence({.build = evidence::build_identity(), .argv = command_line()});
      time::SystemClock clock;
      result.set_evidence(evidence.finish({.created = clock.now(), .applied = evidence::applied_settings()}));
      if (!request_.json.write(result.text())) return k_environment;
    }
    return is_good ? k_success : k_failed;
  }

 private:
  const FixRequest& request_;
  bool is_coloured_;
  std::int64_t number_ = 0;
  std::size_t empty_files_ = 0;
  evidence::Table messages_{.name = "messages",
                            .title = "messages",
                            .columns = {{"message"},
                                        {"time"},
                                        {"source"},
                                        {"sender"},
                                        {"target"},
                                        {"sequence"},
                                        {"type"},
                                        {"name"},
                                        {"is_valid"},
                                        {"trouble"}}};
  evidence::Table fields_{.name = "fields",
                          .title = "fields",
                          .columns = {{"message"}, {"depth"}, {"tag"}, {"name"}, {"value"}, {"meaning"}, {"trouble"}}};
};

/// The messages of a capture in the order in which they arrived, whatever the connection.
void print_capture(const std::vector<recorded::CapturedStream>& streams, recorded::FixPrinter& printer,
                   Output& output) {
  struct Arrived {
    time::Time time;
    std::size_t number;  // what arrived at once stays in order
    recorded::LoggedMessage message;
    const recorded::CapturedStream* stream;
  };
  std::vector<Arrived> all;
  for (const recorded::CapturedStream& stream : streams) {
    recorded::FixLog log(stream.bytes);
    while (auto message = log.next()) {
      const time::Time time = stream.time_of(message->offset);
      all.push_back({time, all.size(), *std::move(message), &stream});
    }
    if (stream.gaps != 0) complain(fmt::format("{} > {}: {} gaps in the capture", stream.from, stream.to, stream.gaps));
  }
  std::ranges::sort(
      all, [](const Arrived& a, const Arrived& b) { return a.time != b.time ? a.time < b.time : a.number < b.number; });
  for (const Arrived& arrived : all) {
    auto printed = printer.read(arrived.message);
    if (!printed) continue;
    char text[time::k_timestamp_max];
    printed->source = fmt::format("{} {} > {}", time::format_timestamp(arrived.time, 6, text), arrived.stream->from,
                                  arrived.stream->to);
    output.add(*printed);
  }
}

/// One file, or a transport and the application above it.
std::expected<fix::Dictionary, std::string> read_dictionary(const std::vector<std::string>& files) {
  std::vector<fix::DictionaryModel> models;
  for (const std::string& file : files) {
    const auto text = app::read_text_file(file);
    if (!text) return std::unexpected(text.error());
    auto model = fix::parse_dictionary_xml(*text);
    if (!model) return std::unexpected(fmt::format("{}:{}: {}", file, model.error().line, model.error().text));
    models.push_back(*std::move(model));
  }
  auto compiled = fix::Dictionary::compile(std::move(models));
  if (compiled) return *std::move(compiled);
  const std::string place =
      files.size() == 1 && compiled.error().line != 0 ? fmt::format(":{}", compiled.error().line) : std::string();
  return std::unexpected(fmt::format("{}{}: {}", fmt::join(files, ", "), place, compiled.error().text));
}

/// All messages of a file. The error says why it cannot be read.
std::expected<void, std::string> print_file(const std::string& file, recorded::FixPrinter& printer, Output& output) {
  const auto text = recorded::read_packed(file);
  if (!text) return std::unexpected(text.error());
  const std::uint64_t before = printer.counts().messages;
  const std::string name = file == "-" ? "standard input" : file;
  std::string where = "nothing in it begins with 8=FIX";
  if (recorded::is_capture(*text)) {
    const auto streams = recorded::read_capture(*text);
    if (!streams) return std::unexpected(name + ": " + streams.error());
    print_capture(*streams, printer, output);
    where = fmt::format("nothing in its {} TCP streams begins with 8=FIX", streams->size());
  } else {
    recorded::FixLog log(*text);
    while (const auto message = log.next()) {
      if (const auto printed = printer.read(*message)) output.add(*printed);
    }
  }
  if (printer.counts().messages == before) {
    complain(fmt::format("{}: no FIX message: {}", name, where));
    output.note_empty();
  }
  return {};
}

/// How much of a text that still grows is whole lines or, where a stream has none, whole messages.
std::size_t whole_part(std::string_view text) {
  constexpr std::string_view k_trailer =
      "\x01"
      "10=";
  constexpr std::size_t k_trailer_size = 8;
  const std::size_t line = text.rfind('\n');
  const std::size_t trailer = text.rfind(k_trailer);
  const std::size_t line_end = line == std::string_view::npos ? 0 : line + 1;
  if (trailer == std::string_view::npos || text.size() - trailer < k_trailer_size) return line_end;
  return std::max(line_end, trailer + k_trailer_size);
}

/// The messages of a file, and those that come, until the user has seen enough.
std::expected<void, std::string> follow_file(const std::string& file, recorded::FixPrinter& printer, Output& output) {
  constexpr std::chrono::milliseconds k_nap{100};
  constexpr std::size_t k_pending_most = std::size_t{1} << 24;
  auto followed = app::FollowedFile::open(file);
  if (!followed) return std::unexpected(followed.error());
  const app::StopSignal stop;
  std::string pending;
  while (!stop.is_raised()) {
    if (!followed->read_on(pending)) {
      std::this_thread::sleep_for(k_nap);
      continue;
    }
    const std::size_t whole = pending.size() > k_pending_most ? pending.size() : whole_part(pending);
    recorded::FixLog log(std::string_view(pending).substr(0, whole));
    while (const auto message = log.next()) {
      if (const auto printed = printer.read(*message)) output.add(*printed);
    }
    pending.erase(0, whole);
    std::fflush(stdout);
  }
  return {};
}

int print(const FixRequest& request) {
  std::vector<recorded::PrintFilter> filters;
  for (const std::string& text : request.only) {
    const auto filter = recorded::parse_filter(text);
    if (!filter) {
      complain("--only takes TAG=VALUE, such as 35=8; got \"" + text + "\"");
      return k_usage;
    }
    filters.push_back(*filter);
  }
  std::unique_ptr<fix::Dictionary> custom;
  if (!request.dictionaries.empty()) {
    auto dictionary = read_dictionary(request.dictionaries);
    if (!dictionary) {
      complain(dictionary.error());
      return k_usage;
    }
    custom = std::make_unique<fix::Dictionary>(*std::move(dictionary));
  }
  if (!request.json.can_write()) return k_environment;
  fix::Checks checks{.user_tags = true};  // nobody knows what the two sides of a log agreed on
  if (request.is_lenient)
    checks = {.user_tags = true,
              .message_tags = false,
              .required = false,
              .values = false,
              .order = false,
              .groups = false,
              .group_order = false,
              .encryption = false,
              .versions = false};
  const bool is_coloured = request.color == "always" || (request.color == "auto" && isatty(STDOUT_FILENO) != 0);
  recorded::FixPrinter printer(custom.get(), std::move(filters), checks);
  Output output(request, is_coloured);
  if (request.is_followed) {
    if (request.files.size() != 1 || request.files.front() == "-") {
      complain("--follow takes one file, that of a log which is being written");
      return k_usage;
    }
    if (const auto followed = follow_file(request.files.front(), printer, output); !followed) {
      complain(followed.error());
      return k_usage;
    }
    return output.finish(printer.counts());
  }
  const std::vector<std::string> files = request.files.empty() ? std::vector<std::string>{"-"} : request.files;
  for (const std::string& file : files) {
    if (const auto printed = print_file(file, printer, output); !printed) {
      complain(printed.error());
      return k_usage;
    }
  }
  return output.finish(printer.counts());
}

}  // namespace

void add_fix(Command program, int& status) {
  Command fix = program.add_command("fix", "Look into FIX messages");
  fix.require_command();
  Command printer = fix.add_command("print", "Print the FIX messages of logs, streams and packet captures readably");
  auto request = std::make_shared<FixRequest>();
  printer.add_option("FILE", request->files,
                     "Logs, raw streams, pcap or pcapng; plain, gzip, xz or zstd; - or nothing: standard input");
  printer.add_option("--only", request->only, "Only messages with this field; several: with all of them")
      .type_name("TAG=VALUE")
      .one_value_per_use();
  printer
      .add_option("--dictionary", request->dictionaries,
                  "A dictionary in QuickFIX's XML instead of the built-in ones; twice: a transport and its application")
      .type_name("FILE")
      .one_value_per_use();
  printer.add_option("--color", request->color, "auto, always or never").one_of({"auto", "always", "never"});
  printer.add_flag("--lenient", request->is_lenient, "Mark wrong formats and unknown tags only");
  printer.add_flag(
      "--follow", request->is_followed,
      "Go on with what is written to the file, also when a log becomes FILE.1 and begins anew; until Ctrl-C");
  printer.add_flag("--summary", request->is_summary, "Only the counts");
  request->json.add_to(printer);
  printer.footer(
      "Exit status 1: a checksum or length is wrong, a message is cut, or a file has no message.\n"
      "example: dojima fix print day.fix.gz --only 35=8 --only 55=RICE");
  printer.on_run([request, &status] { status = print(*request); });
}

}  // namespace dojima::cli
