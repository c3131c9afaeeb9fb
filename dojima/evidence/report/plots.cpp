#include "dojima/evidence/report/plots.hpp"

#include <algorithm>
#include <cmath>

#include "dojima/evidence/artefact_summary.hpp"
#include "dojima/evidence/svg.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::evidence {
namespace {

double largest(const std::vector<Curve>& curves) {
  double value = 1;
  for (const Curve& curve : curves) value = std::max(value, static_cast<double>(curve.histogram.max));
  return value;
}

double smallest(const std::vector<Curve>& curves) {
  double value = 1e18;
  for (const Curve& curve : curves) value = std::min(value, static_cast<double>(curve.histogram.min));
  return std::max(value, 1.0);
}

std::uint64_t largest_count(const std::vector<Curve>& curves) {
  std::uint64_t count = 1;
  for (const Curve& curve : curves) count = std::max(count, curve.histogram.count());
  return count;
}

/// A cell of a histogram and how many values lie in it and below.
struct CellCount {
  double value;  ///< the cell's upper edge, not above the maximum
  std::uint64_t up_to;
};

std::vector<CellCount> cumulated(const measure::HistogramView& histogram) {
  std::vector<CellCount> cells;
  std::uint64_t seen = 0;
  for (std::size_t index = 0; index < histogram.counts.size(); ++index) {
    if (histogram.counts[index] == 0) continue;
    seen += histogram.counts[index];
    const auto edge = std::clamp(histogram.layout.highest_of(index), histogram.min, histogram.max);
    cells.push_back({static_cast<double>(edge), seen});
  }
  if (histogram.overflow != 0 && !cells.empty()) cells.back().value = static_cast<double>(histogram.max);
  return cells;
}

/// Splits a line where fewer than ten values carry it: beyond, it is drawn fainter.
void draw_with_faint_tail(Plot& plot, const std::vector<Point>& points, std::size_t supported,
                          const std::string& style) {
  const auto split = static_cast<std::ptrdiff_t>(std::min(supported, points.size()));
  plot.line({points.begin(), points.begin() + split}, "line " + style);
  if (supported < points.size() && split > 0)
    plot.line({points.begin() + split - 1, points.end()}, "line faint " + style);
}

constexpr double k_shown_shares[] = {0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999};

std::string value_or_dash(const measure::HistogramView& histogram, double share, const std::string& unit) {
  const bool is_there = measure::percentile_support(histogram.count(), share).is_printable;
  return is_there ? escaped(value_text(static_cast<double>(histogram.value_at(share)), unit)) : "\u2013";
}

HtmlTable table_of_shares(const std::vector<Curve>& curves, const std::string& unit,
                          const std::vector<double>& shares) {
  HtmlTable table{{"percentile"}, {}};
  for (const Curve& curve : curves) table.head.push_back(escaped(curve.label));
  for (const double share : shares) {
    std::vector<std::string> row = {escaped(share_text(share))};
    for (const Curve& curve : curves) row.push_back(value_or_dash(curve.histogram, share, unit));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<double> used_shares(const std::vector<Curve>& curves) {
  std::vector<double> shares;
  for (const double share : k_shown_shares) {
    if (measure::percentile_support(largest_count(curves), share).is_printable) shares.push_back(share);
  }
  return shares;
}

/// Bars of a histogram: where each begins and ends, and how many values lie in it.
struct Bar {
  double begin;
  double end;
  std::uint64_t count;
};

/// Cells put together until each bar is at least `least` wide; cells are never divided.
std::vector<Bar> bars_of(const measure::HistogramView& histogram, double from, double to, double least) {
  std::vector<Bar> bars;
  for (std::size_t index = 0; index < histogram.counts.size(); ++index) {
    const auto begin = static_cast<double>(histogram.layout.lowest_of(index));
    const double end = begin + static_cast<double>(histogram.layout.width_of(index));
    if (end <= from || begin >= to) continue;
    if (!bars.empty() && bars.back().end - bars.back().begin < least * 0.999) {
      bars.back().end = end;
      bars.back().count += histogram.counts[index];
    } else {
      bars.push_back({begin, end, histogram.counts[index]});
    }
  }
  return bars;
}

/// Bars of equal width on a logarithmic axis; a cell belongs to the bar of its middle.
std::vector<Bar> logarithmic_bars(const measure::HistogramView& histogram, int per_decade) {
  std::vector<Bar> bars;
  for (std::size_t index = 0; index < histogram.counts.size(); ++index) {
    if (histogram.counts[index] == 0) continue;
    const double middle =
        std::max(1.0, static_cast<double>(std::min(histogram.layout.middle_of(index), histogram.max)));
    const double place = std::floor(std::log10(middle) * per_decade + 1e-9);
    const double begin = std::pow(10.0, place / per_decade);
    if (bars.empty() || bars.back().begin < begin * 0.999) {
      bars.push_back({begin, std::pow(10.0, (place + 1) / per_decade), 0});
    }
    bars.back().count += histogram.counts[index];
  }
  return bars;
}

HtmlTable table_of_bars(const std::vector<Bar>& bars, std::uint64_t n, const std::string& unit) {
  HtmlTable table{{"from", "to below", "values", "share"}, {}};
  for (const Bar& bar : bars) {
    char share[32];
    std::snprintf(share, sizeof share, "%.3g", 100.0 * static_cast<double>(bar.count) / static_cast<double>(n));
    table.rows.push_back({escaped(value_text(std::round(bar.begin), unit)),
                          escaped(value_text(std::round(bar.end), unit)), count_text(bar.count),
                          std::string(share) + "\u00a0%"});
  }
  return table;
}

/// The steps of the clock: a line each where they are far enough apart, otherwise a bracket of one step's width.
std::string draw_quantum(Plot& plot, double from, double to, double quantum, const std::string& unit) {
  const double step = plot.x(from + quantum) - plot.x(from);
  const std::string text = value_text(quantum, unit);
  if (step >= 4) {
    for (double at = std::ceil(from / quantum) * quantum; at <= to; at += quantum) {
      plot.line_at({{plot.x(at), plot.top()}, {plot.x(at), plot.bottom()}}, "quantum");
    }
    return "Dotted lines: the clock's step, " + escaped(text) + ".";
  }
  const double right = plot.right() - 4;
  const double y = plot.top() + 10;
  plot.box_at(right - std::max(step, 1.0), y - 5, std::max(step, 1.0), 10, "step");
  plot.text_at(right - std::max(step, 1.0) - 6, y + 4, Anchor::end, "clock step " + text);
  return "The block at the top right is as wide as the clock's step, " + escaped(text) + ".";
}

}  // namespace

std::string figure(const std::string& title, const std::string& caption, const std::vector<Curve>& legend,
                   const std::string& drawing, const HtmlTable& table) {
  std::string html = "<figure><figcaption><b>" + escaped(title) + "</b> " + caption + "</figcaption>";
  if (legend.size() > 1) {
    html += "<ul class=\"legend\">";
    for (const Curve& curve : legend) html += "<li class=\"" + curve.style + "\">" + escaped(curve.label) + "</li>";
    html += "</ul>";
  }
  return html + drawing + "<details><summary>The same in numbers</summary>" + to_html(table) + "</details></figure>";
}

std::string to_html(const HtmlTable& table) {
  const auto style = [&table](std::size_t column) {
    return column < table.is_text.size() && table.is_text[column] ? " class=\"l\"" : "";
  };
  std::string html = "<div class=\"wide\"><table><thead><tr>";
  for (std::size_t i = 0; i < table.head.size(); ++i) {
    html += "<th scope=\"col\"" + std::string(i == 0 ? "" : style(i)) + ">" + table.head[i] + "</th>";
  }
  html += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      html += i == 0 ? "<th scope=\"row\">" + row[i] + "</th>" : "<td" + std::string(style(i)) + ">" + row[i] + "</td>";
    }
    html += "</tr>";
  }
  return html + "</tbody></table></div>";
}

