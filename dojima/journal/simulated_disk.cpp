#include "dojima/journal/simulated_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/base/splitmix.hpp"

namespace dojima::journal {
namespace {

/// By memcmp: files are compared sector by sector all the time, and std::ranges::equal does it byte by byte.
[[nodiscard]] bool are_same(std::span<const std::byte> left, std::span<const std::byte> right) noexcept {
  return left.size() == right.size() && (left.empty() || std::memcmp(left.data(), right.data(), left.size()) == 0);
}

}  // namespace

/// A file: what a process sees (`cache`), what is on the disk, and the sectors that a failed sync forgot.
struct SimulatedDisk::Node {
  std::vector<std::byte> cache;
  std::vector<std::byte> kept;
  std::map<std::size_t, std::vector<std::byte>> forgotten;  // as they were when they were
  unsigned mappings = 0;

  [[nodiscard]] std::size_t sectors() const noexcept { return (cache.size() + k_sector - 1) / k_sector; }
  [[nodiscard]] std::span<std::byte> sector_of(std::vector<std::byte>& bytes, std::size_t sector) const noexcept {
    const std::size_t begin = std::min(sector * k_sector, bytes.size());
    return std::span(bytes).subspan(begin, std::min(k_sector, bytes.size() - begin));
  }
  [[nodiscard]] bool is_dirty(std::size_t sector) noexcept {
    return !are_same(sector_of(cache, sector), sector_of(kept, sector));
  }
  /// The kernel takes it for written although it is not.
  [[nodiscard]] bool is_forgotten(std::size_t sector) noexcept {
    const auto found = forgotten.find(sector);
    return found != forgotten.end() && are_same(found->second, sector_of(cache, sector));
  }
  void keep(std::size_t sector) {
    if (is_forgotten(sector)) return;
    forgotten.erase(sector);
    const auto from = sector_of(cache, sector);
    const std::size_t end = sector * k_sector + from.size();
    if (kept.size() < end) kept.resize(end);
    std::ranges::copy(from, kept.begin() + static_cast<std::ptrdiff_t>(sector * k_sector));
  }
  void forget(std::size_t sector) {
    const auto now = sector_of(cache, sector);
    forgotten[sector].assign(now.begin(), now.end());
  }
};

struct SimulatedDisk::NameChange {
  std::string from;            // no longer there; empty: none
  std::string to;              // there now; empty: none
  std::shared_ptr<Node> node;  // what `to` names
};

class SimulatedFile final : public File {
 public:
  using Node = SimulatedDisk::Node;
  SimulatedFile(SimulatedDisk& disk, std::shared_ptr<Node> node, bool is_writable)
      : disk_(disk), node_(std::move(node)), is_writable_(is_writable) {}
  ~SimulatedFile() override { node_->mappings -= is_mapped_ ? 1 : 0; }
  SimulatedFile(const SimulatedFile&) = delete;
  SimulatedFile& operator=(const SimulatedFile&) = delete;

  Result<std::size_t> read(std::uint64_t offset, Room into) override {
    if (const int fault = disk_.begin_call(false); fault != 0) return disk_.failed(fault, "to read a file");
    if (offset >= node_->cache.size()) return 0;
    const auto from = std::span(node_->cache).subspan(static_cast<std::size_t>(offset));
    const std::size_t size = std::min(from.size(), into.size());
    std::ranges::copy(from.first(size), into.begin());
    return size;
  }

  Result<void> write(std::uint64_t offset, Bytes bytes) override {
    DOJIMA_ASSERT(is_writable_, "a file that is written was opened for it");
    const int fault = disk_.begin_call(true);
    if (disk_.is_dead_) return disk_.failed(fault, "to write a file");
    if (fault > 0) bytes = bytes.first(static_cast<std::size_t>(disk_.below(bytes.size() + 1)));
    const bool fits = put(offset, bytes);
    if (fault != 0) return disk_.failed(fault, "to write a file");
    if (!fits) return disk_.failed(ENOSPC, "to write a file");
    return {};
  }

