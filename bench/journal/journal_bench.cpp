// dojima-bench-journal: what a record costs until it survives the process, and until it survives a loss of power,
// beside the least that the machine can do; and how fast a journal is checked. Files lie in the directory that TMPDIR
// names.

#include "bench/other_processors.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/journal/format/crc32c.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/journal/real_disk.hpp"

namespace {

using namespace dojima;
using namespace dojima::journal;

constexpr std::size_t k_segment = std::size_t{1} << 24;
constexpr std::size_t k_appended = 1024;  // records a batch
/// What the floor goes round in: more than caches hold, as a journal's segments are.
constexpr std::size_t k_floor = std::size_t{1} << 28;

/// A directory that goes with its competitor.
class Directory {
 public:
  Directory() : path_(std::filesystem::temp_directory_path() / "dojima-bench-journal-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary directory");
    disk_ = std::move(*RealDisk::open(path_));
  }
  ~Directory() {
    disk_.reset();
    std::filesystem::remove_all(path_);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  [[nodiscard]] RealDisk& disk() noexcept { return *disk_; }

 private:
  std::string path_;
  std::unique_ptr<RealDisk> disk_;
};

std::unique_ptr<FileJournal> open(Directory& directory, Durability durability) {
  auto opened = FileJournal::open(
      directory.disk(),
      {.identity = Identity::of("bench"), .durability = durability, .segment_bytes = k_segment, .spare_segments = 4});
  if (!opened) throw std::runtime_error(opened.error().what);
  return std::move(*opened);
}

std::vector<std::byte> record_of(std::size_t size) {
  std::vector<std::byte> record(size);
  for (std::size_t at = 0; at < size; ++at) record[at] = static_cast<std::byte>(at * 7 + 1);
  return record;
}

void append(Journal& journal, const std::vector<std::byte>& record, std::size_t count) {
  for (std::size_t done = 0; done < count; ++done) {
    const Room room = journal.prepare(record.size());
    if (room.empty()) throw std::runtime_error("the journal is full");
    std::memcpy(room.data(), record.data(), record.size());
    journal.commit(record.size());
  }
}

// ------------------------------------------------------------------------------------------------------------ append

/// Appends; what the worker does, is done between batches.
class Appending final : public harness::Competitor {
 public:
  Appending(Durability durability, std::size_t size)
      : record_(record_of(size)), journal_(open(directory_, durability)) {}
  void prepare() override {
    journal_->release(journal_->durable());
    while (journal_->work()) {
    }
  }
  harness::Operations run() override {
    append(*journal_, record_, k_appended);
    return harness::Operations{}.add("", k_appended);
  }

 private:
  Directory directory_;
  std::vector<std::byte> record_;
  std::unique_ptr<FileJournal> journal_;
};

class AppendingToMemory final : public harness::Competitor {
 public:
  explicit AppendingToMemory(std::size_t size) : record_(record_of(size)) {}
  void prepare() override {
    // A journal in memory cannot forget: a new one in the old one's memory.
    if (journal_.used() + k_appended * (record_.size() + 16) < k_segment) return;
    journal_ = MemoryJournal({.capacity = k_segment});
  }
  harness::Operations run() override {
    append(journal_, record_, k_appended);
    return harness::Operations{}.add("", k_appended);
  }

 private:
  std::vector<std::byte> record_;
  MemoryJournal journal_{{.capacity = k_segment}};
};

/// The floor: the record and its sum into a file that was written, mapped and touched before.
class Copying final : public harness::Competitor {
 public:
  explicit Copying(std::size_t size) : record_(record_of(size)) {
    file_ = std::move(*directory_.disk().open("floor", OpenMode::create));
    const std::vector<std::byte> zeros(k_floor);
    if (!file_->write(0, zeros) || !file_->sync()) throw std::runtime_error("no room for the floor's file");
    room_ = *file_->map();
  }
  void prepare() override {
    const std::size_t batch = k_appended * (record_.size() + 8);
    if (offset_ + batch > room_.size()) offset_ = 0;
    static_cast<void>(file_->populate(offset_, batch));
  }
  harness::Operations run() override {
    for (std::size_t done = 0; done < k_appended; ++done) {
      std::memcpy(room_.data() + offset_ + 8, record_.data(), record_.size());
      const std::uint64_t sum = crc32c({room_.data() + offset_ + 8, record_.size()});
      std::memcpy(room_.data() + offset_, &sum, 8);
      offset_ += record_.size() + 8;
    }
    return harness::Operations{}.add("", k_appended);
  }