std::string percentile_spectrum(const std::string& id, const std::string& unit, const std::vector<Curve>& curves) {
  Plot plot(percentile_axis(static_cast<double>(largest_count(curves)), "percentile p, spaced as 1 / (1 \u2212 p)"),
            value_axis(smallest(curves), largest(curves), Scale::logarithmic, "latency", unit));
  for (const Curve& curve : curves) {
    const std::uint64_t n = curve.histogram.count();
    std::vector<Point> points = {{1, static_cast<double>(curve.histogram.min)}};
    std::size_t supported = 1;
    for (const CellCount& cell : cumulated(curve.histogram)) {
      const std::uint64_t above = n - cell.up_to;
      // The largest value is at 1 - 1/n; there is no percentile beyond it.
      points.push_back({static_cast<double>(n) / static_cast<double>(std::max<std::uint64_t>(above, 1)), cell.value});
      if (above >= 10) supported = points.size();
    }
    draw_with_faint_tail(plot, points, supported, curve.style);
  }
  const Curve& first = curves.front();
  for (const double share : {0.5, 0.99, 0.999}) {
    if (!measure::percentile_support(first.histogram.count(), share).is_printable) continue;
    const auto value = static_cast<double>(first.histogram.value_at(share));
    plot.dot(1 / (1 - share), value, 3, "dot " + first.style);
    plot.text_at(plot.x(1 / (1 - share)), plot.y(value) - 9, Anchor::middle, value_text(value, unit), "value");
  }
  return figure(
      "Percentile spectrum.",
      "How slow the slowest are: each step to the right leaves a tenth of the values. A line grows faint where "
      "fewer than ten values carry it.",
      curves, plot.svg(id, "Latency over percentile; the table below has the values."),
      table_of_shares(curves, unit, used_shares(curves)));
}

