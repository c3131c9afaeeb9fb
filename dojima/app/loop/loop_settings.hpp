#pragma once

// What a live loop asks of the machine: `[loop]` of a configuration, `--loop KEY=VALUE` of a program without one. Each
// setting is empty (left as it is), a value that must be had, or "try" and a value that is only wished for. Plain
// values; `machine_settings.hpp` asks the kernel for them.
//
//   LoopSettings loop;
//   if (const auto set = loop.set("policy", "try fifo 20"); !set) complain(set.error());

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::app {

/// Nothing, or a value that must be had, or one that is only tried.
template <class Value>
struct Wish {
  std::optional<Value> value{};
  bool is_tried = false;
  friend bool operator==(const Wish&, const Wish&) = default;
};

/// A real-time policy of the kernel's scheduler.
struct RealTime {
  enum class Policy : std::uint8_t { fifo, round_robin };
  Policy policy = Policy::fifo;
  int priority = 1;  ///< 1 to 99
  friend bool operator==(const RealTime&, const RealTime&) = default;
};

struct LoopSettings {
  Wish<std::vector<int>> processor{};   ///< of the loop's thread; of several threads each takes the next in turn
  Wish<RealTime> policy{};              ///< of the loop's thread
  Wish<bool> lock_memory{};             ///< of the process: never paged out; true, or nothing
  Wish<bool> huge_pages{};              ///< of the process: memory taken at start-up in large pages; true, or nothing
  Wish<std::int64_t> timer_slack_ns{};  ///< of the loop's thread: how late a sleep may end, 1 to 1,000,000,000
  Wish<std::int64_t> busy_poll_us{};    ///< of each connection: how long a receive looks at the card, 1 to 100,000
  /// Of a loop that sleeps: how often it is woken at most, 100 to 1,000,000 a second. Asked of nobody else, so never
  /// tried.
  std::optional<std::int64_t> max_wakes{};

  /// Sets the setting of this name from its text. The error says what would be right.
  [[nodiscard]] std::expected<void, std::string> set(std::string_view key, std::string_view text);
  /// As `set` reads it; empty: nothing is asked for.
  [[nodiscard]] std::string text(std::string_view key) const;
  [[nodiscard]] bool asks_for_nothing() const { return *this == LoopSettings{}; }

  friend bool operator==(const LoopSettings&, const LoopSettings&) = default;
};

/// As net::FabricOptions have it; 0: not asked for.
[[nodiscard]] inline std::uint32_t busy_poll_of(const LoopSettings& settings) {
  return static_cast<std::uint32_t>(settings.busy_poll_us.value.value_or(0));
}

/// Of loops for which nobody says how often they are woken, and where that is tried (net::FabricOptions).
inline constexpr std::int64_t k_usual_wakes = 16'000;

[[nodiscard]] inline std::uint32_t max_wakes_of(const LoopSettings& settings) {
  return static_cast<std::uint32_t>(settings.max_wakes.value_or(k_usual_wakes));
}
[[nodiscard]] inline bool has_usual_wakes(const LoopSettings& settings) {
  return !settings.max_wakes.has_value();
}

struct LoopKey {
  std::string_view name;
  std::string_view meaning;
};

inline constexpr std::array<LoopKey, 7> k_loop_keys = {{
    {"processor", "where the loop's thread stays, e.g. \"2\" or \"try 2\"; empty: anywhere"},
    {"policy", "real time for the loop's thread, e.g. \"fifo 20\" or \"try rr 10\"; empty: as everybody"},
    {"lock_memory", "\"yes\" or \"try\": memory is never paged out"},
    {"huge_pages", "\"yes\" or \"try\": memory in pages of 2 MiB"},
    {"timer_slack", "nanoseconds that a sleep may end late, e.g. \"1\" or \"try 1\"; empty: the kernel's choice"},
    {"busy_poll", "microseconds that a receive looks at the network card itself, e.g. \"50\" or \"try 50\""},
    {"max_wakes",
     "how often idle = block or ring is woken, at most, a second, e.g. \"5000\"; empty: 16000 while nothing is lost by "
     "it"},
}};

}  // namespace dojima::app
