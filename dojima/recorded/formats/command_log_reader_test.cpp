#include "dojima/recorded/formats/command_log_reader.hpp"

#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>

#include "dojima/journal/memory_journal.hpp"
#include "dojima/recorded/formats/format.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

/// A journal with an order, its change and its cancel, and a phase, as a file.
std::string log() {
  journal::MemoryJournal journal({.capacity = 4096});
  std::uint64_t number = 0;
  const auto submit = [&](auto command) {
    command.header.sequence.value = ++number;
    command.header.time = time::from_nanoseconds(static_cast<std::int64_t>(1000 * number));
    std::memcpy(journal.prepare(sizeof command).data(), &command, sizeof command);
    journal.commit(sizeof command);
  };
  market::NewOrder order;
  order.header.instrument = 133'215;
  order.header.user = 3;
  order.terms.side = market::Side::sell;
  order.terms.type = market::OrderType::limit;
  order.terms.limit.units = 1'050'000'000;
  order.terms.quantity.lots = 40;
  submit(order);
  order.terms.type = market::OrderType::market;
  submit(order);
  market::Replace replace;
  replace.header.instrument = 133'215;
  replace.order.value = 77;
  replace.quantity.lots = 30;
  submit(replace);
  market::Cancel cancel;
  cancel.header.instrument = 133'215;
  cancel.order.value = 77;
  submit(cancel);
  market::PhaseChange phase;
  phase.phase = market::Phase::halted;
  submit(phase);
  submit(market::Expire{});
  std::string bytes;
  for (journal::MemoryJournal::Cursor at; auto record = journal.read(at);) bytes += as_text(record->bytes);
  return bytes;
}

ReadEvents read_log(const std::string& bytes) {
  MemorySource source(bytes);
  CommandLogReader reader(source);
  return read_all(reader);
}

TEST(CommandLogReader, gives_the_requests_of_a_journal) {
  const std::string bytes = log();
  EXPECT_EQ(guess_format(as_bytes(bytes)), Format::commands);
  MemorySource source(bytes);
  CommandLogReader reader(source);
  const ReadEvents all = read_all(reader);
  EXPECT_EQ(all.trouble, "");
  ASSERT_EQ(all.events.size(), 6u);
  using enum EventKind;
  const EventKind kinds[] = {request, request, request, request, status, notice};
  for (std::size_t at = 0; at < 6; ++at) EXPECT_EQ(all.events[at].kind, kinds[at]);
  EXPECT_EQ(all.events[0].side, market::Side::sell);
  EXPECT_EQ(all.events[0].price, 1'050'000'000);
  EXPECT_EQ(all.events[0].quantity, 40);
  EXPECT_EQ(all.events[0].other, 3u);
  EXPECT_EQ(all.events[1].price, k_unknown) << "a market order";
  EXPECT_EQ(all.events[3].order, 77u);
  EXPECT_EQ(all.events[4].code, static_cast<std::uint8_t>(MarketState::halted));
  EXPECT_EQ(reader.instruments().at(0).number, 133'215u);
  EXPECT_EQ(reader.type_counts().size(), 5u);
}

TEST(CommandLogReader, gives_the_commands_themselves_from_a_stream) {
  const std::string bytes = log();
  TrickleSource source(bytes, 7);
  CommandLogReader reader(source);
  std::string again;
  for (Bytes command = reader.next_command(); !command.empty(); command = reader.next_command()) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(command.data()) % 8, 0u);
    again += as_text(command);
  }
  EXPECT_TRUE(again == bytes);
}

TEST(CommandLogReader, says_what_is_wrong_and_where) {
  const std::string bytes = log();
  EXPECT_EQ(read_log(bytes.substr(0, bytes.size() - 1)).trouble,
            "byte " + std::to_string(bytes.size() - sizeof(market::Expire)) + ": the file is cut within a command");
  EXPECT_EQ(read_log(bytes.substr(0, 10)).trouble, "byte 0: the file is cut within a command");
  EXPECT_EQ(read_log(bytes.substr(sizeof(market::NewOrder))).trouble, "byte 0: command 2 behind command 0");
  EXPECT_EQ(read_log(bytes + std::string(24, 'x')).trouble.substr(0, 26),
            "byte " + std::to_string(bytes.size()) + ": no command is of");
  std::string turned = bytes;
  turned[sizeof(market::NewOrder) + 8] = 0;
  turned[sizeof(market::NewOrder) + 9] = 0;
  EXPECT_EQ(read_log(turned).trouble, "byte 152: a command of a time before that of the one in front of it");
  std::string sideless = bytes;
  sideless[offsetof(market::NewOrder, terms) + offsetof(market::OrderTerms, side)] = 3;
  EXPECT_EQ(read_log(sideless).trouble, "byte 0: a command on side 3, which there is not");
}

}  // namespace
}  // namespace dojima::recorded
