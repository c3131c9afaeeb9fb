#include "dojima/measure/hdr_distribution.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

namespace dojima::measure {
namespace {

template <class... Arguments>
void append(std::string& text, const char* format, Arguments... arguments) {
  char line[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"  // every format is a literal at its call
  const int size = std::snprintf(line, sizeof line, format, arguments...);
#pragma GCC diagnostic pop
  text.append(line, static_cast<std::size_t>(std::clamp(size, 0, int{sizeof line} - 1)));
}

/// The next level, in percent. Each halving of the distance to 100 gets the same number of steps; how many halvings
/// there were is cut to a whole number, as Java and C do (the Python package goes on in fractions).
double next_level(double level, unsigned ticks_per_half_distance) {
  const auto halvings = static_cast<std::int64_t>(std::log(100 / (100 - level)) / std::log(2.0)) + 1;
  return level + 100.0 / (ticks_per_half_distance * std::exp2(static_cast<double>(halvings)));
}

}  // namespace

std::string to_hgrm(const HistogramView& histogram, HgrmOptions options) {
  const HistogramLayout& layout = histogram.layout;
  const unsigned figures = layout.significant_figures();
  const int digits = figures == 0 ? 3 : static_cast<int>(figures);
  const std::uint64_t total = histogram.count();
  std::string text;
  append(text, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");

  double level = 0;
  double value = 0;
  std::uint64_t seen = 0;
  for (std::size_t index = 0; index < histogram.counts.size() && seen < total; ++index) {
    if (histogram.counts[index] == 0) continue;
    seen += histogram.counts[index];
    value = static_cast<double>(layout.highest_of(index)) / options.unit;
    const double reached = 100.0 * static_cast<double>(seen) / static_cast<double>(total);
    // One cell may reach several levels; once everything is counted, one line for it is enough.
    while (reached >= level && level < 100) {
      append(text, "%12.*f %2.12f %10llu %14.2f\n", digits, value, level / 100, static_cast<unsigned long long>(seen),
             1 / (1 - level / 100));
      level = next_level(level, options.ticks_per_half_distance);
      if (seen == total) break;
    }
  }
  if (total != 0) {
    append(text, "%12.*f %2.12f %10llu\n", digits, value, 1.0, static_cast<unsigned long long>(total));
  }

  const std::size_t last = layout.index_of(std::min(histogram.max, layout.largest()));
  const double max = total == 0 ? 0 : static_cast<double>(layout.highest_of(last));
  append(text, "#[Mean    = %12.*f, StdDeviation   = %12.*f]\n", digits, histogram.mean() / options.unit, digits,
         histogram.standard_deviation() / options.unit);
  append(text, "#[Max     = %12.*f, Total count    = %12llu]\n", digits, max / options.unit,
         static_cast<unsigned long long>(total));
  append(text, "#[Buckets = %12u, SubBuckets     = %12llu]\n",
         layout.range_bits - layout.precision_bits - layout.unit_bits, 2ULL << layout.precision_bits);
  return text;
}

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<double> number(std::string_view text) {
  text = trimmed(text);
  double result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(result)) return std::nullopt;
  return result;
}

/// The number after `name =` in a comment line.
std::optional<double> named(std::string_view line, std::string_view name) {
  std::size_t at = line.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  at = line.find('=', at);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + 1);
  return number(rest.substr(0, rest.find_first_of(",]")));
}

std::string_view next_word(std::string_view& line) {
  line = trimmed(line);
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> whole(double number) {
  if (number < 0 || number > 0x1p63) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

void read_comment(std::string_view line, HgrmTable& table) {
  if (const auto mean = named(line, "Mean")) table.mean = *mean;
  if (const auto deviation = named(line, "StdDeviation")) table.standard_deviation = *deviation;
  if (const auto max = named(line, "Max")) table.max = *max;
  // "Total count" in Java and C, "TotalCount" in Python.
  for (const std::string_view name : {"Total count", "TotalCount"}) {
    if (const auto total = named(line, name)) table.total_count = whole(*total).value_or(0);
  }
}

}  // namespace

Result<HgrmTable> parse_hgrm(std::string_view text) {
  HgrmTable table;
  bool has_header = false;
  for (std::uint32_t line_number = 1; !text.empty(); ++line_number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line = trimmed(line);
    if (line.empty()) continue;
    if (line.starts_with("#")) {
      read_comment(line, table);
      continue;
    }
    if (line.starts_with("Value")) {
      has_header = true;
      continue;
    }
    const auto value = number(next_word(line));
    const auto share = number(next_word(line));
    const auto count = number(next_word(line)).and_then(whole);
    if (!value || !share || !count || *share < 0 || *share > 1) {
      return fail(ErrorCode::malformed, 0, line_number, 0, "value, percentile 0..1 and total count");
    }
    table.lines.push_back({*value, *share, *count});
  }
  if (!has_header) return fail(ErrorCode::missing, 0, 1, 0, "the header line 'Value Percentile TotalCount'");
  if (!table.lines.empty() && table.total_count == 0) table.total_count = table.lines.back().total_count;
  return table;
}

}  // namespace dojima::measure
