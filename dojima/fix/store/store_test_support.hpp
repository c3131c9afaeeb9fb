#pragma once

// What the tests of stores share: messages as short texts, and stores on a simulated disk.

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/journal/simulated_disk.hpp"

namespace dojima::fix::testing {

/// Writes `text` as the next message, `offset` bytes into a room of `room_size`.
inline Result<void> put(MessageStore& store, std::string_view text, std::size_t room_size, std::size_t offset = 0,
                        MsgType type = type::k_execution_report) {
  const Room room = store.prepare(room_size);
  if (room.size() != room_size) return fail(ErrorCode::too_long);
  std::memcpy(room.data() + offset, text.data(), text.size());
  return store.commit({.sequence = store.next_outgoing(),
                       .bytes = room.subspan(offset, text.size()),
                       .header_size = 1,
                       .type = type,
                       .sending_time = time::from_nanoseconds(7)});
}
inline Result<void> put(MessageStore& store, std::string_view text) {
  return put(store, text, text.size());
}

inline std::string text_at(const MessageStore& store, std::uint64_t sequence) {
  const auto message = store.find_from({sequence});
  if (!message) return "none";
  return std::to_string(message->sequence.value) + " " + std::string(as_text(message->bytes));
}

/// Small segments, so that there are many; all else is plenty.
inline JournalStoresOptions small(journal::Durability durability) {
  return {.name = "test",
          .durability = durability,
          .segment_bytes = 4096,
          .spare_segments = 2,
          .disk_bytes = std::uint64_t{1} << 22,
          .largest_message = 512,
          .messages = 20'000,
          .sessions = 100};
}

inline std::unique_ptr<JournalStores> open_stores(journal::Disk& disk, const JournalStoresOptions& options) {
  auto opened = JournalStores::open(disk, options);
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().what + ": " + opened.error().place.file);
  return opened ? std::move(*opened) : nullptr;
}

inline MessageStore& store_of(JournalStores& stores, std::string_view client) {
  const auto store = stores.store({"FIX.4.4", "VENUE", client});
  EXPECT_TRUE(store);
  return **store;
}

/// A session as it should be.
struct Model {
  std::uint64_t outgoing = 1, incoming = 1;
  std::map<std::uint64_t, std::string> messages{};
  std::optional<time::Time> begun{};
  std::string verifier{};  // not of a store: of JournalStores
  friend bool operator==(const Model&, const Model&) = default;
};

/// What a store holds.
inline Model model_of(const MessageStore& store) {
  Model model{store.next_outgoing().value, store.next_incoming().value, {}, store.numbers_begun(), {}};
  std::uint64_t next = 0;
  while (const auto message = store.find_from({next})) {
    model.messages[message->sequence.value] = as_text(message->bytes);
    next = message->sequence.value + 1;
  }
  return model;
}

/// Everything that the journal's thread would do.
inline void work(JournalStores& stores) {
  while (stores.journal().work()) {
  }
}

}  // namespace dojima::fix::testing
