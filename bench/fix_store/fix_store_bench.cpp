// dojima-bench-fix_store: what it costs to keep a FIX message, and how fast a session sends a hundred thousand again,
// from memory and from disk. Files lie in the directory that TMPDIR names.

#include "bench/temporary_folder.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/fix/session.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/journal/real_disk.hpp"

namespace {

using namespace dojima;
using namespace dojima::fix;

constexpr std::size_t k_message = 280;  // bytes of one kept
constexpr std::size_t k_room = 4096;    // what a session asks for before it knows
constexpr std::size_t k_kept = 1024;    // messages a batch
constexpr std::uint64_t k_resent = 100'000;

/// A folder as a disk, which goes with its competitor.
class Directory {
 public:
  Directory() : disk_(std::move(*journal::RealDisk::open(folder_.path()))) {}
  [[nodiscard]] journal::Disk& disk() noexcept { return *disk_; }

 private:
  bench::TemporaryFolder folder_;
  std::unique_ptr<journal::RealDisk> disk_;  // gone before the folder
};

/// The resident memory of this process in MiB, what is mapped included. No allocation: they are counted where it is
/// asked for.
double resident_mib() {
  static const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[128] = {};
  unsigned long all = 0, resident = 0;
  if (::pread(file, text, sizeof text - 1, 0) <= 0 || std::sscanf(text, "%lu %lu", &all, &resident) != 2)
    throw std::runtime_error("cannot read /proc/self/statm");
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

// -------------------------------------------------------------------------------------------------------------- stores

/// A store of a session, wherever it is.
class Kept {
 public:
  virtual ~Kept() = default;
  virtual MessageStore& store() = 0;
  /// What a thread of its own would do.
  virtual void work() {}
};

class InMemory final : public Kept {
 public:
  MessageStore& store() override { return store_; }

 private:
  MemoryStore store_{{.messages = 2 * k_resent, .bytes = std::size_t{1} << 26}};
};

class OnDisk final : public Kept {
 public:
  explicit OnDisk(journal::Durability durability) : durability_(durability) { open(); }
  MessageStore& store() override { return **stores_->store({"FIX.4.4", "VENUE", "CLIENT"}); }
  void work() override {
    while (stores_->journal().work()) {
    }
    stores_->deliver();
  }
  void open() {
    stores_.reset();
    auto opened = JournalStores::open(
        directory_.disk(), {.name = "bench", .durability = durability_, .messages_per_session = 2 * k_resent});
    if (!opened) throw std::runtime_error(opened.error().what);
    stores_ = std::move(*opened);
  }

 private:
  Directory directory_;
  journal::Durability durability_;
  std::unique_ptr<JournalStores> stores_;
};

std::unique_ptr<Kept> make_store(std::string_view where) {
  if (where == "memory") return std::make_unique<InMemory>();
  return std::make_unique<OnDisk>(where == "process" ? journal::Durability::process : journal::Durability::power);
}

// ---------------------------------------------------------------------------------------------------------------- keep

class Keeping final : public harness::Competitor {
 public:
  explicit Keeping(std::string_view where) : kept_(make_store(where)), store_(kept_->store()), text_(k_message) {}
  void prepare() override { kept_->work(); }
  harness::Operations run() override {
    for (std::size_t done = 0; done < k_kept; ++done) {
      const Room room = store_.prepare(k_room);
      std::memcpy(room.data(), text_.data(), text_.size());
      if (!store_.commit({.sequence = store_.next_outgoing(),
                          .bytes = room.first(k_message),
                          .header_size = 90,
                          .type = type::k_execution_report}))
        throw std::runtime_error("the store refuses a message");
    }
    return harness::Operations{}.add("", k_kept);
  }

 private:
  std::unique_ptr<Kept> kept_;
  MessageStore& store_;
  std::vector<std::byte> text_;
};

harness::BenchTable keep_table() {
  harness::BenchTable table{.name = "keep", .title = "a message of 280 bytes into the store of a session"};
  for (const char* where : {"memory", "process", "power"})
    table.competitors.push_back(
        {where, [where](const harness::BenchCase&) { return std::make_unique<Keeping>(where); }});
  table.baseline = "memory";
  table.operation = "message";
  table.notes = {"memory: MemoryStore; process and power: JournalStores of that durability",
                 "what the journal's thread does is between the batches, not timed"};
  return table;
}

// -------------------------------------------------------------------------------------------------------------- resend

/// Takes everything and keeps nothing.
class Swallowing final : public link::Transport {
 public:
  [[nodiscard]] Room prepare(std::size_t size) override { return Room(room_).first(size); }
  void commit(std::size_t size) override { bytes += size, ++messages; }
  [[nodiscard]] std::size_t unsent() const override { return 0; }
  void flush() override {}
  void close(link::CloseReason) override { throw std::runtime_error("the session ended"); }
  void set_reading(bool) override {}
  std::uint64_t bytes = 0, messages = 0;

 private:
  std::array<std::byte, 8192> room_{};
};

class Silent final : public Handler {
 public:
  void on_logon(Session&, Time) override {}
  void on_logout(Session&, std::string_view, Time) override {}
  void on_message(Session&, const MessageView&, Time) override {}
  void on_trouble(Session&, const Error&) override { throw std::runtime_error("the session has trouble"); }
};

/// A session that has sent many reports, and a peer that asks for all of them again.
class Resending final : public harness::Competitor {
 public:
  explicit Resending(std::string_view where) : kept_(make_store(where)), scheduler_(16, k_now) {
    {
      Session before(scheduler_, config(), handler_, kept_->store());
      for (std::uint64_t done = 0; done < k_resent; ++done) {
        if (done % k_kept == 0) kept_->work();
        write_report(before, done);
      }
    }
    kept_->work();
    // From the files, not from what is still in memory.
    if (auto* const on_disk = dynamic_cast<OnDisk*>(kept_.get())) on_disk->open();
    session_ = std::make_unique<Session>(scheduler_, config(), handler_, kept_->store());
    session_->on_open(transport_, k_now);
    receive(type::k_logon, [](Writer& logon) { logon.field(tag::k_encrypt_method, 0).field(tag::k_heart_bt_int, 0); });
    kept_->work();  // with durability power the Logon leaves now, and nothing is sent again before it
    if (transport_.messages != 1) throw std::runtime_error("the Logon has not left");
  }
  ~Resending() override { session_->on_closed(link::CloseReason::by_peer, k_now); }
  Resending(const Resending&) = delete;
  Resending& operator=(const Resending&) = delete;

  harness::Operations run() override {
    const std::uint64_t before = transport_.messages;
    const double idle = resident_mib();
    // All but the last, and all but the first: a session ends a peer that asks for the same again and again.
    first_ = first_ == 1 ? 2 : 1;
    receive(type::k_resend_request, [this](Writer& request) {
      request.field(tag::k_begin_seq_no, market::Sequence{first_})
          .field(tag::k_end_seq_no, market::Sequence{first_ + k_resent - 2});
    });
    if (transport_.messages - before != k_resent - 1) throw std::runtime_error("not everything was sent again");
    above_idle_ = std::max(above_idle_, resident_mib() - idle);
    return harness::Operations{}.add("", k_resent - 1).figure("mib_above_idle", above_idle_);
  }

 private:
  static constexpr Time k_now = std::chrono::sys_days{std::chrono::year{2026} / 7 / 20} + std::chrono::hours{12};

  static SessionConfig config() { return {.sender_comp_id = "VENUE", .target_comp_id = "CLIENT"}; }

  static void write_report(Session& session, std::uint64_t number) {
    Writer report = session.begin(type::k_execution_report);
    report.field(tag::k_order_id, number).field(tag::k_cl_ord_id, "ORDER-OF-A-CLIENT-1").field(tag::k_symbol, "RICE");
    report.field(tag::k_side, '1').field(tag::k_price, market::Price{1'250'000'000}).field(tag::k_transact_time, k_now);
    report.field(tag::k_text, "a report as long as those of a venue that says everything that there is to say");
    if (!session.send(report)) throw std::runtime_error("a report was not kept");
  }

  template <class Write>
  void receive(MsgType type, Write write) {
    Writer writer(Room(input_), {.begin_string = "FIX.4.4",
                                 .type = type,
                                 .sender = "CLIENT",
                                 .target = "VENUE",
                                 .sequence = {next_++},
                                 .sending_time = k_now});
    write(writer);
    const Bytes message = writer.finish().value();
    if (session_->on_bytes(message, k_now) != message.size()) throw std::runtime_error("not a whole message");
  }

  std::unique_ptr<Kept> kept_;
  sched::Scheduler scheduler_;
  Silent handler_;
  Swallowing transport_;
  std::unique_ptr<Session> session_;
  std::array<std::byte, 512> input_{};
  std::uint64_t next_ = 1, first_ = 1;
  double above_idle_ = 0;
};

harness::BenchTable resend_table() {
  harness::BenchTable table{.name = "resend",
                            .title = "100,000 messages sent again, duplicates as a session makes them"};
  for (const char* where : {"memory", "process", "power"})
    table.competitors.push_back(
        {where, [where](const harness::BenchCase&) { return std::make_unique<Resending>(where); }});
  table.baseline = "memory";
  constexpr double k_million_a_second = 1000, k_mib_most = 64;
  for (const char* where : {"process", "power"}) {
    table.targets.push_back({.competitor = where, .against = "memory", .limit = 3});
    table.targets.push_back({.competitor = where, .against = "", .limit = k_million_a_second});
    table.targets.push_back({.competitor = where, .against = "", .limit = k_mib_most, .figure = "mib_above_idle"});
  }
  table.operation = "message";
  table.notes = {
      "process and power: opened anew before, so read from segments that are files; they are in the page cache",
      "1,000 ns a message are a million a second",
      "mib_above_idle: by how much a resend raised the resident memory at most, mapped files included"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  return harness::run_benchmarks(
      {.name = "fix_store", .tables = {keep_table(), resend_table()}, .build = evidence::build_identity()}, count,
      words);
}
