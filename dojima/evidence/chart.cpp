#include "dojima/evidence/chart.hpp"

#include <algorithm>
#include <array>

namespace dojima::evidence {
namespace {

constexpr std::array k_kinds = {ChartKind::lines, ChartKind::steps, ChartKind::dots, ChartKind::bars};

Document document_of(const ChartAxis& axis) {
  return Document::object().set("title", axis.title).set("unit", axis.unit).set("is_logarithmic", axis.is_logarithmic);
}

ChartAxis axis_from(const Document& document) {
  return {std::string(document.at("title").as_text()), std::string(document.at("unit").as_text()),
          document.at("is_logarithmic").as_bool()};
}

/// x and y in turn, so that a point costs one pair of numbers in the file.
Document document_of(const std::vector<Point>& points) {
  Document numbers = Document::array();
  for (const Point& point : points) {
    numbers.push(point.x);
    numbers.push(point.y);
  }
  return numbers;
}

std::expected<std::vector<Point>, std::string> points_from(const Document& numbers) {
  const auto& elements = numbers.elements();
  const bool are_numbers = std::ranges::all_of(elements, [](const Document& one) { return one.is_number(); });
  if (!numbers.is_array() || elements.size() % 2 != 0 || !are_numbers) {
    return std::unexpected("charts.curves.points: expected numbers, x and y in turn");
  }
  std::vector<Point> points;
  for (std::size_t i = 0; i < elements.size(); i += 2) {
    points.push_back({elements[i].as_number(), elements[i + 1].as_number()});
  }
  return points;
}

}  // namespace

std::string_view name_of(ChartKind kind) noexcept {
  switch (kind) {
    case ChartKind::lines:
      return "lines";
    case ChartKind::steps:
      return "steps";
    case ChartKind::dots:
      return "dots";
    case ChartKind::bars:
      return "bars";
  }
  return "unnamed";
}

bool has_points(const Chart& chart) noexcept {
  return std::ranges::any_of(chart.curves, [](const ChartCurve& curve) { return !curve.points.empty(); });
}

Document document_of(const Chart& chart) {
  Document groups = Document::array();
  for (const std::string& group : chart.groups) groups.push(group);
  Document curves = Document::array();
  for (const ChartCurve& curve : chart.curves) {
    curves.push(Document::object().set("label", curve.label).set("points", document_of(curve.points)));
  }
  Document document;
  document.set("name", chart.name).set("title", chart.title).set("caption", chart.caption);
  document.set("kind", name_of(chart.kind)).set("x", document_of(chart.x)).set("y", document_of(chart.y));
  document.set("groups", std::move(groups)).set("curves", std::move(curves));
  return document;
}

std::expected<Chart, std::string> chart_from(const Document& document) {
  Chart chart;
  chart.name = std::string(document.at("name").as_text());
  chart.title = std::string(document.at("title").as_text());
  chart.caption = std::string(document.at("caption").as_text());
  const auto kind =
      std::ranges::find_if(k_kinds, [&](ChartKind one) { return name_of(one) == document.at("kind").as_text(); });
  if (kind == k_kinds.end()) return std::unexpected("charts.kind: expected one of lines, steps, dots, bars");
  chart.kind = *kind;
  chart.x = axis_from(document.at("x"));
  chart.y = axis_from(document.at("y"));
  for (const Document& group : document.at("groups").elements()) chart.groups.emplace_back(group.as_text());
  for (const Document& one : document.at("curves").elements()) {
    auto points = points_from(one.at("points"));
    if (!points) return std::unexpected(points.error());
    chart.curves.push_back({std::string(one.at("label").as_text()), std::move(*points)});
  }
  return chart;
}

}  // namespace dojima::evidence
