#include "dojima/app/message_log_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <span>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "dojima/app/output_thread.hpp"
#include "dojima/base/assert.hpp"
#include "dojima/fix/masked.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::app {
namespace {

constexpr std::chrono::microseconds k_log_nap{500};
constexpr std::chrono::milliseconds k_log_retry{50};
constexpr std::chrono::seconds k_log_patience{2};
/// Lines that are written with one call.
constexpr std::size_t k_most_bytes_at_once = std::size_t{1} << 18;

/// The header before the bytes of an entry in the ring.
struct EntryHead {
  std::int64_t time = 0;
  std::uint32_t size = 0;
  std::uint32_t session_and_kind = 0;  // the kind in the lowest two bits
};
static_assert(sizeof(EntryHead) == 16);

std::string_view entry_name(fix::LogEntry entry) noexcept {
  switch (entry) {
    case fix::LogEntry::incoming:
      return "in";
    case fix::LogEntry::outgoing:
      return "out";
    case fix::LogEntry::event:
      break;
  }
  return "event";
}

std::int64_t day_of(std::int64_t nanoseconds) noexcept {
  constexpr std::int64_t k_day = 86'400'000'000'000;
  return nanoseconds / k_day;
}

}  // namespace

// ---- The files -----------------------------------------------------------------------------------------------------

/// Lines on their way into the file, and the files.
class MessageLogFile::Output {
 public:
  explicit Output(MessageLogOptions options) : options_(std::move(options)) {
    if (options_.files == 0) options_.files = 1;
    lines_.reserve(k_most_bytes_at_once + (std::size_t{1} << 16));
    if (!open(options_.path, 0)) throw std::system_error(errno, std::generic_category(), options_.path);
  }
  ~Output() { ::close(file_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Whether a line of that time belongs into a new file, once the lines before it are written.
  [[nodiscard]] bool ends_before(std::int64_t time) const noexcept {
    return is_regular_ && size_ + lines_.size() > 0 &&
           (size_ + lines_.size() >= options_.file_bytes || day_of(time) != day_);
  }
  [[nodiscard]] bool is_full() const noexcept { return lines_.size() >= k_most_bytes_at_once; }

  void add(std::int64_t nanoseconds, std::string_view session, fix::LogEntry entry, std::string_view text) {
    day_ = day_of(nanoseconds);
    std::array<char, time::k_timestamp_max> stamp{};
    constexpr unsigned k_decimals = 9;
    lines_ += time::format_timestamp(time::from_nanoseconds(nanoseconds), k_decimals, stamp);
    lines_ += ' ';
    lines_ += session;
    lines_ += ' ';
    lines_ += entry_name(entry);
    lines_ += ' ';
    const std::size_t begin = lines_.size();
    lines_ += text;
    if (entry != fix::LogEntry::event) fix::mask_secrets(lines_, begin);
    lines_ += '\n';
  }

  /// 0, or the errno: what is left is tried again.
  [[nodiscard]] int write_out() {
    while (done_ < lines_.size()) {
      const ssize_t size = ::write(file_, lines_.data() + done_, lines_.size() - done_);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return size == 0 ? ENOSPC : errno;
      done_ += static_cast<std::size_t>(size);
    }
    size_ += lines_.size();
    lines_.clear();
    done_ = 0;
    return 0;
  }

  /// FILE becomes FILE.1, that one FILE.2, the oldest goes. 0, or the errno.
  [[nodiscard]] int rotate() {
    const auto name = [this](unsigned number) {
      return number == 0 ? options_.path : options_.path + "." + std::to_string(number);
    };
    // First the new one: where that cannot be had, the old ones stay where they are.
    const std::string next = options_.path + ".new";
    const int before = file_;
    if (!open(next, O_TRUNC)) {
      const int failed = errno;
      file_ = before;
      return failed;
    }
    for (unsigned number = options_.files - 1; number > 0; --number)
      static_cast<void>(::rename(name(number - 1).c_str(), name(number).c_str()));
    ::close(before);
    return ::rename(next.c_str(), options_.path.c_str()) == 0 ? 0 : errno;
  }

 private:
  bool open(const std::string& path, int flags) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0640);
    if (file_ < 0) return false;
    struct stat about{};
    if (::fstat(file_, &about) != 0) return false;
    is_regular_ = S_ISREG(about.st_mode);
    // Whoever does not read a pipe must not hold the thread for ever.
    if (!is_regular_) ::fcntl(file_, F_SETFL, ::fcntl(file_, F_GETFL) | O_NONBLOCK);
    size_ = static_cast<std::uint64_t>(about.st_size);
    constexpr std::int64_t k_second = 1'000'000'000;
    day_ = day_of(std::int64_t{about.st_mtim.tv_sec} * k_second);
    return true;
  }

  MessageLogOptions options_;
  int file_ = -1;
  bool is_regular_ = true;
  std::uint64_t size_ = 0;  // of the file
  std::int64_t day_ = 0;    // of the newest line
  std::string lines_;       // not in the file yet, ...
  std::size_t done_ = 0;    // ... but for so many bytes
};

// ---- The sessions' thread ------------------------------------------------------------------------------------------

