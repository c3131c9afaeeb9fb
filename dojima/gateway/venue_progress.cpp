#include "dojima/gateway/venue_progress.hpp"

#include <algorithm>

namespace dojima::gateway {

std::uint64_t digest_of(const market::OwnerReport& report) noexcept {
  std::uint64_t digest = 0x9e37'79b9'7f4a'7c15;
  const auto add = [&](std::uint64_t value) {
    digest = (digest ^ value) * 0xff51'afd7'ed55'8ccd;
    digest ^= digest >> 32U;
  };
  add(report.order.value);
  add(report.execution);
  add(static_cast<std::uint64_t>(report.time.time_since_epoch().count()));
  add(static_cast<std::uint64_t>(report.kind));
  add(static_cast<std::uint64_t>(report.leaves.lots));
  for (const char c : report.client_order_id.view()) add(static_cast<unsigned char>(c));
  return digest;
}

DayRelation relation_of(const KnownDay& known, const mit::VenueDay& said, bool has_progress) noexcept {
  if (!said.is_said()) return DayRelation::unknown;
  if (!known.day.is_said()) return has_progress ? DayRelation::unknown : DayRelation::first;
  if (known.day.venue != said.venue || said.number < known.day.number) return DayRelation::other_venue;
  // A day that the venue had ended goes on.
  if (said.number == known.day.number) return known.is_over ? DayRelation::other_venue : DayRelation::same;
  return known.is_over && said.number == known.day.number + 1 ? DayRelation::next : DayRelation::later;
}

const PartitionProgress* VenueProgress::find(std::uint8_t partition) const noexcept {
  const auto found = std::ranges::find(all(), partition, &PartitionProgress::partition);
  return found == all().end() ? nullptr : &*found;
}

void VenueProgress::forget(std::uint8_t partition) noexcept {
  const auto end = partitions_.begin() + static_cast<std::ptrdiff_t>(count_);
  count_ = static_cast<std::size_t>(
      std::remove_if(partitions_.begin(), end, [=](const auto& each) { return each.partition == partition; }) -
      partitions_.begin());
}

bool VenueProgress::set(const PartitionProgress& progress) noexcept {
  const auto end = partitions_.begin() + static_cast<std::ptrdiff_t>(count_);
  auto found = std::ranges::find(partitions_.begin(), end, progress.partition, &PartitionProgress::partition);
  if (found == end) {
    if (count_ == k_most) return false;
    ++count_;
  }
  *found = progress;
  return true;
}

}  // namespace dojima::gateway