std::string exceedance(const std::string& id, const std::string& unit, const std::vector<Curve>& curves) {
  Plot plot(value_axis(smallest(curves), largest(curves), Scale::logarithmic, "latency", unit),
            share_axis(1.0 / static_cast<double>(largest_count(curves)), "share of values above"));
  for (const Curve& curve : curves) {
    const auto n = static_cast<double>(curve.histogram.count());
    std::vector<Point> points = {{static_cast<double>(curve.histogram.min), 1}};
    std::size_t supported = 1;
    for (const CellCount& cell : cumulated(curve.histogram)) {
      const double above = n - static_cast<double>(cell.up_to);
      if (above < 1) continue;
      points.push_back({cell.value, above / n});
      if (above >= 10) supported = points.size();
    }
    points.push_back({static_cast<double>(curve.histogram.max), 1 / n});
    draw_with_faint_tail(plot, points, supported, curve.style);
  }
  HtmlTable table{{"above"}, {}};
  for (const Curve& curve : curves) table.head.push_back(escaped(curve.label));
  for (double limit = std::pow(10.0, std::floor(std::log10(smallest(curves)) + 1e-9)); limit < largest(curves);
       limit *= 10) {
    std::vector<std::string> row = {escaped(value_text(limit, unit))};
    for (const Curve& curve : curves) {
      const std::uint64_t above =
          curve.histogram.count() - curve.histogram.count_up_to(static_cast<std::uint64_t>(limit));
      row.push_back(count_text(above));
    }
    table.rows.push_back(std::move(row));
  }
  return figure("Exceedance.",
                "The share of values above a latency, both axes logarithmic: a straight tail is a power law, a knee a "
                "second mechanism.",
                curves, plot.svg(id, "Share of values above a latency; the table below counts them."), table);
}

std::string cumulative(const std::string& id, const std::string& unit, const std::vector<Curve>& curves) {
  double end = 1;
  for (const Curve& curve : curves) end = std::max(end, static_cast<double>(curve.histogram.value_at(0.99)));
  const double begin = smallest(curves);
  const Scale scale = end / begin > 30 ? Scale::logarithmic : Scale::linear;
  Axis shares = number_axis(0, 1, "share of values up to", "");
  for (Tick& tick : shares.ticks) tick.label = share_text(tick.value);
  Axis latencies = value_axis(scale == Scale::linear ? 0 : begin, end * 1.02, scale, "latency", unit);
  const double low = latencies.low;
  latencies = cut(std::move(latencies), low, end * 1.02);
  Plot plot(std::move(latencies), std::move(shares));
  for (const Curve& curve : curves) {
    const auto n = static_cast<double>(curve.histogram.count());
    std::vector<Point> points = {{static_cast<double>(curve.histogram.min), 0}};
    for (const CellCount& cell : cumulated(curve.histogram)) {
      if (cell.value > end * 1.02) break;
      points.push_back({cell.value, static_cast<double>(cell.up_to) / n});
    }
    plot.line(points, "line " + curve.style);
  }
  return figure("Cumulative distribution.",
                "The share of values up to a latency, cut at the highest 99th percentile: where the bulk lies.", curves,
                plot.svg(id, "Share of values up to a latency; the table below has the quantiles."),
                table_of_shares(curves, unit, {0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99}));
}

