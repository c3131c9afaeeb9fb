#pragma once

// The market data of a venue in a file: units of MIT303 back to back, as `dojima mitch print` reads them. The venue's
// thread puts whole units into a ring and never waits; a thread of its own writes them out. A full disk, a pipe that
// nobody reads or whose reader is gone: a file ends behind a whole unit, writing is tried again, and units that find
// the ring full are left out and counted. Their numbers are missing then, as on a network that loses datagrams.
//
//   FeedFile file("day.mitch");   // throws std::system_error when it cannot be written

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "dojima/mitch/feed_writer.hpp"

namespace dojima::app {

class FeedFile final : public mitch::FeedSink {
 public:
  static constexpr std::size_t k_ring_bytes = std::size_t{1} << 24;

  /// A file of that name is begun anew; of a pipe the reader is waited for. Throws std::system_error, std::bad_alloc.
  explicit FeedFile(const std::string& path, std::size_t ring_bytes = k_ring_bytes);
  /// Without waiting for what is not written yet: flush() first.
  ~FeedFile();
  FeedFile(const FeedFile&) = delete;
  FeedFile& operator=(const FeedFile&) = delete;

  void on_unit(Bytes unit) override;
  /// Waits until everything is written, at most two seconds.
  void flush();
  /// Null when all that was published is written or may still be, else what is missing and why. Lives until the next
  /// call.
  [[nodiscard]] const char* trouble();
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_.load(std::memory_order_relaxed); }

 private:
  void run(const std::stop_token& stop);
  [[nodiscard]] bool write_some(const std::stop_token& stop);
  [[nodiscard]] std::size_t whole_units(std::uint64_t from) const noexcept;
  void copy_in(std::uint64_t at, Bytes bytes) noexcept;

  int file_;
  bool is_regular_ = false;
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> ring_;
  alignas(64) std::atomic<std::uint64_t> put_{0};      // bytes that were put in; units are whole
  alignas(64) std::atomic<std::uint64_t> written_{0};  // bytes that are out
  std::atomic<std::uint64_t> left_out_{0};
  std::size_t begun_ = 0;      // bytes behind written_ that a pipe has taken already
  std::atomic<int> errno_{0};  // of the last try to write; 0: it went well
  bool is_given_up_ = false;   // flush() has waited in vain
  std::string text_;
  std::jthread thread_;
};

}  // namespace dojima::app
