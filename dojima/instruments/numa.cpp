#include "dojima/instruments/numa.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <linux/mempolicy.h>
#include <numeric>
#include <sstream>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

#include "dojima/instruments/cpu_list.hpp"
#include "dojima/instruments/studies/core_threads.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

constexpr std::size_t k_line = 64;
constexpr std::size_t k_slice = 5'000;  // loads between two stamps

std::string last_error(const char* what) {
  return std::string(what) + ": " + std::error_code(errno, std::generic_category()).message();
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::string result = text.str();
  result.erase(result.find_last_not_of(" \n") + 1);
  return result;
}

/// "Node 0 MemTotal:       24674856 kB"
std::uint64_t memory_of(const std::string& meminfo) {
  std::istringstream lines(meminfo);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("MemTotal:");
    if (at == std::string::npos) continue;
    const std::size_t begin = line.find_first_of("0123456789", at);
    std::uint64_t kib = 0;
    if (begin != std::string::npos) std::from_chars(line.data() + begin, line.data() + line.size(), kib);
    return kib * 1'024;
  }
  return 0;
}

/// Memory of one node, while it lives. Pages are taken at construction.
class NodeMemory {
 public:
  NodeMemory(std::size_t size, int node) : size_(size) {
    void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      trouble_ = last_error("mmap");
      return;
    }
    memory_ = static_cast<std::byte*>(memory);
    std::vector<unsigned long> mask(static_cast<std::size_t>(node) / (8 * sizeof(unsigned long)) + 1);
    mask.back() |= 1UL << (static_cast<std::size_t>(node) % (8 * sizeof(unsigned long)));
    // The kernel reads one bit less than the given size.
    if (::syscall(SYS_mbind, memory, size, MPOL_BIND, mask.data(), mask.size() * 8 * sizeof(unsigned long) + 1, 0) !=
        0) {
      trouble_ = last_error("mbind");
      return;
    }
    for (std::size_t at = 0; at < size; at += 4'096) memory_[at] = std::byte{1};
  }
  ~NodeMemory() {
    if (memory_ != nullptr) ::munmap(memory_, size_);
  }
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return memory_; }
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

  /// The share of some pages that lie on `node`, as the kernel says.
  [[nodiscard]] double share_on(int node) const {
    constexpr std::size_t k_pages = 256;
    std::vector<void*> pages;
    for (std::size_t i = 0; i < k_pages; ++i) pages.push_back(memory_ + (size_ / k_pages * i & ~std::size_t{4'095}));
    std::vector<int> nodes(k_pages, -1);
    if (::syscall(SYS_move_pages, 0, k_pages, pages.data(), nullptr, nodes.data(), 0) != 0) return 0;
    return static_cast<double>(std::ranges::count(nodes, node)) / k_pages;
  }

 private:
  std::size_t size_;
  std::byte* memory_ = nullptr;
  std::string trouble_;
};

/// Follows the ring from a place on; the answer keeps the compiler from leaving it out.
std::uint64_t chase(const std::byte* memory, std::uint64_t at, std::size_t loads) noexcept {
  for (std::size_t i = 0; i < loads; ++i) at = *reinterpret_cast<const std::uint64_t*>(memory + at);
  return at;
}

NumaLatency measure_pair(const NumaNode& from, const NumaNode& to, const NumaPlan& plan, std::uint64_t seed,
                         const measure::CycleClock& clock) {
  NumaLatency latency{from.number, to.number, 0, 0, {}};
  const auto work = [&](std::size_t, const StopFlag&) {
    const NodeMemory memory(plan.bytes, to.number);
    latency.trouble = memory.trouble();
    if (!latency.trouble.empty()) return;
    const std::vector<std::uint32_t> ring = random_ring(plan.bytes / k_line, seed);
    for (std::size_t i = 0; i < ring.size(); ++i) {
      *reinterpret_cast<std::uint64_t*>(memory.data() + i * k_line) = ring[i] * k_line;
    }
    latency.pages_there = memory.share_on(to.number);
    // In slices, of which the median counts: an interruption makes one of them longer and no other.
    std::vector<double> slices;
    std::uint64_t at = 0;
    for (std::size_t done = 0; done < plan.loads; done += k_slice) {
      const std::uint64_t begin = measure::cycles_fenced_begin();
      at = chase(memory.data(), at, k_slice);
      slices.push_back(static_cast<double>(measure::cycles_fenced_end() - begin) * clock.ns_per_cycle() / k_slice);
    }
    if (at >= plan.bytes) latency.trouble = "the ring led out of the memory";
    latency.ns_per_load = measure::median(slices);
  };
  const auto outcome = run_on_cores({from.cpus.front()}, {}, work, [] { return true; });
  if (!outcome) latency.trouble = outcome.error();
  return latency;
}

}  // namespace

std::vector<NumaNode> read_numa_nodes(const std::filesystem::path& root, const std::vector<int>& allowed) {
  std::vector<NumaNode> nodes;
  std::error_code error;
  for (const auto& folder : std::filesystem::directory_iterator(root / "sys/devices/system/node", error)) {
    const std::string name = folder.path().filename().string();
    NumaNode node;
    if (!name.starts_with("node")) continue;
    const auto [end, trouble] = std::from_chars(name.data() + 4, name.data() + name.size(), node.number);
    if (trouble != std::errc() || end != name.data() + name.size()) continue;
    const auto cpus = parse_cpu_list(text_of(folder.path() / "cpulist"));
    for (const int cpu : cpus.value_or(std::vector<int>())) {
      if (std::ranges::find(allowed, cpu) != allowed.end()) node.cpus.push_back(cpu);
    }
    node.memory_bytes = memory_of(text_of(folder.path() / "meminfo"));
    nodes.push_back(std::move(node));
  }
  std::ranges::sort(nodes, {}, &NumaNode::number);
  return nodes;
}

std::vector<std::uint32_t> random_ring(std::size_t lines, std::uint64_t seed) {
  // Sattolo's shuffle: one cycle through all places.
  std::vector<std::uint32_t> ring(lines);
  std::iota(ring.begin(), ring.end(), std::uint32_t{0});
  measure::Random random(seed);
  for (std::size_t i = lines; i > 1; --i) std::swap(ring[i - 1], ring[random.below(i - 1)]);
  return ring;
}

std::vector<NumaLatency> measure_numa(const std::vector<NumaNode>& nodes, const NumaPlan& plan,
                                      const measure::CycleClock& clock,
                                      const std::function<bool(std::size_t done)>& go_on) {
  std::vector<NumaLatency> latencies;
  for (std::size_t round = 0; round < plan.rounds; ++round) {
    for (const NumaNode& from : nodes) {
      for (const NumaNode& to : nodes) {
        if (from.cpus.empty() || to.memory_bytes == 0) continue;
        if (!go_on(latencies.size())) return latencies;
        latencies.push_back(measure_pair(from, to, plan, plan.seed + round, clock));
      }
    }
  }
  return latencies;
}

void add_numa(evidence::Artefact& artefact, const std::vector<NumaNode>& nodes, const NumaPlan& plan,
              const std::vector<NumaLatency>& latencies, double reading_ns) {
  artefact.set_parameter("bytes", plan.bytes).set_parameter("loads", plan.loads).set_parameter("rounds", plan.rounds);
  artefact.set_parameter("seed", plan.seed).set_parameter("nodes", nodes.size());
  evidence::Table table{"numa",
                        "a load that misses the caches, by node of the processor and of the memory",
                        {{"cpu_node"}, {"memory_node"}, {"place"}, {"ns_per_load", 1}, {"pages_there_percent", 1}}};
  for (const NumaNode& from : nodes) {
    for (const NumaNode& to : nodes) {
      std::vector<double> ns;
      double there = 1;
      std::string why = from.cpus.empty()      ? "this process may use no processor of the node"
                        : to.memory_bytes == 0 ? "the node has no memory"
                                               : "the run ended before";
      for (const NumaLatency& latency : latencies) {
        if (latency.cpu_node != from.number || latency.memory_node != to.number) continue;
        if (!latency.trouble.empty()) {
          why = latency.trouble;
          continue;
        }
        ns.push_back(latency.ns_per_load);
        there = std::min(there, latency.pages_there);
      }
      const char* place = from.number == to.number ? "local" : "remote";
      table.add_row({from.number, to.number, place,
                     ns.empty() ? evidence::Cell(evidence::Unmeasured{why}) : evidence::Cell(measure::median(ns)),
                     ns.empty() ? evidence::Cell(evidence::Unmeasured{why}) : evidence::Cell(100 * there)});
    }
  }
  if (nodes.size() < 2) {
    const evidence::Unmeasured single{nodes.empty() ? "the kernel shows no nodes"
                                                    : "this machine shows one node: nothing is remote"};
    table.add_row({nodes.empty() ? evidence::Cell(single) : evidence::Cell(nodes.front().number), single, "remote",
                   single, single});
    table.notes.emplace_back("Remote memory is unavailable: " + single.reason + ".");
  }
  artefact.add_table(std::move(table));
  evidence::Table overhead{"overhead", "what the instrument itself costs", {{"what"}, {"ns", 6}}};
  overhead.add_row({"a stamp, of which there are two around " + std::to_string(k_slice) + " loads", reading_ns});
  overhead.add_row({"both together, a load", 2 * reading_ns / k_slice});
  artefact.add_table(std::move(overhead));
  for (const NumaLatency& latency : latencies) {
    if (!latency.trouble.empty()) continue;
    const std::string arm = std::to_string(latency.cpu_node) + " from " + std::to_string(latency.memory_node);
    artefact.begin_run({.arm = arm}).add_figure("ns_per_load", "ns", latency.ns_per_load);
  }
}

}  // namespace dojima::instruments
