#include "dojima/measure/gauges.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>

#include "dojima/base/assert.hpp"

namespace dojima::measure {
namespace {

[[nodiscard]] bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

[[nodiscard]] bool is_name(std::string_view text) noexcept {
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// With what ends a line or a value escaped.
[[nodiscard]] std::string escaped(std::string_view text, bool with_quotes) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || (with_quotes && c == '"')) out += '\\';
    out += c;
  }
  return out;
}

[[nodiscard]] std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> text{};
  constexpr double k_exact = 9007199254740992.0;  // 2^53
  const bool is_whole = std::abs(value) <= k_exact && std::trunc(value) == value;
  const auto end = is_whole
                       ? std::to_chars(text.data(), text.data() + text.size(), static_cast<std::int64_t>(value)).ptr
                       : std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace

Gauge& GaugeBoard::gauge(std::string_view name, std::string_view help, Labels labels) {
  return add(Kind::gauge, name, help, labels).gauge;
}

Gauge& GaugeBoard::counter(std::string_view name, std::string_view help, Labels labels) {
  DOJIMA_ASSERT(name.ends_with("_total"), "the name of a counter ends in _total");
  return add(Kind::counter, name, help, labels).gauge;
}

GaugeHistogram& GaugeBoard::histogram(std::string_view name, std::string_view help,
                                      std::initializer_list<double> bounds, Labels labels) {
  DOJIMA_ASSERT(bounds.size() != 0 && std::ranges::adjacent_find(bounds, std::greater_equal{}) == bounds.end(),
                "the bounds of a histogram rise", bounds.size());
  GaugeHistogram& made = add(Kind::histogram, name, help, labels).histogram;
  made.bounds_ = bounds;
  made.counts_ = std::vector<std::atomic<std::uint64_t>>(bounds.size() + 1);
  return made;
}

GaugeBoard::Row& GaugeBoard::add(Kind kind, std::string_view name, std::string_view help, Labels labels) {
  DOJIMA_ASSERT(is_name(name), "a figure has a name of letters, digits and _");
  auto family = std::ranges::find(families_, name, &Family::name);
  if (family == families_.end()) {
    families_.push_back({.name = std::string(name), .help = escaped(help, false), .kind = kind});
    family = families_.end() - 1;
  }
  DOJIMA_ASSERT(family->kind == kind, "figures of one name are of one kind");
  std::string text;
  for (const GaugeLabel& label : labels) {
    DOJIMA_ASSERT(is_name(label.name), "a label has a name of letters, digits and _");
    text += (text.empty() ? "{" : ",") + std::string(label.name) + "=\"" + escaped(label.value, true) + '"';
  }
  if (!text.empty()) text += '}';
  DOJIMA_ASSERT(std::ranges::find(family->rows, text, &Row::labels) == family->rows.end(),
                "a figure is there once with its labels");
  Row& row = family->rows.emplace_back();
  row.labels = std::move(text);
  return row;
}

/// The count is that of the last bucket, whatever is noted meanwhile.
void GaugeBoard::add_histogram(std::string& text, const std::string& name, const Row& row) {
  const GaugeHistogram& of = row.histogram;
  const std::string labels = row.labels.empty() ? "{" : row.labels.substr(0, row.labels.size() - 1) + ",";
  std::uint64_t all = 0;
  for (std::size_t at = 0; at < of.counts_.size(); ++at) {
    all += of.counts_[at].load(std::memory_order_relaxed);
    const std::string bound = at < of.bounds_.size() ? text_of(of.bounds_[at]) : "+Inf";
    text += name + "_bucket" + labels + "le=\"" + bound + "\"} " + std::to_string(all) + '\n';
  }
  text += name + "_sum" + row.labels + ' ' + text_of(of.sum_.load(std::memory_order_relaxed)) + '\n';
  text += name + "_count" + row.labels + ' ' + std::to_string(all) + '\n';
}

std::string GaugeBoard::prometheus() const {
  std::string text;
  for (const Family& family : families_) {
    text += "# HELP " + family.name + ' ' + family.help + "\n# TYPE " + family.name +
            (family.kind == Kind::counter     ? " counter\n"
             : family.kind == Kind::histogram ? " histogram\n"
                                              : " gauge\n");
    if (family.kind == Kind::histogram)
      for (const Row& row : family.rows) add_histogram(text, family.name, row);
    else
      for (const Row& row : family.rows) text += family.name + row.labels + ' ' + text_of(row.gauge.value()) + '\n';
  }
  return text;
}

}  // namespace dojima::measure
