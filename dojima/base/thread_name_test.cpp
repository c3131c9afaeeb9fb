#include "dojima/base/thread_name.hpp"

#include <array>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <thread>

namespace dojima {
namespace {

std::string name_of_thread_called(std::string_view name) {
  std::array<char, 16> text{};
  std::jthread([&] {
    name_this_thread(name);
    EXPECT_EQ(::pthread_getname_np(::pthread_self(), text.data(), text.size()), 0);
  }).join();
  return text.data();
}

TEST(ThreadName, is_what_the_kernel_calls_it) {
  EXPECT_EQ(name_of_thread_called("feed"), "feed");
  EXPECT_EQ(name_of_thread_called(""), "");
}

TEST(ThreadName, keeps_fifteen_bytes) {
  EXPECT_EQ(name_of_thread_called("clients and gateway"), "clients and gat");
}

}  // namespace
}  // namespace dojima
