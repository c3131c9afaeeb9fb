// dojima-bench-session: what an order costs that a session answers, over loopback: the time from sending a
// NewOrderSingle until its echo is there, beside sockets that only echo, and QuickFIX, in the same rounds.

#include "bench/temporary_folder.hpp"
#include "echo_client.hpp"
#include "echo_peers.hpp"
#include "quickfix_echo.hpp"
#include "tls_stream.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/harness/bench_harness.hpp"

namespace {

using namespace dojima;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t k_batch = 500;

/// Who answers, with what it needs.
struct Peer {
  bench::TemporaryFolder folder;
  std::unique_ptr<bench::Served> served;
  std::unique_ptr<bench::QuickFixEcho> quickfix;
};

/// Round trips with one peer, which is made first and ends last. Of busy peers only the one that is measured is busy.
class Trips final : public harness::Competitor {
 public:
  Trips(std::unique_ptr<Peer> peer, const bench::ClientOptions& client) : peer_(std::move(peer)), client_(client) {}
  void prepare() override {
    if (peer_->served != nullptr) peer_->served->control().is_measured = true;
    client_.order();
  }
  harness::Operations run() override {
    std::array<double, k_batch> took{};
    for (double& each : took) {
      const auto begin = SteadyClock::now();
      client_.order();
      each = std::chrono::duration<double, std::micro>(SteadyClock::now() - begin).count();
    }
    if (peer_->served != nullptr) peer_->served->control().is_measured = false;
    std::sort(took.begin(), took.end());
    return harness::Operations{}
        .add("", k_batch)
        .figure("p50_us", took[k_batch / 2])
        .figure("p99_us", took[k_batch * 99 / 100]);
  }

