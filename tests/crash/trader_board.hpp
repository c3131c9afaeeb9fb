#pragma once

// What the program that kills and the traders' program share, in a file that both map: it survives both.

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <new>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace dojima::crash {

struct TraderBoard {
  std::atomic<std::uint64_t> rate{0};       ///< requests a second that the traders shall send together; 0: none
  std::atomic<std::uint64_t> sent{0};       ///< requests of all lives of the traders
  std::atomic<std::uint64_t> received{0};   ///< messages to them, likewise
  std::atomic<std::uint64_t> cuts{0};       ///< connections that the traders have been told to cut, likewise
  std::atomic<std::uint32_t> logged_on{0};  ///< traders now; the killer sets it to 0 when it kills
};

/// The board in that file, which is made where it is not there. Lives as long as the process. Throws std::system_error.
inline TraderBoard& trader_board(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ::ftruncate(file, sizeof(TraderBoard)) != 0) throw std::system_error(errno, std::generic_category());
  void* const at = ::mmap(nullptr, sizeof(TraderBoard), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category());
  // All zero is a board as it begins, and one of an earlier life is left as it is.
  return *std::launder(static_cast<TraderBoard*>(at));
}

}  // namespace dojima::crash