  Result<void> write_through(std::uint64_t offset, Bytes bytes) override {
    DOJIMA_ASSERT(is_writable_, "a file that is written was opened for it");
    const int fault = disk_.begin_call(true, true);
    if (disk_.is_dead_) return disk_.failed(fault, "to write a file");
    const bool fits = put(offset, bytes);
    if (fault == 0 && !fits) return disk_.failed(ENOSPC, "to write a file");
    const std::size_t begin = static_cast<std::size_t>(offset) / SimulatedDisk::k_sector;
    const std::size_t end = (static_cast<std::size_t>(offset) + bytes.size() - 1) / SimulatedDisk::k_sector + 1;
    keep(begin, end, fault);
    if (fault != 0) return disk_.failed(fault, "to write a file");
    return {};
  }

  Result<void> sync() override {
    const int fault = disk_.begin_call(true, true);
    if (disk_.is_dead_) return disk_.failed(fault, "to sync a file");
    keep(0, node_->sectors(), fault);
    if (fault != 0) return disk_.failed(fault, "to sync a file");
    node_->kept.resize(node_->cache.size());
    return {};
  }

  Result<std::uint64_t> size() override {
    if (const int fault = disk_.begin_call(false); fault != 0) return disk_.failed(fault, "the size of a file");
    return node_->cache.size();
  }

  Result<Room> map() override {
    if (const int fault = disk_.begin_call(false); fault != 0) return disk_.failed(fault, "to map a file");
    DOJIMA_ASSERT(!is_mapped_, "a file is mapped once");
    is_mapped_ = true;
    ++node_->mappings;
    return Room(node_->cache);
  }

  Result<void> populate(std::uint64_t, std::size_t) override {
    if (const int fault = disk_.begin_call(false); fault != 0) return disk_.failed(fault, "to populate mapped memory");
    return {};
  }

 private:
  /// False: the disk is full, and what fits was written.
  bool put(std::uint64_t offset, Bytes bytes) {
    const auto begin = static_cast<std::size_t>(offset);
    std::size_t end = begin + bytes.size();
    const std::uint64_t used = disk_.used();
    const std::uint64_t free = disk_.options_.capacity > used ? disk_.options_.capacity - used : 0;
    const std::size_t most = node_->cache.size() + static_cast<std::size_t>(free);
    const bool fits = end <= most;
    if (!fits) end = std::max(most, begin);
    if (end > node_->cache.size()) {
      DOJIMA_ASSERT(node_->mappings == 0, "a mapped file keeps its size");
      node_->cache.resize(end);
    }
    std::copy_n(bytes.begin(), end - begin, node_->cache.begin() + static_cast<std::ptrdiff_t>(begin));
    for (std::size_t sector = begin / SimulatedDisk::k_sector; sector * SimulatedDisk::k_sector < end; ++sector)
      node_->forgotten.erase(sector);
    return fits;
  }

  /// Some of the sectors, when it fails.
  void keep(std::size_t begin, std::size_t end, int fault) {
    for (std::size_t sector = begin; sector < end; ++sector) {
      if (!node_->is_dirty(sector)) continue;
      const std::uint64_t chance = fault == 0 ? 0 : disk_.below(3);
      if (chance == 0 && fault != SimulatedDisk::k_power) node_->keep(sector);
      if (chance == 1 && fault == EIO) node_->forget(sector);
    }
  }

