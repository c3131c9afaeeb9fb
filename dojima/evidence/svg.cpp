#include "dojima/evidence/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace dojima::evidence {
namespace {

constexpr double k_left = 66;
constexpr double k_right = 16;
constexpr double k_top = 30;
constexpr double k_bottom = 50;

/// Axes end here whatever the data say: beyond, steps between ticks would be lost in rounding.
constexpr double k_largest = 1e15;

struct Unit {
  double nanoseconds;
  const char* name;
};
constexpr std::array<Unit, 4> k_units = {{{1, "ns"}, {1e3, "\u00b5s"}, {1e6, "ms"}, {1e9, "s"}}};

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

/// 1, 2 or 5 times a power of ten: the smallest such step that is not below `step`.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

int decimals_of(double step) {
  return step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
}

std::string grouped(double value, int decimals) {
  std::string text = fixed(std::fabs(value), decimals);
  std::size_t point = std::min(text.find('.'), text.size());
  while (point > 3) {
    point -= 3;
    text.insert(point, 1, ',');
  }
  return value < 0 ? "\u2212" + text : text;
}

/// A logarithmic axis over whole decades, or over 1-2-5 steps where there are less than two.
Axis logarithmic(double low, double high, const std::string& title, std::string (*label)(double)) {
  // To the next 1, 2 or 5 outwards, so that no curve runs along an edge.
  low = std::clamp(low, 1e-12, 1e20);
  high = round_step(std::max(high, low * 1.01));
  low = 1 / round_step(1 / low);
  Axis axis{Scale::logarithmic, low, high, title, {}};
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  const int last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  const bool is_short = std::log10(high / low) < 2;
  const int stride = std::max(1, (last - first + 5) / 6);
  for (int power = first; power <= last; ++power) {
    const double decade = std::pow(10.0, power);
    for (int factor = 1; factor <= 9; ++factor) {
      const double value = decade * factor;
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      const bool is_labelled = factor == 1 ? (power - first) % stride == 0 : is_short && (factor == 2 || factor == 5);
      axis.ticks.push_back({value, is_labelled ? label(value) : std::string()});
    }
  }
  return axis;
}

/// Drops the points whose absence moves the line by less than the tolerance (Ramer, Douglas and Peucker).
void keep_needed(const std::vector<Point>& points, std::size_t first, std::size_t last, std::vector<bool>& kept) {
  constexpr double k_tolerance = 0.3;
  std::vector<std::pair<std::size_t, std::size_t>> waiting = {{first, last}};
  while (!waiting.empty()) {
    const auto [begin, end] = waiting.back();
    waiting.pop_back();
    const double dx = points[end].x - points[begin].x;
    const double dy = points[end].y - points[begin].y;
    const double length = std::hypot(dx, dy);
    double farthest = 0;
    std::size_t at = begin;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const double away_x = points[i].x - points[begin].x;
      const double away_y = points[i].y - points[begin].y;
      const double distance =
          length < 1e-9 ? std::hypot(away_x, away_y) : std::fabs(dx * away_y - dy * away_x) / length;
      if (distance > farthest) {
        farthest = distance;
        at = i;
      }
    }
    if (farthest <= k_tolerance) continue;
    kept[at] = true;
    waiting.emplace_back(begin, at);
    waiting.emplace_back(at, end);
  }
}

std::string path_of(const std::vector<Point>& places) {
  std::vector<bool> kept(places.size(), false);
  kept.front() = kept.back() = true;
  keep_needed(places, 0, places.size() - 1, kept);
  std::string path;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!kept[i]) continue;
    path += path.empty() ? "M" : "L";
    path += coordinate(places[i].x) + " " + coordinate(places[i].y);
  }
  return path;
}

const char* anchor_style(Anchor anchor) {
  switch (anchor) {
    case Anchor::middle:
      return " mid";
    case Anchor::end:
      return " end";
    case Anchor::start:
      break;
  }
  return "";
}

std::string text_element(double x, double y, Anchor anchor, std::string_view text, std::string_view style) {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" class=\"" + std::string(style) +
         anchor_style(anchor) + "\">" + escaped(text) + "</text>";
}

std::string path_element(const std::string& path, std::string_view style) {
  return "<path class=\"" + std::string(style) + "\" d=\"" + path + "\"/>";
}

}  // namespace

