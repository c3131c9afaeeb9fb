#include "dojima/fix/session/early_messages.hpp"

#include <cstdint>
#include <cstring>

#include "dojima/base/assert.hpp"

namespace dojima::fix {
namespace {
constexpr std::size_t k_record_header = 16;  // sequence number, size
}

bool EarlyMessages::push(market::Sequence sequence, Bytes message) noexcept {
  if (!is_empty() && sequence <= last_) return false;
  if (queue_ == nullptr) queue_ = shared_->take();
  if (queue_ == nullptr) return false;
  const Room room = queue_->prepare(k_record_header + message.size());
  if (room.empty()) {
    let_go();
    return false;
  }
  store_little(room, 0, sequence.value);
  store_little(room, 8, std::uint64_t{message.size()});
  std::memcpy(room.data() + k_record_header, message.data(), message.size());
  queue_->commit(room.size());
  last_ = sequence;
  return true;
}

std::optional<EarlyMessages::Early> EarlyMessages::front() const noexcept {
  if (is_empty()) return std::nullopt;
  const Bytes bytes = queue_->view();
  const market::Sequence sequence{load_little<std::uint64_t>(bytes, 0)};
  const auto size = load_little<std::uint64_t>(bytes, 8);
  DOJIMA_ASSERT(sequence <= last_ && size <= bytes.size() - k_record_header, "the queue begins with a whole message",
                sequence, last_, size, bytes.size());
  return Early{sequence, bytes.subspan(k_record_header, size)};
}

void EarlyMessages::pop() noexcept {
  if (is_empty()) return;
  queue_->consume(k_record_header + load_little<std::uint64_t>(queue_->view(), 8));
  let_go();
}

void EarlyMessages::clear() noexcept {
  if (queue_ == nullptr) return;
  queue_->clear();
  let_go();
}

/// Gives a shared buffer back in which nothing waits any more.
void EarlyMessages::let_go() noexcept {
  if (shared_ == nullptr || !queue_->is_empty()) return;
  shared_->give_back(*queue_);
  queue_ = nullptr;
}

}  // namespace dojima::fix
