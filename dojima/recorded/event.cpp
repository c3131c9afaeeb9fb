#include "dojima/recorded/event.hpp"

#include <algorithm>
#include <array>

namespace dojima::recorded {

std::string_view name_of(EventKind kind) noexcept {
  static constexpr std::array<std::string_view, k_event_kinds> k_names = {
      "none",   "add",          "reduce",  "remove",       "amend",  "replace", "execute",
      "trade",  "hidden_trade", "fill",    "trade_cancel", "level",  "quote",   "clear",
      "window", "status",       "auction", "value",        "notice", "gap",     "request"};
  const auto at = static_cast<std::size_t>(kind);
  return at < k_names.size() ? k_names[at] : "unknown";
}

std::size_t count_of(std::span<const RecordedInstrument> instruments) noexcept {
  if (instruments.size() < 2) return instruments.size();
  const auto is_market = [](const RecordedInstrument& one) { return one.symbol.empty() && one.number == 0; };
  return instruments.size() - (std::ranges::any_of(instruments, is_market) ? 1 : 0);
}

std::string describe(const ReadTrouble& trouble) {
  std::string text = trouble.line == 0
                         ? "byte " + std::to_string(trouble.byte)
                         : "line " + std::to_string(trouble.line) + " (byte " + std::to_string(trouble.byte) + ")";
  return text + ": " + trouble.text;
}

std::size_t misplaced_event(std::span<const RecordedEvent> events,
                            std::span<const RecordedInstrument> instruments) noexcept {
  for (std::size_t at = 0; at < events.size(); ++at) {
    const RecordedEvent& event = events[at];
    if (static_cast<std::uint8_t>(event.kind) >= k_event_kinds) return at;
    if (static_cast<std::uint8_t>(event.side) > static_cast<std::uint8_t>(market::Side::sell)) return at;
    if (event.instrument >= instruments.size()) return at;
  }
  return events.size();
}

void EventBatch::grow() {
  Events larger = taken(2 * capacity_);
  std::copy_n(events_.get(), size_, larger.get());
  events_ = std::move(larger);
  capacity_ *= 2;
}

}  // namespace dojima::recorded