 private:
  std::unique_ptr<Peer> peer_;
  bench::Client client_;
};

enum class Secured : std::uint8_t { no, tls };

std::string pem_of(const Peer& peer, Secured secured) {
  if (secured == Secured::no) return {};
  std::string path = peer.folder.path() + "/server.pem";
  bench::make_certificate(path);
  return path;
}

std::unique_ptr<harness::Competitor> raw(bool is_busy, Secured secured = Secured::no) {
  auto peer = std::make_unique<Peer>();
  const bench::RawOptions options{.is_busy = is_busy, .pem = pem_of(*peer, secured)};
  peer->served =
      std::make_unique<bench::Served>([options](bench::Control& control) { bench::serve_raw(control, options); });
  const std::uint16_t port = peer->served->control().port;
  return std::make_unique<Trips>(
      std::move(peer), bench::ClientOptions{.port = port, .is_session = false, .is_tls = secured == Secured::tls});
}

std::unique_ptr<harness::Competitor> session(net::IdlePolicy idle, bench::KeepsIn store,
                                             Secured secured = Secured::no) {
  auto peer = std::make_unique<Peer>();
  const bench::SessionOptions options{
      .idle = idle, .store = store, .folder = peer->folder.path() + "/store", .pem = pem_of(*peer, secured)};
  peer->served =
      std::make_unique<bench::Served>([options](bench::Control& control) { bench::serve_sessions(control, options); });
  const std::uint16_t port = peer->served->control().port;
  return std::make_unique<Trips>(std::move(peer),
                                 bench::ClientOptions{.port = port, .is_tls = secured == Secured::tls});
}

std::unique_ptr<harness::Competitor> quickfix() {
  auto peer = std::make_unique<Peer>();
  const std::uint16_t port = bench::free_port();
  peer->quickfix =
      std::make_unique<bench::QuickFixEcho>(port, peer->folder.path(), fix::to_xml(fix::fix_4_4().models()[0]));
  return std::make_unique<Trips>(std::move(peer), bench::ClientOptions{.port = port});
}

harness::BenchTable echo_table(bool is_busy) {
  const net::IdlePolicy idle = is_busy ? net::IdlePolicy::spin : net::IdlePolicy::block;
  harness::BenchTable table{.name = is_busy ? "busy" : "blocking",
                            .title = is_busy ? "an order and its echo over loopback, the server looking all the time"
                                             : "an order and its echo over loopback, the server asleep between orders"};
  table.competitors = {
      {"raw", [=](const harness::BenchCase&) { return raw(is_busy); }},
      {"session, journal", [=](const harness::BenchCase&) { return session(idle, bench::KeepsIn::journal); }},
      {"session, memory", [=](const harness::BenchCase&) { return session(idle, bench::KeepsIn::memory); }},
      {"QuickFIX", [](const harness::BenchCase&) { return quickfix(); }}};
  table.baseline = "raw";
  table.operation = "echo";
  const auto target = [](const char* against, double limit, const char* figure) {
    return harness::BenchTarget{.competitor = "session, journal", .against = against, .limit = limit, .figure = figure};
  };
  table.targets = {target("raw", is_busy ? 1.2 : 1.15, "p50_us")};
  if (is_busy) {
    table.targets.push_back(target("raw", 1.5, "p99_us"));
    table.targets.push_back(target("QuickFIX", 0.4, "p50_us"));
  } else {
    table.targets.push_back(target("QuickFIX", 0.4, ""));
  }
  table.notes = {"the client never sleeps, on a processor of its own; its write of the order is part of all rows",
                 "session: dictionary and all checks on; journal: its messages in a journal of durability process; "
                 "QuickFIX: ThreadedSocketAcceptor with FileStore and the same dictionary; it sleeps between orders "
                 "in both tables, since it has no server that looks all the time"};
  return table;
}

harness::BenchTable tls_table() {
  harness::BenchTable table{.name = "tls",
                            .title = "an order and its echo over TLS 1.3, the server looking all the time"};
  table.competitors = {{"raw", [](const harness::BenchCase&) { return raw(true, Secured::tls); }},
                       {"session, journal", [](const harness::BenchCase&) {
                          return session(net::IdlePolicy::spin, bench::KeepsIn::journal, Secured::tls);
                        }}};
  table.baseline = "raw";
  table.operation = "echo";
  table.targets = {{.competitor = "session, journal", .against = "raw", .limit = 1.3, .figure = "p50_us"}};
  table.notes = {"raw: OpenSSL over a socket that does not block, SSL_read and SSL_write in turn; same certificate"};
  return table;
}

// ------------------------------------------------------------------------------------------------------- many sessions

constexpr std::size_t k_most_on_their_way = 16;
constexpr std::size_t k_orders = 4096;  // a batch: the same number for each session

enum class Answers : std::uint8_t { session, raw };

/// Orders of all sessions of one server in turn, or of as many sockets that only echo.
class Rounds final : public harness::Competitor {
 public:
  Rounds(Answers answers, std::size_t sessions, std::size_t window) : window_(window), latest_(sessions) {
    for (Latest& each : latest_) each.kept.reserve(k_kept);
    const bench::SessionOptions options{.folder = folder_.path() + "/store", .sessions = sessions};
    served_ = std::make_unique<bench::Served>([options, answers](bench::Control& control) {
      if (answers == Answers::raw) return bench::serve_raw_sockets(control, options.sessions);
      bench::serve_sessions(control, options);
    });
    for (std::size_t number = 0; number < sessions; ++number)
      clients_.push_back(
          std::make_unique<bench::Client>(bench::ClientOptions{.port = served_->control().port,
                                                               .is_session = answers == Answers::session,
                                                               .name = bench::client_name(number, sessions)}));
  }
  void prepare() override {
    served_->control().is_measured = true;
    first_ = (first_ + 1) % clients_.size();  // another one is first of its window
  }
  harness::Operations run() override {
    for (std::size_t order = 0; order < k_orders; order += window_) {
      std::array<SteadyClock::time_point, k_most_on_their_way> begin;
      for (std::size_t at = 0; at < window_; ++at) {
        begin[at] = SteadyClock::now();
        clients_[session_of(order + at)]->send_order();
      }
      for (std::size_t at = 0; at < window_; ++at) {
        const std::size_t session = session_of(order + at);
        clients_[session]->await();
        latest_[session].add(std::chrono::duration<double, std::micro>(SteadyClock::now() - begin[at]).count());
      }
    }
    served_->control().is_measured = false;
    return harness::Operations{}.add("", k_orders).figure("slowest_of_fastest", slowest_of_fastest());
  }

