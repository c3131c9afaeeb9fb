#pragma once

// Lists of processors in the kernel's form ("0-3,8"): what files below /sys hold and what options take. Pure but for
// `allowed_cpus`, which asks the kernel.

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::instruments {

/// The numbers in their order, as often as they are named; at most 4096 of them, each below 4096. The error says what
/// was expected.
[[nodiscard]] std::expected<std::vector<int>, std::string> parse_cpu_list(std::string_view text);

/// The processors that the calling thread may run on, in ascending order.
[[nodiscard]] std::vector<int> allowed_cpus();

/// `wanted`, or the last one allowed: interrupts prefer the first.
[[nodiscard]] int chosen_cpu(std::optional<int> wanted);

/// "0, 1"
[[nodiscard]] std::string cpus_text(const std::vector<int>& cpus);

}  // namespace dojima::instruments