 private:
  Directory directory_;
  std::vector<std::byte> record_;
  std::unique_ptr<File> file_;
  Room room_;
  std::size_t offset_ = 0;
};

template <class Made, class... Arguments>
harness::BenchCompetitor sized(const char* name, Arguments... arguments) {
  return {name, [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            return std::make_unique<Made>(arguments..., static_cast<std::size_t>(of.integer("bytes")));
          }};
}

harness::BenchTable append_table() {
  harness::BenchTable table{.name = "append", .title = "a record into the journal, by the thread that writes"};
  table.parameters = {{"bytes", {std::int64_t{64}, std::int64_t{176}, std::int64_t{512}}}};
  table.competitors = {sized<Appending>("process", Durability::process), sized<Appending>("power", Durability::power),
                       sized<AppendingToMemory>("MemoryJournal"), sized<Copying>("copy and CRC32C")};
  table.baseline = "process";
  table.floor = "copy and CRC32C";
  table.targets = {{"process", "copy and CRC32C", 1.5, {{"bytes", std::int64_t{176}}}}};
  table.operation = "record";
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("bytes") == 176; };
  table.notes = {"what the worker does (writing out, making and removing segments) is between the batches, not timed",
                 "the floor goes round in one mapped file of 256 MiB; the journal goes through new ones of 16 MiB"};
  return table;
}

// ------------------------------------------------------------------------------------------------------------- power

constexpr std::size_t k_power_bytes = 176;

/// How long single group commits took, for their 99th percentile.
class Durations {
 public:
  template <class Work>
  void time(Work work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    values_[count_++ % values_.size()] = took.count();
  }
  [[nodiscard]] double p99() {
    const std::size_t size = std::min(count_, values_.size());
    std::copy_n(values_.begin(), size, sorted_.begin());
    const auto at = sorted_.begin() + static_cast<std::ptrdiff_t>(size * 99 / 100);
    std::nth_element(sorted_.begin(), at, sorted_.begin() + static_cast<std::ptrdiff_t>(size));
    return *at;
  }

 private:
  std::vector<double> values_ = std::vector<double>(2048), sorted_ = values_;
  std::size_t count_ = 0;
};

constexpr std::size_t k_commits = 8;  // a batch of the harness

class Committing final : public harness::Competitor {
 public:
  Committing(std::size_t batch, bool has_thread)
      : batch_(batch), record_(record_of(k_power_bytes)), journal_(open(directory_, Durability::power)) {
    if (!has_thread) return;
    const bench::OnOtherProcessors elsewhere;
    thread_ = std::make_unique<JournalThread>(*journal_, JournalThreadOptions{.idle = WorkerIdle::yield});
  }
  void prepare() override {
    journal_->release(journal_->durable());
    if (thread_ == nullptr) {
      while (journal_->work()) {
      }
    } else {
      while (journal_->prepare(k_power_bytes).empty()) std::this_thread::yield();
    }
  }
  harness::Operations run() override {
    for (std::size_t commit = 0; commit < k_commits; ++commit) {
      durations_.time([this] {
        append(*journal_, record_, batch_);
        while (journal_->durable() < journal_->last()) {
          if (thread_ != nullptr) {
            std::this_thread::yield();
          } else {
            journal_->work();
          }
        }
      });
    }
    return harness::Operations{}.add("", k_commits * batch_).figure("p99_us", durations_.p99());
  }

 private:
  Directory directory_;
  std::size_t batch_;
  std::vector<std::byte> record_;
  std::unique_ptr<FileJournal> journal_;
  std::unique_ptr<JournalThread> thread_;
  Durations durations_;
};

/// The floor: the bytes and their sum through to the disk in one call.
class WritingThrough final : public harness::Competitor {
 public:
  explicit WritingThrough(std::size_t batch) : record_(record_of(k_power_bytes)), bytes_(batch * (k_power_bytes + 24)) {
    file_ = std::move(*directory_.disk().open("floor", OpenMode::create));
    const std::vector<std::byte> zeros(k_segment);
    if (!file_->write(0, zeros) || !file_->sync()) throw std::runtime_error("no room for the floor's file");
  }
  harness::Operations run() override {
    const std::size_t stride = k_power_bytes + 24;
    for (std::size_t commit = 0; commit < k_commits; ++commit) {
      durations_.time([&] {
        for (std::size_t at = 0; at < bytes_.size(); at += stride) {
          std::memcpy(bytes_.data() + at + 24, record_.data(), record_.size());
          const std::uint64_t sum = crc32c({bytes_.data() + at + 8, stride - 8});
          std::memcpy(bytes_.data() + at, &sum, 8);
        }
        if (offset_ + bytes_.size() > k_segment) offset_ = 0;
        if (!file_->write_through(offset_, bytes_)) throw std::runtime_error("the disk fails");
        offset_ += bytes_.size();
      });
    }
    return harness::Operations{}.add("", k_commits * (bytes_.size() / stride)).figure("p99_us", durations_.p99());
  }