MessageLogFile::MessageLogFile(MessageLogOptions options)
    : capacity_(options.ring_bytes),
      ring_(std::make_unique_for_overwrite<std::byte[]>(options.ring_bytes)),
      output_(std::make_unique<Output>(std::move(options))) {
  thread_ = start_output_thread("message log", [this](const std::stop_token& stop) { run(stop); });
}

MessageLogFile::~MessageLogFile() {
  thread_.request_stop();
  thread_.join();
}

std::uint32_t MessageLogFile::add_session(const fix::SessionName& name) {
  const std::scoped_lock guard(names_guard_);
  names_.push_back(fmt::format("{}:{}->{}", name.begin_string, name.sender_comp_id, name.target_comp_id));
  return static_cast<std::uint32_t>(names_.size() - 1);
}

void MessageLogFile::copy_in(std::uint64_t at, Bytes bytes) noexcept {
  const std::size_t begin = at % capacity_;
  const std::size_t first = std::min(bytes.size(), capacity_ - begin);
  std::memcpy(ring_.get() + begin, bytes.data(), first);
  std::memcpy(ring_.get(), bytes.data() + first, bytes.size() - first);
}

void MessageLogFile::write(std::uint32_t session, fix::LogEntry entry, Bytes bytes, time::Time now) noexcept {
  const std::uint64_t put = put_.load(std::memory_order_relaxed);
  const std::uint64_t size = sizeof(EntryHead) + bytes.size();
  last_time_.store(time::nanoseconds_of(now), std::memory_order_relaxed);
  if (put + size - written_.load(std::memory_order_acquire) > capacity_) {
    missed_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const EntryHead head{.time = time::nanoseconds_of(now),
                       .size = static_cast<std::uint32_t>(bytes.size()),
                       .session_and_kind = session << 2U | static_cast<std::uint32_t>(entry)};
  copy_in(put, std::as_bytes(std::span(&head, 1)));
  copy_in(put + sizeof head, bytes);
  put_.store(put + size, std::memory_order_release);
}

bool MessageLogFile::flush() {
  const auto is_done = [this] {
    return put_.load(std::memory_order_relaxed) == written_.load(std::memory_order_acquire);
  };
  const auto end = std::chrono::steady_clock::now() + k_log_patience;
  while (!is_done() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(k_log_nap);
  return is_done();
}

const char* MessageLogFile::trouble() {
  const int number = errno_.load(std::memory_order_relaxed);
  if (missed() == 0 && number == 0) return nullptr;
  const std::string why = number == 0 ? std::string("it was too slow") : std::system_category().message(number);
  text_ = fmt::format("the message log is not complete: {}; {} entries missed", why, missed());
  return text_.c_str();
}

// ---- The thread that writes ----------------------------------------------------------------------------------------

void MessageLogFile::copy_out(std::uint64_t at, Room room) const noexcept {
  const std::size_t begin = at % capacity_;
  const std::size_t first = std::min(room.size(), capacity_ - begin);
  std::memcpy(room.data(), ring_.get() + begin, first);
  std::memcpy(room.data() + first, ring_.get(), room.size() - first);
}

/// Makes lines of entries from a place on, as far as they belong into one file and into one call.
MessageLogFile::Taken MessageLogFile::take(std::uint64_t from) {
  const std::uint64_t put = put_.load(std::memory_order_acquire);
  std::string text;
  const std::scoped_lock guard(names_guard_);
  while (from < put && !output_->is_full()) {
    EntryHead head;
    copy_out(from, std::as_writable_bytes(std::span(&head, 1)));
    DOJIMA_ASSERT(from + sizeof head + head.size <= put, "entries are whole", from, head.size, put);
    if (output_->ends_before(head.time)) return {.end = from, .is_empty = false, .is_file_done = true};
    text.resize(head.size);
    copy_out(from + sizeof head, std::as_writable_bytes(std::span(text)));
    constexpr std::uint32_t k_kind_mask = 3;
    output_->add(head.time, names_[head.session_and_kind >> 2U],
                 static_cast<fix::LogEntry>(head.session_and_kind & k_kind_mask), text);
    from += sizeof head + head.size;
  }
  return {.end = from, .is_empty = from == put, .is_file_done = false};
}

/// What is missing is said in the log, once what there was room for is written.
void MessageLogFile::note_missed() {
  const std::uint64_t missed = missed_.load(std::memory_order_relaxed);
  if (missed == missed_shown_) return;
  output_->add(last_time_.load(std::memory_order_relaxed), "log", fix::LogEntry::event,
               fmt::format("{} entries are missing above: there was no room for them", missed - missed_shown_));
  missed_shown_ = missed;
}

void MessageLogFile::run(const std::stop_token& stop) {
  std::uint64_t taken = 0;
  while (true) {
    const auto [end, is_empty, is_file_done] = take(taken);
    taken = end;
    if (is_empty) note_missed();
    int failed = output_->write_out();
    if (failed == 0) {
      written_.store(taken, std::memory_order_release);
      if (is_file_done) failed = output_->rotate();
    }
    errno_.store(failed, std::memory_order_relaxed);
    if (stop.stop_requested() && (failed != 0 || is_empty)) return;
    if (failed != 0) {
      std::this_thread::sleep_for(k_log_retry);
    } else if (is_empty) {
      std::this_thread::sleep_for(k_log_nap);
    }
  }
}

}  // namespace dojima::app
