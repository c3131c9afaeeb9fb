// The suite over the run wheel whose entries carry a user pointer.

#include <string>

#include "dojima/sched/containers/container_shapes_test.hpp"

namespace dojima::sched::every_container {
namespace {

using Containers =
    testing::Types<Over<RunWheel<true>, RunWheelShape{}>, Over<RunWheel<true>, k_narrow_packed>,
                   Over<RunWheel<true>, k_narrow_wide>, Over<RunWheel<true>, k_buckets>, Over<RunWheel<true>, k_large>>;

struct ContainerNames {
  template <class Type>
  static std::string GetName(int index) {  // NOLINT: the name that GoogleTest calls
    constexpr const char* k_names[] = {"run_wheel_user", "user_narrow_packed", "user_narrow", "user_buckets",
                                       "user_large"};
    return k_names[index];
  }
};

}  // namespace
}  // namespace dojima::sched::every_container

#include "dojima/sched/containers/container_suite_test.hpp"
