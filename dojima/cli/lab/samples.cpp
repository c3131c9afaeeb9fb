#include "dojima/cli/lab/samples.hpp"

#include <filesystem>

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

}  // namespace dojima::cli
