#pragma once

// Call stacks as a flame graph: an SVG in which every function is a bar as wide as what was counted in it and below it,
// upon the function that called it. A click on a bar makes it as wide as the graph, one on the lowest bar shows all
// again. The script that does this is in the drawing or once in a page; nothing is fetched. The same stacks give the
// same bytes. Allocates; for the time after a run.
//
//   harness::FlameGraph graph{.title = "match", .unit = "instructions"};
//   graph.add({"dojima::venue::Partition::submit", "dojima::book::BasicBook::apply"}, 5'120);
//   file << harness::flame_svg(graph);

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace dojima::harness {

/// A function under the one that called it.
struct FlameNode {
  double self = 0;
  std::map<std::string, FlameNode, std::less<>> callees{};

  /// With all that it called. O(nodes below).
  [[nodiscard]] double total() const;
};

struct FlameGraph {
  std::string title;
  std::string unit;  ///< what is counted, in plural
  FlameNode root{};

  /// Adds what the innermost function of a stack counted by itself; the outermost one first.
  void add(std::span<const std::string> frames, double self);
};

/// Whether the drawing is alone, with its script, or in a page that has `flame_script()`.
enum class FlamePlace : std::uint8_t { alone, in_page };

/// The drawing. Bars narrower than a thousandth of it are left out; the figures of the others are not changed by that.
[[nodiscard]] std::string flame_svg(const FlameGraph& graph, FlamePlace place = FlamePlace::alone);

/// What makes all drawings of a page follow clicks: the text of a script element.
[[nodiscard]] std::string_view flame_script() noexcept;

}  // namespace dojima::harness
