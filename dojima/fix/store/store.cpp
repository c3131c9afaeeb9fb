#include "dojima/fix/store.hpp"

#include <limits>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <type_traits>

#include "dojima/base/assert.hpp"

namespace dojima::fix {

void MemoryStore::Unmap::operator()(std::byte* memory) const noexcept {
  ::munmap(memory, size);
}

MemoryStore::Mapped MemoryStore::map(StoreCapacity capacity) {
  static_assert(std::is_trivially_destructible_v<Entry> && std::is_trivially_copyable_v<Entry>);
  if (capacity.messages == 0 || capacity.bytes == 0)
    throw std::invalid_argument("a FIX message store needs room for at least one message");
  constexpr std::size_t k_most = std::numeric_limits<std::ptrdiff_t>::max();
  if (capacity.bytes > k_most / 2 || capacity.messages > k_most / 2 / sizeof(Entry)) throw std::bad_alloc();
  const std::size_t size = capacity.messages * sizeof(Entry) + capacity.bytes;
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return Mapped(static_cast<std::byte*>(memory), Unmap{size});
}

MemoryStore::MemoryStore(StoreCapacity capacity)
    : capacity_(capacity.bytes),
      messages_(capacity.messages),
      memory_(map(capacity)),
      entries_(reinterpret_cast<Entry*>(memory_.get())),
      bytes_(memory_.get() + messages_ * sizeof(Entry)) {}

void MemoryStore::set_next_outgoing(market::Sequence sequence) {
  DOJIMA_ASSERT(sequence.value > 0, "numbers begin at 1", sequence, next_outgoing_);
  while (count_ > 0 && entry(count_ - 1).sequence >= sequence) --count_;
  next_outgoing_ = sequence;
  room_size_ = 0;
}

void MemoryStore::begin_anew(market::Sequence next_outgoing, time::Time now) {
  DOJIMA_ASSERT(next_outgoing.value > 0, "numbers begin at 1", next_outgoing);
  first_ = count_ = 0;
  room_size_ = 0;
  next_outgoing_ = next_outgoing;
  next_incoming_ = {1};
  begun_ = now;
}

void MemoryStore::drop_oldest() noexcept {
  first_ = first_ + 1 == messages_ ? 0 : first_ + 1;
  --count_;
}

Room MemoryStore::prepare(std::size_t size) {
  room_size_ = 0;
  if (size > capacity_) return {};
  std::size_t begin = count_ == 0 ? 0 : entry(count_ - 1).begin + entry(count_ - 1).size;
  if (size > capacity_ - begin) {
    // What lies between here and the end of the ring is older than what lies at its beginning.
    while (count_ > 0 && entry(0).begin >= begin) drop_oldest();
    begin = 0;
  }
  const auto overlaps = [&](const Entry& old) noexcept {
    return old.begin < begin + size && begin < old.begin + old.size;
  };
  while (count_ > 0 && overlaps(entry(0))) drop_oldest();
  if (count_ == messages_) drop_oldest();
  room_begin_ = begin;
  room_size_ = size;
  return {bytes_ + begin, size};
}

Result<void> MemoryStore::commit(const StoredMessage& message) {
  const auto begin = static_cast<std::size_t>(message.bytes.data() - bytes_);
  DOJIMA_ASSERT(begin >= room_begin_ && begin + message.bytes.size() <= room_begin_ + room_size_,
                "a message is in the room that was prepared for it", begin, message.bytes.size(), room_begin_,
                room_size_);
  DOJIMA_ASSERT(message.sequence == next_outgoing_, "messages are kept in the order of their numbers", message.sequence,
                next_outgoing_);
  DOJIMA_ASSERT(count_ < messages_, "prepare made room for one entry", count_, messages_);
  entry(count_++) = {message.sequence,     message.sending_time, begin,
                     message.bytes.size(), message.header_size,  message.type};
  room_size_ = 0;
  ++next_outgoing_.value;
  return {};
}

std::size_t MemoryStore::lower_bound(market::Sequence sequence) const noexcept {
  if (count_ == 0 || sequence <= entry(0).sequence) return 0;
  const std::uint64_t guess = sequence.value - entry(0).sequence.value;
  if (guess < count_ && entry(guess).sequence == sequence) return guess;
  std::size_t low = 0, high = count_;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (entry(middle).sequence < sequence) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::optional<StoredMessage> MemoryStore::find_from(market::Sequence sequence) const {
  const std::size_t index = lower_bound(sequence);
  if (index == count_) return std::nullopt;
  const Entry& found = entry(index);
  DOJIMA_ASSERT(found.sequence >= sequence && found.sequence < next_outgoing_, "what is found was asked for and kept",
                found.sequence, sequence, next_outgoing_);
  return StoredMessage{found.sequence, Bytes(bytes_ + found.begin, found.size), found.header_size, found.type,
                       found.sending_time};
}

}  // namespace dojima::fix
