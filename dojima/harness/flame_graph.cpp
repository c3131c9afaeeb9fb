#include "dojima/harness/flame_graph.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace dojima::harness {
namespace {

constexpr double k_width = 1200;
constexpr double k_bar = 18;
constexpr double k_header = 26;
constexpr double k_narrowest = 0.001;  // of the whole
constexpr double k_character = 6.6;    // pixels of a letter

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string number(double value, int decimals) {
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return {text.data(), static_cast<std::size_t>(size)};
}

/// A warm colour that belongs to the name.
std::string colour_of(std::string_view name) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return "hsl(" + std::to_string(8 + hash % 44) + ",72%," + std::to_string(58 + hash / 64 % 14) + "%)";
}

std::size_t depth_of(const FlameNode& node, double narrowest) {
  std::size_t depth = 0;
  for (const auto& [name, callee] : node.callees) {
    if (callee.total() >= narrowest) depth = std::max(depth, 1 + depth_of(callee, narrowest));
  }
  return depth;
}

/// Draws bars from the lowest up.
class Painter {
 public:
  Painter(const FlameGraph& graph, double whole, std::size_t depth)
      : unit_(graph.unit), whole_(whole), bottom_(k_header + static_cast<double>(depth) * k_bar) {}

  void paint(std::string_view name, const FlameNode& node, double at, std::size_t level) {
    const double total = node.total();
    if (total < whole_ * k_narrowest) return;
    bar(name, at, total, level);
    for (const auto& [callee_name, callee] : node.callees) {
      paint(callee_name, callee, at, level + 1);
      at += callee.total();
    }
  }
  [[nodiscard]] std::string take() && { return std::move(out_); }

 private:
  /// `at` and `total` in what is counted.
  void bar(std::string_view name, double at, double total, std::size_t level) {
    const double x = at / whole_ * k_width;
    const double width = total / whole_ * k_width;
    const std::string y = number(bottom_ - static_cast<double>(level) * k_bar, 0);
    const auto letters = static_cast<std::size_t>(std::max(0.0, (width - 6) / k_character));
    const std::string full = escaped(name);
    out_ += "<g data-x=\"" + number(at / whole_, 6) + "\" data-w=\"" + number(total / whole_, 6) + "\" data-n=\"" +
            full + "\"><title>" + full + ": " + number(total, 1) + " " + escaped(unit_) + ", " +
            number(100 * total / whole_, 2) + " %</title><rect x=\"" + number(x, 2) + "\" y=\"" + y + "\" width=\"" +
            number(std::max(width, 0.3), 2) + "\" height=\"" + number(k_bar - 1, 0) + "\" fill=\"" + colour_of(name) +
            "\"/><text x=\"" + number(x + 3, 2) + "\" y=\"" +
            number(bottom_ - static_cast<double>(level) * k_bar + 13, 0) + "\">" +
            escaped(letters < 3 ? std::string_view{} : name.substr(0, letters)) + "</text></g>\n";
  }

  const std::string& unit_;
  double whole_;
  double bottom_;
  std::string out_;
};

}  // namespace

double FlameNode::total() const {
  double sum = self;
  for (const auto& [name, callee] : callees) sum += callee.total();
  return sum;
}

void FlameGraph::add(std::span<const std::string> frames, double self) {
  FlameNode* node = &root;
  for (const std::string& frame : frames) node = &node->callees[frame];
  node->self += self;
}

std::string_view flame_script() noexcept {
  return R"(document.querySelectorAll('svg.flame').forEach(function(svg){
var bars=[].slice.call(svg.querySelectorAll('g[data-w]')),width=1200;
function show(from,share){bars.forEach(function(bar){
var x=+bar.dataset.x,w=+bar.dataset.w,left=Math.max(0,(x-from)/share),right=Math.min(1,(x+w-from)/share);
bar.style.display=right-left<0.0005?'none':'';
var rect=bar.querySelector('rect'),text=bar.querySelector('text'),wide=(right-left)*width;
rect.setAttribute('x',left*width);rect.setAttribute('width',Math.max(0.3,wide));
text.setAttribute('x',left*width+3);
var letters=Math.floor((wide-6)/6.6);text.textContent=letters<3?'':bar.dataset.n.slice(0,letters);});}
bars.forEach(function(bar){bar.addEventListener('click',function(){show(+bar.dataset.x,+bar.dataset.w);});});});
)";
}

std::string flame_svg(const FlameGraph& graph, FlamePlace place) {
  const double whole = graph.root.total();
  const std::size_t depth = whole > 0 ? depth_of(graph.root, whole * k_narrowest) : 0;
  const std::string height = number(k_header + static_cast<double>(depth + 1) * k_bar + 4, 0);
  std::string out = "<svg class=\"flame\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 " + height +
                    "\" font-family=\"monospace\" font-size=\"11\">\n<style>.flame g{cursor:pointer}.flame g "
                    "text{pointer-events:none;fill:#111}.flame .head{fill:currentColor;font-size:13px}</style>\n";
  out += "<text class=\"head\" x=\"3\" y=\"16\">" + escaped(graph.title) + ": " + number(whole, 1) + " " +
         escaped(graph.unit) + "</text>\n";
  if (whole > 0) {
    Painter painter(graph, whole, depth);
    painter.paint(graph.title, graph.root, 0, 0);
    out += std::move(painter).take();
  }
  if (place == FlamePlace::alone) out += "<script><![CDATA[\n" + std::string(flame_script()) + "]]></script>\n";
  return out + "</svg>\n";
}

}  // namespace dojima::harness
