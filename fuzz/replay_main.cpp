// Runs a fuzz target over files instead of random input: every file named on the command line, and every file below
// every folder named there, in the order of their paths. So the corpus is tested by each compiler, without libFuzzer.
//
//   fix_decode_fuzz fuzz/corpus/fix_decode
//
// Exit status 0: all ran; 2: nothing to run, or a file could not be read.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_below(const fs::path& place) {
  if (!fs::is_directory(place)) return {place};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void replay(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  const std::vector<char> text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  // An exact copy, so that the address sanitizer sees the first byte read past the end.
  const std::vector<std::uint8_t> input(text.begin(), text.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  try {
    for (int argument = 1; argument < argc; ++argument) {
      for (const fs::path& file : files_below(argv[argument])) {
        replay(file);
        ++count;
      }
    }
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "%s: %s\n", argv[0], trouble.what());
    return 2;
  }
  std::printf("%zu inputs replayed\n", count);
  return count == 0 ? 2 : 0;
}
