#pragma once

// One entry of the run wheel, in its two forms: as it lies in the run, in rungs and in the far wheel, and packed into 8
// bytes as it lies in the ring, where the slot says most of the time. Plain values.

#include <algorithm>
#include <cstdint>

#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/wheel/chunk_list.hpp"

namespace dojima::sched {

template <bool HasUser>
struct RunEntry;
template <>
struct RunEntry<false> {
  Instant at;
  Event* event;  // null: removed
  RunEntry() = default;
  RunEntry(Instant its_time, Event* its_event, void*) noexcept : at(its_time), event(its_event) {}
  [[nodiscard]] static void* user() noexcept { return nullptr; }
};
template <>
struct RunEntry<true> {
  Instant at;
  Event* event;  // null: removed
  void* given;
  RunEntry() = default;
  RunEntry(Instant its_time, Event* its_event, void* its_user) noexcept
      : at(its_time), event(its_event), given(its_user) {}
  [[nodiscard]] void* user() const noexcept { return given; }
};

/// The word of a packed entry:
///
///    62                43 42                                         0
///   | offset in its slot | address / 16 of its event; 0: removed     |      20 + 43 bits
struct PackedWord {
  static constexpr unsigned k_address_bits = 43;  // of an address that is a multiple of 16 and below 2^47
  static constexpr unsigned k_alignment_bits = 4;
  static constexpr std::uint64_t k_address_mask = (std::uint64_t{1} << k_address_bits) - 1;

  [[nodiscard]] static std::uint64_t of(Instant offset, const Event* event) noexcept {
    return offset << k_address_bits | reinterpret_cast<std::uintptr_t>(event) >> k_alignment_bits;
  }
  [[nodiscard]] static Instant offset_of(std::uint64_t word) noexcept { return word >> k_address_bits; }
  [[nodiscard]] static Event* event_of(std::uint64_t word) noexcept {
    return reinterpret_cast<Event*>((word & k_address_mask) << k_alignment_bits);
  }
};

template <bool HasUser>
struct PackedEntry;
template <>
struct PackedEntry<false> {
  std::uint64_t word;
  PackedEntry(std::uint64_t its_word, void*) noexcept : word(its_word) {}
  [[nodiscard]] static void* user() noexcept { return nullptr; }
};
template <>
struct PackedEntry<true> {
  std::uint64_t word;
  void* given;
  PackedEntry(std::uint64_t its_word, void* its_user) noexcept : word(its_word), given(its_user) {}
  [[nodiscard]] void* user() const noexcept { return given; }
};

/// The entry as it lies in the run. `base` is where its slot begins.
template <bool HasUser>
[[nodiscard]] inline RunEntry<HasUser> unpacked(const PackedEntry<HasUser>& packed, Instant base) noexcept {
  return {base + PackedWord::offset_of(packed.word), PackedWord::event_of(packed.word), packed.user()};
}
template <bool HasUser>
[[nodiscard]] inline const RunEntry<HasUser>& unpacked(const RunEntry<HasUser>& entry, Instant) noexcept {
  return entry;
}

/// How far behind `base`, where its slot begins, an entry lies.
template <bool HasUser>
[[nodiscard]] inline Instant offset_of(const PackedEntry<HasUser>& packed, Instant) noexcept {
  return PackedWord::offset_of(packed.word);
}
template <bool HasUser>
[[nodiscard]] inline Instant offset_of(const RunEntry<HasUser>& entry, Instant base) noexcept {
  return entry.at - base;
}

/// The earliest time in a list of wide entries; k_no_instant: none that was not removed. O(entries).
template <class Entry>
[[nodiscard]] inline Instant earliest_entry(const ChunkPool& pool, const ChunkList& list) noexcept {
  Instant earliest = k_no_instant;
  any_of<Entry>(pool, list, [&](const Entry& entry) {
    if (entry.event != nullptr) earliest = std::min(earliest, entry.at);
    return false;
  });
  return earliest;
}

/// Marks an entry in a list of wide entries as removed. False: there is none of this event and time. O(entries).
template <class Entry>
inline bool erase_entry(const ChunkPool& pool, const ChunkList& list, Instant at, const Event* event) noexcept {
  return any_of<Entry>(pool, list, [&](Entry& entry) {
    if (entry.event != event || entry.at != at) return false;
    entry.event = nullptr;
    return true;
  });
}

}  // namespace dojima::sched
