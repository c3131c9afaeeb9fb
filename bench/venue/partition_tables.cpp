#include "bench/venue/partition_tables.hpp"

#include "bench/other_processors.hpp"
#include "bench/venue/limited.hpp"
#include "bench/venue/recorded_flow.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "dojima/base/ring.hpp"
#include "dojima/venue/feed/feed_tap.hpp"
#include "dojima/venue/threads/partition_threads.hpp"

namespace dojima::bench_venue {
namespace {

// --------------------------------------------------------------------------------------------------------- partition

constexpr std::size_t k_recorded = 100'000;
/// Commands that are at hand together, as a turn of a venue's loop or a journal's block brings them: whoever looks
/// ahead has what all of them need fetched before the first one is applied.
constexpr std::size_t k_turn = venue::Partition::k_prefetched;
enum class Ahead : bool { no, yes };

const RecordedFlow& recorded() {
  static const RecordedFlow flow(k_recorded);
  return flow;
}

/// A partition without a journal.
struct Alone {
  journal::MemoryJournal nothing{{.keep = journal::Keep::none, .capacity = 1}};
  venue::Partition partition{settings_of(1 << 16).config, nothing};
};

/// The books alone, on requests that name orders by their ids.
template <Ahead k_ahead>
class Bare final : public harness::Competitor {
 public:
  void prepare() override { books_ = std::make_unique<BareBooks>(); }
  harness::Operations run() override {
    const RecordedFlow& flow = recorded();
    for (std::size_t at = 0; at < flow.size(); ++at) {
      if (k_ahead == Ahead::yes && at % k_turn == 0) books_->prefetch(flow.named(at, k_turn));
      books_->apply(flow.named(at));
    }
    return harness::Operations{}.add("", flow.size()).digest(books_->trades());
  }

 private:
  std::unique_ptr<BareBooks> books_;
};

template <Ahead k_ahead>
class Replayed final : public harness::Competitor {
 public:
  void prepare() override {
    if (alone_ != nullptr && alone_->partition.digest() != recorded().digest())
      throw std::runtime_error("a replay comes to another state");
    alone_ = std::make_unique<Alone>();
  }
  harness::Operations run() override {
    const RecordedFlow& flow = recorded();
    for (std::size_t at = 0; at < flow.size(); ++at) {
      if (k_ahead == Ahead::yes && at % k_turn == 0) alone_->partition.prefetch(flow.headers(at, k_turn));
      if (!alone_->partition.replay(flow.record(at))) throw std::runtime_error("a record is no command");
    }
    return harness::Operations{}.add("", flow.size()).digest(RecordedFlow::trades_of(alone_->partition));
  }

 private:
  std::unique_ptr<Alone> alone_;
};

/// Submits the recorded commands and reads the reports of each 64: `before` each command, `behind` each look at
/// reports.
template <class Before, class Behind>
[[gnu::always_inline]] inline harness::Operations submit_all(venue::Partition& partition, Before before,
                                                             Behind behind) {
  const RecordedFlow& flow = recorded();
  venue::Cursor cursor;
  market::NewOrder command;  // the longest
  for (std::size_t at = 0; at < flow.size(); ++at) {
    before(at);
    const Bytes record = flow.record(at);
    std::memcpy(static_cast<void*>(&command), record.data(), record.size());
    if (!partition.submit(command.header, command.header.time)) throw std::runtime_error("the journal is full");
    if (at % 64 != 0) continue;
    drain(partition, cursor);
    behind();
  }
  drain(partition, cursor);
  behind();
  return harness::Operations{}.add("", flow.size()).digest(RecordedFlow::trades_of(partition));
}

/// What a venue does with it: a command comes in, is stamped and applied, and its reports are read.
template <Ahead k_ahead>
class Submitted final : public harness::Competitor {
 public:
  void prepare() override { alone_ = std::make_unique<Alone>(); }
  harness::Operations run() override {
    return submit_all(
        alone_->partition,
        [this](std::size_t at) {
          if (k_ahead == Ahead::yes && at % k_turn == 0) alone_->partition.prefetch(recorded().headers(at, k_turn));
        },
        [] {});
  }

 private:
  std::unique_ptr<Alone> alone_;
};

// ------------------------------------------------------------------------------------------------------------ limits

/// As Submitted, of one account, at times that no limit of a rate refuses, with every limit or with none.
template <bool k_is_limited>
class Limited final : public harness::Competitor {
 public:
  void prepare() override {
    if (alone_ != nullptr && refusals_by_limits(alone_->partition) > k_recorded / 500)
      throw std::runtime_error("limits refuse what is measured");
    alone_ = std::make_unique<Alone>();
    if (k_is_limited) limit_everything(alone_->partition);
  }
  harness::Operations run() override {
    const RecordedFlow& flow = recorded();
    venue::Cursor cursor;
    market::NewOrder command;  // the longest
    for (std::size_t at = 0; at < flow.size(); ++at) {
      const Bytes record = flow.record(at);
      std::memcpy(static_cast<void*>(&command), record.data(), record.size());
      if (command.header.type == market::CommandType::new_order) command.labels.account = limited_account();
      if (!alone_->partition.submit(command.header, limited_time(at))) throw std::runtime_error("the journal is full");
      if (at % 64 == 0) drain(alone_->partition, cursor);
    }
    drain(alone_->partition, cursor);
    return harness::Operations{}.add("", flow.size());
  }

