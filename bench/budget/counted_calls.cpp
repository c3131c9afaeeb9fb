#include "bench/budget/counted_calls.hpp"

#include <cstdarg>
#include <ctime>
#include <dlfcn.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace dojima::bench {
namespace {

thread_local CallCounts* counts_of_thread = nullptr;

void note(Call call) noexcept {
  if (counts_of_thread == nullptr) return;
  counts_of_thread->counts[static_cast<std::size_t>(call)].fetch_add(1, std::memory_order_relaxed);
}

template <class Function>
Function* library(const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

void count_calls_of_this_thread(CallCounts* counts) noexcept {
  counts_of_thread = counts;
}

}  // namespace dojima::bench

// NOLINTBEGIN: the names and parameters are the library's.
using dojima::bench::Call;
using dojima::bench::library;
using dojima::bench::note;

extern "C" {

ssize_t recv(int socket, void* room, size_t size, int flags) {
  static auto* const real = library<ssize_t(int, void*, size_t, int)>("recv");
  const ssize_t got = real(socket, room, size, flags);
  note(got < 0 ? Call::receive_empty : Call::receive);
  return got;
}

ssize_t recvmsg(int socket, msghdr* message, int flags) {
  static auto* const real = library<ssize_t(int, msghdr*, int)>("recvmsg");
  const ssize_t got = real(socket, message, flags);
  note(got < 0 ? Call::receive_empty : Call::receive);
  return got;
}

ssize_t send(int socket, const void* bytes, size_t size, int flags) {
  static auto* const real = library<ssize_t(int, const void*, size_t, int)>("send");
  note(Call::send);
  return real(socket, bytes, size, flags);
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  static auto* const real = library<ssize_t(int, const msghdr*, int)>("sendmsg");
  note(Call::send);
  return real(socket, message, flags);
}

int epoll_wait(int set, epoll_event* events, int most, int milliseconds) {
  static auto* const real = library<int(int, epoll_event*, int, int)>("epoll_wait");
  note(milliseconds == 0 ? Call::look : Call::wait);
  return real(set, events, most, milliseconds);
}

int epoll_ctl(int set, int operation, int descriptor, epoll_event* event) noexcept {
  static auto* const real = library<int(int, int, int, epoll_event*)>("epoll_ctl");
  note(Call::control);
  return real(set, operation, descriptor, event);
}

ssize_t read(int file, void* room, size_t size) {
  static auto* const real = library<ssize_t(int, void*, size_t)>("read");
  note(Call::file);
  return real(file, room, size);
}

ssize_t write(int file, const void* bytes, size_t size) {
  static auto* const real = library<ssize_t(int, const void*, size_t)>("write");
  note(Call::file);
  return real(file, bytes, size);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  static auto* const real = library<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  note(Call::file);
  return real(file, bytes, size, at);
}

int fdatasync(int file) {
  static auto* const real = library<int(int)>("fdatasync");
  note(Call::file);
  return real(file);
}

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static auto* const real = library<int(clockid_t, timespec*)>("clock_gettime");
  note(Call::clock);
  return real(clock, now);
}

}  // extern "C"
// NOLINTEND
