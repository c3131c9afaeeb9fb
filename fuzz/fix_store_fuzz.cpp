// The journal of a FIX store with any records in it, behind good sums. The first byte says how much is kept; then come
// records: a byte for the kind and the size (kinds 30 to 37, up to 31 words of 4 bytes), then the bytes; 0 words: a
// change made by a store itself. Whatever it is: opening refuses it and says why, or gives stores that can be used, and
// that are the same when they are opened again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/journal/simulated_disk.hpp"

namespace {

using namespace dojima;
using namespace dojima::fix;

constexpr std::size_t k_segment = 4096;
constexpr std::size_t k_largest_message = 300;
constexpr std::size_t k_largest_record = k_session_record_max;

JournalStoresOptions options(std::uint8_t how) {
  return {.name = "fuzz",
          .segment_bytes = k_segment,
          .spare_segments = 1,
          .disk_bytes = (how & 1U) != 0 ? 8 * k_segment : 64 * k_segment,
          .largest_message = k_largest_message,
          .messages_per_session = (how & 2U) != 0 ? 3u : 1000u,
          .bytes_per_session = (how & 4U) != 0 ? 200u : 1u << 20,
          .messages = (how & 8U) != 0 ? 64u : 4096u,
          .sessions = 8};
}

void work(journal::FileJournal& journal) {
  while (journal.work()) {
  }
}

/// What stores hold; nothing: they were refused.
struct State {
  std::string numbers{}, messages{};
};

void add(const MessageStore& store, State& state) {
  state.numbers += std::to_string(store.next_outgoing().value) + "/" + std::to_string(store.next_incoming().value) +
                   "@" + std::to_string(time::nanoseconds_of(store.numbers_begun().value_or(time::Time::min()))) + " ";
  std::uint64_t next = 0;
  while (const auto message = store.find_from({next})) {
    DOJIMA_ASSERT(message->sequence.value >= next && message->sequence < store.next_outgoing(), "numbers ascend");
    state.messages += " " + std::to_string(message->sequence.value) + ":" + std::string(as_text(message->bytes));
    next = message->sequence.value + 1;
  }
}

/// One small change, as sessions make them.
void change(MessageStore& store, std::uint8_t how) {
  if (how % 8 == 0) return store.reset(time::from_nanoseconds(how));
  if (how % 8 == 1) return store.set_next_incoming({how + 1U});
  if (how % 8 == 2) return store.set_next_outgoing({how + 1U});
  const std::size_t size = how + 1U;
  const Room room = store.prepare(k_largest_message);
  std::memset(room.data(), how, size);
  // Behind the last number there is none.
  if (store.next_outgoing().value + 1 == 0) return;
  static_cast<void>(
      store.commit({.sequence = store.next_outgoing(), .bytes = room.first(size), .type = type::k_execution_report}));
}

/// Opens, uses and closes the stores; says what is in them then.
State use(journal::Disk& disk, std::uint8_t how, Bytes changes) {
  auto opened = JournalStores::open(disk, options(how));
  if (!opened) {
    DOJIMA_ASSERT(!opened.error().what.empty() && !opened.error().advice.empty(), "a refusal explains itself");
    return {};
  }
  JournalStores& stores = **opened;
  work(stores.journal());
  State state{.numbers = "of "};
  for (const char* client : {"A", "B"}) {
    const auto store = stores.store({"FIX.4.4", "VENUE", client});
    if (!store) {
      DOJIMA_ASSERT(store.error().code == ErrorCode::no_room, "there are too many sessions already");
      continue;
    }
    for (const std::byte byte : changes) {
      work(stores.journal());
      change(**store, std::to_integer<std::uint8_t>(byte));
    }
  }
  // Only now: what one keeps may take the room of another.
  for (const char* client : {"A", "B"})
    if (const auto store = stores.store({"FIX.4.4", "VENUE", client})) add(**store, state);
  work(stores.journal());
  DOJIMA_ASSERT(stores.journal().close(), "nothing fails here");
  return state;
}

/// Writes the records of the input, and gives what is behind them.
Bytes write_records(journal::Disk& disk, Bytes input) {
  auto journal = std::move(*journal::FileJournal::open(disk, {.identity = identity_of_store("fuzz"),
                                                              .segment_bytes = k_segment,
                                                              .largest_record = k_largest_record,
                                                              .spare_segments = 1}));
  std::size_t at = 0;
  while (at < input.size()) {
    const auto head = std::to_integer<std::uint8_t>(input[at++]);
    const std::size_t size = std::min(std::size_t{4} * (head & 31U), input.size() - at);
    if (size == 0) break;
    work(*journal);
    const Room room = journal->prepare(size);
    DOJIMA_ASSERT(!room.empty(), "there is room");
    std::ranges::copy(input.subspan(at, size), room.begin());
    journal->commit(size, static_cast<std::uint8_t>(30 + (head >> 5U)));
    at += size;
  }
  return input.subspan(at);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  journal::SimulatedDisk disk;
  const Bytes rest = write_records(disk, std::as_bytes(std::span(data, size)).subspan(1));
  const State first = use(disk, data[0], rest);
  if (first.numbers.empty()) return 0;
  const State second = use(disk, data[0], {});
  DOJIMA_ASSERT(first.numbers == second.numbers, "what was closed is there again");
  // Opening may begin a segment, for which the oldest messages have to go where the disk is small.
  const bool is_small = (data[0] & 1U) != 0;
  DOJIMA_ASSERT(is_small || first.messages == second.messages, "what was closed is there again");
  return 0;
}
