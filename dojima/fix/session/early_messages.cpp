#include "dojima/fix/session/early_messages.hpp"

#include <cstdint>
#include <cstring>

#include "dojima/base/assert.hpp"

namespace dojima::fix {
namespace {
constexpr std::size_t k_record_header = 16;  // sequence number, size
}

bool EarlyMessages::push(market::Sequence sequence, Bytes message) noexcept {
  if (!queue_.is_empty() && sequence <= last_) return false;
  const Room room = queue_.prepare(k_record_header + message.size());
  if (room.empty()) return false;
  store_little(room, 0, sequence.value);
  store_little(room, 8, std::uint64_t{message.size()});
  std::memcpy(room.data() + k_record_header, message.data(), message.size());
  queue_.commit(room.size());
  last_ = sequence;
  return true;
}

std::optional<EarlyMessages::Early> EarlyMessages::front() const noexcept {
  const Bytes bytes = queue_.view();
  if (bytes.empty()) return std::nullopt;
  const market::Sequence sequence{load_little<std::uint64_t>(bytes, 0)};
  const auto size = load_little<std::uint64_t>(bytes, 8);
  DOJIMA_ASSERT(sequence <= last_ && size <= bytes.size() - k_record_header, "the queue begins with a whole message",
                sequence, last_, size, bytes.size());
  return Early{sequence, bytes.subspan(k_record_header, size)};
}

void EarlyMessages::pop() noexcept {
  const Bytes bytes = queue_.view();
  if (!bytes.empty()) queue_.consume(k_record_header + load_little<std::uint64_t>(bytes, 8));
}

void EarlyMessages::clear() noexcept {
  queue_.clear();
}

}  // namespace dojima::fix
