// The charts that an artefact carries, as figures of the report.

#include <algorithm>
#include <cmath>
#include <limits>

#include "dojima/evidence/report/plots.hpp"
#include "dojima/evidence/svg.hpp"

namespace dojima::evidence {
namespace {

constexpr std::size_t k_colours = 8;

std::string colour(std::size_t curve) {
  return "c" + std::to_string(curve);
}

/// What the values of all curves span; on a logarithmic axis only positive ones.
struct Span {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void take(double value, const ChartAxis& axis) {
    if (axis.is_logarithmic && value <= 0) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

Axis axis_of(const ChartAxis& axis, Span span) {
  if (span.low > span.high) span = {1, 10};
  if (axis.is_logarithmic) return value_axis(span.low, span.high, Scale::logarithmic, axis.title, axis.unit);
  // From zero, unless the values lie far from it.
  if (span.low > 0 && span.low < span.high / 3) span.low = 0;
  return value_axis(span.low, span.high, Scale::linear, axis.title, axis.unit);
}

std::vector<const ChartCurve*> drawn_curves(const Chart& chart) {
  std::vector<const ChartCurve*> curves;
  for (const ChartCurve& curve : chart.curves) {
    if (!curve.points.empty() && curves.size() < k_colours) curves.push_back(&curve);
  }
  return curves;
}

std::vector<Point> as_steps(const std::vector<Point>& points) {
  std::vector<Point> steps;
  for (const Point& point : points) {
    if (!steps.empty()) steps.push_back({point.x, steps.back().y});
    steps.push_back(point);
  }
  return steps;
}

std::string draw_curves(const std::string& id, const Chart& chart, const std::vector<const ChartCurve*>& curves) {
  Span across;
  Span up;
  for (const ChartCurve* curve : curves) {
    for (const Point& point : curve->points) {
      across.take(point.x, chart.x);
      up.take(point.y, chart.y);
    }
  }
  Axis x = axis_of(chart.x, across);
  if (!chart.x.is_logarithmic && across.high > across.low) x = cut(std::move(x), across.low, across.high);
  Plot plot(std::move(x), axis_of(chart.y, up));
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (chart.kind == ChartKind::dots) {
      for (const Point& point : curves[i]->points) plot.dot(point.x, point.y, 2.4, "dot " + colour(i));
    } else {
      plot.line(chart.kind == ChartKind::steps ? as_steps(curves[i]->points) : curves[i]->points, "line " + colour(i));
    }
  }
  return plot.svg(id, chart.title + "; the table below has the values.");
}

std::string draw_bars(const std::string& id, const Chart& chart, const std::vector<const ChartCurve*>& curves) {
  Span up;
  for (const ChartCurve* curve : curves) {
    for (const Point& point : curve->points) up.take(point.y, chart.y);
  }
  if (!chart.y.is_logarithmic) up.take(0, chart.y);
  const auto groups = static_cast<double>(chart.groups.size());
  Axis x{Scale::linear, 0, std::max(groups, 1.0), chart.x.title, {}};
  for (std::size_t i = 0; i < chart.groups.size(); ++i)
    x.ticks.push_back({static_cast<double>(i) + 0.5, chart.groups[i]});
  Plot plot(std::move(x), axis_of(chart.y, up));
  const double width = 0.8 / static_cast<double>(curves.size());
  for (std::size_t i = 0; i < curves.size(); ++i) {
    for (const Point& point : curves[i]->points) {
      const double left = plot.x(point.x + 0.1 + width * static_cast<double>(i));
      const double right = plot.x(point.x + 0.1 + width * static_cast<double>(i + 1));
      const double top = plot.y(point.y);
      plot.box_at(left, top, right - left - 1, plot.bottom() - top, "bars " + colour(i));
    }
  }
  return plot.svg(id, chart.title + "; the table below has the values.");
}

HtmlTable bar_table(const Chart& chart, const std::vector<const ChartCurve*>& curves) {
  HtmlTable table{{escaped(chart.x.title)}, {}};
  for (const ChartCurve* curve : curves) table.head.push_back(escaped(curve->label));
  for (std::size_t group = 0; group < chart.groups.size(); ++group) {
    std::vector<std::string> row = {escaped(chart.groups[group])};
    for (const ChartCurve* curve : curves) {
      const auto found = std::ranges::find(curve->points, static_cast<double>(group), &Point::x);
      row.push_back(found == curve->points.end() ? "\u2013" : escaped(value_text(found->y, chart.y.unit)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Curves need not share their x, so each point is a row; of many points every so many-th.
HtmlTable point_table(const Chart& chart, const std::vector<const ChartCurve*>& curves, std::size_t every) {
  HtmlTable table{{"curve", escaped(chart.x.title), escaped(chart.y.title)}, {}};
  for (const ChartCurve* curve : curves) {
    for (std::size_t i = 0; i < curve->points.size(); i += every) {
      table.rows.push_back({escaped(curve->label), escaped(value_text(curve->points[i].x, chart.x.unit)),
                            escaped(value_text(curve->points[i].y, chart.y.unit))});
    }
  }
  return table;
}

}  // namespace

std::string chart_figure(const std::string& id, const Chart& chart) {
  const std::vector<const ChartCurve*> curves = drawn_curves(chart);
  std::vector<Curve> legend;
  std::size_t points = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    legend.push_back({curves[i]->label, chart.kind == ChartKind::dots ? "dots " + colour(i) : colour(i), {}});
    points += curves[i]->points.size();
  }
  std::string caption = escaped(chart.caption);
  if (chart.kind == ChartKind::bars) {
    return figure(chart.title, caption, legend, draw_bars(id, chart, curves), bar_table(chart, curves));
  }
  const std::size_t every = std::max<std::size_t>(1, (points + 119) / 120);
  if (every > 1) caption += " The table has one point in " + std::to_string(every) + ".";
  return figure(chart.title, caption, legend, draw_curves(id, chart, curves), point_table(chart, curves, every));
}

}  // namespace dojima::evidence
