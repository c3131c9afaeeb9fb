#pragma once

// The ClOrdIDs that clients have used, and the order that each addresses. A text is kept once: records have its place
// and say that they hold it. Ids of requests in use are known; ids of the past are known as duplicates to be recognised
// until the room is needed, and are then forgotten, oldest first. The text of a forgotten one stays while a record
// holds it, so that forgetting it gives no room. A reserve of places is kept for that: forgetting begins before there
// is none left, and one that is added has at most k_forgotten_most forgotten. Every operation is O(1) expected, no
// allocation after construction.
//
//   const ClOrdIdRef id = ids.add(key, target);  // a request's, which holds it
//   ids.hold(id);
//   ids.retire(id);                              // the request is over
//   ids.drop(id);

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/cl_ord_id.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/gateway/records/slot_index.hpp"

namespace dojima::gateway {

class ClientOrderIds {
 public:
  struct Key {
    ClOrdId id;
    std::uint32_t client = 0;  ///< below k_clients_most
  };
  /// The order that an id addresses. The generation distinguishes it from a later order in the same slot.
  struct Target {
    std::uint32_t order = k_no_slot;
    std::uint32_t generation = 0;
  };
  static constexpr std::uint32_t k_clients_most = 1 << 16;
  /// Ids of the past that are forgotten for one that is added. A place in as many is the reserve.
  static constexpr std::size_t k_forgotten_most = 16;

  /// Places so that this many ids find room besides the reserve.
  [[nodiscard]] static constexpr std::size_t places_for(std::size_t ids) noexcept {
    return ids + ids / (k_forgotten_most - 1);
  }

  /// So many places, those of ids of the past and the reserve, `places` / k_forgotten_most, included. Throws
  /// std::bad_alloc.
  explicit ClientOrderIds(std::size_t places);

  // Ids are taken as they are, and not in a key that would be copied: who reads a copy waits for it.
  [[nodiscard]] bool contains(const ClOrdId& id, std::uint32_t client) const noexcept {
    return find(id, client) != k_no_id;
  }
  /// k_no_id: not known.
  [[nodiscard]] ClOrdIdRef find(const ClOrdId& id, std::uint32_t client) const noexcept {
    const ClOrdIdRef ref = locate(id, client, hash_of(id, client));
    return ref != k_no_id && entries_[ref].is_known() ? ref : k_no_id;
  }
  [[nodiscard]] bool contains(const Key& key) const noexcept { return contains(key.id, key.client); }
  [[nodiscard]] ClOrdIdRef find(const Key& key) const noexcept { return find(key.id, key.client); }
  [[nodiscard]] const ClOrdId& text(ClOrdIdRef ref) const noexcept {
    static constexpr ClOrdId k_none{};
    return ref == k_no_id ? k_none : at(ref).key.id;
  }
  [[nodiscard]] Key key(ClOrdIdRef ref) const noexcept { return {at(ref).key.id, at(ref).key.client}; }
  [[nodiscard]] bool is_known(ClOrdIdRef ref) const noexcept { return at(ref).is_known(); }
  /// Of one that is known. One that was detached addresses k_no_slot.
  [[nodiscard]] const Target& target(ClOrdIdRef ref) const noexcept { return at(ref).target; }

  /// From now on the id, which must be unknown, addresses `target`. Where no more than the reserve is left, the oldest
  /// ids of the past are forgotten; has_room() says whether there is room.
  ClOrdIdRef add(const ClOrdId& id, std::uint32_t client, const Target& target) noexcept;
  ClOrdIdRef add(const Key& key, const Target& target) noexcept { return add(key.id, key.client, target); }
  /// The place of a text for a record that is restored, whether or not the id is known. As add() else.
  [[nodiscard]] ClOrdIdRef keep(const ClOrdId& id, std::uint32_t client) noexcept;
  [[nodiscard]] ClOrdIdRef keep(const Key& key) noexcept { return keep(key.id, key.client); }
  /// Whether that many more can be added, or held of those that nobody holds.
  [[nodiscard]] bool has_room(std::size_t ids = 1) const noexcept { return free_count_ + spare_ >= ids + reserve_; }
  /// Places that ids of the present leave to those of the past, so that no addition forgets many of these.
  [[nodiscard]] std::size_t reserve() const noexcept { return reserve_; }

  /// A record has the id. The text stays until each has dropped it; k_no_id is no matter.
  void hold(ClOrdIdRef ref) noexcept;
  void drop(ClOrdIdRef ref) noexcept;

  /// The id, if it is known, addresses another order from now on.
  void address(ClOrdIdRef ref, const Target& target) noexcept { at(ref).target = target; }
  /// The id addresses nothing any more, but stays known.
  void detach(ClOrdIdRef ref) noexcept { at(ref).target = Target{}; }
  /// The id was never used.
  void erase(ClOrdIdRef ref) noexcept;
  /// The id, which is known, belongs to the past. Once for each id.
  void retire(ClOrdIdRef ref) noexcept;

