#include "dojima/venue/instrument_index.hpp"

#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <vector>

namespace dojima::venue {
namespace {

TEST(InstrumentIndex, takes_an_id_once_and_never_0) {
  InstrumentIndex index(3);
  EXPECT_FALSE(index.insert(0, 0));
  EXPECT_TRUE(index.insert(7, 0));
  EXPECT_FALSE(index.insert(7, 1));
  EXPECT_TRUE(index.insert(0xffffffff, 1));
  EXPECT_FALSE(index.insert(0xffffffff, 2));
  EXPECT_EQ(*index.find(7), 0u);
  EXPECT_EQ(*index.find(0xffffffff), 1u);
  EXPECT_EQ(index.find(0), nullptr);
  EXPECT_EQ(index.find(8), nullptr);
  EXPECT_EQ(index.find(0xfffffffe), nullptr);
}

RC_GTEST_PROP(InstrumentIndex, says_what_a_map_says, ()) {
  const auto ids = *rc::gen::container<std::vector<std::uint32_t>>(
      rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 40), rc::gen::inRange<std::uint32_t>(4090, 5200),
                     rc::gen::arbitrary<std::uint32_t>()));
  InstrumentIndex index(ids.size());
  std::map<std::uint32_t, std::uint32_t> model;
  for (const std::uint32_t id : ids) {
    const auto number = static_cast<std::uint32_t>(model.size());
    RC_ASSERT(index.insert(id, number) == (id != 0 && model.try_emplace(id, number).second));
  }
  for (const std::uint32_t id : ids)
    for (const std::uint32_t beside : {id - 1, id, id + 1}) {
      const auto known = model.find(beside);
      const std::uint32_t* found = index.find(beside);
      RC_ASSERT((found != nullptr) == (known != model.end()));
      if (found != nullptr) RC_ASSERT(*found == known->second);
    }
}

}  // namespace
}  // namespace dojima::venue
