#include "dojima/venue/partition/trades.hpp"

#include <algorithm>
#include <cstddef>

#include "dojima/base/state.hpp"

namespace dojima::venue {

void Trades::save(StateWriter& out) const {
  const auto is_used = [](const TradeRecord& record) { return record.number != 0; };
  out.add(static_cast<std::uint64_t>(std::count_if(ring_.begin(), ring_.end(), is_used)));
  for (const TradeRecord& record : ring_)
    if (is_used(record)) out.add(record);
}

bool Trades::load(StateReader& in) {
  std::uint64_t count = 0;
  if (!in.read_count(count, ~std::uint64_t{0}, sizeof(TradeRecord))) return false;
  for (std::uint64_t at = 0; at < count; ++at) {
    // The bytes of a bool, a side and a capacity are looked at before they are one.
    const Bytes bytes = in.view(sizeof(TradeRecord));
    if (bytes.size() != sizeof(TradeRecord)) return false;
    constexpr std::size_t k_is_busted = offsetof(TradeRecord, is_busted);
    if (std::to_integer<unsigned>(bytes[k_is_busted]) > 1) return in.fail("0 or 1");
    const auto record = load_little<TradeRecord>(bytes, 0);
    if (record.number == 0 || record.quantity.lots <= 0) return in.fail("a trade");
    if (ring_.empty()) continue;
    TradeRecord& place = ring_[record.number % ring_.size()];
    kept_ += place.number == 0 ? 1 : 0;
    if (record.number > place.number) place = record;
  }
  return true;
}

}  // namespace dojima::venue
