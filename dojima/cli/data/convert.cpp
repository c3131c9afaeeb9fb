// dojima data convert FILE TO

#include "dojima/recorded/files/convert.hpp"

#include <fmt/core.h>
#include <memory>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/data/data.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/recorded/files/event_file.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::cli {
namespace {

struct ConvertRequest {
  recorded::ConvertSettings settings;
  std::string to;
  RecordedInput file;
  EventChoice choice;
  InstrumentOptions output;
};

std::string known_time_text(time::Time at) {
  char text[time::k_timestamp_max];
  return at == recorded::k_unknown_time ? std::string() : std::string(time::format_timestamp(at, 9, text));
}

int convert(ConvertRequest& request) {
  recorded::ConvertSettings& settings = request.settings;
  const auto recorded = request.file.options();
  if (!recorded || !request.choice.read()) return k_usage;
  settings.input = request.file.file;
  settings.recorded = *recorded;
  settings.from = request.choice.from_time;
  settings.until = request.choice.until_time;
  settings.symbols = request.choice.symbols;
  settings.format = request.to.empty() ? recorded::format_for(settings.output) : *recorded::format_named(request.to);
  if (settings.output == "-" && request.output.json.is_on_stdout()) {
    complain("the events and --json cannot both go to stdout");
    return k_usage;
  }
  InstrumentRun run(request.output);
  if (!run.can_write()) return k_environment;
  const recorded::ConvertHooks hooks{
      .is_interrupted = [&] { return run.is_interrupted(); },
      .show =
          [&](const recorded::ConvertNow& now) {
            const double done = static_cast<double>(now.events);
            run.show("events", done, now.progress && *now.progress > 0 ? done / *now.progress : 0, "events");
          }};
  const auto result = recorded::convert(settings, hooks);
  if (!result) {
    complain(result.error());
    return k_usage;
  }
  evidence::Artefact artefact("dojima data convert");
  artefact.set_parameter("from", result->from_format)
      .set_parameter("to", std::string(recorded::name_of(settings.format)));
  evidence::Table table{
      .name = "convert",
      .title = "what was written",
      .columns = {{"events_read"}, {"events_written"}, {"instruments"}, {"bytes"}, {"first"}, {"last"}}};
  table.add_row({result->events_read, result->events_written, result->instruments, result->bytes_written,
                 known_time_text(result->first), known_time_text(result->last)});
  artefact.add_table(std::move(table));
  artefact.add_check("whole file", result->trouble.empty(), result->trouble);
  if (!result->trouble.empty()) complain(result->trouble);
  // Standard output is the events'.
  if (settings.output == "-" && !request.output.json.is_wanted()) return result->trouble.empty() ? k_success : k_failed;
  return run.finish(artefact, {});
}

}  // namespace

void add_data_convert(Command data, int& status) {
  Command command = data.add_command("convert", "Write recorded events in another format");
  auto request = std::make_shared<ConvertRequest>();
  request->file.add_to(command);
  command
      .add_option("TO", request->settings.output,
                  "File to write: CSV when its name ends in .csv, else the compact format; - is standard output")
      .required();
  command.add_option("--to", request->to, "Write this format, whatever the name says")
      .one_of(recorded::writable_formats());
  request->choice.add_to(command);
  request->output.json.add_to(command);
  command.add_flag("--no-progress", request->output.is_silent, "No progress line");
  command.footer(
      "Nothing is lost on the way to the compact format or CSV and back.\n"
      "example: dojima data convert AMZN_2012-06-21_34200000_57600000_message_1.csv.gz amzn.events\n"
      "         dojima data convert amzn.events ten.csv --from 2012-06-21T14:00:00 --until 2012-06-21T14:10:00");
  command.on_run([request, &status] { status = convert(*request); });
}

}  // namespace dojima::cli