 private:
  std::unique_ptr<Alone> alone_;
};

// -------------------------------------------------------------------------------------------------------------- feed

/// As Submitted, with market data: a thread beside it takes what the tap has, as that of the feed does, and what it
/// makes of it is not this table's.
class Fed final : public harness::Competitor {
 public:
  void prepare() override {
    taker_ = {};
    tap_.reset();
    alone_ = std::make_unique<Alone>();
    tap_ = std::make_unique<venue::FeedTap>(alone_->partition, std::size_t{1} << 16);
    const bench::OnOtherProcessors others;
    taker_ = std::jthread([tap = tap_.get()](const std::stop_token& stop) {
      venue::FeedEvent event;
      while (!stop.stop_requested())
        if (!tap->pop(event))
          std::this_thread::yield();
        else
          harness::keep(event.time);
    });
  }
  harness::Operations run() override {
    return submit_all(alone_->partition, [](std::size_t) {}, [this] { static_cast<void>(tap_->release()); });
  }

 private:
  std::unique_ptr<Alone> alone_;
  std::unique_ptr<venue::FeedTap> tap_;
  std::jthread taker_;  // joined before what it takes from goes
};

// ----------------------------------------------------------------------------------------------------------- scaling

constexpr std::size_t k_commands = 4096;  // of each partition in a batch
constexpr std::size_t k_ring = 1024;

/// A partition with a flow of its own, and who reads its reports.
struct Busy {
  /// Its next commands.
  void work(std::size_t count) {
    for (std::size_t done = 0; done < count; ++done) flow.next([this](market::CommandHeader& header) { take(header); });
    drain(alone.partition, cursor);
  }
  void take(market::CommandHeader& header) {
    if (!alone.partition.submit(header, now += std::chrono::microseconds{1}))
      throw std::runtime_error("the journal is full");
  }

  Alone alone;
  Flow flow;
  venue::Cursor cursor;
  time::Time now = k_start;
};

using Partitions = std::vector<std::unique_ptr<Busy>>;

Partitions partitions_of(const harness::BenchCase& of) {
  Partitions partitions;
  for (std::int64_t count = of.integer("partitions"); count > 0; --count)
    partitions.push_back(std::make_unique<Busy>());
  return partitions;
}

/// All on one thread, in turn.
class OneThread final : public harness::Competitor {
 public:
  explicit OneThread(const harness::BenchCase& of) : partitions_(partitions_of(of)) {}
  harness::Operations run() override {
    for (const auto& partition : partitions_) partition->work(k_commands);
    return harness::Operations{}.add("", k_commands * partitions_.size());
  }

 private:
  Partitions partitions_;
};

/// Threads that a batch sets going and waits for. They may run on any processor.
class Workers {
 public:
  template <class Work>
  Workers(std::size_t count, Work work) {
    const bench::OnOtherProcessors any(-1);
    for (std::size_t at = 0; at < count; ++at)
      threads_.emplace_back([this, at, work](const std::stop_token& stop) {
        for (std::uint64_t seen = 0;;) {
          while (started_.load(std::memory_order_acquire) == seen) {
            if (stop.stop_requested()) return;
            std::this_thread::yield();
          }
          ++seen;
          work(at);
          done_.fetch_add(1, std::memory_order_release);
        }
      });
  }
  void start() noexcept { started_.fetch_add(1, std::memory_order_release); }
  void wait() noexcept {
    waited_ += threads_.size();
    while (done_.load(std::memory_order_acquire) != waited_) std::this_thread::yield();
  }

 private:
  std::atomic<std::uint64_t> started_{0};
  std::atomic<std::uint64_t> done_{0};
  std::uint64_t waited_ = 0;
  std::vector<std::jthread> threads_;  // joined before what they look at goes
};

/// Each on a thread of its own, this one among them, with nothing between.
class Threads final : public harness::Competitor {
 public:
  explicit Threads(const harness::BenchCase& of)
      : partitions_(partitions_of(of)),
        workers_(partitions_.size() - 1, [this](std::size_t at) { partitions_[at + 1]->work(k_commands); }) {}
  harness::Operations run() override {
    workers_.start();
    partitions_[0]->work(k_commands);
    workers_.wait();
    return harness::Operations{}.add("", k_commands * partitions_.size());
  }

