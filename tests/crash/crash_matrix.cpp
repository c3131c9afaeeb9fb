// Kills a venue at random instants while MIT203 members and FIX clients trade on it, starts it again on its journal,
// and goes on; at the end of each directory everything that clients and feed saw is looked for in the journal. One line
// for each durability and phase in which it was killed. Some kills are aimed at the uncross of an auction: at the
// instant that ends its call, or when a member gets its first trade. A kill counts there if the journal has the
// command that uncrossed, and members did not get all reports that it caused. Exit status 1: something was lost,
// invented or renumbered, or too few kills landed in an uncross.

#include "clients.hpp"
#include "comparison.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <map>
#include <stdexcept>
#include <thread>
#include <unistd.h>

#include "dojima/app/child_process.hpp"
#include "dojima/base/splitmix.hpp"
#include "dojima/harness/program_options.hpp"
#include "dojima/net/free_port_test_support.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::crash {
namespace {

using namespace std::chrono_literals;
using net::testing::free_port;

struct Options {
  std::string venue = "dojima";
  std::string folder;
  std::uint64_t kills = 200;
  std::uint64_t seed = 1;
  std::uint64_t lives = 3;      ///< of a directory
  std::uint64_t uncrosses = 0;  ///< kills that must land in one; 0: a tenth
  bool keeps = false;
  std::string durability = "both";
};

/// A row of the table.
struct Row {
  std::uint64_t kills = 0;
  std::uint64_t answers = 0;
};

struct Totals {
  std::map<std::pair<std::string, std::string>, Row> rows;
  std::uint64_t kills = 0;
  std::uint64_t while_recovering = 0;
  std::uint64_t while_snapshot = 0;
  std::uint64_t aimed = 0;        ///< at the uncross of an auction
  std::uint64_t before_sent = 0;  ///< in an uncross of which no member had got a report yet
  std::uint64_t while_sent = 0;   ///< in one of which members had got some
  std::uint64_t requests = 0, answers = 0, records = 0, reports = 0, feed_facts = 0;
  std::uint64_t lost = 0, invented = 0, renumbered = 0, other = 0;
  double seconds = 0;  ///< of trading
};

enum class Day : std::uint8_t {
  none,   ///< continuous trading only
  quick,  ///< kills at any instant
  aimed,  ///< kills at the ends of calls
};

// Of the phases of a quick day, from its beginning on.
constexpr std::array k_calls_begin{100ms, 3000ms};
constexpr std::array k_calls_end{2000ms, 5500ms};

/// A day whose phases last a second or two, from now on; later it goes on in continuous trading.
venue::Segment quick_day(time::Duration now, Day day) {
  return {.name = "RICE",
          .timetable = {.start_of_day = now,
                        .opening_call = now + k_calls_begin[0],
                        .opening = now + k_calls_end[0],
                        .intraday_call = now + k_calls_begin[1],
                        .intraday = now + k_calls_end[1],
                        .closing_call = now + 2h,
                        .closing = now + 2h,
                        .cross_end = now + 2h,
                        .end_of_day = now + 2h,
                        .random_end = day == Day::aimed ? time::Duration{} : 50ms},
          .bands = {}};
}

app::VenueConfig venue_config(const Options& options, SplitMix64& random, journal::Durability durability, Day day,
                              time::Time begin) {
  app::VenueConfig config = app::default_venue();
  config.listen.port = free_port();
  config.idle = net::IdlePolicy::yield;
  config.heartbeat_ms = 1000;
  config.instruments.resize(2);
  for (auto& instrument : config.instruments) instrument.partition = 1;
  config.segments.clear();
  for (auto& instrument : config.instruments) instrument.segment.clear();
  config.journal.directory = options.folder + "/journal";
  config.journal.durability = durability;
  config.journal.segment_megabytes = 1 + static_cast<std::uint32_t>(random.below(4));
  config.journal.snapshot_every = 2'000 + random.below(10'000);
  config.journal.snapshots = 1000;  // records are kept, to be compared from the first on
  config.journal.checkpoint_every = 1'000;
  add_users(config);
  if (day == Day::none) return config;
  const time::Duration now = begin - std::chrono::floor<std::chrono::days>(begin);
  if (now > 21h) {
    // The day must be over before midnight: its offset moves that away.
    config.utc_offset_minutes = -12 * 60;
    config.segments.push_back(quick_day(now - 12h, day));
  } else {
    config.segments.push_back(quick_day(now, day));
  }
  for (auto& instrument : config.instruments) instrument.segment = "RICE";
  return config;
}

/// Strikes a venue at an instant, whatever else this process does meanwhile.
class Striker {
 public:
  Striker(const app::ChildProcess& venue, time::Time at)
      : thread_([&venue, at] {
          time::SystemClock clock;
          // The last part awake: a sleep ends when the system likes.
          if (const time::Duration early = at - clock.now() - 1ms; early > 0ms) std::this_thread::sleep_for(early);
          while (clock.now() < at) {
          }
          venue.strike();
        }) {}