  /// Texts that there are, whether or not their ids are known.
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size() - free_count_; }
  [[nodiscard]] std::size_t known() const noexcept { return known_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return entries_.size(); }
  /// Whether the text has a place, of whichever client.
  [[nodiscard]] bool has_text(const Key& key) const noexcept {
    return locate(key.id, key.client, hash_of(key.id, key.client)) != k_no_id;
  }

  /// How many ids of the past have been there ever; those from `past_begin()` on are still known.
  [[nodiscard]] std::uint64_t past_end() const noexcept { return past_begin_ + past_count_; }
  [[nodiscard]] std::uint64_t past_begin() const noexcept { return past_begin_; }
  [[nodiscard]] ClOrdIdRef past_at(std::uint64_t number) const noexcept {
    const std::size_t at = first_past_ + static_cast<std::size_t>(number - past_begin_);
    return past_[at >= past_.size() ? at - past_.size() : at];
  }

  /// Of memory, but for the object itself: the texts with what they address, and what finds them.
  [[nodiscard]] std::size_t text_bytes() const noexcept { return entries_.capacity() * sizeof(Entry); }
  [[nodiscard]] std::size_t index_bytes() const noexcept { return index_.bytes() + past_.capacity() * sizeof past_[0]; }

 private:
  struct StoredKey {
    ClOrdId id;
    std::uint16_t client = 0;
  };
  // More records than this hold a text for ever: it is not given back, which only costs its place.
  static constexpr std::uint16_t k_uses_most = (1 << 14) - 1;
  // One word that is read and written as such: bit fields are written as bytes, and a word read behind that waits.
  class Marks {
   public:
    [[nodiscard]] std::uint16_t uses() const noexcept { return bits_ & k_uses_most; }
    [[nodiscard]] bool is_known() const noexcept { return (bits_ & k_known) != 0; }
    [[nodiscard]] bool is_of_past() const noexcept { return (bits_ & k_of_past) != 0; }
    void add_use() noexcept { bits_ = static_cast<std::uint16_t>(bits_ + 1); }
    void take_use() noexcept { bits_ = static_cast<std::uint16_t>(bits_ - 1); }
    void set_known(bool is) noexcept { set(k_known, is); }
    void set_of_past(bool is) noexcept { set(k_of_past, is); }

   private:
    static constexpr std::uint16_t k_known = 1 << 14, k_of_past = 1 << 15;
    void set(std::uint16_t mask, bool is) noexcept {
      bits_ = static_cast<std::uint16_t>(is ? bits_ | mask : bits_ & ~mask);
    }
    std::uint16_t bits_ = 0;
  };
  struct Entry {
    StoredKey key;
    Marks marks;
    Target target;  // of a free one: the next free one

    [[nodiscard]] std::uint16_t uses() const noexcept { return marks.uses(); }  // records that hold it
    /// It is a client's id; else it is only the text of a record.
    [[nodiscard]] bool is_known() const noexcept { return marks.is_known(); }
    [[nodiscard]] bool is_of_past() const noexcept { return marks.is_of_past(); }  // it is in the ring
  };
  static_assert(sizeof(StoredKey) == k_cl_ord_id_max + 2 && sizeof(Entry) == k_cl_ord_id_max + 12);

  [[nodiscard]] static std::uint64_t hash_of(const ClOrdId& id, std::uint32_t client) noexcept;
  [[nodiscard]] static std::uint64_t hash_of(const StoredKey& key) noexcept { return hash_of(key.id, key.client); }
  [[nodiscard]] Entry& at(ClOrdIdRef ref) noexcept {
    DOJIMA_ASSERT(ref < entries_.size(), "an id is one of those that there are", ref, entries_.size());
    return entries_[ref];
  }
  [[nodiscard]] const Entry& at(ClOrdIdRef ref) const noexcept {
    DOJIMA_ASSERT(ref < entries_.size(), "an id is one of those that there are", ref, entries_.size());
    return entries_[ref];
  }
  [[nodiscard]] ClOrdIdRef locate(const ClOrdId& id, std::uint32_t client, std::uint64_t hash) const noexcept;
  [[nodiscard]] ClOrdIdRef take(const ClOrdId& id, std::uint32_t client, std::uint64_t hash) noexcept;
  void make_room() noexcept;
  void forget_oldest() noexcept;
  void release_unused(ClOrdIdRef ref) noexcept;

  std::vector<Entry> entries_;
  SlotIndex index_;
  ClOrdIdRef free_ = 0;
  std::size_t free_count_;
  std::size_t reserve_;
  std::size_t spare_ = 0;  // of the past, held by nobody
  std::size_t known_ = 0;
  std::vector<ClOrdIdRef> past_;  // a ring, oldest first
  std::size_t first_past_ = 0;
  std::uint64_t past_begin_ = 0;  // how many were forgotten
  std::size_t past_count_ = 0;
};

}  // namespace dojima::gateway
