// Recorded data: files and days as Python sees them.

#include "arguments.hpp"
#include "bind.hpp"
#include "day.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/core.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "dojima/recorded/files/convert.hpp"
#include "dojima/recorded/files/data_info.hpp"
#include "dojima/recorded/files/event_file.hpp"

namespace dojima::python {
namespace {

using recorded::EventKind;
using recorded::k_unknown_time;

// ---- Days ----------------------------------------------------------------------------------------------------------

void need_file(const std::string& file) {
  std::error_code error;
  if (file == "-" || std::filesystem::exists(file, error)) return;
  errno = ENOENT;
  const nb::object name = nb::steal(PyUnicode_DecodeFSDefault(file.c_str()));
  PyErr_SetFromErrnoWithFilenameObject(PyExc_FileNotFoundError, name.ptr());
  throw nb::python_error();
}

std::shared_ptr<Day> read(nb::handle file, nb::handle format, nb::handle date, const std::string& symbol,
                          nb::handle symbols, nb::handle start, nb::handle until, bool book, bool partial) {
  ReadSettings settings{.file = path_of(file, "file"),
                        .recorded = recorded_options(format, date, symbol),
                        .symbols = words_of(symbols, "symbols"),
                        .from = moment_of(start, "start"),
                        .until = moment_of(until, "until")};
  settings.recorded.has_book = book;
  need_file(settings.file);
  SignalWatch watch;
  std::expected<std::shared_ptr<Day>, std::string> day;
  {
    const WithoutLock free;
    day = read_day(settings, [&] { return watch.is_interrupted(); });
  }
  watch.raise();
  if (!day) refuse(day.error());
  if (!partial && !(*day)->trouble.empty()) refuse((*day)->trouble + "; partial=True gives what comes before it");
  return *day;
}

Selection selection_of(const Day& day, nb::handle instrument, bool exact) {
  Selection selection{.is_exact = exact};
  if (instrument.is_none()) return selection;
  if (PyUnicode_Check(instrument.ptr()) != 0) {
    const auto symbol = nb::cast<std::string>(instrument);
    const auto found = std::ranges::find(day.instruments, symbol, &RecordedInstrument::symbol);
    if (found == day.instruments.end()) refuse("the day has no instrument \"" + symbol + "\"");
    selection.instrument = static_cast<std::uint32_t>(found - day.instruments.begin());
    return selection;
  }
  const Numbers number(instrument, "instrument");
  if (number.rows()) refuse("instrument takes one number or symbol");
  if (day.instruments.empty()) refuse("the day has no instruments");
  number.hold_within(0, static_cast<std::int64_t>(day.instruments.size()) - 1);
  selection.instrument = static_cast<std::uint32_t>(number[0]);
  return selection;
}

template <class Make>
std::shared_ptr<Table> made(Make&& make) {
  const WithoutLock free;
  return std::make_shared<Table>(make());
}

std::shared_ptr<Table> depth(const Day& day, std::int64_t levels, nb::handle every, std::int64_t changes,
                             nb::handle instrument, bool exact) {
  constexpr std::int64_t k_most_levels = 1000, k_most_values = std::int64_t{1} << 32;
  if (levels < 1 || levels > k_most_levels) refuse(fmt::format("levels takes 1 to {}; got {}", k_most_levels, levels));
  if (changes < 1) refuse(fmt::format("changes takes 1 or more; got {}", changes));
  DepthSettings settings{.levels = static_cast<std::size_t>(levels), .changes = static_cast<std::uint64_t>(changes)};
  const Selection selection = selection_of(day, instrument, exact);
  if (!every.is_none()) {
    settings.every = duration_of(every, "every");
    if (settings.every == Duration{}) refuse("every takes a time above 0");
    if (changes != 1) refuse("depth takes every or changes, not both");
    Time first = time::k_never, last = k_unknown_time;
    for (const RecordedEvent& event : day.events) {
      const Time at = event.replay_time();
      if (at == k_unknown_time) continue;
      first = std::min(first, at);
      last = std::max(last, at);
    }
    const std::int64_t rows = first > last ? 0 : (last - first) / settings.every;
    const auto books = selection.instrument ? 1 : static_cast<std::int64_t>(day.instruments.size());
    if (rows > k_most_values / (levels * books))
      refuse(fmt::format("every {} ns makes {} rows of {} levels for {} instruments, which is too much",
                         settings.every.count(), rows, levels, books));
    settings.rows = static_cast<std::size_t>((rows + 2) * books);
  }
  return made([&] { return depth_of(day, selection, settings); });
}

std::shared_ptr<Table> labels(const Day& day, nb::handle horizon, nb::handle rows, nb::handle instrument) {
  if (horizon.is_none() == rows.is_none()) refuse("labels takes either horizon, a time, or rows, a number of changes");
  Duration later{};
  std::uint64_t count = 0;
  if (rows.is_none()) {
    later = duration_of(horizon, "horizon");
    if (later == Duration{}) refuse("horizon takes a time above 0");
  } else {
    const Numbers number(rows, "rows");
    number.hold_within(1, std::int64_t{1} << 40);
    if (number.rows()) refuse("rows takes one number");
    count = static_cast<std::uint64_t>(number[0]);
  }
  const Selection selection = selection_of(day, instrument, false);
  return made([&] { return labels_of(day, selection, later, count); });
}

// ---- Files ---------------------------------------------------------------------------------------------------------

nb::object text_or_none(const std::string& text) {
  return text.empty() ? nb::none() : nb::object(nb::str(text.c_str(), text.size()));
}

nb::dict facts_of(const recorded::DataInfo& info, const std::vector<RecordedInstrument>& instruments) {
  nb::dict facts;
  facts["events"] = info.events();
  nb::dict kinds;
  for (std::uint8_t kind = 0; kind < recorded::k_event_kinds; ++kind) {
    const auto of = static_cast<EventKind>(kind);
    if (info.count(of) != 0) kinds[std::string(recorded::name_of(of)).c_str()] = info.count(of);
  }
  facts["kinds"] = kinds;
  facts["first_event_time"] = moment_or_none(info.event_time().first);
  facts["last_event_time"] = moment_or_none(info.event_time().last);
  facts["first_receive_time"] = moment_or_none(info.receive_time().first);
  facts["last_receive_time"] = moment_or_none(info.receive_time().last);
  facts["steps_back"] = info.event_time().steps_back + info.receive_time().steps_back;
  facts["gaps"] = info.gaps();
  facts["missing"] = info.missing();
  nb::list list;
  for (std::size_t at = 0; at < instruments.size(); ++at) {
    nb::dict one;
    one["symbol"] = instruments[at].symbol;
    one["events"] = at < info.instruments().size() ? info.instruments()[at].events : 0;
    one["trades"] = at < info.instruments().size() ? info.instruments()[at].trades : 0;
    one["price_decimals"] = instruments[at].price_decimals;
    one["quantity_decimals"] = instruments[at].quantity_decimals;
    one["tick"] = instruments[at].tick;
    list.append(one);
  }
  facts["instruments"] = list;
  return facts;
}

nb::dict info(nb::handle path, nb::handle format, nb::handle date, const std::string& symbol) {
  const std::string name = path_of(path, "file");
  const recorded::RecordedOptions options = recorded_options(format, date, symbol);
  need_file(name);
  SignalWatch watch;
  recorded::DataInfo of;
  std::expected<recorded::RecordedFile, std::string> file = std::unexpected(std::string());
  {
    const WithoutLock free;
    file = recorded::RecordedFile::open(name, options);
    if (file) {
      std::uint64_t batches = 0;
      for (auto batch = file->reader().next_batch(); !batch.empty(); batch = file->reader().next_batch()) {
        of.add(batch);
        if (++batches % 64 == 0 && watch.is_interrupted()) break;
      }
    }
  }
  watch.raise();
  if (!file) refuse(file.error());
  nb::dict facts = facts_of(of, file->reader().instruments());
  facts["format"] = std::string(file->reader().format());
  facts["files"] = file->names();
  facts["bytes"] = file->reader().bytes_read();
  facts["trouble"] = text_or_none(file->trouble());
  return facts;
}

recorded::Format writable_format(nb::handle format, const std::string& output) {
  if (format.is_none()) return recorded::format_for(output);
  const auto names = recorded::writable_formats();
  return *recorded::format_named(names[word_of(nb::cast<std::string>(nb::str(format)), "format", names)]);
}

nb::dict result_of(const std::expected<recorded::ConvertResult, std::string>& result) {
  if (!result) refuse(result.error());
  nb::dict done;
  done["from"] = result->from_format;
  done["events_read"] = result->events_read;
  done["events_written"] = result->events_written;
  done["bytes_written"] = result->bytes_written;
  done["instruments"] = result->instruments;
  done["first"] = moment_or_none(result->first);
  done["last"] = moment_or_none(result->last);
  done["trouble"] = text_or_none(result->trouble);
  return done;
}

nb::dict convert(nb::handle input, nb::handle output, nb::handle to, nb::handle format, nb::handle date,
                 const std::string& symbol, nb::handle symbols, nb::handle start, nb::handle until) {
  recorded::ConvertSettings settings{.input = path_of(input, "input"),
                                     .recorded = recorded_options(format, date, symbol),
                                     .output = path_of(output, "output"),
                                     .from = moment_of(start, "start"),
                                     .until = moment_of(until, "until"),
                                     .symbols = words_of(symbols, "symbols")};
  settings.format = writable_format(to, settings.output);
  need_file(settings.input);
  SignalWatch watch;
  std::expected<recorded::ConvertResult, std::string> result = std::unexpected(std::string());
  {
    const WithoutLock free;
    result = recorded::convert(settings, {.is_interrupted = [&] { return watch.is_interrupted(); }});
  }
  watch.raise();
  return result_of(result);
}

nb::dict write(const Day& day, nb::handle output, nb::handle to) {
  const std::string name = path_of(output, "output");
  const recorded::Format format = writable_format(to, name);
  std::expected<recorded::ConvertResult, std::string> result = std::unexpected(std::string());
  {
    const WithoutLock free;
    const auto reader = reader_of(day);
    result = recorded::write_events(*reader, name, format, {});
  }
  return result_of(result);
}

std::string shown_day(const Day& day) {
  return fmt::format("<dojima.Day {} ({}): {} events of {} instruments>", day.file, day.format, day.events.size(),
                     day.instruments.size());
}

}  // namespace

void bind_day(nb::module_& module) {
  nb::class_<Day>(module, "Day", "A recorded day in memory: read() makes it from a file, events() from a table.")
      .def("__len__", [](const Day& day) { return day.events.size(); })
      .def_prop_ro("file", [](const Day& day) { return day.file; })
      .def_prop_ro("format", [](const Day& day) { return day.format; })
      .def_prop_ro("instruments", [](const Day& day) { return day.instruments; })
      .def_prop_ro(
          "trouble", [](const Day& day) { return text_or_none(day.trouble); },
          nb::sig("def trouble(self) -> str | None"), "Where the file ended too early; None: nowhere.")
      .def(
          "info",
          [](const Day& day) {
            recorded::DataInfo of;
            of.add(day.events);
            nb::dict facts = facts_of(of, day.instruments);
            facts["format"] = day.format;
            return facts;
          },
          nb::sig("def info(self) -> dict[str, typing.Any]"), "As info() of a file.")
      .def(
          "tops",
          [](const Day& day, nb::handle instrument, bool exact) {
            const Selection selection = selection_of(day, instrument, exact);
            return made([&] { return tops_of(day, selection); });
          },
          nb::arg("instrument") = nb::none(), nb::kw_only(), nb::arg("exact") = false,
          nb::sig("def tops(self, instrument: int | str | None = None, *, exact: bool = False) -> Table"),
          "A row for each change of the best prices or their quantities: time, event_time, instrument, bid_price, "
          "bid_quantity, ask_price, ask_quantity. A side that is empty has no price (NaN; exact: the least int64). "
          "O(events).")
      .def("depth", &depth, nb::arg("levels") = 10, nb::arg("every") = nb::none(), nb::arg("changes") = 1,
           nb::arg("instrument") = nb::none(), nb::kw_only(), nb::arg("exact") = false,
           nb::sig("def depth(self, levels: int = 10, every: str | int | datetime.timedelta | None = None, changes: "
                   "int = 1, "
                   "instrument: int | str | None = None, *, exact: bool = False) -> Table"),
           "The first levels of both sides, each column with `levels` values a row, best first: at every n-th change "
           "of them, "
           "or each time that `every` has passed. O(events * levels).")
      .def(
          "trades",
          [](const Day& day, nb::handle instrument, bool exact) {
            const Selection selection = selection_of(day, instrument, exact);
            return made([&] { return trades_of(day, selection); });
          },
          nb::arg("instrument") = nb::none(), nb::kw_only(), nb::arg("exact") = false,
          nb::sig("def trades(self, instrument: int | str | None = None, *, exact: bool = False) -> Table"),
          "time, event_time, instrument, side of who took (a Side), price, quantity, match (the feed's number or 0).")
      .def(
          "labels", &labels, nb::arg("horizon") = nb::none(), nb::kw_only(), nb::arg("rows") = nb::none(),
          nb::arg("instrument") = nb::none(),
          nb::sig("def labels(self, horizon: str | int | datetime.timedelta | None = None, *, rows: int | None = None, "
                  "instrument: int | str | None = None) -> Table"),
          "Row for row with tops(): the middle price, what it is `horizon` later or so many rows of the instrument "
          "later, and "
          "the change. NaN: the day ends before, or a side is empty.")
      .def(
          "events", [](const Day& day) { return made([&] { return events_of(day); }); },
          "All of every event, in whole numbers as recorded; dojima.events() takes it back.")
      .def("write", &write, nb::arg("output"), nb::arg("format") = nb::none(),
           nb::sig(
               "def write(self, output: str | os.PathLike[str], format: str | None = None) -> dict[str, typing.Any]"),
           "Into a file: CSV when its name ends in .csv, else the compact format, or the format named.")
      .def("__repr__", &shown_day);

  module.def(
      "read", &read, nb::arg("file"), nb::kw_only(), nb::arg("format") = nb::none(), nb::arg("date") = nb::none(),
      nb::arg("symbol") = "", nb::arg("symbols") = nb::none(), nb::arg("start") = nb::none(),
      nb::arg("until") = nb::none(), nb::arg("book") = true, nb::arg("partial") = false,
      nb::sig("def read(file: str | os.PathLike[str], *, format: str | None = None, date: str | datetime.date | None = "
              "None, "
              "symbol: str = '', symbols: str | typing.Sequence[str] | None = None, start: str | int | "
              "datetime.datetime | None = None, "
              "until: str | int | datetime.datetime | None = None, book: bool = True, partial: bool = False) -> Day"),
      "A recorded file, packed or not, into memory: 64 bytes an event. `start` and `until` by the recorder's clock; "
      "`partial` accepts a damaged file and gives what comes before the damage (Day.trouble says where). "
      "Raises FileNotFoundError, ValueError.");
  module.def("info", &info, nb::arg("file"), nb::kw_only(), nb::arg("format") = nb::none(),
             nb::arg("date") = nb::none(), nb::arg("symbol") = "",
             nb::sig("def info(file: str | os.PathLike[str], *, format: str | None = None, date: str | datetime.date | "
                     "None = None, "
                     "symbol: str = '') -> dict[str, typing.Any]"),
             "What a file holds: format, counts by kind, times, gaps, instruments; trouble: where it ends too early.");
  module.def(
      "convert", &convert, nb::arg("input"), nb::arg("output"), nb::arg("to") = nb::none(), nb::kw_only(),
      nb::arg("format") = nb::none(), nb::arg("date") = nb::none(), nb::arg("symbol") = "",
      nb::arg("symbols") = nb::none(), nb::arg("start") = nb::none(), nb::arg("until") = nb::none(),
      nb::sig("def convert(input: str | os.PathLike[str], output: str | os.PathLike[str], to: str | None = None, *, "
              "format: str | None = None, date: str | datetime.date | None = None, symbol: str = '', "
              "symbols: str | typing.Sequence[str] | None = None, start: str | int | datetime.datetime | None = None, "
              "until: str | int | datetime.datetime | None = None) -> dict[str, typing.Any]"),
      "Writes recorded events in another format, `to`: else CSV when the output's name ends in .csv, else compact.");
}

}  // namespace dojima::python