std::string histogram_near(const std::string& id, const std::string& unit, const Curve& curve,
                           std::optional<double> quantum) {
  const auto low = static_cast<double>(curve.histogram.min);
  const double high = std::max(low + 1, static_cast<double>(curve.histogram.value_at(0.99)));
  // A bar narrower than the clock's step would be empty by turns.
  const double least = std::max((high - low) / 90, quantum && unit == "ns" ? *quantum : 1.0);
  const std::vector<Bar> bars = bars_of(curve.histogram, low, high, least);
  double densest = 0;
  for (const Bar& bar : bars) densest = std::max(densest, static_cast<double>(bar.count) / (bar.end - bar.begin));
  const auto n = static_cast<double>(curve.histogram.count());
  const double room = (high - low) * 0.03;
  Plot plot(cut(value_axis(low, high, Scale::linear, "latency", unit), std::max(0.0, low - room), high + room),
            number_axis(0, 100 * densest * least / n, "share of values per bar", "%"));
  std::vector<Point> outline;
  for (const Bar& bar : bars) {
    const double height = 100 * static_cast<double>(bar.count) / (bar.end - bar.begin) * least / n;
    if (outline.empty()) outline.push_back({bar.begin, 0});
    outline.push_back({bar.begin, height});
    outline.push_back({bar.end, height});
  }
  plot.area(outline, "bars " + curve.style);
  std::string note;
  if (quantum && unit == "ns") note = " " + draw_quantum(plot, low, high, *quantum, unit);
  char width[160];
  std::snprintf(width, sizeof width, "From the smallest value to the 99th percentile; heights are per %s.",
                value_text(std::round(least * 10) / 10, unit).c_str());
  HtmlTable table =
      table_of_bars(bars_of(curve.histogram, low, high, (high - low) / 16), curve.histogram.count(), unit);
  return figure("Histogram, the bulk: " + curve.label + ".", escaped(width) + note, {},
                plot.svg(id, "Histogram up to the 99th percentile; the table below has coarser bars."), table);
}

std::string histogram_whole(const std::string& id, const std::string& unit, const Curve& curve,
                            std::optional<double> quantum) {
  const std::vector<Bar> bars = logarithmic_bars(curve.histogram, 20);
  std::uint64_t tallest = 1;
  for (const Bar& bar : bars) tallest = std::max(tallest, bar.count);
  double low = std::max(1.0, bars.front().begin);
  if (quantum && unit == "ns" && *quantum > 0) low = std::max(1.0, std::min(low, *quantum / 1.2));
  Plot plot(value_axis(low, bars.back().end, Scale::logarithmic, "latency", unit),
            count_axis(static_cast<double>(tallest), "values per bar"));
  for (const Bar& bar : bars) {
    const double left = plot.x(bar.begin);
    const double top = plot.y(static_cast<double>(bar.count));
    plot.box_at(left, top, plot.x(bar.end) - left - 0.6, plot.bottom() - top, "bars " + curve.style);
  }
  std::string note;
  if (quantum && unit == "ns" && *quantum >= 1) {
    plot.line_at({{plot.x(*quantum), plot.top()}, {plot.x(*quantum), plot.bottom()}}, "quantum");
    plot.text_at(plot.x(*quantum) + 5, plot.top() + 11, Anchor::start, "clock step " + value_text(*quantum, unit));
    note = " The dotted line is one step of the clock: nothing left of it can be told apart.";
  }
  return figure("Histogram, all of it: " + curve.label + ".",
                "Both axes logarithmic, twenty bars to a factor of ten, so that single outliers can be seen." + note,
                {}, plot.svg(id, "Histogram of all values; the table below has coarser bars."),
                table_of_bars(logarithmic_bars(curve.histogram, 4), curve.histogram.count(), unit));
}

