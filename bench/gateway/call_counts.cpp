#include "call_counts.hpp"

#include <cerrno>
#include <cstddef>
#include <ctime>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>

namespace dojima::bench {
namespace {

thread_local CallCounts* t_counts = nullptr;

void add(std::atomic<std::uint64_t>& count) noexcept {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// `errno` stays as the call has left it.
void count(bool is_useful) noexcept {
  if (t_counts != nullptr) add(is_useful ? t_counts->useful : t_counts->empty);
}

}  // namespace

void count_calls_into(CallCounts& counts) noexcept {
  t_counts = &counts;
}

}  // namespace dojima::bench

using dojima::bench::count;

// The link sends every call of recv here (-Wl,--wrap=recv), and __real_recv to the C library: the linker's names.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {

ssize_t __real_recv(int socket, void* bytes, std::size_t size, int flags);
ssize_t __real_send(int socket, const void* bytes, std::size_t size, int flags);
ssize_t __real_read(int file, void* bytes, std::size_t size);
ssize_t __real_write(int file, const void* bytes, std::size_t size);
ssize_t __real_pwrite(int file, const void* bytes, std::size_t size, off_t at);
int __real_fdatasync(int file);
int __real_epoll_wait(int set, epoll_event* events, int most, int patience_ms);
int __real_epoll_ctl(int set, int what, int descriptor, epoll_event* event);
long __real_syscall(long number, ...);
int __real_sched_yield();
int __real_nanosleep(const timespec* wanted, timespec* rest);
int __real_clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* rest);

ssize_t __wrap_recv(int socket, void* bytes, std::size_t size, int flags) {
  const ssize_t got = __real_recv(socket, bytes, size, flags);
  count(got >= 0);
  return got;
}

ssize_t __wrap_send(int socket, const void* bytes, std::size_t size, int flags) {
  const ssize_t sent = __real_send(socket, bytes, size, flags);
  count(sent >= 0);
  return sent;
}

ssize_t __wrap_read(int file, void* bytes, std::size_t size) {
  const ssize_t got = __real_read(file, bytes, size);
  count(got >= 0);
  return got;
}

ssize_t __wrap_write(int file, const void* bytes, std::size_t size) {
  const ssize_t written = __real_write(file, bytes, size);
  count(true);
  return written;
}

ssize_t __wrap_pwrite(int file, const void* bytes, std::size_t size, off_t at) {
  const ssize_t written = __real_pwrite(file, bytes, size, at);
  count(true);
  return written;
}

int __wrap_fdatasync(int file) {
  count(true);
  return __real_fdatasync(file);
}

int __wrap_epoll_wait(int set, epoll_event* events, int most, int patience_ms) {
  const int found = __real_epoll_wait(set, events, most, patience_ms);
  count(found > 0);
  if (patience_ms != 0 && dojima::bench::t_counts != nullptr) dojima::bench::add(dojima::bench::t_counts->sleeps);
  return found;
}

int __wrap_epoll_ctl(int set, int what, int descriptor, epoll_event* event) {
  count(true);
  return __real_epoll_ctl(set, what, descriptor, event);
}

/// Of io_uring only the calls that hand something over or wait are counted as useful: others look.
long __wrap_syscall(long number, long first, long second, long third, long fourth, long fifth, long sixth) {
  const long done = __real_syscall(number, first, second, third, fourth, fifth, sixth);
  if (number != SYS_io_uring_enter) return done;
  const long wanted = third;
  count(done > 0 || (done == 0 && wanted != 0));
  if (wanted != 0 && dojima::bench::t_counts != nullptr) dojima::bench::add(dojima::bench::t_counts->sleeps);
  return done;
}

int __wrap_sched_yield() {
  count(false);
  return __real_sched_yield();
}

int __wrap_nanosleep(const timespec* wanted, timespec* rest) {
  count(false);
  return __real_nanosleep(wanted, rest);
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* rest) {
  count(false);
  return __real_clock_nanosleep(clock, flags, wanted, rest);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
