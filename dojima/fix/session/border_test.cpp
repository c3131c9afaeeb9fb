// Sequence numbers go from the session to its store and its way out and back: what does not fit together stops the
// process and says which numbers they were.

#include <gtest/gtest.h>
#include <optional>

#include "dojima/fix/session/incoming_sequence.hpp"
#include "dojima/fix/session/outbox.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::k_noon;

/// A store that forgets, or does not do what it should.
class WrongStore final : public MessageStore {
 public:
  [[nodiscard]] market::Sequence next_outgoing() const override { return outgoing.value_or(right.next_outgoing()); }
  [[nodiscard]] market::Sequence next_incoming() const override { return incoming.value_or(right.next_incoming()); }
  void set_next_outgoing(market::Sequence sequence) override { right.set_next_outgoing(sequence); }
  void set_next_incoming(market::Sequence sequence) override { right.set_next_incoming(sequence); }
  [[nodiscard]] Room prepare(std::size_t size) override { return right.prepare(size); }
  Result<void> commit(const StoredMessage& message) override { return right.commit(message); }
  [[nodiscard]] std::optional<StoredMessage> find_from(market::Sequence sequence) const override {
    return right.find_from(found.value_or(sequence));
  }
  void begin_anew(market::Sequence next_outgoing, Time now) override { right.begin_anew(next_outgoing, now); }
  [[nodiscard]] std::optional<Time> numbers_begun() const override { return right.numbers_begun(); }
  void set_numbers_begun(Time begun) override { right.set_numbers_begun(begun); }

  MemoryStore right{StoreCapacity{.messages = 16, .bytes = 1 << 16}};
  std::optional<market::Sequence> outgoing, incoming, found;
};

/// An outbox that has sent messages 1 to 3.
struct Sending {
  explicit Sending(MessageStore& store)
      : outbox({.begin_string = "FIX.4.4", .names = {.sender = "A", .target = "B"}}, store, 4096) {
    outbox.attach(transport);
    for (int message = 0; message < 3; ++message) write();
    EXPECT_EQ(outbox.transmit(k_noon), Outbox::Sent::all);
  }
  void write() {
    Writer writer = outbox.begin(type::k_execution_report, k_noon);
    EXPECT_TRUE(outbox.commit(writer.field(tag::k_text, "a")));
  }
  testing::KeepingTransport transport;
  Outbox outbox;
};

TEST(FixBorderDeathTest, a_store_keeps_messages_by_their_numbers_without_holes) {
  MemoryStore store({.messages = 4, .bytes = 100});
  const Room room = store.prepare(10);
  EXPECT_DEATH(static_cast<void>(store.commit({.sequence = {2}, .bytes = room})),
               "in the order of their numbers.*= 2, 1");
  EXPECT_DEATH(store.set_next_outgoing({0}), "numbers begin at 1.*= 0, 1");
  std::byte elsewhere[10];
  EXPECT_DEATH(static_cast<void>(store.commit({.sequence = {1}, .bytes = elsewhere})),
               "is in the room that was prepared for it");
  static_cast<void>(store.prepare(10));
  EXPECT_TRUE(store.commit({.sequence = {1}, .bytes = room}));
  EXPECT_DEATH(static_cast<void>(store.commit({.sequence = {2}, .bytes = room})),
               "is in the room that was prepared for it");
}

TEST(FixBorderDeathTest, what_is_written_has_not_been_sent) {
  WrongStore store;
  Sending sending(store);
  store.set_next_outgoing({2});
  EXPECT_DEATH(sending.write(), "written now has not been sent.*= 4, 2");
}

TEST(FixBorderDeathTest, a_resend_stays_inside_what_was_sent) {
  WrongStore store;
  Sending sending(store);
  EXPECT_DEATH(sending.outbox.resend({0}, {2}), "a range of numbers that messages have.*= 0, 2");
  EXPECT_DEATH(sending.outbox.resend({3}, {2}), "a range of numbers that messages have.*= 3, 2");
  sending.transport.kept.clear();
  sending.outbox.resend({2}, {99});
  EXPECT_EQ(sending.outbox.transmit(k_noon), Outbox::Sent::all);
  EXPECT_NE(sending.transport.kept.find("\x01"
                                        "34=3\x01"),
            std::string::npos);
  EXPECT_EQ(sending.transport.kept.find("\x01"
                                        "34=4\x01"),
            std::string::npos);
  sending.outbox.resend({2}, {3});
  store.found = market::Sequence{1};
  EXPECT_DEATH(static_cast<void>(sending.outbox.transmit(k_noon)), "what was asked for or what follows.*= 2, 1");
}

TEST(FixBorderDeathTest, the_number_that_is_due_only_grows_except_by_a_reset) {
  MemoryStore store({.messages = 4, .bytes = 100});
  IncomingSequence incoming(store, 1000, 0);
  incoming.advance({5}, k_noon);
  EXPECT_DEATH(incoming.advance({5}, k_noon), "only grows, except by a reset.*= 5, 5");
  EXPECT_DEATH(incoming.advance({4}, k_noon), "only grows, except by a reset.*= 4, 5");
  EXPECT_DEATH(incoming.reset({0}), "numbers begin at 1");
  incoming.reset({2});
  EXPECT_EQ(incoming.expected().value, 2u);
  incoming.advance({3}, k_noon);
}

TEST(FixBorderDeathTest, only_what_comes_too_early_is_a_gap_or_waits) {
  using namespace std::chrono_literals;
  MemoryStore store({.messages = 4, .bytes = 100});
  IncomingSequence incoming(store, 1000, 0);
  incoming.advance({5}, k_noon);
  EXPECT_DEATH(static_cast<void>(incoming.note_gap({5}, false, 1s, k_noon)), "what came too early.*= 5, 5");
  EXPECT_DEATH(incoming.keep({5}, as_bytes(std::string_view("a"))), "only what comes too early waits.*= 5, 5");
  incoming.keep({6}, as_bytes(std::string_view("six")));
  EXPECT_TRUE(incoming.note_gap({6}, false, 1s, k_noon));
  EXPECT_FALSE(incoming.note_gap({7}, false, 1s, k_noon)) << "asked for once";
  EXPECT_FALSE(incoming.next_early(k_noon));
  incoming.advance({6}, k_noon);
  const auto early = incoming.next_early(k_noon);
  ASSERT_TRUE(early);
  EXPECT_EQ(early->sequence.value, 6u);
  EXPECT_EQ(as_text(early->message), "six");
}

TEST(FixBorderDeathTest, a_session_begins_with_a_store_whose_numbers_begin_at_1) {
  for (const bool is_outgoing : {true, false}) {
    WrongStore store;
    sched::Scheduler scheduler(16, k_noon);
    testing::NotingHandler handler;
    testing::KeepingTransport transport;
    Session session(scheduler, testing::Peer::named({}), handler, store);
    (is_outgoing ? store.outgoing : store.incoming) = market::Sequence{0};
    EXPECT_DEATH(session.on_open(transport, k_noon), "numbers begin at 1");
  }
}

}  // namespace
}  // namespace dojima::fix
