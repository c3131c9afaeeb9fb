// dojima data

#include "dojima/cli/data/data.hpp"

#include <fmt/core.h>
#include <vector>

#include "dojima/app/nearest.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/recorded/fields.hpp"
#include "dojima/recorded/files/convert.hpp"

namespace dojima::cli {
namespace {

/// 2012-06-21.
std::optional<time::Date> parsed_date(const std::string& text) {
  recorded::Fields fields(text);
  std::uint64_t year = 0, month = 0, day = 0;
  const bool is_read = fields.take_number(year) && fields.take('-') && fields.take_number(month) && fields.take('-') &&
                       fields.take_number(day) && fields.is_at_end();
  if (!is_read || year < 1987 || year > 2261 || month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
  return time::Date{static_cast<std::int32_t>(year), static_cast<std::uint8_t>(month), static_cast<std::uint8_t>(day)};
}

void complain_of_format(const std::string& format) {
  std::vector<std::string> names;
  std::string all;
  for (const recorded::Format one : recorded::all_formats()) {
    names.emplace_back(name_of(one));
    all += (all.empty() ? "" : ", ") + names.back();
  }
  const auto meant = app::nearest(format, names);
  complain(fmt::format("no format \"{}\"{}; there are {}", format,
                       meant ? fmt::format("; did you mean {}?", *meant) : std::string(), all));
}

/// False: it is no time; that has been reported.
bool read_moment(const std::string& text, std::optional<time::Time>& moment) {
  if (text.empty()) return true;
  const auto read = recorded::parse_moment(text);
  if (read) {
    moment = *read;
  } else {
    complain(read.error());
  }
  return read.has_value();
}

}  // namespace

void RecordedInput::add_to(Command command) {
  command.add_option("FILE", file, "Recorded data; plain, gzip, xz or zstd; -: standard input").required();
  add_options_to(command);
}

void RecordedInput::add_options_to(Command command) {
  command.add_option("--format", format, "What it is, where its content does not say so").type_name("NAME");
  command.add_option("--date", date, "The day, for formats that have the time of day only (LOBSTER, ITCH)")
      .type_name("YYYY-MM-DD");
  command.add_option("--symbol", symbol, "The instrument, for formats that name none (LOBSTER, Bitstamp)")
      .type_name("NAME");
}

std::optional<recorded::RecordedOptions> RecordedInput::options() const {
  recorded::RecordedOptions options;
  options.symbol = symbol;
  if (!format.empty()) {
    options.format = recorded::format_named(format);
    if (!options.format) {
      complain_of_format(format);
      return std::nullopt;
    }
  }
  if (!date.empty()) {
    options.date = parsed_date(date);
    if (!options.date) {
      complain("--date takes a day such as 2012-06-21; got \"" + date + "\"");
      return std::nullopt;
    }
  }
  return options;
}

std::optional<recorded::RecordedFile> RecordedInput::open() const {
  const auto known = options();
  if (!known) return std::nullopt;
  auto opened = recorded::RecordedFile::open(file, *known);
  if (opened) return std::move(*opened);
  complain(opened.error());
  return std::nullopt;
}

void EventChoice::add_to(Command command) {
  command.add_option("--from", from, "Only from this time on: 2012-06-21T13:30:00 (UTC), or nanoseconds since 1970")
      .type_name("TIME");
  command.add_option("--until", until, "Only before this time").type_name("TIME");
  command.add_option("--only", symbols, "Only this instrument; several: only these").type_name("NAME");
}

bool EventChoice::read() {
  if (!read_moment(from, from_time) || !read_moment(until, until_time)) return false;
  if (!from_time || !until_time || *from_time < *until_time) return true;
  complain("--from " + from + " is not before --until " + until);
  return false;
}

void add_data(Command program, int& status) {
  Command data = program.add_command("data", "Recorded market data: what is in a file, and other formats of it");
  data.require_command();
  data.footer("example: dojima data info AMZN_2012-06-21_34200000_57600000_message_1.csv.gz");
  add_data_info(data, status);
  add_data_convert(data, status);
}

}  // namespace dojima::cli
