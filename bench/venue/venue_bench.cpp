// dojima-bench-venue: what a command costs a partition and its bare book, and with each kind of journal; replaying a
// journal from disk and from memory; a start with a large book; whether commands wait while snapshots are written;
// how long the turns at the end of a day take; partitions on threads of their own; and a member's requests over TCP
// beside an echo. Files lie in the directory that TMPDIR names.

#include "bench/other_processors.hpp"
#include "bench/temporary_folder.hpp"
#include "bench/venue/bytes_venue.hpp"
#include "bench/venue/day_table.hpp"
#include "bench/venue/partition_tables.hpp"
#include "bench/venue/road_table.hpp"
#include "bench/venue/venue_flow.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/memory_journal.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/venue/recovery/follower.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"

namespace {

using namespace dojima;
using journal::Durability;

using namespace dojima::bench_venue;

constexpr std::size_t k_batch = 1024;

/// A folder as a disk.
class Directory {
 public:
  Directory() : disk_(std::move(*journal::RealDisk::open(folder_.path()))) {}
  [[nodiscard]] journal::RealDisk& disk() noexcept { return *disk_; }

 private:
  bench::TemporaryFolder folder_;
  std::unique_ptr<journal::RealDisk> disk_;  // gone before the folder
};

// ----------------------------------------------------------------------------------------------------------- command

/// Commands of a flow to a partition over some journal.
class Submitting : public harness::Competitor {
 public:
  harness::Operations run() override {
    venue::Partition& partition = this->partition();
    for (std::size_t done = 0; done < k_batch; ++done) {
      flow_.next([&](market::CommandHeader& header) {
        if (!partition.submit(header, now_ += std::chrono::microseconds{1}))
          throw std::runtime_error("the journal is full");
      });
    }
    drain(partition, cursor_);
    return harness::Operations{}.add("", k_batch);
  }

 protected:
  [[nodiscard]] virtual venue::Partition& partition() = 0;

 private:
  Flow flow_;
  venue::Cursor cursor_;
  time::Time now_ = k_start;
};

class WithoutJournal final : public Submitting {
 public:
  WithoutJournal() : partition_(settings_of(1 << 16).config, journal_) {}

 private:
  venue::Partition& partition() override { return partition_; }
  journal::MemoryJournal journal_{{.keep = journal::Keep::none, .capacity = 1}};
  venue::Partition partition_;
};

/// The worker's part is between batches, so that one core is enough; with a thread it is beside them.
class OnDisk final : public Submitting {
 public:
  OnDisk(Durability durability, bool has_thread) {
    venue::JournaledPartitionOptions options{.settings = settings_of(1 << 16), .now = k_start};
    options.journal = {.durability = durability, .segment_bytes = std::size_t{1} << 24, .spare_segments = 4};
    auto opened = venue::JournaledPartition::open(directory_.disk(), options);
    if (!opened) throw std::runtime_error(opened.error().what);
    opened_ = std::move(*opened);
    if (!has_thread) return;
    const bench::OnOtherProcessors elsewhere;
    thread_ = std::make_unique<journal::JournalThread>(opened_->journal());
  }
  void prepare() override {
    journal::FileJournal& journal = opened_->journal();
    journal.release(journal.durable());
    if (thread_ == nullptr) {
      while (journal.work()) {
      }
    } else {
      while (journal.durable() < journal.last()) std::this_thread::yield();
    }
  }