std::string coordinate(double value) {
  const double tenths = std::round(value * 10);
  if (tenths == 0) return "0";
  std::string text = fixed(tenths / 10, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string duration_text(double nanoseconds) {
  const double size = std::fabs(nanoseconds);
  std::size_t unit = 0;
  // 999.5 ns would be shown as "1000 ns".
  while (unit + 1 < k_units.size() && size >= 999.5 * k_units[unit].nanoseconds) ++unit;
  const double value = size / k_units[unit].nanoseconds;
  // Whole nanoseconds are what was counted; everything else gets three digits.
  const bool is_whole = unit == 0 && value == std::floor(value);
  const int decimals = is_whole || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return (nanoseconds < 0 ? "\u2212" : "") + grouped(value, decimals) + "\u00a0" + k_units[unit].name;
}

std::string value_text(double value, std::string_view unit) {
  if (unit == "ns") return duration_text(value);
  const double size = std::fabs(value);
  const int decimals = value == std::floor(value) || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  return grouped(value, decimals) + (unit.empty() ? "" : "\u00a0" + std::string(unit));
}

std::string count_text(std::uint64_t count) {
  return grouped(static_cast<double>(count), 0);
}

std::string share_text(double share) {
  std::string text = fixed(share * 100, 6);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + "\u00a0%";
}

double Axis::position(double value) const noexcept {
  double place = 0;
  if (scale == Scale::linear) {
    place = (value - low) / (high - low);
  } else {
    place = std::log(std::max(value, low) / low) / std::log(high / low);
  }
  return std::clamp(place, 0.0, 1.0);
}

Axis number_axis(double low, double high, const std::string& title, const std::string& unit, int ticks) {
  low = std::clamp(low, -k_largest, k_largest);
  high = std::clamp(high, -k_largest, k_largest);
  if (high <= low) {
    const double room = std::max(std::fabs(low) * 0.05, 1e-9);
    low -= room;
    high += room;
  }
  const double step = round_step((high - low) / ticks);
  const int decimals = decimals_of(step);
  Axis axis;
  axis.low = std::floor(low / step + 1e-9) * step;
  axis.high = std::ceil(high / step - 1e-9) * step;
  axis.title = unit.empty() ? title : title + ", " + unit;
  const int count = static_cast<int>(std::lround((axis.high - axis.low) / step));
  for (int i = 0; i <= count; ++i) {
    const double value = axis.low + i * step;
    axis.ticks.push_back({value, grouped(std::fabs(value) < step / 2 ? 0 : value, decimals)});
  }
  return axis;
}

Axis duration_axis(double low_ns, double high_ns, Scale scale, const std::string& title) {
  if (scale == Scale::logarithmic) {
    return logarithmic(std::max(low_ns, 1.0), high_ns, title, [](double value) {
      for (std::size_t i = k_units.size(); i-- > 0;) {
        const double count = value / k_units[i].nanoseconds;
        if (count > 0.99 || i == 0) return fixed(count, 0) + "\u00a0" + k_units[i].name;
      }
      return std::string();
    });
  }
  std::size_t unit = 0;
  while (unit + 1 < k_units.size() && high_ns >= 2 * k_units[unit + 1].nanoseconds) ++unit;
  Axis axis =
      number_axis(low_ns / k_units[unit].nanoseconds, high_ns / k_units[unit].nanoseconds, title, k_units[unit].name);
  axis.low *= k_units[unit].nanoseconds;
  axis.high *= k_units[unit].nanoseconds;
  for (Tick& tick : axis.ticks) tick.value *= k_units[unit].nanoseconds;
  return axis;
}

Axis value_axis(double low, double high, Scale scale, const std::string& title, const std::string& unit) {
  if (unit == "ns") return duration_axis(low, high, scale, title);
  if (scale == Scale::linear) return number_axis(low, high, title, unit);
  return logarithmic(std::max(low, 1e-6), high, unit.empty() ? title : title + ", " + unit,
                     [](double value) { return value_text(value, ""); });
}

Axis share_axis(double low, const std::string& title) {
  const double decade = std::pow(10.0, std::floor(std::log10(std::clamp(low, 1e-9, 0.1)) + 1e-9));
  return logarithmic(decade, 1, title, [](double value) { return share_text(value); });
}

Axis count_axis(double high, const std::string& title) {
  // From below 1, so that a single value still has a height.
  return logarithmic(0.6, std::max(high, 10.0), title, [](double value) {
    return value < 1 ? std::string() : count_text(static_cast<std::uint64_t>(std::llround(value)));
  });
}

Axis percentile_axis(double high, const std::string& title) {
  Axis axis{Scale::logarithmic, 1, std::max(high, 20.0), title, {{1, ""}, {2, "50\u00a0%"}}};
  for (double value = 10; value <= axis.high * (1 + 1e-9); value *= 10) {
    axis.ticks.push_back({value, share_text(1 - 1 / value)});
  }
  return axis;
}

Axis cut(Axis axis, double low, double high) {
  axis.low = low;
  axis.high = std::max(high, low + 1e-9);
  const double room = (axis.high - axis.low) * 1e-9;
  std::erase_if(axis.ticks,
                [&](const Tick& tick) { return tick.value < axis.low - room || tick.value > axis.high + room; });
  return axis;
}

Plot::Plot(Axis x, Axis y, double height)
    : x_(std::move(x)), y_(std::move(y)), has_y_(true), height_(height), left_(k_left) {
  draw_axes();
}

Plot::Plot(Axis x, double height) : x_(std::move(x)), has_y_(false), height_(height), left_(k_right) {
  draw_axes();
}

double Plot::right() const noexcept {
  return k_width - k_right;
}
double Plot::top() const noexcept {
  return has_y_ ? k_top : 8;
}
double Plot::bottom() const noexcept {
  return height_ - k_bottom;
}
double Plot::x(double value) const noexcept {
  return left() + x_.position(value) * (right() - left());
}
double Plot::y(double value) const noexcept {
  return bottom() - y_.position(value) * (bottom() - top());
}

void Plot::draw_axes() {
  std::string grid;
  std::string marks;
  for (const Tick& tick : x_.ticks) {
    const std::string place = coordinate(x(tick.value));
    if (tick.label.empty()) {
      marks += "M" + place + " " + coordinate(bottom()) + "v3";
      continue;
    }
    grid += "M" + place + " " + coordinate(top()) + "V" + coordinate(bottom());
    marks += "M" + place + " " + coordinate(bottom()) + "v6";
    frame_ += text_element(x(tick.value), bottom() + 21, Anchor::middle, tick.label, "tick");
  }
  for (const Tick& tick : y_.ticks) {
    if (!has_y_) break;
    const std::string place = coordinate(y(tick.value));
    if (tick.label.empty()) {
      marks += "M" + coordinate(left() - 3) + " " + place + "h3";
      continue;
    }
    grid += "M" + coordinate(left()) + " " + place + "H" + coordinate(right());
    frame_ += text_element(left() - 8, y(tick.value) + 4.5, Anchor::end, tick.label, "tick");
  }
  frame_ = path_element(grid, "grid") + path_element(marks, "mark") +
           path_element("M" + coordinate(left()) + " " + coordinate(bottom()) + "H" + coordinate(right()), "axis") +
           frame_;
  frame_ += text_element(right(), height_ - 6, Anchor::end, x_.title, "title");
  if (has_y_) frame_ += text_element(4, 15, Anchor::start, y_.title, "title");
}

void Plot::line_at(const std::vector<Point>& places, std::string_view style) {
  if (places.size() >= 2) body_ += path_element(path_of(places), style);
}

void Plot::line(const std::vector<Point>& values, std::string_view style) {
  std::vector<Point> places;
  for (const Point& value : values) places.push_back({x(value.x), y(value.y)});
  line_at(places, style);
}

void Plot::area(const std::vector<Point>& values, std::string_view style) {
  if (values.size() < 2) return;
  std::vector<Point> places;
  for (const Point& value : values) places.push_back({x(value.x), y(value.y)});
  body_ += path_element(path_of(places) + "V" + coordinate(bottom()) + "H" + coordinate(places.front().x) + "Z", style);
}

void Plot::dot(double x_value, double y_value, double radius, std::string_view style) {
  dot_at(x(x_value), y(y_value), radius, style);
}

void Plot::dot_at(double x_place, double y_place, double radius, std::string_view style) {
  body_ += "<circle class=\"" + std::string(style) + "\" cx=\"" + coordinate(x_place) + "\" cy=\"" +
           coordinate(y_place) + "\" r=\"" + coordinate(radius) + "\"/>";
}

void Plot::box_at(double x_place, double y_place, double width, double height, std::string_view style) {
  body_ += "<rect class=\"" + std::string(style) + "\" x=\"" + coordinate(x_place) + "\" y=\"" + coordinate(y_place) +
           "\" width=\"" + coordinate(std::max(0.0, width)) + "\" height=\"" + coordinate(height) + "\"/>";
}

void Plot::text_at(double x_place, double y_place, Anchor anchor, std::string_view text, std::string_view style) {
  body_ += text_element(x_place, y_place, anchor, text, style);
}

std::string Plot::svg(const std::string& id, const std::string& description) const {
  return "<svg viewBox=\"0 0 " + coordinate(k_width) + " " + coordinate(height_) +
         "\" role=\"img\" aria-labelledby=\"" + id + "-d\"><desc id=\"" + id + "-d\">" + escaped(description) +
         "</desc>" + frame_ + body_ + "</svg>";
}

}  // namespace dojima::evidence
