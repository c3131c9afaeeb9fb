#include "dojima/gateway/records/client_order_ids.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::gateway {

void ClientOrderIds::add(const Key& key, const Target& target) noexcept {
  // Ids of the present are at most as many as requests, so a full map holds one of the past.
  if (targets_.is_full()) {
    DOJIMA_ASSERT(past_count_ != 0, "a full map holds ids of the past", targets_.size());
    targets_.erase(past_[first_past_]);
    first_past_ = first_past_ + 1 == past_.size() ? 0 : first_past_ + 1;
    --past_count_;
    ++past_begin_;
  }
  const bool is_new = targets_.insert(key, target);
  DOJIMA_ASSERT(is_new, "an id is used once", key.client, target.order, targets_.size());
}

void ClientOrderIds::detach(const Key& key) noexcept {
  if (Target* target = targets_.find(key)) *target = Target{};
}

void ClientOrderIds::retire(const Key& key) noexcept {
  DOJIMA_CHECK_SLOW(contains(key), "only a known id belongs to the past", key.client);
  DOJIMA_ASSERT(past_count_ < past_.size(), "ids of the past are at most as many as known ones", past_count_);
  std::size_t end = first_past_ + past_count_;
  if (end >= past_.size()) end -= past_.size();
  past_[end] = key;
  ++past_count_;
}

}  // namespace dojima::gateway
