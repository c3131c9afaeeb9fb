#include "dojima/net/sockets/poller.hpp"

#include <cerrno>
#include <ctime>
#include <system_error>
#include <unistd.h>

#include "dojima/base/assert.hpp"

namespace dojima::net {

static_assert(sizeof(Poller::Ready) == sizeof(epoll_event), "the kernel writes into the array");

Poller::Poller() : set_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (set_ < 0) throw std::system_error(errno, std::system_category(), "epoll_create1");
}

Poller::~Poller() {
  ::close(set_);
}

bool Poller::add(int descriptor, std::uint32_t key, std::uint32_t interest) noexcept {
  epoll_event wanted{.events = interest, .data = {.u32 = key}};
  return ::epoll_ctl(set_, EPOLL_CTL_ADD, descriptor, &wanted) == 0;
}

void Poller::change(int descriptor, std::uint32_t key, std::uint32_t interest) noexcept {
  epoll_event wanted{.events = interest, .data = {.u32 = key}};
  const int done = ::epoll_ctl(set_, EPOLL_CTL_MOD, descriptor, &wanted);
  DOJIMA_ASSERT(done == 0, "a descriptor of the set", descriptor, errno);
}

void Poller::remove(int descriptor) noexcept {
  const int done = ::epoll_ctl(set_, EPOLL_CTL_DEL, descriptor, nullptr);
  DOJIMA_ASSERT(done == 0, "a descriptor of the set", descriptor, errno);
}

std::span<const Poller::Ready> Poller::look(std::chrono::nanoseconds limit) noexcept {
  const int count = wait(limit);
  // A signal has come: as if nothing had.
  return {ready_.data(), count < 0 ? 0 : static_cast<std::size_t>(count)};
}

int Poller::wait(std::chrono::nanoseconds limit) noexcept {
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(limit);
  if (whole != limit) {
    const timespec precise{.tv_sec = limit.count() / 1'000'000'000, .tv_nsec = limit.count() % 1'000'000'000};
    const int count = ::epoll_pwait2(set_, &ready_[0].event, static_cast<int>(ready_.size()), &precise, nullptr);
    if (count >= 0 || errno != ENOSYS) return count;
  }
  return ::epoll_wait(set_, &ready_[0].event, static_cast<int>(ready_.size()), static_cast<int>(whole.count()));
}

}  // namespace dojima::net