std::string over_time(const std::string& id, const Series& series) {
  const bool is_latency = series.kind == SeriesKind::latency;
  double low = 1e300;
  double high = 0;
  for (const auto& row : series.rows) {
    for (std::size_t i = 1; i < row.size(); ++i) {
      if (row[i] > 0) low = std::min(low, row[i]);
      high = std::max(high, row[i]);
    }
  }
  const double begin = std::min(0.0, series.rows.front()[0]);
  const double last = std::max(series.rows.back()[0], begin + 1e-3);
  Axis seconds = cut(number_axis(begin, last, "time since the start", "s", 6), begin, last);
  const std::string name = is_latency ? "latency" : series.name;
  Axis values = is_latency ? value_axis(std::min(low, high), high, Scale::logarithmic, name, series.unit)
                           : value_axis(0, high, Scale::linear, name, series.unit);
  Plot plot(std::move(seconds), std::move(values));
  std::vector<Curve> legend;
  for (std::size_t column = 0; column < series.columns.size(); ++column) {
    const std::string style = "c" + std::to_string(column % 8);
    std::vector<Point> points;
    for (const auto& row : series.rows) points.push_back({row[0], row[column + 1]});
    // The largest of an interval is a single value: a dot, not a course.
    const bool is_dots = is_latency && series.columns[column] == "max";
    if (is_dots) {
      for (const Point& point : points) plot.dot(point.x, point.y, 2.8, "dot " + style);
    } else {
      if (!is_latency && series.columns.size() == 1) plot.area(points, "fill " + style);
      plot.line(points, "line " + style);
    }
    legend.push_back({series.columns[column], is_dots ? "dots " + style : style, {}});
  }
  const std::size_t every = std::max<std::size_t>(1, (series.rows.size() + 59) / 60);
  HtmlTable table{{"s"}, {}};
  for (const std::string& column : series.columns) table.head.push_back(escaped(column));
  for (std::size_t i = 0; i < series.rows.size(); i += every) {
    std::vector<std::string> row = {escaped(value_text(series.rows[i][0], ""))};
    for (std::size_t j = 1; j < series.rows[i].size(); ++j)
      row.push_back(escaped(value_text(series.rows[i][j], series.unit)));
    table.rows.push_back(std::move(row));
  }
  std::string caption = is_latency ? "Per interval of the run: stalls, warm-up and periods show here and nowhere else."
                                   : "Per interval of the run, from zero.";
  if (every > 1) caption += " The table has one interval in " + std::to_string(every) + ".";
  std::string title = series.name;
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return figure(title + " over time.", caption, legend,
                plot.svg(id, title + " over time; the table below has the values."), table);
}

std::string waterfall(const std::string& id, const std::string& unit, const std::vector<Stage>& stages,
                      const std::optional<Stage>& total) {
  const auto p50 = [](const Stage& stage) { return static_cast<double>(stage.histogram.value_at(0.5)); };
  const auto p99 = [](const Stage& stage) { return static_cast<double>(stage.histogram.value_at(0.99)); };
  double sum = 0;
  double reach = 0;
  for (const Stage& stage : stages) {
    reach = std::max(reach, sum + p99(stage));
    sum += p50(stage);
  }
  if (total) {
    sum = std::max(sum, p50(*total));
    reach = std::max(reach, p99(*total));
  }
  // Tails far out would press the medians together; they leave the drawing with an arrow.
  const double end = std::min(reach, 3 * sum) * 1.02;
  const std::size_t rows = stages.size() + (total ? 1 : 0);
  constexpr double k_row = 42;
  Plot plot(cut(value_axis(0, std::max(end, 1.0), Scale::linear, "time since the first stage began", unit), 0,
                std::max(end, 1.0)),
            8 + k_row * static_cast<double>(rows) + 54);
  double y = plot.top();
  const auto draw = [&](const Stage& stage, double begin, const std::string& style) {
    const double left = plot.x(begin);
    const double middle = plot.x(begin + p50(stage));
    const double right = plot.x(begin + p99(stage));
    const bool leaves = begin + p99(stage) > end;
    plot.box_at(left, y + 20, std::max(1.5, middle - left), 13, "bars solid " + style);
    plot.line_at({{middle, y + 26.5}, {right, y + 26.5}}, "whisker");
    if (leaves) {
      plot.line_at({{right - 6, y + 22.5}, {right, y + 26.5}, {right - 6, y + 30.5}}, "whisker");
    } else {
      plot.line_at({{right, y + 22.5}, {right, y + 30.5}}, "whisker");
    }
    plot.text_at(plot.left(), y + 14, Anchor::start, stage.name, "name");
    plot.text_at(plot.right(), y + 14, Anchor::end,
                 "p50 " + value_text(p50(stage), unit) + " \u00b7 p99 " + value_text(p99(stage), unit), "note");
    y += k_row;
  };
  double begin = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    draw(stages[i], begin, "c" + std::to_string(i % 8));
    begin += p50(stages[i]);
  }
  if (total) draw(*total, 0, "total");
  HtmlTable table{{"stage", "n", "p50", "p99", "max"}, {}};
  std::vector<Stage> all = stages;
  if (total) all.push_back(*total);
  for (const Stage& stage : all) {
    table.rows.push_back({escaped(stage.name), count_text(stage.histogram.count()),
                          escaped(value_text(p50(stage), unit)), escaped(value_text(p99(stage), unit)),
                          escaped(value_text(static_cast<double>(stage.histogram.max), unit))});
  }
  return figure(
      "Where the time goes.",
      "Bars are medians, one stage after the other; whiskers reach to the 99th percentile of the stage. Medians "
      "of stages do not add up to the median of the whole.",
      {}, plot.svg(id, "Median and 99th percentile of each stage; the table below has the values."), table);
}

