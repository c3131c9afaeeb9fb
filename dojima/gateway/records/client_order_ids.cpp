#include "dojima/gateway/records/client_order_ids.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace dojima::gateway {

ClientOrderIds::ClientOrderIds(std::size_t places)
    : entries_(places), index_(places), free_count_(places), reserve_(places / k_forgotten_most), past_(places) {
  for (std::size_t place = 0; place < places; ++place)
    entries_[place].target.order = static_cast<ClOrdIdRef>(place + 1);
}

/// Folds of products of two words each: the id's five words, and the client with the last six characters.
std::uint64_t ClientOrderIds::hash_of(const ClOrdId& id, std::uint32_t client) noexcept {
  __extension__ using Wide = unsigned __int128;
  const auto fold = [](std::uint64_t first, std::uint64_t second) {
    const Wide product = static_cast<Wide>(first) * second;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  std::array<std::uint64_t, 5> words;
  static_assert(sizeof id == sizeof words);
  std::memcpy(words.data(), &id, sizeof words);
  const std::uint64_t last = words[4] >> 16U | std::uint64_t{client} << 48U;
  constexpr std::uint64_t k_odd_1 = 0x9e3779b97f4a7c15ULL, k_odd_2 = 0xd6e8feb86659fd93ULL,
                          k_odd_3 = 0xff51afd7ed558ccdULL, k_odd_4 = 0xc4ceb9fe1a85ec53ULL;
  const std::uint64_t all = fold(words[0] ^ k_odd_1, words[1] ^ k_odd_2) ^
                            fold(words[2] ^ k_odd_2, words[3] ^ k_odd_3) ^ fold(words[4] ^ k_odd_3, last ^ k_odd_4);
  return fold(all ^ k_odd_4, k_odd_1);
}

ClOrdIdRef ClientOrderIds::locate(const ClOrdId& id, std::uint32_t client, std::uint64_t hash) const noexcept {
  static_assert(k_no_id == SlotIndex::k_nowhere);
  return index_.find(hash, [&](ClOrdIdRef ref) {
    const StoredKey& key = entries_[ref].key;
    return key.client == client && std::memcmp(&key.id, &id, sizeof id) == 0;
  });
}

/// A place for the text, which has none.
ClOrdIdRef ClientOrderIds::take(const ClOrdId& id, std::uint32_t client, std::uint64_t hash) noexcept {
  if (free_count_ <= reserve_) [[unlikely]]
    make_room();
  DOJIMA_ASSERT(free_count_ != 0, "where there is no room, there are ids of the past that nobody holds", size(),
                spare_);
  const ClOrdIdRef ref = free_;
  free_ = entries_[ref].target.order;
  --free_count_;
  Entry& entry = entries_[ref];
  entry.key.id = id;
  entry.key.client = static_cast<std::uint16_t>(client);
  entry.marks = {};
  entry.target = {};
  index_.insert(hash, ref);
  return ref;
}

/// A few at a time. What can be forgotten while the reserve r of p places is used up has a place when that begins, at
/// most p - r, or is added meanwhile. Each addition takes one place at most and forgets 16, those that find their text
/// there too: when r places are taken, 16 (r + 1) > p are forgotten for the next. By then one gave room, as has_room()
/// sees to it that not all are held.
void ClientOrderIds::make_room() noexcept {
  for (std::size_t count = 0; count < k_forgotten_most && free_count_ <= reserve_ && past_count_ != 0; ++count)
    forget_oldest();
}

ClOrdIdRef ClientOrderIds::keep(const ClOrdId& id, std::uint32_t client) noexcept {
  DOJIMA_ASSERT(client < k_clients_most, "a client's number fits its record", client);
  const std::uint64_t hash = hash_of(id, client);
  const ClOrdIdRef ref = locate(id, client, hash);
  return ref != k_no_id ? ref : take(id, client, hash);
}

ClOrdIdRef ClientOrderIds::add(const ClOrdId& id, std::uint32_t client, const Target& target) noexcept {
  DOJIMA_ASSERT(client < k_clients_most, "a client's number fits its record", client);
  const std::uint64_t hash = hash_of(id, client);
  ClOrdIdRef ref = locate(id, client, hash);
  if (ref == k_no_id)
    ref = take(id, client, hash);
  else if (free_count_ <= reserve_) [[unlikely]]
    make_room();  // it will be behind those of the past that give room
  DOJIMA_ASSERT(!entries_[ref].is_known(), "an id is used once", client, target.order, known_);
  entries_[ref].marks.set_known(true);
  entries_[ref].target = target;
  ++known_;
  return ref;
}

void ClientOrderIds::hold(ClOrdIdRef ref) noexcept {
  if (ref == k_no_id) return;
  Entry& entry = at(ref);
  if (entry.uses() == 0 && entry.is_of_past()) --spare_;
  if (entry.uses() != k_uses_most) entry.marks.add_use();
}

void ClientOrderIds::drop(ClOrdIdRef ref) noexcept {
  if (ref == k_no_id) return;
  Entry& entry = at(ref);
  DOJIMA_ASSERT(entry.uses() != 0, "an id is dropped by those who hold it", ref, entry.key.client);
  if (entry.uses() == k_uses_most) return;
  entry.marks.take_use();
  if (entry.uses() != 0) return;
  if (entry.is_of_past()) ++spare_;
  release_unused(ref);
}

/// A text that is no known id, and that nobody holds, leaves its place.
void ClientOrderIds::release_unused(ClOrdIdRef ref) noexcept {
  Entry& entry = entries_[ref];
  if (entry.is_known() || entry.uses() != 0) return;
  const bool was_there =
      index_.erase(hash_of(entry.key), ref, [this](ClOrdIdRef other) { return hash_of(entries_[other].key); });
  DOJIMA_ASSERT(was_there, "a text is found while it has a place", ref, entry.key.client);
  entry.target.order = free_;
  free_ = ref;
  ++free_count_;
}

void ClientOrderIds::erase(ClOrdIdRef ref) noexcept {
  Entry& entry = at(ref);
  DOJIMA_ASSERT(entry.is_known() && !entry.is_of_past(), "what was never used is known, and not of the past", ref,
                entry.key.client);
  entry.marks.set_known(false);
  --known_;
  release_unused(ref);
}

void ClientOrderIds::forget_oldest() noexcept {
  const ClOrdIdRef oldest = past_[first_past_];
  first_past_ = first_past_ + 1 == past_.size() ? 0 : first_past_ + 1;
  --past_count_;
  ++past_begin_;
  Entry& entry = entries_[oldest];
  if (entry.uses() == 0) --spare_;
  entry.marks.set_known(false);
  entry.marks.set_of_past(false);
  --known_;
  release_unused(oldest);
}

void ClientOrderIds::retire(ClOrdIdRef ref) noexcept {
  Entry& entry = at(ref);
  DOJIMA_ASSERT(entry.is_known(), "only a known id belongs to the past", ref, entry.key.client);
  DOJIMA_ASSERT(!entry.is_of_past(), "an id belongs to the past once", ref, entry.key.client, past_count_);
  std::size_t end = first_past_ + past_count_;
  if (end >= past_.size()) end -= past_.size();
  past_[end] = ref;
  ++past_count_;
  entry.marks.set_of_past(true);
  if (entry.uses() == 0) ++spare_;
}

}  // namespace dojima::gateway