 private:
  static constexpr std::size_t k_kept = 31;
  /// The latest answer times of a session.
  struct Latest {
    void add(double took) {
      if (kept.size() < k_kept)
        kept.push_back(took);
      else
        kept[next++ % k_kept] = took;
    }
    std::vector<double> kept;
    std::size_t next = 0;
  };

  [[nodiscard]] std::size_t session_of(std::size_t order) const { return (first_ + order) % clients_.size(); }
  /// Of the medians of all sessions; NaN before each has enough answers.
  [[nodiscard]] double slowest_of_fastest() const {
    double slowest = 0, fastest = INFINITY;
    for (const Latest& each : latest_) {
      if (each.kept.size() < k_kept) return NAN;
      std::array<double, k_kept> sorted;
      std::copy(each.kept.begin(), each.kept.end(), sorted.begin());
      std::nth_element(sorted.begin(), sorted.begin() + k_kept / 2, sorted.end());
      const double median = sorted[k_kept / 2];
      slowest = std::max(slowest, median);
      fastest = std::min(fastest, median);
    }
    return slowest / fastest;
  }

  std::size_t window_;
  bench::TemporaryFolder folder_;
  std::unique_ptr<bench::Served> served_;
  std::vector<std::unique_ptr<bench::Client>> clients_;
  std::vector<Latest> latest_;
  std::size_t first_ = 0;
};

/// Whether so many sockets, each with both its ends, can be open. Raises what this process may raise.
bool has_room_for(std::size_t sockets) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= 2 * sockets + 100;
}

harness::BenchTable sessions_table() {
  harness::BenchTable table{.name = "sessions", .title = "orders of many sessions in turn"};
  table.parameters = {{"on_their_way", {1, std::int64_t{k_most_on_their_way}}}};
  table.is_quick = [](const harness::BenchCase& of) { return of.integer("on_their_way") > 1; };
  for (const std::size_t sessions : {1uz, 16uz, 256uz, 4096uz}) {
    for (const Answers answers : {Answers::session, Answers::raw}) {
      const std::string name = (answers == Answers::raw ? "raw " : "") + std::to_string(sessions);
      table.competitors.push_back({name, [=](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
                                     if (!has_room_for(2 * sessions + 600))
                                       return nullptr;  // the other rows are open too
                                     const auto window = static_cast<std::size_t>(of.integer("on_their_way"));
                                     return std::make_unique<Rounds>(answers, sessions, window);
                                   }});
    }
  }
  table.competitor = "sessions";
  table.baseline = "1";
  table.operation = "echo";
  for (const char* many : {"1", "16", "256", "4096"})
    table.targets.push_back(
        {.competitor = many, .against = "raw " + std::string(many), .limit = 1.2, .where = {{"on_their_way", 1}}});
  for (const char* many : {"16", "256", "4096"}) {
    table.targets.push_back({.competitor = many, .against = "1", .limit = 1 / 0.9, .where = {{"on_their_way", 1}}});
    table.targets.push_back({.competitor = many, .against = "", .limit = 1.5, .figure = "slowest_of_fastest"});
  }
  table.notes = {
      "one thread serves all; journal, dictionary and all checks on; on_their_way: orders at once, of one "
      "session all of its own: they share reads and writes then",
      "raw: as many sockets whose bytes one thread sends back: what many sockets cost the kernel and the client",
      "slowest_of_fastest: the median answer time of the slowest session by that of the fastest, over the "
      "latest 31 answers of each"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  return harness::run_benchmarks({.name = "session",
                                  .tables = {echo_table(true), echo_table(false), tls_table(), sessions_table()},
                                  .build = evidence::build_identity()},
                                 count, words);
}