std::string strip(const std::string& id, const std::vector<RunRecord>& runs, const std::string& name) {
  const std::vector<std::string> arms = arms_of(runs);
  std::string unit;
  std::vector<double> all;
  struct Dot {
    std::size_t run;
    std::size_t arm;
    double value;
  };
  std::vector<Dot> dots;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto found = std::ranges::find(runs[i].figures, name, &Figure::name);
    if (found == runs[i].figures.end()) continue;
    const auto arm = static_cast<std::size_t>(std::ranges::find(arms, runs[i].arm) - arms.begin());
    dots.push_back({i, arm, found->value});
    all.push_back(found->value);
    unit = found->unit;
  }
  const double low = *std::ranges::min_element(all);
  const double high = *std::ranges::max_element(all);
  const double height = std::clamp(90.0 + 6.0 * static_cast<double>(dots.size()), 180.0, 420.0);
  const double room = std::max((high - low) * 0.04, high * 1e-4);
  Plot plot(cut(value_axis(low, high, Scale::linear, name, unit), std::max(0.0, low - room), high + room), height);
  HtmlTable table{{"run", "arm", "at, s", escaped(name)}, {}, {false, true}};
  const double span = plot.bottom() - plot.top() - 12;
  std::vector<Curve> legend;
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    const std::vector<double> values = figure_values(runs, arms[arm], name);
    if (values.empty()) continue;
    const std::string style = "c" + std::to_string(arm % 8);
    const measure::Interval interval = measure::median_interval(values, 0.95);
    plot.box_at(plot.x(interval.low), plot.top(), std::max(1.0, plot.x(interval.high) - plot.x(interval.low)),
                plot.bottom() - plot.top(), "fill " + style);
    plot.line_at({{plot.x(interval.estimate), plot.top()}, {plot.x(interval.estimate), plot.bottom()}},
                 "line " + style);
    legend.push_back(
        {(arms[arm].empty() ? std::string("all runs") : arms[arm]) + ", median " + value_text(interval.estimate, unit),
         style,
         {}});
  }
  for (std::size_t i = 0; i < dots.size(); ++i) {
    const double y = plot.top() + 6 + span * (static_cast<double>(i) + 0.5) / static_cast<double>(dots.size());
    plot.dot_at(plot.x(dots[i].value), y, 3.4, "dot c" + std::to_string(dots[i].arm % 8));
    char start[32];
    std::snprintf(start, sizeof start, "%.1f", runs[dots[i].run].start_s);
    table.rows.push_back(
        {std::to_string(dots[i].run), escaped(arms[dots[i].arm]), start, escaped(value_text(dots[i].value, unit))});
  }
  return figure("Runs: " + name + ".",
                "Each dot is one run, later runs lower down; lines are medians, bands their 95 % bootstrap intervals. "
                "Drift leans, two clouds are two modes.",
                legend, plot.svg(id, "One value a run, by arm; the table below has them."), table);
}

}  // namespace dojima::evidence
