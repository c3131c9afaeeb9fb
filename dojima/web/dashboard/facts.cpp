#include "dojima/web/dashboard/facts.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"

namespace dojima::web {

FactChannel::FactChannel(const FactChannelOptions& options) : ring_(options.bytes), wanted_(options.instruments) {
  snapshot_.orders.reserve(options.orders);
  snapshot_.instruments.reserve(options.instruments);
}

Snapshot& FactChannel::begin_snapshot() noexcept {
  DOJIMA_ASSERT(wants_snapshot() || takes_part(), "the snapshot before has been read", ring_.free(), ring_.capacity());
  is_snapshot_free_.store(false, std::memory_order_relaxed);
  snapshot_.orders.clear();
  snapshot_.instruments.clear();
  snapshot_.left_out = 0;
  return snapshot_;
}

void FactChannel::add(const SnapshotOrder& order) noexcept {
  if (snapshot_.orders.size() == snapshot_.orders.capacity()) {
    ++snapshot_.left_out;
    return;
  }
  snapshot_.orders.push_back(order);
}

void FactChannel::notice(time::Time time, std::string_view text) noexcept {
  constexpr std::size_t k_parts = 8;
  NoticeFact fact{.number = ++notices_};
  text = text.substr(0, k_parts * NoticeFact::k_text);
  do {
    const std::size_t size = std::min(text.size(), NoticeFact::k_text);
    text.copy(fact.text.data(), size);
    text.remove_prefix(size);
    fact.size = static_cast<std::uint8_t>(size);
    fact.is_last = text.empty() ? 1 : 0;
    offer(FactKind::notice, time, fact);
    ++fact.part;
  } while (!text.empty());
}

void FactChannel::commit_snapshot(time::Time now) noexcept {
  const bool is_pushed = ring_.push(FactKind::snapshot, now, std::uint8_t{0});
  DOJIMA_ASSERT(is_pushed, "most of the ring is free", ring_.free(), ring_.capacity());
  is_whole_ = true;
  snapshots_.store(snapshots_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void FactChannel::commit_part(time::Time now) noexcept {
  DOJIMA_ASSERT(is_whole_, "part of the books is as the facts before it say", snapshot_.instruments.size());
  const bool is_pushed = ring_.push(FactKind::snapshot, now, std::uint8_t{0});
  DOJIMA_ASSERT(is_pushed, "there was room for it", ring_.free(), ring_.capacity());
}

void FactChannel::want(std::size_t place, Detail detail) noexcept {
  if (place >= wanted_.size() || wanted_[place].load(std::memory_order_relaxed) == detail) return;
  wanted_[place].store(detail, std::memory_order_relaxed);
  wanted_version_.fetch_add(1, std::memory_order_release);
}

}  // namespace dojima::web
