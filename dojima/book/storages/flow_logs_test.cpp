// Random flows that RapidCheck makes shorter, on every storage but the ladder, and the naive book.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "dojima/book/reference/flow_generators_test.hpp"
#include "dojima/book/storages.hpp"

namespace dojima::book::testing {
namespace {

RC_GTEST_PROP(StorageFlowLogs, are_said_alike_by_intrusive_lists, ()) {
  says_what_the_naive_book_says<IntrusiveBook>();
}
RC_GTEST_PROP(StorageFlowLogs, are_said_alike_by_the_pooled_map, ()) {
  says_what_the_naive_book_says<PooledBook>();
}
RC_GTEST_PROP(StorageFlowLogs, are_said_alike_by_the_map, ()) {
  says_what_the_naive_book_says<MapBook>();
}

}  // namespace
}  // namespace dojima::book::testing