 private:
  std::jthread thread_;
};

/// Several lives of a venue on one directory.
class Directory {
 public:
  Directory(const Options& options, SplitMix64& random, journal::Durability durability, Day day, Totals& totals)
      : options_(options),
        random_(random),
        durability_(durability),
        day_(day),
        totals_(totals),
        begin_(time::SystemClock{}.now()),
        config_(venue_config(options, random, durability, day, begin_)),
        clients_(config_, config_.listen.port, random.below(~std::uint64_t{0})) {
    std::filesystem::remove_all(options.folder);
    std::filesystem::create_directories(options.folder);
    std::ofstream(options.folder + "/venue.toml") << app::text_of(config_);
  }

  void run() {
    for (std::uint64_t life = 0; life < options_.lives && totals_.kills < options_.kills; ++life) {
      while (day_ != Day::aimed && random_.below(5) == 0 && life != 0) kill_at_start();
      live(life);
    }
    judge();
    if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r{} of {} kills", totals_.kills, options_.kills);
  }

 private:
  [[nodiscard]] std::string partition() const { return config_.journal.directory + "/partition-1"; }
  [[nodiscard]] std::vector<std::string> words(const std::string& feed) const {
    return {"venue", "--config", options_.folder + "/venue.toml", "--feed", feed};
  }