 private:
  Directory directory_;
  std::vector<std::byte> record_;
  std::vector<std::byte> bytes_;
  std::unique_ptr<File> file_;
  std::size_t offset_ = 0;
  Durations durations_;
};

harness::BenchTable power_table() {
  const auto batch_of = [](const harness::BenchCase& of) { return static_cast<std::size_t>(of.integer("batch")); };
  harness::BenchTable table{.name = "power", .title = "records of 176 bytes until they survive a loss of power"};
  table.parameters = {
      {"batch", {std::int64_t{1}, std::int64_t{16}, std::int64_t{64}, std::int64_t{256}, std::int64_t{1024}}}};
  table.competitors = {
      {"work()", [=](const harness::BenchCase& of) { return std::make_unique<Committing>(batch_of(of), false); }},
      {"JournalThread", [=](const harness::BenchCase& of) { return std::make_unique<Committing>(batch_of(of), true); }},
      {"RWF_DSYNC", [=](const harness::BenchCase& of) { return std::make_unique<WritingThrough>(batch_of(of)); }}};
  table.baseline = "work()";
  table.floor = "RWF_DSYNC";
  table.targets = {{"work()", "RWF_DSYNC", 1 / 0.85}};
  table.operation = "record";
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("batch") == 64; };
  table.notes = {"all records of a batch are committed at once and waited for; p99_us: of the last 2,048 batches",
                 "JournalThread: the worker in a thread of its own that yields, on another core if there is one"};
  return table;
}

// ------------------------------------------------------------------------------------------------------------ verify

/// A journal of two full segments and something.
void fill(Directory& directory) {
  const auto journal = open(directory, Durability::process);
  const std::vector<std::byte> record = record_of(k_power_bytes);
  const std::size_t count = 2 * k_segment / (k_power_bytes + 24);
  for (std::size_t done = 0; done < count; done += k_appended) {
    while (journal->work()) {
    }
    append(*journal, record, k_appended);
  }
}

class Verifying final : public harness::Competitor {
 public:
  Verifying() { fill(directory_); }
  harness::Operations run() override {
    const auto found = survey(directory_.disk());
    if (!found || found->verdict != Verdict::whole) throw std::runtime_error("the journal is not whole");
    std::uint64_t bytes = 0;
    for (const SegmentInfo& segment : found->segments) bytes += segment.bytes;
    return harness::Operations{}.add("", bytes);
  }

 private:
  Directory directory_;
};

class Summing final : public harness::Competitor {
 public:
  Summing() { fill(directory_); }
  harness::Operations run() override {
    std::uint64_t bytes = 0, sum = 0;
    const std::vector<std::string> names = *directory_.disk().list();
    for (const std::string& name : names) {
      const auto file = std::move(*directory_.disk().open(name, OpenMode::read));
      const Room room = *file->map();
      for (std::size_t at = 0; at + 8 <= room.size(); at += 8) sum += load_little<std::uint64_t>(room, at);
      bytes += room.size();
    }
    harness::keep(sum);
    return harness::Operations{}.add("", bytes);
  }

 private:
  Directory directory_;
};

harness::BenchTable verify_table() {
  harness::BenchTable table{.name = "verify", .title = "a journal of 32 MiB and its spare segments checked"};
  table.competitors = {{"survey", [](const harness::BenchCase&) { return std::make_unique<Verifying>(); }},
                       {"read and sum", [](const harness::BenchCase&) { return std::make_unique<Summing>(); }}};
  table.baseline = "survey";
  table.floor = "read and sum";
  table.targets = {{"survey", "read and sum", 2}};
  table.operation = "byte";
  table.notes = {"files are in the page cache; both map them anew in each batch; records of 176 bytes"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  return harness::run_benchmarks({.name = "journal",
                                  .tables = {append_table(), power_table(), verify_table()},
                                  .build = evidence::build_identity()},
                                 count, words);
}
