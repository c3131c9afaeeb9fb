#include "dojima/base/fifo.hpp"

#include <deque>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "dojima/base/splitmix.hpp"

namespace dojima {
namespace {

TEST(Fifo, is_a_deque_whatever_comes_and_goes) {
  Fifo<std::string> fifo;
  std::deque<std::string> model;
  std::uint64_t state = 7;
  std::size_t first = 0;
  for (int step = 0; step < 2'000; ++step) {
    if (splitmix64(state) % 5 < 3 || model.empty()) {
      model.push_back(std::to_string(step));
      fifo.add() = model.back();
    } else {
      model.pop_front();
      fifo.pop();
      ++first;
    }
    ASSERT_EQ(fifo.size(), model.size());
    ASSERT_EQ(fifo.is_empty(), model.empty());
    ASSERT_EQ(fifo.begin(), first);
    ASSERT_EQ(fifo.end(), first + model.size());
    if (model.empty()) continue;
    ASSERT_EQ(fifo.front(), model.front());
    ASSERT_EQ(fifo[fifo.end() - 1], model.back());
    std::deque<std::string> forwards, backwards;
    fifo.each([&](const std::string& value) { forwards.push_back(value); });
    fifo.each_backwards([&](const std::string& value) { backwards.push_front(value); });
    ASSERT_EQ(forwards, model);
    ASSERT_EQ(backwards, model);
  }
}

TEST(Fifo, lets_the_last_one_go_before_those_that_are_later_and_behind_those_that_are_not) {
  Fifo<std::pair<int, char>> fifo;
  for (const auto& [at, name] : {std::pair{1, 'a'}, {5, 'b'}, {3, 'c'}, {5, 'd'}, {3, 'e'}, {0, 'f'}}) {
    fifo.add() = {at, name};
    fifo.sort_in_last([](const auto& one) { return one.first; });
  }
  std::string names;
  for (; !fifo.is_empty(); fifo.pop()) names += fifo.front().second;
  EXPECT_EQ(names, "facebd");
}

}  // namespace
}  // namespace dojima
