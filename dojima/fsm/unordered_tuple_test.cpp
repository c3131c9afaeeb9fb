#include "dojima/fsm/unordered_tuple.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace dojima::fsm {
namespace {

struct Page {
  explicit Page(std::vector<std::string>& lines) : log(lines) {}
  virtual ~Page() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  std::vector<std::string>& log;
};
struct OrderPage final : Page {
  using Page::Page;
  ~OrderPage() override { log.push_back("order gone"); }
  [[nodiscard]] std::string name() const override { return "order " + std::to_string(width); }
  int width = 40;
};
struct alignas(128) CancelPage final : Page {
  using Page::Page;
  ~CancelPage() override { log.push_back("cancel gone"); }
  [[nodiscard]] std::string name() const override { return "cancel"; }
  char text[300]{};
};
struct FailingPage final : Page {
  explicit FailingPage(std::vector<std::string>& lines) : Page(lines) { throw std::runtime_error("no paper"); }
  [[nodiscard]] std::string name() const override { return "never"; }
};

using Pages = UnorderedTuple<Page, Keyed<'D', OrderPage>, Keyed<'F', CancelPage>, Keyed<'8', OrderPage>>;

TEST(UnorderedTuple, each_key_finds_its_object_and_no_other_key_any) {
  std::vector<std::string> log;
  Pages pages(log);
  ASSERT_NE(pages.find('F'), nullptr);
  EXPECT_EQ(pages.find('F')->name(), "cancel");
  EXPECT_EQ(pages.find('D')->name(), "order 40");
  for (int key = 0; key < 256; ++key) {
    const bool is_known = key == 'D' || key == 'F' || key == '8';
    EXPECT_EQ(pages.find(static_cast<char>(key)) != nullptr, is_known) << key;
  }
}

TEST(UnorderedTuple, an_object_is_there_as_what_it_is) {
  std::vector<std::string> log;
  Pages pages(log);
  pages.get<'8'>().width = 80;
  EXPECT_EQ(pages.find('8')->name(), "order 80");
  EXPECT_EQ(pages.find('D')->name(), "order 40") << "two of one type are two objects";
}

TEST(UnorderedTuple, objects_lie_at_whole_strides_and_are_aligned) {
  std::vector<std::string> log;
  Pages pages(log);
  static_assert(Pages::k_stride == 512);
  const auto address = [&pages](char key) { return reinterpret_cast<std::uintptr_t>(pages.find(key)); };
  EXPECT_EQ(address('F') - address('D'), Pages::k_stride);
  EXPECT_EQ(address('8') - address('F'), Pages::k_stride);
  EXPECT_EQ(address('F') % alignof(CancelPage), 0U);
}

TEST(UnorderedTuple, objects_go_in_reverse_and_each_once) {
  std::vector<std::string> log;
  {
    Pages pages(log);
    std::vector<std::string> names;
    pages.each([&names](const Page& page) { names.push_back(page.name()); });
    EXPECT_EQ(names, (std::vector<std::string>{"order 40", "cancel", "order 40"}));
  }
  EXPECT_EQ(log, (std::vector<std::string>{"order gone", "cancel gone", "order gone"}));
}

TEST(UnorderedTuple, what_was_made_before_a_constructor_throws_is_gone_again) {
  std::vector<std::string> log;
  using Failing = UnorderedTuple<Page, Keyed<1, OrderPage>, Keyed<2, FailingPage>, Keyed<3, CancelPage>>;
  EXPECT_THROW(Failing{log}, std::runtime_error);
  EXPECT_EQ(log, (std::vector<std::string>{"order gone"}));
}

}  // namespace
}  // namespace dojima::fsm
