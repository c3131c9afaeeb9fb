#pragma once

// Line drawings for reports: axes with round ticks and units, and a plot that turns points into inline SVG. Colours,
// fonts and themes are the style sheet's business; here every stroke only carries a class. The text is made of the data
// alone, to a tenth of a unit, so equal data give equal bytes. Pure; allocates.
//
//   Plot plot(duration_axis(100, 1e6, Scale::logarithmic, "latency"), share_axis(1e-6));
//   plot.line({{1'000, 0.5}, {9'000, 0.01}}, "line c0");
//   html += plot.svg("ccdf", "How often a latency is exceeded");

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::evidence {

enum class Scale : std::uint8_t { linear, logarithmic };

struct Tick {
  double value = 0;
  std::string label{};  ///< empty: a short mark without text or grid line
};

/// Maps values to 0..1 along one side of a plot.
struct Axis {
  Scale scale = Scale::linear;
  double low = 0;
  double high = 1;
  std::string title{};
  std::vector<Tick> ticks{};

  /// Values outside are put on the edge.
  [[nodiscard]] double position(double value) const noexcept;
};

/// Round numbers from at most `low` to at least `high`; `unit` may be empty.
[[nodiscard]] Axis number_axis(double low, double high, const std::string& title, const std::string& unit,
                               int ticks = 5);
/// Nanoseconds. Linear axes choose one unit for all ticks and name it in the title, logarithmic ones name it at each.
[[nodiscard]] Axis duration_axis(double low_ns, double high_ns, Scale scale, const std::string& title);
/// Either of both for any unit: durations when it is "ns".
[[nodiscard]] Axis value_axis(double low, double high, Scale scale, const std::string& title, const std::string& unit);
/// Shares of 1 down to `low`, logarithmic, labelled in percent.
[[nodiscard]] Axis share_axis(double low, const std::string& title);
/// Counts from 1 up, logarithmic.
[[nodiscard]] Axis count_axis(double high, const std::string& title);
/// Percentiles p spaced as 1 / (1 - p), logarithmic; the values of this axis are 1 / (1 - p), from 1 to `high`.
[[nodiscard]] Axis percentile_axis(double high, const std::string& title);

/// The same axis cut to `low` .. `high`, with those of its ticks that are inside.
[[nodiscard]] Axis cut(Axis axis, double low, double high);

struct Point {
  double x = 0;
  double y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

enum class Anchor : std::uint8_t { start, middle, end };

class Plot {
 public:
  static constexpr double k_width = 560;

  Plot(Axis x, Axis y, double height = 330);
  /// Without a vertical axis: rows are placed by pixels.
  Plot(Axis x, double height);

  // Places in the drawing, in its own units.
  [[nodiscard]] double x(double value) const noexcept;
  [[nodiscard]] double y(double value) const noexcept;
  [[nodiscard]] double left() const noexcept { return left_; }
  [[nodiscard]] double right() const noexcept;
  [[nodiscard]] double top() const noexcept;
  [[nodiscard]] double bottom() const noexcept;

  /// A line through values; points that do not change its look by half a unit are left out.
  void line(const std::vector<Point>& values, std::string_view style);
  /// The same, closed down to the horizontal axis and filled.
  void area(const std::vector<Point>& values, std::string_view style);
  void dot(double x_value, double y_value, double radius, std::string_view style);

  // The same in places instead of values.
  void line_at(const std::vector<Point>& places, std::string_view style);
  void dot_at(double x_place, double y_place, double radius, std::string_view style);
  void box_at(double x_place, double y_place, double width, double height, std::string_view style);
  void text_at(double x_place, double y_place, Anchor anchor, std::string_view text, std::string_view style = "note");

  /// The element. `id` is unique in the page; `description` is read to those who cannot see it.
  [[nodiscard]] std::string svg(const std::string& id, const std::string& description) const;

 private:
  void draw_axes();

  Axis x_;
  Axis y_;
  bool has_y_;
  double height_;
  double left_;
  std::string frame_;  // axes and grid, below everything else
  std::string body_;
};

/// `text` with the five characters that mean something in HTML replaced.
[[nodiscard]] std::string escaped(std::string_view text);

/// A coordinate: one decimal, none when it is 0, no "-0".
[[nodiscard]] std::string coordinate(double value);

/// Nanoseconds for people, three digits: "561 ns", "18.3 µs", "4.04 ms", "1.20 s".
[[nodiscard]] std::string duration_text(double nanoseconds);
/// A number of any unit: durations as above, whole numbers in groups of three, others with about four digits.
[[nodiscard]] std::string value_text(double value, std::string_view unit);
/// 20000 -> "20,000".
[[nodiscard]] std::string count_text(std::uint64_t count);
/// 0.999 -> "99.9 %": as many digits as it takes.
[[nodiscard]] std::string share_text(double share);

}  // namespace dojima::evidence
