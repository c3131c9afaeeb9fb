#include "dojima/net/sockets/ring.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <sched.h>
#include <span>
#include <sys/mman.h>
#include <sys/poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::net {
namespace {

constexpr unsigned k_submissions = 256;
constexpr unsigned k_kind_shift = 56;
constexpr std::uint64_t k_key_mask = (std::uint64_t{1} << k_kind_shift) - 1;

[[nodiscard]] std::uint64_t tag_of(std::uint64_t key, Ring::Kind kind) noexcept {
  return (key & k_key_mask) | static_cast<std::uint64_t>(kind) << k_kind_shift;
}

template <class T>
[[nodiscard]] T* place(void* base, std::size_t offset) noexcept {
  return reinterpret_cast<T*>(static_cast<std::byte*>(base) + offset);
}

/// How late the kernel may end a sleep of this thread: nothing where it is real-time.
[[nodiscard]] std::chrono::nanoseconds timer_slack() noexcept {
  const int policy = ::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  if (policy == SCHED_FIFO || policy == SCHED_RR) return {};
  return std::chrono::nanoseconds{std::max(0, ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0))};
}

}  // namespace

Ring::Mapped::~Mapped() {
  if (at != nullptr) ::munmap(at, size);
}

std::unique_ptr<Ring> Ring::make() {
  std::unique_ptr<Ring> made(new Ring);
  return made->set_up() ? std::move(made) : nullptr;
}

Ring::~Ring() {
  if (ring_ >= 0) ::close(ring_);
}

bool Ring::set_up() {
  io_uring_params parameters{};
  // What has happened is looked at when we ask, in our own thread: nothing interrupts it for that.
  parameters.flags =
      IORING_SETUP_CQSIZE | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_R_DISABLED;
  parameters.cq_entries = k_events;
  ring_ = static_cast<int>(::syscall(SYS_io_uring_setup, k_submissions, &parameters));
  if (ring_ < 0) return false;
  constexpr unsigned k_wanted = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG;
  if ((parameters.features & k_wanted) != k_wanted) return false;
  const auto map = [this](Mapped& made, std::size_t size, std::uint64_t offset) {
    void* const at =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring_, static_cast<off_t>(offset));
    if (at != MAP_FAILED) made.at = at, made.size = size;
    return at != MAP_FAILED;
  };
  const std::size_t submissions = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
  const std::size_t completions = parameters.cq_off.cqes + parameters.cq_entries * sizeof(io_uring_cqe);
  if (!map(queues_, std::max(submissions, completions), IORING_OFF_SQ_RING) ||
      !map(entries_, parameters.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES))
    return false;
  submission_tail_ = place<unsigned>(queues_.at, parameters.sq_off.tail);
  submission_mask_ = *place<unsigned>(queues_.at, parameters.sq_off.ring_mask);
  completion_head_ = place<unsigned>(queues_.at, parameters.cq_off.head);
  completion_tail_ = place<unsigned>(queues_.at, parameters.cq_off.tail);
  completion_mask_ = *place<unsigned>(queues_.at, parameters.cq_off.ring_mask);
  completions_ = place<io_uring_cqe>(queues_.at, parameters.cq_off.cqes);
  tail_ = *submission_tail_;
  unsigned* const places = place<unsigned>(queues_.at, parameters.sq_off.array);
  for (unsigned at = 0; at < parameters.sq_entries; ++at) places[at] = at;
  return true;
}

/// From now on the ring is this thread's: that of the loop, whichever thread made it.
void Ring::enable() noexcept {
  is_enabled_ = ::syscall(SYS_io_uring_register, ring_, IORING_REGISTER_ENABLE_RINGS, nullptr, 0) == 0;
  DOJIMA_ASSERT(is_enabled_, "a ring that was made can be used", errno);
  timer_slack_ = timer_slack();
}

io_uring_sqe& Ring::order(std::uint64_t key, Kind kind) noexcept {
  if (orders_ == k_submissions) enter(0, {});
  io_uring_sqe& made = static_cast<io_uring_sqe*>(entries_.at)[tail_ & submission_mask_];
  std::memset(&made, 0, sizeof made);
  made.user_data = tag_of(key, kind);
  ++tail_;
  ++orders_;
  return made;
}

