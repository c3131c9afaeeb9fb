#include <gtest/gtest.h>

#include "dojima/fsm/agreement.hpp"
#include "dojima/fsm/generated_machine_test.hpp"

namespace dojima::fsm {
namespace {

constexpr std::size_t k_states = 66;

template <std::size_t... Numbers>
consteval auto dense_rows(std::index_sequence<Numbers...>) {
  return Rows<Row<std::uint32_t{Numbers / 2}, std::uint32_t{Numbers % 2}, std::uint32_t{(Numbers * 7 + 1) % k_states},
                  &test::note<Numbers>>...>{};
}

/// A row for every state and event: as many chains as cells.
struct Dense {
  using State = std::uint32_t;
  using Event = std::uint32_t;
  static constexpr State initial = 0;
  using rows = decltype(dense_rows(std::make_index_sequence<2 * k_states>{}));
};

TEST(Engines, agree_where_a_switch_needs_more_than_one_block_and_labels_run_out) {
  static_assert(Table<Dense>::k_states > 64);
  static_assert(!ComputedGoto<Table<Dense>>::k_is_available);
  EXPECT_EQ(disagreement<Dense>(), "");
}

}  // namespace
}  // namespace dojima::fsm
