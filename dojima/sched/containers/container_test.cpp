// The suite over the rivals of the run wheel.

#include <string>

#include "dojima/sched/containers/container_shapes_test.hpp"

namespace dojima::sched::every_container {
namespace {

using Containers = testing::Types<Over<containers::HeapQueue>, Over<containers::TreeQueue>, FlatMultimap,
                                  Over<containers::BucketQueue<containers::NodePlace::external>>, Intrusive,
                                  Over<containers::BucketQueue<containers::NodePlace::hybrid>>,
                                  Over<containers::BucketQueue<containers::NodePlace::hybrid>,
                                       containers::BucketShape{.buckets_per_entry = 4, .prefetch_ahead = 8}>>;

struct ContainerNames {
  template <class Type>
  static std::string GetName(int index) {  // NOLINT: the name that GoogleTest calls
    constexpr const char* k_names[] = {"priority_queue",     "multimap",        "flat_multimap", "option_1_external",
                                       "option_2_intrusive", "option_3_hybrid", "option_3_tuned"};
    return k_names[index];
  }
};

}  // namespace
}  // namespace dojima::sched::every_container

#include "dojima/sched/containers/container_suite_test.hpp"
