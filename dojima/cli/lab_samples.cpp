#include "dojima/cli/lab_samples.hpp"

#include <filesystem>
#include <sched.h>

#include "dojima/cli/output.hpp"

namespace dojima::cli {

bool write_raw(const std::string& folder, const std::string& name, const std::vector<std::vector<float>>& rounds) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::string bytes;
  for (const auto& round : rounds) {
    bytes.append(reinterpret_cast<const char*>(round.data()), round.size() * sizeof(float));
  }
  return write_file((std::filesystem::path(folder) / (name + ".f32")).string(), bytes);
}

int last_processor() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0;
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) last = cpu;
  }
  return last;
}

}  // namespace dojima::cli