void Ring::receive(int descriptor, std::uint64_t key, Room room) noexcept {
  if (wanted_receives_ == receives_.size()) order_receives();
  receives_[wanted_receives_++] = {.key = key, .room = room, .descriptor = descriptor};
}

void Ring::order_receives() noexcept {
  for (const Receive& wanted : std::span(receives_).first(std::exchange(wanted_receives_, 0))) {
    io_uring_sqe& made = order(wanted.key, Kind::received);
    made.opcode = IORING_OP_RECV;
    made.ioprio = IORING_RECVSEND_POLL_FIRST;  // seldom is more there already
    made.fd = wanted.descriptor;
    made.addr = reinterpret_cast<std::uint64_t>(wanted.room.data());
    made.len = static_cast<std::uint32_t>(wanted.room.size());
  }
}

void Ring::cancel(std::uint64_t key) noexcept {
  order_receives();
  io_uring_sqe& made = order(key, Kind::other);
  made.opcode = IORING_OP_ASYNC_CANCEL;
  made.fd = -1;
  made.addr = tag_of(key, Kind::received);
}

void Ring::send(int descriptor, std::uint64_t key, Bytes bytes) noexcept {
  io_uring_sqe& made = order(key, Kind::sent);
  made.opcode = IORING_OP_SEND;
  made.fd = descriptor;
  made.addr = reinterpret_cast<std::uint64_t>(bytes.data());
  made.len = static_cast<std::uint32_t>(bytes.size());
  // So it is never left with the kernel: what has no room comes back at once.
  made.msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL;
  ++sends_;
}

void Ring::watch(int descriptor, std::uint64_t key) noexcept {
  io_uring_sqe& made = order(key, Kind::ready);
  made.opcode = IORING_OP_POLL_ADD;
  made.fd = descriptor;
  made.poll32_events = POLLIN;
}

void Ring::enter(unsigned least, std::chrono::nanoseconds limit) noexcept {
  if (!is_enabled_) enable();
  order_receives();
  __atomic_store_n(submission_tail_, tail_, __ATOMIC_RELEASE);
  // The kernel has no slack for a ring's sleeps. Exact ones wake a thread with many timers once for each of them.
  if (least != 0 && limit > limit.zero()) limit += timer_slack_;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(limit);
  __kernel_timespec patience{.tv_sec = seconds.count(), .tv_nsec = (limit - seconds).count()};
  io_uring_getevents_arg argument{};
  argument.ts = reinterpret_cast<std::uint64_t>(&patience);
  const unsigned wanted = least == 0 ? 0 : least + sends_;
  constexpr unsigned k_flags = IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG;
  do {
    const long taken = ::syscall(SYS_io_uring_enter, ring_, orders_, wanted, k_flags, &argument, sizeof argument);
    // EINTR, ETIME: nothing was to be handed over. EAGAIN, EBUSY: the kernel has no memory now, or too many events
    // wait.
    DOJIMA_ASSERT(taken >= 0 || errno == EINTR || errno == ETIME || errno == EAGAIN || errno == EBUSY,
                  "the kernel takes what it is given", errno, orders_);
    if (taken > 0) orders_ -= static_cast<unsigned>(taken);
  } while (orders_ != 0);
  sends_ = 0;
}

std::optional<Ring::Event> Ring::next() noexcept {
  const unsigned head = *completion_head_;
  if (head == __atomic_load_n(completion_tail_, __ATOMIC_ACQUIRE)) return std::nullopt;
  const io_uring_cqe& entry = completions_[head & completion_mask_];
  const Event event{.key = entry.user_data & k_key_mask,
                    .kind = static_cast<Kind>(entry.user_data >> k_kind_shift),
                    .result = entry.res};
  __atomic_store_n(completion_head_, head + 1, __ATOMIC_RELEASE);
  return event;
}

}  // namespace dojima::net