 private:
  Partitions partitions_;
  Workers workers_;
};

/// A command as it lies in a ring.
struct Cell {
  market::NewOrder longest;
};

/// Each on a thread of its own; this one makes the commands, passes them through a ring to each and takes the reports
/// out of another, as a thread of sessions would.
class Rings final : public harness::Competitor {
 public:
  explicit Rings(const harness::BenchCase& of)
      : partitions_(partitions_of(of)),
        lanes_(make_lanes(partitions_.size())),
        workers_(partitions_.size(), [this](std::size_t at) { serve(*partitions_[at], *lanes_[at]); }) {}
  harness::Operations run() override {
    for (const auto& lane : lanes_) lane->left = k_commands, lane->is_over = false;
    workers_.start();
    for (bool is_busy = true; is_busy;) {
      is_busy = false;
      bool has_moved = false;
      for (std::size_t at = 0; at < lanes_.size(); ++at) {
        has_moved = feed(*partitions_[at], *lanes_[at]) || has_moved;
        is_busy = is_busy || !lanes_[at]->is_over;
      }
      if (!has_moved) std::this_thread::yield();
    }
    workers_.wait();
    return harness::Operations{}.add("", k_commands * partitions_.size());
  }

 private:
  struct Lane {
    SpscRing<Cell> commands{k_ring};
    SpscRing<market::OwnerReport> reports{4 * k_ring};
    std::size_t left = 0;  // still to be made
    bool is_over = false;
    Cell next;
    bool has_next = false;
  };
  static std::vector<std::unique_ptr<Lane>> make_lanes(std::size_t count) {
    std::vector<std::unique_ptr<Lane>> lanes;
    while (lanes.size() < count) lanes.push_back(std::make_unique<Lane>());
    return lanes;
  }

  /// Some commands in, what reports there are out. False: nothing could be done.
  static bool feed(Busy& partition, Lane& lane) {
    bool has_moved = false;
    for (std::size_t turn = 0; turn < 64 && lane.left > 0; ++turn) {
      if (!lane.has_next)
        partition.flow.next([&lane](market::CommandHeader& header) {
          std::memcpy(static_cast<void*>(&lane.next), &header, market::size_of(header.type));
        });
      lane.has_next = !lane.commands.push(lane.next);
      if (lane.has_next) break;
      --lane.left;
      has_moved = true;
    }
    for (market::OwnerReport report; lane.reports.pop(report); has_moved = true) {
      // A report without a kind says that the batch is over.
      if (report.kind == market::OwnerReportKind::none) lane.is_over = true;
      harness::keep(report);
    }
    return has_moved;
  }
  static void serve(Busy& partition, Lane& lane) {
    Cell cell;
    for (std::size_t done = 0; done < k_commands;) {
      if (!lane.commands.pop(cell)) {
        pass_reports(partition, lane);
        std::this_thread::yield();
        continue;
      }
      partition.take(cell.longest.header);
      if (++done % 64 == 0) pass_reports(partition, lane);
    }
    pass_reports(partition, lane);
    push(lane, {});
  }
  static void pass_reports(Busy& partition, Lane& lane) {
    const venue::Partition& of = partition.alone.partition;
    for (auto batch = of.reports().read(partition.cursor, of.durable()); !batch.reports.empty();
         batch = of.reports().read(partition.cursor, of.durable()))
      for (const market::OwnerReport& report : batch.reports) push(lane, report);
  }
  static void push(Lane& lane, const market::OwnerReport& report) {
    while (!lane.reports.push(report)) std::this_thread::yield();
  }

  Partitions partitions_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Workers workers_;
};

/// As the venue does it (venue::PartitionThreads): this thread makes the commands of an instant, posts them, settles
/// and reads the reports.
class Posted final : public harness::Competitor, private venue::PartitionThreads::Taker {
 public:
  explicit Posted(const harness::BenchCase& of)
      : partitions_(partitions_of(of)),
        threads_(pointers(partitions_),
                 {.threads = partitions_.size(), .ring = k_ring, .idle = venue::ThreadIdle::yield}) {
    threads_.set_taker(*this);
    const bench::OnOtherProcessors any(-1);
    threads_.start();
  }
  harness::Operations run() override {
    for (std::size_t done = 0; done < k_commands; done += k_instant) {
      threads_.deliver({});
      for (std::size_t turn = 0; turn < k_instant; ++turn)
        for (std::size_t at = 0; at < partitions_.size(); ++at)
          partitions_[at]->flow.next([&](market::CommandHeader& header) { post(at, header); });
      threads_.finish({});
      for (const auto& partition : partitions_) drain(partition->alone.partition, partition->cursor);
    }
    return harness::Operations{}.add("", k_commands * partitions_.size());
  }