 private:
  venue::Partition& partition() override { return opened_->partition(); }
  Directory directory_;
  std::unique_ptr<venue::JournaledPartition> opened_;
  std::unique_ptr<journal::JournalThread> thread_;
};

harness::BenchTable command_table() {
  harness::BenchTable table{.name = "command", .title = "a command of a partition, its reports read, by its journal"};
  table.competitors = {
      {"process", [](const harness::BenchCase&) { return std::make_unique<OnDisk>(Durability::process, false); }},
      {"power", [](const harness::BenchCase&) { return std::make_unique<OnDisk>(Durability::power, false); }},
      {"none", [](const harness::BenchCase&) { return std::make_unique<OnDisk>(Durability::none, false); }},
      {"process, JournalThread",
       [](const harness::BenchCase&) { return std::make_unique<OnDisk>(Durability::process, true); }},
      {"no journal", [](const harness::BenchCase&) { return std::make_unique<WithoutJournal>(); }}};
  table.baseline = "no journal";
  table.targets = {{"process", "no journal", 1.10}};
  table.operation = "command";
  table.notes = {
      "five new orders, half of which cross, five cancels and a replace in eleven, of 8 users in 4 instruments; at "
      "most "
      "2,000 orders rest",
      "what the worker does is between the batches, not timed, but for JournalThread"};
  return table;
}

// ------------------------------------------------------------------------------------------------------------ replay

constexpr std::size_t k_replayed = 100'000;

/// A directory with commands, and the same commands in memory.
struct Recorded {
  Recorded() {
    venue::JournaledPartitionOptions options{.settings = settings_of(1 << 16), .now = k_start};
    options.journal = {.segment_bytes = std::size_t{1} << 24, .spare_segments = 4};
    auto opened = venue::JournaledPartition::open(directory.disk(), options);
    if (!opened) throw std::runtime_error(opened.error().what);
    venue::Partition& partition = (*opened)->partition();
    Flow flow;
    time::Time now = k_start;
    for (std::size_t done = 0; done < k_replayed; ++done) {
      flow.next([&](market::CommandHeader& header) {
        if (!partition.submit(header, now += std::chrono::microseconds{1}))
          throw std::runtime_error("the journal is full");
      });
      if (done % 1024 == 0)
        while ((*opened)->journal().work()) {
        }
    }
    const auto reader = std::move(*(*opened)->journal().read_after({0}));
    while (true) {
      const auto record = reader->next();
      if (!record || !*record) break;
      const Bytes bytes = (*record)->bytes;
      const Room room = memory.prepare(bytes.size());
      std::memcpy(room.data(), bytes.data(), bytes.size());
      memory.commit(bytes.size());
    }
    digest = partition.digest();
    last = (*opened)->journal().last().value;
  }
  Directory directory;
  journal::MemoryJournal memory{{.capacity = k_replayed * 256}};
  std::uint64_t digest = 0;
  std::uint64_t last = 0;
};

/// Made in prepare(), so that the memory of a partition is not what is timed.
class Replaying : public harness::Competitor {
 public:
  explicit Replaying(std::shared_ptr<Recorded> recorded) : recorded_(std::move(recorded)) {}
  void prepare() override {
    if (partition_ != nullptr && partition_->digest() != recorded_->digest)
      throw std::runtime_error("a replay comes to another state");
    partition_ = std::make_unique<venue::Partition>(settings_of(1 << 16).config, nothing_);
  }

 protected:
  std::shared_ptr<Recorded> recorded_;
  journal::MemoryJournal nothing_{{.keep = journal::Keep::none, .capacity = 1}};
  std::unique_ptr<venue::Partition> partition_;
};

class FromDisk final : public Replaying {
 public:
  using Replaying::Replaying;
  void prepare() override {
    Replaying::prepare();
    found_ = std::move(*journal::survey(recorded_->directory.disk()));
  }
  harness::Operations run() override {
    const auto reader = std::move(*journal::read_directory(recorded_->directory.disk(), found_));
    std::size_t count = 0;
    while (true) {
      const auto record = reader->next();
      if (!record) throw std::runtime_error("a record cannot be read");
      if (!*record) break;
      if (!partition_->replay((*record)->bytes)) throw std::runtime_error("a record is no command");
      ++count;
    }
    return harness::Operations{}.add("", count);
  }

 private:
  journal::Survey found_;
};

class FromMemory final : public Replaying {
 public:
  using Replaying::Replaying;
  harness::Operations run() override {
    std::size_t count = 0;
    for (journal::MemoryJournal::Cursor at; const auto record = recorded_->memory.read(at); ++count)
      if (!partition_->replay(record->bytes)) throw std::runtime_error("a record is no command");
    return harness::Operations{}.add("", count);
  }
};

/// As a venue runs, but for its sockets: the bytes of MIT203 in, commands journaled to a file, the bytes of reports out
/// behind every 64 commands; the journal's worker behind every 1,024.
class Live final : public harness::Competitor {
 public:
  void prepare() override {
    venue_.reset();
    opened_.reset();
    directory_ = std::make_unique<Directory>();
    venue::JournaledPartitionOptions options{.settings = settings_of(1 << 16), .now = k_start};
    options.journal = {.segment_bytes = std::size_t{1} << 24, .spare_segments = 4};
    auto opened = venue::JournaledPartition::open(directory_->disk(), options);
    if (!opened) throw std::runtime_error(opened.error().what);
    opened_ = std::move(*opened);
    venue_ = std::make_unique<BytesVenue>(opened_->partition());
  }
  harness::Operations run() override {
    venue_->run(requests_, [this](std::size_t done) {
      if (done % 1024 == 0)
        while (opened_->journal().work()) {
        }
    });
    return harness::Operations{}.add("", requests_.size());
  }

