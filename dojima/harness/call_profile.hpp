#pragma once

// What a run cost, call stack by call stack, as callgrind counted it: instructions, simulated misses, branches. A stack
// belongs to the stage that its innermost recognised function names, so the stages of a run add up to the run. For a
// profile of `valgrind --tool=callgrind --separate-callers=N --compress-strings=no --compress-pos=no`, in which every
// function is listed with its callers. Allocates; for the time after a run.
//
//   const auto profile = harness::read_call_profile(text);
//   for (const StackCost& stack : profile->stacks) sums[harness::stage_of(stack.frames, rules)] += stack.self[0];

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::harness {

/// What a function cost by itself when it was called that way.
struct StackCost {
  std::vector<std::string> frames;  ///< the outermost function first
  std::vector<std::uint64_t> self;  ///< a count for each event of the profile
  std::uint64_t calls = 0;          ///< how often the innermost function was called that way
};

struct CallProfile {
  std::string creator;              ///< the counting program, e.g. "callgrind-3.19.0"
  std::vector<std::string> events;  ///< e.g. "Ir", "D1mr", "Bcm"
  std::vector<StackCost> stacks;    ///< in the order of their frames, each stack once

  /// The place of an event, or `events.size()`.
  [[nodiscard]] std::size_t event(std::string_view name) const noexcept;
  /// The sum of some events over all stacks; events that there are none of add nothing.
  [[nodiscard]] std::uint64_t sum(std::string_view event_name) const noexcept;
};

/// Reads callgrind's file. The error names the line that is not understood. O(size · log stacks).
[[nodiscard]] std::expected<CallProfile, std::string> read_call_profile(std::string_view text);

/// Functions whose name contains `function` belong to that stage.
struct StageRule {
  std::size_t stage = 0;
  std::string_view function;
};

/// Nothing is known of a stack.
inline constexpr std::size_t k_no_stage = ~std::size_t{0};

struct StageMatch {
  std::size_t stage = k_no_stage;
  std::size_t frame = 0;  ///< the outermost frame of the stage in this stack; 0 where there is none
  std::size_t rule = k_no_stage;
};

/// The stage of the innermost frame that a rule knows; the first rule that knows it decides. The stage reaches outwards
/// as long as frames are of the same stage or of none.
[[nodiscard]] StageMatch stage_of(std::span<const std::string> frames, std::span<const StageRule> rules) noexcept;

/// "dojima::venue::Risk::check" of a name with its parameters and template arguments.
[[nodiscard]] std::string short_name(std::string_view function);

}  // namespace dojima::harness
