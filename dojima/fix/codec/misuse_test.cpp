// A view used after its message is gone: builds with slow checks stop there and say why.

#include <gtest/gtest.h>
#include <optional>

#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;
using testing::Peer;

#if defined(DOJIMA_SLOW_CHECKS)
constexpr bool k_is_watched = true;
#else
constexpr bool k_is_watched = false;
#endif
constexpr const char* k_unwatched = "skipped: views are watched in debug and sanitizer builds";

const std::string k_parties = framed("35=D|34=1|453=2|448=A|447=D|448=B|447=D|11=a|");

TEST(FixMisuseDeathTest, a_view_whose_buffer_has_changed) {
  if (!k_is_watched) GTEST_SKIP() << k_unwatched;
  std::string buffer = k_parties;
  MessageView view;
  ASSERT_TRUE(view.read(as_bytes(buffer)));
  EXPECT_EQ(view.find(tag::k_cl_ord_id), "a");
  buffer[buffer.find("11=a") + 3] = 'b';
  EXPECT_DEATH(static_cast<void>(view.find(tag::k_cl_ord_id)), "the buffer behind a view does not change");
  EXPECT_DEATH(static_cast<void>(view.price(tag::k_price)), "the buffer behind a view does not change");
}

TEST(FixMisuseDeathTest, a_group_and_an_entry_of_the_message_before) {
  if (!k_is_watched) GTEST_SKIP() << k_unwatched;
  MessageView view;
  ASSERT_TRUE(view.read(as_bytes(k_parties)));
  const auto parties = view.group(tag::k_no_party_ids, fix_4_4());
  ASSERT_TRUE(parties);
  const GroupEntry second = (*parties)[1];
  EXPECT_EQ(second.find(tag::k_party_id), "B");
  const std::string next = framed("35=0|34=2|");
  ASSERT_TRUE(view.read(as_bytes(next)));
  EXPECT_DEATH(static_cast<void>((*parties)[0]), "a message that its view still holds");
  EXPECT_DEATH(static_cast<void>(second.find(tag::k_party_id)), "a message that its view still holds");
  EXPECT_DEATH(static_cast<void>(parties->begin()), "a message that its view still holds");
  EXPECT_DEATH(static_cast<void>(second.begin()), "a message that its view still holds");
}

TEST(FixMisuseDeathTest, a_field_behind_the_last) {
  if (!k_is_watched) GTEST_SKIP() << k_unwatched;
  MessageView view;
  ASSERT_TRUE(view.read(as_bytes(k_parties)));
  EXPECT_DEATH(static_cast<void>(view[view.size()]), "a field of the message");
}

/// Keeps a group of the message that it was handed.
struct Keeping final : testing::NotingHandler {
  void on_message(Session&, const MessageView& message, Time) override {
    if (const auto group = message.group(tag::k_no_party_ids, fix_4_4())) kept = *group;
  }
  std::optional<Group> kept;
};

TEST(FixMisuseDeathTest, a_group_kept_from_a_handler) {
  if (!k_is_watched) GTEST_SKIP() << k_unwatched;
  sched::Scheduler scheduler(64, testing::k_noon);
  testing::KeepingTransport transport;
  Keeping handler;
  Session session(scheduler, Peer::named({}), handler);
  session.on_open(transport, testing::k_noon);
  Peer words;
  const std::string script =
      words.message("A", 1, "98=0|108=30|") + words.message("D", 2, words.order("a") + "453=1|448=A|447=D|452=1|");
  ASSERT_EQ(session.on_bytes(as_bytes(script), testing::k_noon), script.size());
  ASSERT_TRUE(handler.kept);
  EXPECT_DEATH(static_cast<void>((*handler.kept)[0]), "a message that its view still holds");
  session.on_closed(link::CloseReason::by_peer, testing::k_noon);
}

}  // namespace
}  // namespace dojima::fix
