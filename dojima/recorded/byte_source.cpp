#include "dojima/recorded/byte_source.hpp"

#include <algorithm>

namespace dojima::recorded {
namespace {

constexpr std::size_t k_first_capacity = std::size_t{1} << 18;
constexpr std::byte k_nothing{};

}  // namespace

ByteWindow::ByteWindow(ByteSource& source, std::size_t largest)
    : source_(source), largest_(largest), base_(&k_nothing), begin_(&k_nothing), end_(&k_nothing) {
  if (const auto whole = source.whole()) {
    if (!whole->empty()) base_ = begin_ = whole->data(), end_ = begin_ + whole->size();
    is_ended_ = true;
  }
}

bool ByteWindow::require_more(std::size_t size) {
  if (size > largest_) {
    is_too_long_ = !is_ended_;
    return false;
  }
  while (static_cast<std::size_t>(end_ - begin_) < size)
    if (!refill()) return false;
  return true;
}

/// Moves the rest to the front and reads behind it; takes more memory when the rest fills what there is.
bool ByteWindow::refill() {
  if (is_ended_) return false;
  const auto kept = static_cast<std::size_t>(end_ - begin_);
  if (kept == capacity_) {
    if (kept > largest_) {
      is_too_long_ = true;
      return false;
    }
    const std::size_t capacity = std::max(k_first_capacity, 2 * capacity_);
    auto larger = std::make_unique<std::byte[]>(capacity);
    std::copy_n(begin_, kept, larger.get());
    offset_ = position();
    memory_ = std::move(larger);
    capacity_ = capacity;
  } else {
    offset_ = position();
    std::memmove(memory_.get(), begin_, kept);
  }
  base_ = begin_ = memory_.get();
  end_ = base_ + kept;
  auto size = source_.read({memory_.get() + kept, capacity_ - kept});
  if (!size) trouble_ = std::move(size.error());
  is_ended_ = !size || *size == 0;
  end_ += size.value_or(0);
  return !is_ended_;
}

std::optional<std::string_view> ByteWindow::slow_line() {
  std::size_t searched = 0;
  while (true) {
    const Bytes bytes = rest();
    const void* end = std::memchr(bytes.data() + searched, '\n', bytes.size() - searched);
    if (end != nullptr) return line_to(static_cast<const std::byte*>(end), 1);
    searched = bytes.size();
    if (refill()) continue;
    if (is_too_long_ || !trouble_.empty() || begin_ == end_) return std::nullopt;
    return line_to(end_, 0);
  }
}

}  // namespace dojima::recorded
