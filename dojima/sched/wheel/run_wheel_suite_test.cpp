// The suite over the run wheel in its default and unusual shapes, entries of 8 bytes.

#include <string>

#include "dojima/sched/containers/container_shapes_test.hpp"

namespace dojima::sched::every_container {
namespace {

using Containers = testing::Types<Scheduler, Over<RunWheel<false>, k_narrow_packed>,
                                  Over<RunWheel<false>, k_narrow_wide>, Over<RunWheel<false>, k_buckets>,
                                  Over<RunWheel<false>, k_radix>, Over<RunWheel<false>, k_wide_slots>,
                                  Over<RunWheel<false>, k_large>, Over<RunWheel<false>, k_largest>>;

struct ContainerNames {
  template <class Type>
  static std::string GetName(int index) {  // NOLINT: the name that GoogleTest calls
    constexpr const char* k_names[] = {"run_wheel", "narrow_packed",  "narrow_wide", "buckets",
                                       "radix",     "slots_of_67_ms", "large",       "largest"};
    return k_names[index];
  }
};

}  // namespace
}  // namespace dojima::sched::every_container

#include "dojima/sched/containers/container_suite_test.hpp"