  SimulatedDisk& disk_;
  std::shared_ptr<Node> node_;
  bool is_writable_;
  bool is_mapped_ = false;
};

SimulatedDisk::SimulatedDisk(const SimulatedDiskOptions& options) : options_(options), random_(options.seed) {}
SimulatedDisk::~SimulatedDisk() = default;

void SimulatedDisk::fail_at(std::uint64_t call, int number) noexcept {
  fault_at_ = calls_ + call;
  fault_ = number;
}
void SimulatedDisk::lose_power_at(std::uint64_t call) noexcept {
  power_at_ = calls_ + call;
}
void SimulatedDisk::end_process_at(std::uint64_t call) noexcept {
  end_at_ = calls_ + call;
}
void SimulatedDisk::delay_at(std::uint64_t call, std::chrono::nanoseconds cost) noexcept {
  delay_at_ = calls_ + call;
  delay_ = cost;
}
std::chrono::nanoseconds SimulatedDisk::take_elapsed() noexcept {
  return std::exchange(elapsed_, {});
}

std::uint64_t SimulatedDisk::below(std::uint64_t bound) noexcept {
  return splitmix64(random_) % bound;
}

int SimulatedDisk::begin_call(bool is_writing, bool is_waiting) {
  ++calls_;
  elapsed_ += options_.call_cost + (is_waiting ? options_.sync_cost : std::chrono::nanoseconds{});
  if (calls_ == delay_at_) elapsed_ += delay_;
  if (calls_ == end_at_) end_process();
  if (is_dead_) return EIO;
  if (options_.writes_back && below(4) == 0) write_back_one();
  if (calls_ == power_at_) return k_power;
  if (calls_ == fault_at_) return fault_;
  return is_writing ? write_fault_ : 0;
}

std::unexpected<Error> SimulatedDisk::failed(int fault, const char* wanted) noexcept {
  if (fault == k_power) lose_power();
  return std::unexpected(disk_error(fault == k_power ? EIO : fault, wanted));
}

std::uint64_t SimulatedDisk::used() const noexcept {
  std::uint64_t bytes = 0;
  for (const auto& [name, node] : names_) bytes += node->cache.size();
  return bytes;
}

void SimulatedDisk::write_back_one() {
  if (names_.empty()) return;
  auto file = names_.begin();
  std::advance(file, static_cast<std::ptrdiff_t>(below(names_.size())));
  Node& node = *file->second;
  if (node.sectors() == 0) return;
  const std::size_t first = below(node.sectors());
  for (std::size_t step = 0; step < node.sectors(); ++step) {
    const std::size_t sector = (first + step) % node.sectors();
    if (!node.is_dirty(sector)) continue;
    node.keep(sector);
    return;
  }
}

/// Threads that still run keep the old nodes: nothing they do is seen any more.
void SimulatedDisk::end_process() {
  if (is_dead_) return;
  is_dead_ = has_process_ended_ = true;
  std::map<const Node*, std::shared_ptr<Node>> left;
  const auto replace = [&left](std::shared_ptr<Node>& node) {
    if (node == nullptr) return;
    std::shared_ptr<Node>& copy = left[node.get()];
    if (copy == nullptr) {
      copy = std::make_shared<Node>(*node);
      copy->mappings = 0;
    }
    node = copy;
  };
  for (auto& [name, node] : names_) replace(node);
  for (auto& [name, node] : kept_names_) replace(node);
  for (NameChange& change : changes_) replace(change.node);
}

void SimulatedDisk::restart() {
  if (!is_dead_) return;
  is_dead_ = false;
  power_at_ = fault_at_ = end_at_ = 0;
  lock_.reset();
  if (std::exchange(has_process_ended_, false)) return;
  const std::size_t done = below(changes_.size() + 1);
  for (std::size_t change = 0; change < done; ++change) {
    if (!changes_[change].from.empty()) kept_names_.erase(changes_[change].from);
    if (!changes_[change].to.empty()) kept_names_[changes_[change].to] = changes_[change].node;
  }
  changes_.clear();
  for (auto& [name, node] : kept_names_) {
    // Files that are open keep the old node.
    auto left = std::make_shared<Node>();
    const bool has_grown = node->cache.size() != node->kept.size() && below(2) == 0;
    left->kept = node->kept;
    if (has_grown) left->kept.resize(node->cache.size());
    for (std::size_t sector = 0; sector < node->sectors(); ++sector) {
      if (!node->is_dirty(sector) || node->is_forgotten(sector) || below(2) == 0) continue;
      auto into = left->sector_of(left->kept, sector);
      const auto from = node->sector_of(node->cache, sector);
      std::copy_n(from.begin(), std::min(from.size(), into.size()), into.begin());
    }
    left->cache = left->kept;
    node = std::move(left);
  }
  names_ = kept_names_;
}

Result<std::unique_ptr<File>> SimulatedDisk::open(std::string_view name, OpenMode mode) {
  const auto found = names_.find(name);
  const int fault = begin_call(mode == OpenMode::create || (mode == OpenMode::write && write_fault_ == EROFS));
  if (fault > 0) return failed(fault, "to open a file");
  std::shared_ptr<Node> node;
  if (mode == OpenMode::create) {
    // A file that is there is emptied: like a new one under the same name, whose old contents may come back.
    node = std::make_shared<Node>();
    change_name({.from = {}, .to = std::string(name), .node = node});
  } else {
    if (found == names_.end()) return failed(ENOENT, "to open a file");
    node = found->second;
  }
  if (fault != 0) return failed(fault, "to open a file");
  return std::make_unique<SimulatedFile>(*this, std::move(node), mode != OpenMode::read);
}

void SimulatedDisk::change_name(NameChange change) {
  if (!change.from.empty()) names_.erase(change.from);
  if (!change.to.empty()) names_[change.to] = change.node;
  changes_.push_back(std::move(change));
}

Result<void> SimulatedDisk::rename(std::string_view from, std::string_view to) {
  const int fault = begin_call(true);
  if (fault > 0) return failed(fault, "to rename a file");
  const auto found = names_.find(from);
  if (found == names_.end()) return failed(ENOENT, "to rename a file");
  change_name({.from = std::string(from), .to = std::string(to), .node = found->second});
  if (fault != 0) return failed(fault, "to rename a file");
  return {};
}

Result<void> SimulatedDisk::remove(std::string_view name) {
  const int fault = begin_call(true);
  if (fault > 0) return failed(fault, "to remove a file");
  if (!names_.contains(name)) return failed(ENOENT, "to remove a file");
  change_name({.from = std::string(name), .to = {}, .node = {}});
  if (fault != 0) return failed(fault, "to remove a file");
  return {};
}

Result<std::vector<std::string>> SimulatedDisk::list() {
  if (const int fault = begin_call(false); fault != 0) return failed(fault, "to list a directory");
  std::vector<std::string> names;
  for (const auto& [name, node] : names_) names.push_back(name);
  return names;
}

Result<void> SimulatedDisk::sync_names() {
  if (const int fault = begin_call(true, true); fault != 0) return failed(fault, "to sync a directory");
  kept_names_ = names_;
  changes_.clear();
  return {};
}

Result<std::unique_ptr<File>> SimulatedDisk::lock() {
  if (const int fault = begin_call(false); fault != 0) return failed(fault, "to open a directory");
  if (!lock_.expired()) return failed(EWOULDBLOCK, "to lock a directory");
  auto held = std::make_shared<Node>();
  lock_ = held;
  return std::make_unique<SimulatedFile>(*this, std::move(held), false);
}

Result<std::uint64_t> SimulatedDisk::free_bytes() {
  if (const int fault = begin_call(false); fault != 0) return failed(fault, "the free space of a disk");
  return options_.capacity > used() ? options_.capacity - used() : 0;
}

std::vector<std::byte> SimulatedDisk::contents(std::string_view name) const {
  const auto found = names_.find(name);
  DOJIMA_ASSERT(found != names_.end(), "a file that is looked at is there");
  return found->second->cache;
}

void SimulatedDisk::put(std::string_view name, Bytes bytes) {
  auto node = std::make_shared<Node>();
  node->cache.assign(bytes.begin(), bytes.end());
  node->kept = node->cache;
  names_[std::string(name)] = node;
  kept_names_[std::string(name)] = std::move(node);
}

}  // namespace dojima::journal
