#include "dojima/app/admin/process_figures.hpp"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

#include "dojima/time/clock.hpp"

namespace dojima::app {
namespace {

double seconds_of(time::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void add_figure(std::string& text, const char* name, const char* kind, const char* help, double value) {
  text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, kind, value);
}

/// Our clock was set by the wall clock when the process began, and does not follow it when somebody sets it.
double clock_offset() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const auto ours = time::SystemClock().now().time_since_epoch();
  return seconds_of(std::chrono::duration_cast<time::Duration>(ours) -
                    std::chrono::duration_cast<time::Duration>(wall));
}

}  // namespace

std::string process_figures(time::Duration loop_lag) {
  std::string text;
  add_figure(text, "dojima_loop_lag_seconds", "gauge",
             "The most that a look of the loop at itself, ten a second, came late in the last second",
             seconds_of(loop_lag));
  add_figure(text, "dojima_clock_offset_seconds", "gauge",
             "The server's clock minus the wall clock, which it does not follow when that is set", clock_offset());
  add_figure(text, "process_cpu_seconds_total", "counter", "Processor time of all threads",
             seconds_of(CLOCK_PROCESS_CPUTIME_ID));
  if (std::ifstream memory("/proc/self/statm"); memory) {
    double size = 0, resident = 0;
    const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    if (memory >> size >> resident) {
      add_figure(text, "process_virtual_memory_bytes", "gauge", "Address space", size * page);
      add_figure(text, "process_resident_memory_bytes", "gauge", "Memory in use", resident * page);
    }
  }
  std::error_code failed;
  double files = 0;
  for (std::filesystem::directory_iterator file("/proc/self/fd", failed), end; !failed && file != end;
       file.increment(failed))
    ++files;
  if (!failed) add_figure(text, "process_open_fds", "gauge", "Files and sockets that are open", files);
  return text;
}

std::uint64_t own_resident_bytes() {
  std::ifstream memory("/proc/self/statm");
  std::uint64_t size = 0, resident = 0, of_files = 0;
  if (!(memory >> size >> resident >> of_files) || of_files > resident) return 0;
  return (resident - of_files) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace dojima::app