  /// While it recovers, at the latest soon after.
  void kill_at_start() {
    app::ChildProcess venue(options_.venue, words("/dev/null"));
    std::this_thread::sleep_for(std::chrono::microseconds{random_.below(60'000)});
    venue.kill();
    ++totals_.kills;
    ++totals_.while_recovering;
    ++totals_.rows[{std::string(journal::name_of(durability_)), "recovering"}].kills;
  }

  void live(std::uint64_t life) {
    const std::string feed = fmt::format("{}/feed-{}.mitch", options_.folder, life);
    const std::string digest = life == 0 ? std::string() : look(partition()).digest;
    app::ChildProcess venue(options_.venue, words(feed));
    if (!venue.wait_for("MIT203 real-time", 60s))
      throw std::runtime_error("the venue does not start again:\n" + venue.output());
    if (life != 0 && venue.output().find(digest) == std::string::npos) {
      ++totals_.other;
      fmt::print("a start came to another state than {}:\n{}\n", digest, venue.output());
    }
    for (int count = 0; count < 3000 && !clients_.is_connected(); ++count) clients_.run(10ms, false);
    if (!clients_.is_connected()) throw std::runtime_error("clients cannot log on:\n" + venue.output());
    const std::uint64_t answers = clients_.witness().answers;
    const auto begin = std::chrono::steady_clock::now();
    const bool is_aimed = trade_until_the_end(venue);
    totals_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    venue.kill();
    ++totals_.kills;
    // What it had sent is still in the sockets.
    for (int count = 0; count < 200 && !clients_.is_alone(); ++count) clients_.run(5ms, false);
    feeds_.push_back(feed);
    count_kill(is_aimed, clients_.witness().answers - answers);
  }

  /// True: the end was aimed at an uncross, and all members were there when it came.
  bool trade_until_the_end(const app::ChildProcess& venue) {
    const auto now = time::SystemClock{}.now();
    // Orders have to come together first.
    const auto call_end = std::ranges::find_if(k_calls_end, [&](auto end) { return begin_ + end > now + 500ms; });
    if (day_ != Day::aimed || call_end == k_calls_end.end()) {
      clients_.run(std::chrono::milliseconds{50 + random_.below(1500)}, true);
      return false;
    }
    ++totals_.aimed;
    const time::Time due = begin_ + *call_end;
    bool is_complete = false;
    if (totals_.aimed % 2 == 0) {
      const Striker striker(venue, due + std::chrono::microseconds{random_.below(4'000)});
      clients_.run(due - now - 20ms, true);
      is_complete = clients_.is_connected();
      clients_.run(100ms, true);
    } else {
      clients_.run_until_auction(due - now + 2s, [&] {
        venue.strike();
        is_complete = clients_.is_connected();
      });
    }
    return is_complete;
  }

  void count_kill(bool is_aimed, std::uint64_t answers) {
    std::string phase = look(partition()).phase;
    if (is_aimed)
      if (const Uncross found = last_uncross(partition(), clients_.witness()); found.is_cut()) {
        phase = "uncross";
        ++(found.seen == 0 ? totals_.before_sent : totals_.while_sent);
      }
    Row& row = totals_.rows[{std::string(journal::name_of(durability_)), phase}];
    ++row.kills;
    row.answers += answers;
    for (const auto& entry : std::filesystem::directory_iterator(partition()))
      if (entry.path().string().find(".snapshot.") != std::string::npos) {
        ++totals_.while_snapshot;
        break;
      }
  }

  void judge() {
    const Comparison found = compare(partition(), clients_.witness(), feeds_);
    totals_.requests += clients_.witness().requests;
    totals_.answers += clients_.witness().answers;
    totals_.records += found.records;
    totals_.reports += found.reports;
    totals_.feed_facts += found.feed_facts;
    totals_.lost += found.lost;
    totals_.invented += found.invented;
    totals_.renumbered += found.renumbered;
    if (!found.complaints.empty() && found.lost + found.invented + found.renumbered == 0) ++totals_.other;
    for (const std::string& complaint : found.complaints) fmt::print("{}\n", complaint);
    if (found.complaints.empty() || !options_.keeps) return;
    fmt::print("kept in {}\n", options_.folder);
    throw std::runtime_error("stopped at the first contradiction");
  }

  const Options& options_;
  SplitMix64& random_;
  journal::Durability durability_;
  Day day_;
  Totals& totals_;
  time::Time begin_;  // of the trading day
  app::VenueConfig config_;
  CrashClients clients_;
  std::vector<std::string> feeds_;
};

void print(const Totals& totals) {
  fmt::print("\n{:10} {:14} {:>6} {:>10}\n", "durability", "phase", "kills", "answers");
  for (const auto& [key, row] : totals.rows)
    fmt::print("{:10} {:14} {:>6} {:>10}\n", key.first, key.second, row.kills, row.answers);
  fmt::print("\n{} kills, {} of them while recovering, {} while a snapshot was being written\n", totals.kills,
             totals.while_recovering, totals.while_snapshot);
  fmt::print(
      "{} aimed at an uncross: {} landed in one before a member had got a report of it, {} when members had got some\n",
      totals.aimed, totals.before_sent, totals.while_sent);
  fmt::print(
      "{} requests in {:.1f} s of trading, {:.0f} a second; {} answers; {} records, {} reports, {} orders in feeds\n",
      totals.requests, totals.seconds, static_cast<double>(totals.requests) / totals.seconds, totals.answers,
      totals.records, totals.reports, totals.feed_facts);
  fmt::print("lost {}, invented {}, renumbered {}, other contradictions {}\n", totals.lost, totals.invented,
             totals.renumbered, totals.other);
}

journal::Durability durability_of(const Options& options, std::uint64_t directory) {
  if (options.durability == "none") return journal::Durability::none;
  if (options.durability == "process") return journal::Durability::process;
  if (options.durability == "power") return journal::Durability::power;
  return directory % 2 == 0 ? journal::Durability::process : journal::Durability::power;
}

int run(Options options) {
  if (options.folder.empty()) {
    std::string pattern = std::filesystem::temp_directory_path() / "dojima-crash-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    options.folder = pattern;
  }
  SplitMix64 random(options.seed);
  Totals totals;
  constexpr std::array k_days{Day::aimed, Day::none, Day::quick};
  const std::uint64_t wanted = options.uncrosses != 0 ? options.uncrosses : options.kills / 10;
  const auto landed = [&totals] { return totals.before_sent + totals.while_sent; };
  for (std::uint64_t directory = 0; totals.kills < options.kills; ++directory)
    Directory(options, random, durability_of(options, directory), k_days[directory / 2 % k_days.size()], totals).run();
  // Of those that are aimed at least a third land, and on a machine that is busy with other things some more miss.
  const std::uint64_t most = totals.aimed + 20 * wanted;
  for (std::uint64_t directory = 0; landed() < wanted && totals.aimed < most; ++directory) {
    options.kills = totals.kills + 2;
    Directory(options, random, durability_of(options, directory), Day::aimed, totals).run();
  }
  if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\033[K");
  print(totals);
  const bool is_good = totals.lost + totals.invented + totals.renumbered + totals.other == 0;
  if (landed() < wanted)
    fmt::print("{} of {} kills that were aimed at an uncross landed in one; {} should have\n", landed(), totals.aimed,
               wanted);
  if (is_good || !options.keeps) std::filesystem::remove_all(options.folder);
  return is_good && landed() >= wanted ? 0 : 1;
}

}  // namespace
}  // namespace dojima::crash

int main(int count, char** words) {
  dojima::harness::ProgramOptions program(
      "Kills a venue again and again under load and compares what its clients saw with its journal");
  dojima::crash::Options options;
  program.add("--venue", options.venue, "The dojima program").required();
  program.add("--kills", options.kills, "How often it is killed").show_default();
  program.add("--lives", options.lives, "Lives of a directory").show_default();
  program.add("--uncrosses", options.uncrosses, "Kills that must land in the uncross of an auction; 0: a tenth")
      .show_default();
  program.add("--seed", options.seed, "Of clients and instants").show_default();
  program.add("--folder", options.folder, "Where directories are made; it is emptied");
  program
      .add("--durability", options.durability,
           "process, power, both in turn, or none, which promises nothing: to see losses found")
      .one_of({"both", "none", "process", "power"})
      .show_default();
  program.add_flag("--keep", options.keeps, "Stop at the first contradiction and keep its directory");
  if (const auto status = program.parse(count, words)) return *status;
  try {
    return dojima::crash::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dojima-crash-matrix: {}\n", error.what());
    return 1;
  }
}