 private:
  static constexpr std::size_t k_instant = 64;  // commands of each partition

  static std::vector<venue::Partition*> pointers(const Partitions& partitions) {
    std::vector<venue::Partition*> all;
    for (const auto& each : partitions) all.push_back(&each->alone.partition);
    return all;
  }
  void post(std::size_t at, market::CommandHeader& header) {
    const time::Time now = partitions_[at]->now += std::chrono::microseconds{1};
    if (!threads_.post(at, header, now, ~std::uint64_t{0})) throw std::runtime_error("an instant is more than a ring");
  }
  void take(std::size_t, market::CommandHeader&, time::Time) override { throw std::runtime_error("a journal is full"); }

  Partitions partitions_;
  venue::PartitionThreads threads_;
};

template <class Made>
harness::BenchCompetitor plain(std::string name) {
  return {std::move(name), [](const harness::BenchCase&) { return std::make_unique<Made>(); }};
}
template <class Made>
harness::BenchCompetitor made_for(std::string name) {
  return {std::move(name), [](const harness::BenchCase& of) { return std::make_unique<Made>(of); }};
}

}  // namespace

harness::BenchTable partition_table() {
  harness::BenchTable table{.name = "partition", .title = "a command of a partition beside its bare book"};
  table.competitors = {plain<Replayed<Ahead::no>>("replay"),
                       plain<Replayed<Ahead::yes>>("replay, fetched ahead"),
                       plain<Submitted<Ahead::no>>("submit, reports read"),
                       plain<Submitted<Ahead::yes>>("submit, fetched ahead"),
                       plain<Bare<Ahead::no>>("bare book"),
                       plain<Bare<Ahead::yes>>("bare book, fetched ahead")};
  table.baseline = table.floor = "bare book";
  table.floor_ratio = "vs_book";
  table.targets = {{"replay", "bare book", 3}};
  table.operation = "command";
  table.notes = {
      "100,000 commands: five new orders, half of which cross, five cancels and a replace in eleven, of 8 users in 4 "
      "instruments; at most 2,000 orders rest",
      "the bare book is given the ids of the orders that requests mean; the partition finds them by client order id",
      "fetched ahead: 16 commands are at hand together, and what they need is fetched before the first is applied",
      "instructions of each: bench/venue/partition_costs.py"};
  return table;
}

harness::BenchTable limits_table() {
  harness::BenchTable table{.name = "limits", .title = "a command of a partition with every limit that there is"};
  table.competitors = {plain<Limited<true>>("all limits"), plain<Limited<false>>("none"),
                       plain<Bare<Ahead::no>>("bare book")};
  table.baseline = "none";
  table.floor = "bare book";
  // The last of them is what the second and 1.15 come to together.
  table.targets = {{"all limits", "none", 1.15}, {"none", "bare book", 4.0}, {"all limits", "bare book", 4.6}};
  table.operation = "command";
  table.notes = {
      "the flow of the table partition, reports read, of one account; limits of each user and of the account in all "
      "instruments and in each, none of which refuses anything but an order in thousands that is like another",
      "instructions of each: bench/venue/partition_costs.py, ways submit and limited"};
  return table;
}

harness::BenchTable feed_table() {
  harness::BenchTable table{.name = "feed",
                            .title = "a command of a partition with market data, its own thread's part"};
  table.competitors = {plain<Fed>("market data"), plain<Submitted<Ahead::no>>("none")};
  table.baseline = "none";
  table.targets = {{"market data", "none", 1.1}};
  table.operation = "command";
  table.notes = {
      "the flow of the table partition, reports read; market data: what the books report is put into a ring of 65,536, "
      "from which another thread takes it; units, lines A and B, file and channels are that thread's, however many "
      "there "
      "are",
      "instructions of each: bench/venue/partition_costs.py, ways submit and fed"};
  return table;
}

harness::BenchTable scaling_table() {
  harness::BenchTable table{.name = "scaling", .title = "partitions on threads of their own, reports read"};
  table.parameters = {{"partitions", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}}};
  table.competitors = {made_for<OneThread>("one thread"), made_for<Threads>("threads"), made_for<Rings>("rings"),
                       made_for<Posted>("posted")};
  table.baseline = "one thread";
  table.operation = "command";
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("partitions") < 4; };
  table.notes = {
      "one thread: all partitions in turn; threads: one for each, the measuring one among them, nothing between",
      "rings: one for each, and the measuring one passes commands in and takes reports out, through a ring of 1,024 "
      "commands and one of 4,096 reports",
      "posted: one for each, and the measuring one makes an instant's 64 commands of each, posts them, waits at its "
      "end "
      "and reads the reports, as the venue's sessions do (venue::PartitionThreads)",
      "threads beyond the processors there are share them, and yield while they have nothing to do"};
  return table;
}

}  // namespace dojima::bench_venue
