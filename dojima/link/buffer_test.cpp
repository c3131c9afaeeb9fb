#include "dojima/link/buffer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>

namespace dojima::link {
namespace {

RC_GTEST_PROP(ByteQueue, is_a_queue_of_limited_size, ()) {
  ByteQueue queue(16);
  std::string model;
  unsigned char next = 0;
  for (const auto& [is_write, size] : *rc::gen::container<std::vector<std::pair<bool, std::size_t>>>(
           rc::gen::pair(rc::gen::arbitrary<bool>(), rc::gen::inRange<std::size_t>(1, 20)))) {
    if (is_write) {
      const Room room = queue.prepare(size);
      RC_ASSERT(room.size() == (model.size() + size <= 16 ? size : 0u));
      for (std::byte& byte : room) {
        byte = static_cast<std::byte>(next);
        model.push_back(static_cast<char>(next++));
      }
      queue.commit(room.size());
    } else {
      const std::size_t used = std::min(size, model.size());
      queue.consume(used);
      model.erase(0, used);
    }
    RC_ASSERT(as_text(queue.view()) == model);
    RC_ASSERT(queue.is_empty() == model.empty());
    RC_ASSERT(queue.is_full() == (model.size() == 16));
  }
}

TEST(ByteQueue, offers_all_its_room_in_one_piece) {
  ByteQueue queue(8);
  (void)queue.prepare(6);
  queue.commit(6);
  queue.consume(4);
  EXPECT_EQ(queue.prepare_all().size(), 6u);
}

}  // namespace
}  // namespace dojima::link
