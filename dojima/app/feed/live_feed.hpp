#pragma once

// A venue's market data as it goes out: a thread that takes what the partitions say, makes units of it, sends them on
// lines A and B, keeps them for the replay and recovery channels, which it serves, and hands them to a file. The
// matching thread pays for copying reports into a ring, and for waking that thread when it sleeps. No reader, however
// slow or lost, costs the venue anything.
//
//   LiveFeed feed(config, partitions, file, gauges);
//   station.add(feed);                                     // the matching loop
//   if (const auto started = feed.start(now); !started) ... // takes the ports; reads the books, before anything moves

#include <atomic>
#include <expected>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/feed/feed_file.hpp"
#include "dojima/app/station.hpp"
#include "dojima/measure/gauges.hpp"
#include "dojima/mitch/feed/feed_publisher.hpp"
#include "dojima/mitch/feed/feed_server.hpp"
#include "dojima/mitch/feed/itch_feed.hpp"
#include "dojima/venue/credentials.hpp"
#include "dojima/venue/feed/feed_tap.hpp"

namespace dojima::app {

class LiveFeed final : public sched::Source {
 public:
  /// `file` may be null, and `hasher`, who compares hashed passwords of readers and is asked by the feed's thread as
  /// well; all outlive it. Makes its figures on the board. Throws std::bad_alloc, std::system_error,
  /// std::invalid_argument.
  LiveFeed(const VenueConfig& config, std::span<venue::Partition* const> partitions, FeedFile* file,
           measure::GaugeBoard& board, venue::PasswordHasher* hasher = nullptr);
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  /// Publishes the start of the day, the directory and what rests, and begins. The error is text for a person: a line
  /// or a port cannot be had. Once, before the partitions take further commands.
  [[nodiscard]] std::expected<void, std::string> start(Time now);
  /// The end of the day: what is durable goes out, then the thread ends. From the matching thread; waits at most two
  /// seconds.
  void end_day(Time now);
  /// Lines for a person: what is sent where.
  [[nodiscard]] const std::vector<std::string>& description() const noexcept { return description_; }
  /// Facts that the feed could not carry.
  [[nodiscard]] std::uint64_t unpublished() const noexcept { return unpublished_.load(std::memory_order_relaxed); }

  // sched::Source of the matching loop
  [[nodiscard]] Time next_time() override { return time::k_never; }
  std::size_t deliver(Time) override { return 0; }
  std::size_t finish(Time) override;

 private:
  struct Group;
  struct Figures;
  class Passwords;

  /// What the thread does in a turn.
  struct Work final : sched::Source {
    explicit Work(LiveFeed& of) : feed(of) {}
    [[nodiscard]] Time next_time() override { return k_every_turn; }
    std::size_t deliver(Time) override { return feed.take(); }
    LiveFeed& feed;
  };

  /// Where units go besides the lines.
  struct Outputs final : mitch::FeedSink {
    explicit Outputs(FeedFile* its_file) : file(its_file) {}
    void on_unit(Bytes unit) override {
      if (file != nullptr) file->on_unit(unit);
      if (itch != nullptr) itch->on_unit(unit);
    }
    FeedFile* file;  // null: none
    mitch::ItchFeed* itch = nullptr;
  };

  [[nodiscard]] std::expected<link::Address, std::string> listen(link::Acceptor& server, std::int32_t port,
                                                                 const char* key);
  [[nodiscard]] std::expected<link::DatagramSender*, std::string> open_line(const char* key, const std::string& line);
  [[nodiscard]] std::expected<void, std::string> open_itch(Time now);
  [[nodiscard]] std::expected<std::vector<link::DatagramSender*>, std::string> open_lines();
  [[nodiscard]] mitch::FeedServerConfig server_config(mitch::FeedChannel channel) const;
  std::size_t take();
  void begin_day(Group& group, Time now);
  void run(const std::stop_token& stop);
  void on_figures(Time now);

  const VenueConfig config_;
  std::unique_ptr<Passwords> passwords_;  // null: none is hashed
  Outputs outputs_;
  Station station_;
  std::vector<std::unique_ptr<Group>> groups_;  // with timers of the station
  Work work_{*this};
  std::unique_ptr<mitch::FeedServer> replay_, recovery_;
  std::unique_ptr<mitch::ItchFeed> itch_;  // null: nothing goes out as ITCH
  std::unique_ptr<Figures> figures_;
  std::vector<std::string> description_;
  std::atomic<std::uint64_t> unpublished_{0};
  std::atomic<std::int64_t> end_at_{0};  // of the venue's clock; 0: it goes on
  sched::TimerOf<&LiveFeed::on_figures> figures_timer_;
  std::jthread thread_;
};

}  // namespace dojima::app
