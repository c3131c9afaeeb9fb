#include "dojima/mitch/feed/mold_publisher.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::mitch {
namespace {

constexpr std::size_t k_smallest_datagram = 128, k_longest_block = 64;
constexpr std::uint16_t k_end_of_session = 0xffff;

}  // namespace

MoldPublisher::MoldPublisher(const MoldOptions& options, sched::Scheduler& scheduler,
                             std::vector<link::DatagramSender*> lines)
    : options_(options), lines_(std::move(lines)), room_(options.datagram_size), silence_(scheduler, *this) {
  if (options.datagram_size < k_smallest_datagram)
    throw std::invalid_argument("a datagram of MoldUDP64 has room for at least 128 bytes");
  std::ranges::fill_n(room_.begin(), 10, std::byte{' '});
  const std::string_view session = options_.session.view();
  std::ranges::copy(as_bytes(session), room_.begin());
}

void MoldPublisher::put(std::size_t at, std::uint64_t value, std::size_t size) {
  for (std::size_t byte = size; byte-- > 0;) room_[at++] = static_cast<std::byte>(value >> (8 * byte));
}

void MoldPublisher::append(Bytes message) {
  DOJIMA_ASSERT(!message.empty() && message.size() <= k_longest_block && !is_over_, "a message of a session",
                message.size(), is_over_);
  if (size_ + 2 + message.size() > room_.size()) flush();
  put(size_, message.size(), 2);
  std::ranges::copy(message, room_.begin() + static_cast<std::ptrdiff_t>(size_ + 2));
  size_ += 2 + message.size();
  ++count_;
  ++next_;
}

void MoldPublisher::flush() {
  if (count_ == 0) return;
  ++counts_.datagrams;
  send(next_ - count_, count_);
  size_ = k_header;
  count_ = 0;
}

void MoldPublisher::send(std::uint64_t number, std::uint16_t count) {
  has_sent_ = true;
  put(10, number, 8);
  put(18, count, 2);
  for (link::DatagramSender* const line : lines_)
    if (!line->send(Bytes(room_).first(size_))) ++counts_.failed;
}

void MoldPublisher::end() {
  flush();
  is_over_ = true;
  send(next_, k_end_of_session);
}

void MoldPublisher::on_silence(time::Time now) {
  if (!std::exchange(has_sent_, false)) {
    ++counts_.heartbeats;
    send(next_, is_over_ ? k_end_of_session : std::uint16_t{0});
    has_sent_ = false;
  }
  silence_.arm(now + options_.heartbeat);
}

}  // namespace dojima::mitch
