#pragma once

// Pages of a dashboard without a browser: WebSockets that ask for all sections and read what comes, on one thread.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace dojima::bench {

class Pages {
 public:
  /// So many pages of the dashboard at that port of this machine, instrument 1 on the first, 2 on the next, and from
  /// 1 again behind `instruments`; the last `deaf` of them read nothing. `queue_price`: whose orders they show, of the
  /// buyers; 0: none's. Throws std::runtime_error.
  Pages(std::uint16_t port, std::size_t count, std::size_t deaf, std::uint32_t instruments,
        std::int64_t queue_price = 0);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  /// That have arrived, of all pages.
  [[nodiscard]] std::uint64_t frames() const noexcept { return frames_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  /// Processor time of the thread that reads.
  [[nodiscard]] std::chrono::nanoseconds processor_time() const;

 private:
  struct Page {
    int socket = -1;
    std::size_t left = 0;   // of the payload at hand
    std::string head{};     // of the message to come, as far as it is there
    bool is_frame = false;  // the payload is the last part of a frame
  };

  void open(std::uint16_t port, std::uint32_t instrument, std::int64_t queue_price);
  void read(const std::stop_token& stop);
  [[nodiscard]] bool read(Page& page);
  void take(Page& page, const char* bytes, std::size_t size);

  std::vector<Page> pages_;  // that are read
  std::vector<int> deaf_;
  std::atomic<std::uint64_t> frames_{0}, bytes_{0};
  mutable std::jthread thread_;  // the last member: it reads all others
};

}  // namespace dojima::bench
