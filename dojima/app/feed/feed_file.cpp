#include "dojima/app/feed/feed_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "dojima/app/output_thread.hpp"
#include "dojima/base/assert.hpp"

namespace dojima::app {
namespace {

constexpr std::chrono::microseconds k_nap{200};
constexpr std::chrono::milliseconds k_retry{50};
constexpr std::chrono::seconds k_patience{2};
constexpr int k_poll_ms = 50;
constexpr std::size_t k_most_at_once = std::size_t{1} << 20;

}  // namespace

FeedFile::FeedFile(const std::string& path, std::size_t ring_bytes)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      capacity_(ring_bytes),
      ring_(std::make_unique_for_overwrite<std::byte[]>(ring_bytes)) {
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), path);
  struct stat about{};
  is_regular_ = ::fstat(file_, &about) == 0 && S_ISREG(about.st_mode);
  // Whoever does not read must not hold the thread for ever.
  if (!is_regular_) ::fcntl(file_, F_SETFL, ::fcntl(file_, F_GETFL) | O_NONBLOCK);
  thread_ = start_output_thread("feed file", [this](const std::stop_token& stop) { run(stop); });
}

FeedFile::~FeedFile() {
  thread_.request_stop();
  thread_.join();
  ::close(file_);
}

void FeedFile::copy_in(std::uint64_t at, Bytes bytes) noexcept {
  const std::size_t begin = at % capacity_;
  const std::size_t first = std::min(bytes.size(), capacity_ - begin);
  std::memcpy(ring_.get() + begin, bytes.data(), first);
  std::memcpy(ring_.get(), bytes.data() + first, bytes.size() - first);
}

void FeedFile::on_unit(Bytes unit) {
  const std::uint64_t put = put_.load(std::memory_order_relaxed);
  if (put + unit.size() - written_.load(std::memory_order_acquire) > capacity_) {
    left_out_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  copy_in(put, unit);
  put_.store(put + unit.size(), std::memory_order_release);
}

// ---- The thread that writes ----------------------------------------------------------------------------------------

void FeedFile::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (put_.load(std::memory_order_acquire) == written_.load(std::memory_order_relaxed)) {
      std::this_thread::sleep_for(k_nap);
    } else if (!write_some(stop)) {
      std::this_thread::sleep_for(k_retry);
    }
  }
}

/// The size of the units from a place on that are there as a whole, at most about `k_most_at_once`.
std::size_t FeedFile::whole_units(std::uint64_t from) const noexcept {
  const std::uint64_t put = put_.load(std::memory_order_acquire);
  std::uint64_t end = from;
  while (end < put && end - from < k_most_at_once) {
    // A unit begins with its length.
    const auto low = std::to_integer<std::uint64_t>(ring_[end % capacity_]);
    const auto high = std::to_integer<std::uint64_t>(ring_[(end + 1) % capacity_]);
    end += high << 8U | low;
  }
  DOJIMA_ASSERT(end <= put, "whole units are put into the ring", from, end, put);
  return static_cast<std::size_t>(end - from);
}

/// Writes units that are there. False: it failed, and a file ends where it ended before; a pipe keeps what it has
/// taken, and the next try goes on behind it.
bool FeedFile::write_some(const std::stop_token& stop) {
  const std::uint64_t written = written_.load(std::memory_order_relaxed);
  const std::size_t wanted = whole_units(written);
  std::size_t done = std::exchange(begun_, 0);
  while (done < wanted) {
    const std::size_t begin = (written + done) % capacity_, left = wanted - done;
    const std::size_t first = std::min(left, capacity_ - begin);
    const std::array<iovec, 2> pieces{{{ring_.get() + begin, first}, {ring_.get(), left - first}}};
    const ssize_t size = ::writev(file_, pieces.data(), first == left ? 1 : 2);
    if (size > 0) {
      done += static_cast<std::size_t>(size);
      continue;
    }
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) {
      if (stop.stop_requested()) return false;
      pollfd ready{.fd = file_, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, k_poll_ms);
      continue;
    }
    errno_.store(size < 0 ? errno : ENOSPC, std::memory_order_relaxed);
    // A disk that is full has taken part of it: nothing stays that may end inside a unit.
    if (is_regular_ && ::ftruncate(file_, static_cast<off_t>(written)) == 0)
      ::lseek(file_, static_cast<off_t>(written), SEEK_SET);
    if (!is_regular_) begun_ = done;
    return false;
  }
  errno_.store(0, std::memory_order_relaxed);
  written_.store(written + done, std::memory_order_release);
  return true;
}

void FeedFile::flush() {
  const auto end = std::chrono::steady_clock::now() + k_patience;
  while (put_.load(std::memory_order_relaxed) != written_.load(std::memory_order_acquire) &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(k_nap);
  is_given_up_ = put_.load(std::memory_order_relaxed) != written_.load(std::memory_order_acquire);
}

const char* FeedFile::trouble() {
  const int number = errno_.load(std::memory_order_relaxed);
  const std::uint64_t waiting = put_.load(std::memory_order_relaxed) - written_.load(std::memory_order_acquire);
  if (left_out() == 0 && waiting == 0) return nullptr;
  if (left_out() == 0 && number == 0 && !is_given_up_) return nullptr;
  const std::string why = number == 0 ? std::string("its reader is too slow") : std::system_category().message(number);
  text_ = fmt::format("not all market data is written: {}; {} units left out, {} bytes wait", why, left_out(), waiting);
  return text_.c_str();
}

}  // namespace dojima::app
