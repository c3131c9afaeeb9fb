#include "dojima/flow/random.hpp"

namespace dojima::flow::detail {
namespace {

consteval std::array<Log2Entry, 256> log2_entries() {
  std::array<Log2Entry, 256> table{};
  for (std::uint64_t at = 0; at < table.size(); ++at) {
    const std::uint64_t edge = 256 + at;  // in 256ths
    const auto inverse = static_cast<std::uint64_t>(((Wide{1} << 71) + edge - 1) / edge);
    // log2 of 2^63 / inverse: that of twice the inverse, which is in [1, 2), taken off 1.
    const std::uint64_t log2 = at == 0 ? 0 : ~(log2_by_digits(inverse << 1, 62) << 2) + 1;
    table[at] = {.inverse_q63 = inverse, .log2_q64 = log2};
  }
  return table;
}

}  // namespace

constinit const std::array<Log2Entry, 256> k_log2_table = log2_entries();

}  // namespace dojima::flow::detail