 private:
  Requests requests_{k_replayed};
  std::unique_ptr<Directory> directory_;
  std::unique_ptr<venue::JournaledPartition> opened_;
  std::unique_ptr<BytesVenue> venue_;
};

harness::BenchTable replay_table() {
  harness::BenchTable table{.name = "replay", .title = "100,000 commands replayed, per command"};
  const auto recorded = std::make_shared<std::shared_ptr<Recorded>>();
  const auto shared = [recorded] {
    if (*recorded == nullptr) *recorded = std::make_shared<Recorded>();
    return *recorded;
  };
  table.competitors = {
      {"from disk", [=](const harness::BenchCase&) { return std::make_unique<FromDisk>(shared()); }},
      {"from memory", [=](const harness::BenchCase&) { return std::make_unique<FromMemory>(shared()); }},
      {"live", [](const harness::BenchCase&) { return std::make_unique<Live>(); }}};
  table.baseline = "from memory";
  table.targets = {{"from disk", "from memory", 1.15}, {"from disk", "live", 0.5}};
  table.operation = "command";
  table.notes = {
      "from disk: files in the page cache, every sum checked on the way",
      "live: as a venue runs but for its sockets: MIT203 decoded, journaled with process, applied, reports encoded; "
      "the worker's time included"};
  return table;
}

// ----------------------------------------------------------------------------------------------------------- recover

/// A directory with a snapshot of a large book and commands behind it.
class Recovering final : public harness::Competitor {
 public:
  explicit Recovering(std::size_t orders) : settings_(settings_of(orders + orders / 4)) {
    settings_.config.limits.levels = 1 << 16;
    auto opened = open();
    venue::Partition& partition = opened->partition();
    time::Time now = k_start;
    const auto submit = [&](market::CommandHeader& header) {
      if (!partition.submit(header, now += std::chrono::microseconds{1}))
        throw std::runtime_error("the journal is full");
      if (++done_ % 1024 == 0)
        while (opened->journal().work()) {
        }
    };
    Flow flow;
    for (std::size_t count = 0; count < orders; ++count) {
      market::NewOrder& order = flow.new_order();
      // Far apart, so that all rest.
      const bool is_buy = order.terms.side == market::Side::buy;
      const auto away = static_cast<std::int64_t>(50 + count % 5000);
      order.terms.limit = {(10'000 + (is_buy ? -away : away)) * k_tick};
      submit(order.header);
    }
    const auto written = venue::write_snapshot(directory_.disk(), venue::identity_of_partition(1), opened->replayer(),
                                               std::size_t{1} << 16);
    if (!written) throw std::runtime_error("no snapshot could be written");
    Flow rest;
    for (std::size_t count = 0; count < orders; ++count) rest.next(submit);
    digest_ = partition.digest();
  }
  harness::Operations run() override {
    const auto begin = std::chrono::steady_clock::now();
    const auto opened = open();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (opened->recovery().digest != digest_) throw std::runtime_error("a start comes to another state");
    return harness::Operations{}.add("", opened->recovery().replayed).figure("seconds", took.count());
  }

 private:
  std::unique_ptr<venue::JournaledPartition> open() {
    venue::JournaledPartitionOptions options{.settings = settings_, .now = k_start};
    options.journal = {.segment_bytes = std::size_t{1} << 26, .spare_segments = 2};
    auto opened = venue::JournaledPartition::open(directory_.disk(), options);
    if (!opened) throw std::runtime_error(opened.error().what);
    return std::move(*opened);
  }
  Directory directory_;
  venue::PartitionSettings settings_;
  std::size_t done_ = 0;
  std::uint64_t digest_ = 0;
};

harness::BenchTable recover_table() {
  harness::BenchTable table{.name = "recover", .title = "a start from a snapshot and as many commands behind it"};
  table.parameters = {{"orders", {std::int64_t{10'000}, std::int64_t{1'000'000}}}};
  table.competitors = {{"start", [](const harness::BenchCase& of) {
                          return std::make_unique<Recovering>(static_cast<std::size_t>(of.integer("orders")));
                        }}};
  table.baseline = "start";
  table.targets = {{"start", "", 3, {{"orders", std::int64_t{1'000'000}}}, "seconds"}};
  table.operation = "command";
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("orders") == 10'000; };
  table.notes = {"so many resting orders in the snapshot, so many commands behind it; files are in the page cache"};
  return table;
}

// -------------------------------------------------------------------------------------------------------------- pause

/// How often something else got this thread's processor, so far.
long switches_so_far() {
  rusage usage{};
  return ::getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

/// How long single commands took.
class Pausing final : public harness::Competitor {
 public:
  explicit Pausing(std::uint64_t snapshot_every) {
    venue::JournaledPartitionOptions options{.settings = settings_of(1 << 16), .now = k_start};
    options.journal = {.segment_bytes = std::size_t{1} << 24, .spare_segments = 4};
    auto opened = venue::JournaledPartition::open(directory_.disk(), options);
    if (!opened) throw std::runtime_error(opened.error().what);
    opened_ = std::move(*opened);
    const bench::OnOtherProcessors elsewhere;
    thread_ = std::make_unique<journal::JournalThread>(opened_->journal());
    if (snapshot_every == 0) return;
    follower_ = std::make_unique<venue::Follower>(*opened_,
                                                  venue::FollowerOptions{.every_commands = snapshot_every, .keep = 2});
    follower_thread_ = std::make_unique<venue::FollowerThread>(*follower_);
  }
  ~Pausing() override {
    follower_thread_.reset();
    thread_.reset();
  }
  void prepare() override {
    if (follower_ == nullptr) opened_->journal().release(opened_->journal().durable());
    // The rate of a busy venue, not of a loop.
    while (opened_->journal().prepare(256).empty()) std::this_thread::yield();
  }
  harness::Operations run() override {
    venue::Partition& partition = opened_->partition();
    std::array<double, k_batch> took{};
    const bool is_warm = ++batches_ > k_warm_up;
    long switches = switches_so_far();
    for (double& each : took) {
      const auto begin = std::chrono::steady_clock::now();
      flow_.next([&](market::CommandHeader& header) {
        if (!partition.submit(header, now_ += std::chrono::microseconds{1}))
          throw std::runtime_error("the journal is full");
      });
      each = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
      const long before = std::exchange(switches, switches_so_far());
      double& largest = switches == before ? largest_ : largest_away_;
      if (is_warm) largest = std::max(largest, each);
    }
    drain(partition, cursor_);
    std::sort(took.begin(), took.end());
    return harness::Operations{}
        .add("", k_batch)
        .figure("p99_us", took[k_batch * 99 / 100])
        .figure("largest_us", largest_)
        .figure("preempted_us", largest_away_);
  }

 private:
  Directory directory_;
  std::unique_ptr<venue::JournaledPartition> opened_;
  std::unique_ptr<journal::JournalThread> thread_;
  std::unique_ptr<venue::Follower> follower_;
  std::unique_ptr<venue::FollowerThread> follower_thread_;
  Flow flow_;
  venue::Cursor cursor_;
  time::Time now_ = k_start;
  static constexpr std::uint64_t k_warm_up = 200;  // batches: the first touch of a huge page takes milliseconds
  std::uint64_t batches_ = 0;
  double largest_ = 0, largest_away_ = 0;
};

harness::BenchTable pause_table() {
  harness::BenchTable table{.name = "pause",
                            .title = "single commands, while a follower writes snapshots and without one"};
  table.competitors = {{"snapshots", [](const harness::BenchCase&) { return std::make_unique<Pausing>(100'000); }},
                       {"none", [](const harness::BenchCase&) { return std::make_unique<Pausing>(0); }}};
  table.baseline = "none";
  table.targets = {{"snapshots", "", 1000, {}, "largest_us"}};
  table.operation = "command";
  table.notes = {
      "a snapshot every 100,000 commands; p99_us: of 1,024 commands; largest_us: of all so far during "
      "which the kernel gave the processor to nobody else, preempted_us: of those during which it did; both after a "
      "warm-up; both have a JournalThread; threads beside the measured one run on other processors, where there are "
      "some"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  return harness::run_benchmarks(
      {.name = "venue",
       .tables = {partition_table(), command_table(), replay_table(), recover_table(), pause_table(), day_table(),
                  limits_table(), feed_table(), scaling_table(), road_table(), scrape_table()},
       .build = evidence::build_identity()},
      count, words);
}
