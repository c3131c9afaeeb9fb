#include "dojima/app/feed/live_feed.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>
#include <variant>

#include "dojima/app/listen_error.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/base/thread_name.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

using measure::Gauge;
using measure::GaugeBoard;
using mitch::FeedChannel;
using mitch::FeedServer;

constexpr std::size_t k_events_a_turn = 4'096;  // of each partition, so that the channels are served
constexpr std::chrono::milliseconds k_figures{100};
constexpr std::chrono::seconds k_end_patience{2};
constexpr std::size_t k_channels = 2;
/// Numbers of connections and readers for who compares passwords, behind those of all else of a venue.
constexpr std::uint32_t k_replay_connections = 2U << 20, k_recovery_connections = 3U << 20,
                        k_soup_connections = 4U << 20;
constexpr std::uint16_t k_feed_readers = 0xe000;

std::size_t feed_connections(const FeedConfig& config) noexcept {
  std::size_t count = 0;
  for (const std::int32_t port : {config.replay_port, config.recovery_port, config.itch_port})
    if (port >= 0) count += config.connections;
  return count;
}

std::string by_interface(const FeedConfig& feed, const std::string& line) {
  return is_multicast(net::parse_address(line).value()) ? ", multicast by " + feed.interface : std::string();
}

mitch::SoupServerConfig soup_config(const FeedConfig& feed) {
  mitch::SoupServerConfig config;
  config.connections = feed.itch_port >= 0 ? feed.connections : 0;
  config.messages = feed.itch_messages;
  return config;
}

net::FabricOptions feed_fabric(const VenueConfig& config) {
  return {.max_connections = std::max<std::size_t>(feed_connections(config.feed), 1),
          .input_capacity = 1 << 16,
          .output_capacity = 1 << 18,
          .multicast_interface = config.feed.interface,
          .multicast_hops = static_cast<std::uint8_t>(config.feed.hops)};
}

time::Time midnight_of(const VenueConfig& config, Time now) {
  const time::Duration offset = std::chrono::minutes{config.utc_offset_minutes};
  return std::chrono::floor<std::chrono::days>(now + offset) - offset;
}

}  // namespace

/// A partition's market data group.
struct LiveFeed::Group {
  Group(const VenueConfig& config, venue::Partition& of)
      : partition(of), tap(of, config.feed.ring), number(static_cast<char>('0' + of.app_id())) {}

  venue::Partition& partition;
  venue::FeedTap tap;
  char number;
  std::uint64_t earlier = 0;  // messages of days that are over
  std::unique_ptr<mitch::FeedPublisher> publisher;
  std::unique_ptr<venue::MarketDataWriter> writer;
};

struct LiveFeed::Figures {
  struct OfGroup {
    Gauge& messages;
    Gauge& units;
    Gauge& bytes;
    Gauge& heartbeats;
    Gauge& failed;
    Gauge& depth;
    Gauge& capacity;
    Gauge& waiting;
    Gauge& unpublished;
    Gauge& kept;
  };
  struct OfChannel {
    Gauge& connections;
    Gauge& readers;
    Gauge& logins;
    Gauge& refused_logins;
    Gauge& requests;
    Gauge& refused;
    Gauge& messages;
    Gauge& slow;
  };

  struct OfItch {
    Gauge& messages;
    Gauge& untranslated;
    Gauge& connections;
    Gauge& readers;
    Gauge& refused_logins;
    Gauge& slow;
  };

  Figures(GaugeBoard& board, std::span<const std::unique_ptr<Group>> of, std::uint32_t messages, bool has_itch) {
    if (has_itch)
      itch.emplace(
          OfItch{.messages = board.counter("dojima_itch_messages_total", "Messages of ITCH 5.0 that were published"),
                 .untranslated = board.counter("dojima_itch_untold_total", "Facts that ITCH has no place for"),
                 .connections = board.gauge("dojima_itch_connections", "Connections by SoupBinTCP, logged in or not"),
                 .readers = board.gauge("dojima_itch_readers", "Readers that are logged in by SoupBinTCP"),
                 .refused_logins =
                     board.counter("dojima_itch_logins_refused_total", "Logins by SoupBinTCP that were refused or cut"),
                 .slow = board.counter("dojima_itch_readers_slow_total", "Readers by SoupBinTCP that fell behind")});
    for (const auto& group : of) {
      const std::string name(1, group->number);
      const GaugeBoard::Labels labels = {{"group", name}};
      groups.push_back(
          {.messages = board.counter("dojima_feed_messages_total", "Market data messages that were published", labels),
           .units = board.counter("dojima_feed_units_total", "Units with messages, one for all lines", labels),
           .bytes = board.counter("dojima_feed_bytes_total", "Bytes of these units", labels),
           .heartbeats = board.counter("dojima_feed_heartbeats_total", "Units without a message", labels),
           .failed = board.counter("dojima_feed_datagrams_failed_total", "Datagrams that a line did not take", labels),
           .depth = board.gauge("dojima_feed_ring_depth", "Reports on their way to the feed's thread", labels),
           .capacity = board.gauge("dojima_feed_ring_capacity", "Reports that the ring holds", labels),
           .waiting = board.gauge("dojima_feed_ring_overflow", "Reports that wait for room in the ring", labels),
           .unpublished = board.counter("dojima_feed_unpublished_total", "Facts that the feed could not carry", labels),
           .kept = board.gauge("dojima_feed_kept_messages", "Messages that can be asked for again", labels)});
      board.gauge("dojima_feed_kept_messages_most", "How many of them there can be", labels)
          .set(static_cast<std::uint64_t>(messages));
      groups.back().capacity.set(std::uint64_t{group->tap.capacity()});
    }
    for (const char* channel : {"replay", "recovery"}) {
      const GaugeBoard::Labels labels = {{"channel", channel}};
      channels.push_back(
          {.connections = board.gauge("dojima_feed_connections", "Connections, logged in or not", labels),
           .readers = board.gauge("dojima_feed_readers", "Readers that are logged in", labels),
           .logins = board.counter("dojima_feed_logins_total", "Logins that were taken", labels),
           .refused_logins =
               board.counter("dojima_feed_logins_refused_total", "Logins that were refused or cut", labels),
           .requests = board.counter("dojima_feed_requests_total", "Requests for what was missed", labels),
           .refused = board.counter("dojima_feed_requests_refused_total", "Requests that were refused", labels),
           .messages = board.counter("dojima_feed_messages_again_total", "Messages that were sent again", labels),
           .slow =
               board.counter("dojima_feed_readers_slow_total", "Readers that did not read and were ended", labels)});
    }
  }

  static void set(OfChannel& figures, const FeedServer* server) {
    if (server == nullptr) return;
    const mitch::FeedServerCounts& counts = server->counts();
    figures.connections.set(std::uint64_t{server->connections()});
    figures.readers.set(std::uint64_t{server->logged_in()});
    figures.logins.set(counts.logins);
    figures.refused_logins.set(counts.logins_refused + counts.cut);
    figures.requests.set(counts.requests);
    figures.refused.set(counts.requests_refused);
    figures.messages.set(counts.messages);
    figures.slow.set(counts.slow);
  }

  std::vector<OfGroup> groups;
  std::vector<OfChannel> channels;
  std::optional<OfItch> itch;
};

/// Asked by the feed's thread.
class LiveFeed::Passwords final : public mitch::ReaderPasswords {
 public:
  explicit Passwords(venue::PasswordHasher& hasher) : hasher_(hasher) {}
  [[nodiscard]] std::optional<mitch::ReaderVerdict> find(const mitch::ReaderPassword& question) override {
    const auto answer = hasher_.find({.connection = question.connection,
                                      .user = static_cast<std::uint16_t>(k_feed_readers + question.reader),
                                      .host = question.host},
                                     {.kept = question.kept, .password = question.password, .chosen = {}});
    if (!answer) return std::nullopt;
    if (answer->is_busy) return mitch::ReaderVerdict::busy;
    return answer->is_right ? mitch::ReaderVerdict::right : mitch::ReaderVerdict::wrong;
  }

 private:
  venue::PasswordHasher& hasher_;
};

LiveFeed::LiveFeed(const VenueConfig& config, std::span<venue::Partition* const> partitions, FeedFile* file,
                   GaugeBoard& board, venue::PasswordHasher* hasher)
    : config_(config),
      passwords_(hasher == nullptr ? nullptr : std::make_unique<Passwords>(*hasher)),
      outputs_(file),
      station_({.scheduler = 1 + partitions.size() * mitch::FeedPublisher::k_timers +
                             k_channels * FeedServer::timers(server_config(FeedChannel::replay)) +
                             mitch::ItchFeed::timers(soup_config(config.feed)),
                .idle = config.idle,
                .fabric = feed_fabric(config)}),
      figures_timer_(station_.scheduler(), *this) {
  for (venue::Partition* const partition : partitions) groups_.push_back(std::make_unique<Group>(config_, *partition));
  figures_ = std::make_unique<Figures>(board, groups_, config_.feed.messages, config_.feed.is_itch());
  station_.add(work_);
}

LiveFeed::~LiveFeed() {
  thread_.request_stop();
  station_.fabric().wake();
  if (thread_.joinable()) thread_.join();
}

mitch::FeedServerConfig LiveFeed::server_config(FeedChannel channel) const {
  const FeedConfig& feed = config_.feed;
  mitch::FeedServerConfig server{.channel = channel,
                                 .connections = feed.connections,
                                 .sessions = feed.connections,
                                 .logins = feed.logins,
                                 .requests = feed.requests,
                                 .day_offset = std::chrono::minutes{config_.utc_offset_minutes},
                                 .unit_size = feed.unit_bytes};
  for (const FeedReaderConfig& reader : feed.readers) {
    const bool is_kept = is_scrypt_text(reader.password);
    server.readers.push_back({.comp_id = Text<6>::cut(reader.name),
                              .password = is_kept ? Text<10>() : Text<10>::cut(reader.password),
                              .is_locked = reader.is_locked,
                              .host = reader.host,
                              .password_kept = is_kept ? reader.password : std::string()});
  }
  server.passwords = passwords_.get();
  server.first_connection = channel == FeedChannel::replay ? k_replay_connections : k_recovery_connections;
  return server;
}

std::expected<link::DatagramSender*, std::string> LiveFeed::open_line(const char* key, const std::string& text) {
  const link::Address address = net::parse_address(text).value();
  const auto line = station_.fabric().publish(address);
  if (line) return *line;
  const std::string why = std::system_category().message(static_cast<int>(line.error().got));
  const std::string advice =
      is_multicast(address)
          ? fmt::format(
                "by {} (feed.interface); choose another interface, or the address of one receiver, such as "
                "127.0.0.1:{}",
                config_.feed.interface, address.port)
          : "is there a way to that address?";
  return std::unexpected(fmt::format("cannot send feed.{} to {}: {}; {}", key, text, why, advice));
}

std::expected<std::vector<link::DatagramSender*>, std::string> LiveFeed::open_lines() {
  std::vector<link::DatagramSender*> lines;
  const FeedConfig& feed = config_.feed;
  for (const auto& [key, text, name] :
       {std::tuple{"line_a", &feed.line_a, "line A"}, std::tuple{"line_b", &feed.line_b, "line B"}}) {
    if (text->empty()) continue;
    const auto line = open_line(key, *text);
    if (!line) return std::unexpected(line.error());
    lines.push_back(*line);
    description_.push_back(fmt::format("MIT303 {} {}{}", name, *text, by_interface(feed, *text)));
  }
  return lines;
}

/// The same as ITCH 5.0. A session is called by its day and the second of its start, so that two of a day differ.
std::expected<void, std::string> LiveFeed::open_itch(Time now) {
  const FeedConfig& feed = config_.feed;
  std::vector<link::DatagramSender*> lines;
  if (!feed.itch_line.empty()) {
    const auto line = open_line("itch_line", feed.itch_line);
    if (!line) return std::unexpected(line.error());
    lines.push_back(*line);
    description_.push_back(fmt::format("ITCH 5.0, MoldUDP64 {}{}", feed.itch_line, by_interface(feed, feed.itch_line)));
  }
  mitch::ItchFeedOptions options;
  options.groups.clear();
  for (const auto& group : groups_) options.groups += group->number;
  options.books = {
      .instruments = config_.instruments.size(), .orders = config_.orders, .levels = config_.levels, .quote_levels = 1};
  for (const simulate::InstrumentConfig& each : config_.instruments)
    options.instruments.push_back({each.id, Text<8>::cut(each.symbol)});
  const auto second = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  options.mold = {.session = Text<10>::cut(std::to_string(second)),
                  .datagram_size = feed.unit_bytes,
                  .heartbeat = std::chrono::milliseconds{feed.heartbeat_ms}};
  options.soup = soup_config(feed);
  options.soup.readers = server_config(FeedChannel::replay).readers;
  options.soup.passwords = passwords_.get();
  options.soup.first_connection = k_soup_connections;
  itch_ = std::make_unique<mitch::ItchFeed>(std::move(options), station_.scheduler(), std::move(lines));
  outputs_.itch = itch_.get();
  itch_->start(station_.scheduler().now());
  if (feed.itch_port < 0) return {};
  const auto where = listen(itch_->soup(), feed.itch_port, "feed.itch_port");
  if (!where) return std::unexpected(where.error());
  description_.push_back(fmt::format("ITCH 5.0, SoupBinTCP {}", net::text_of(*where)));
  return {};
}

std::expected<link::Address, std::string> LiveFeed::listen(link::Acceptor& server, std::int32_t port, const char* key) {
  const link::Address wanted{config_.listen.host, static_cast<std::uint16_t>(port)};
  auto where = station_.fabric().listen(wanted, server);
  if (!where) return std::unexpected(describe_listen_error(wanted, key, where.error()));
  return *std::move(where);
}

std::expected<void, std::string> LiveFeed::start(Time now) {
  const auto lines = open_lines();
  if (!lines) return std::unexpected(lines.error());
  if (config_.feed.is_itch())
    if (auto itch = open_itch(now); !itch) return itch;
  std::vector<const mitch::PublishedFeed*> feeds;
  const std::vector<venue::DirectoryEntry> directory = simulate::directory_of(config_);
  for (const auto& group : groups_) {
    const auto& partition = group->partition;
    group->publisher = std::make_unique<mitch::FeedPublisher>(
        mitch::FeedPublisherOptions{.group = group->number,
                                    .unit_size = config_.feed.unit_bytes,
                                    .messages = config_.feed.messages,
                                    .books = {.instruments = partition.instruments().size(),
                                              .orders = config_.orders,
                                              .levels = config_.levels,
                                              .quote_levels = 1},
                                    .heartbeat = std::chrono::milliseconds{config_.feed.heartbeat_ms}},
        station_.scheduler(), *lines, &outputs_);
    group->writer = std::make_unique<venue::MarketDataWriter>(
        partition, group->publisher->writer(),
        venue::MarketDataWriterOptions{.orders = config_.orders, .midnight = midnight_of(config_, now)});
    group->writer->start(partition, now, directory);
    group->publisher->flush();
    group->publisher->start(station_.scheduler().now());
    feeds.push_back(&group->publisher->published());
  }
  for (auto [server, channel, port, key] :
       {std::tuple{&replay_, FeedChannel::replay, config_.feed.replay_port, "feed.replay_port"},
        std::tuple{&recovery_, FeedChannel::recovery, config_.feed.recovery_port, "feed.recovery_port"}}) {
    if (port < 0) continue;
    *server = std::make_unique<FeedServer>(server_config(channel), station_.scheduler(), feeds);
    const auto where = listen(**server, port, key);
    if (!where) return std::unexpected(where.error());
    description_.push_back(
        fmt::format("MIT303 {} {}", channel == FeedChannel::replay ? "replay" : "recovery", net::text_of(*where)));
  }
  figures_timer_.arm(station_.scheduler().now() + k_figures);
  thread_ = std::jthread([this](const std::stop_token& stop) {
    name_this_thread("feed");
    run(stop);
  });
  return {};
}

// ---- The matching thread -------------------------------------------------------------------------------------------

std::size_t LiveFeed::finish(Time) {
  bool is_something = false;
  for (const auto& group : groups_) is_something = group->tap.release() || is_something;
  if (is_something) station_.fabric().wake();
  return 0;
}

void LiveFeed::end_day(Time now) {
  if (!thread_.joinable()) return;
  const auto end = std::chrono::steady_clock::now() + k_end_patience;
  const auto waits = [this] {
    bool is_waiting = false;
    for (const auto& group : groups_) is_waiting = is_waiting || group->tap.depth() != 0 || group->tap.waiting() != 0;
    return is_waiting;
  };
  do {
    finish(now);
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  } while (waits() && std::chrono::steady_clock::now() < end);
  end_at_.store(now.time_since_epoch().count(), std::memory_order_release);
  thread_.request_stop();
  station_.fabric().wake();
  thread_.join();
}

// ---- The feed's thread ---------------------------------------------------------------------------------------------

void LiveFeed::run(const std::stop_token& stop) {
  station_.run([&] { return !stop.stop_requested(); });
  take();
  const std::int64_t end = end_at_.load(std::memory_order_acquire);
  if (end == 0) return;
  for (const auto& group : groups_) {
    group->writer->finish(time::from_nanoseconds(end));
    group->publisher->flush();
  }
  if (itch_ != nullptr) itch_->end();
  for (FeedServer* const server : {replay_.get(), recovery_.get()})
    if (server != nullptr) server->close_all();
  station_.fabric().stop_listening();
  station_.run_at_most(std::chrono::milliseconds{200}, [&] { return station_.fabric().open_connections() != 0; });
  on_figures(station_.scheduler().now());
  figures_timer_.disarm();
}

std::size_t LiveFeed::take() {
  std::size_t work = 0;
  venue::FeedEvent event;
  for (const auto& group : groups_) {
    std::size_t count = 0;
    for (; count < k_events_a_turn && group->tap.pop(event); ++count) {
      event.write_to(*group->writer);
      if (const auto* const day = std::get_if<market::DayStart>(&event.what)) begin_day(*group, day->time);
    }
    if (count != 0) group->publisher->flush();
    work += count;
  }
  return work;
}

/// The end of the day in its numbers, then the start of the next one, with all that rests, from number 1 on.
void LiveFeed::begin_day(Group& group, Time now) {
  group.writer->finish(now);
  group.earlier += group.publisher->writer().next_sequence() - 1;
  group.publisher->begin_numbers();
  group.writer->start_again(group.publisher->published().books(), now);
  group.publisher->flush();
}

void LiveFeed::on_figures(Time now) {
  figures_timer_.arm(now + k_figures);
  std::uint64_t unpublished = 0;
  for (std::size_t at = 0; at < groups_.size(); ++at) {
    const Group& group = *groups_[at];
    Figures::OfGroup& figures = figures_->groups[at];
    const mitch::FeedPublisherCounts& counts = group.publisher->counts();
    figures.messages.set(group.earlier + group.publisher->published().last());
    figures.units.set(counts.units);
    figures.bytes.set(counts.bytes);
    figures.heartbeats.set(counts.heartbeats);
    figures.failed.set(counts.failed);
    figures.depth.set(std::uint64_t{group.tap.depth()});
    figures.waiting.set(group.tap.waiting());
    const std::uint64_t left_out = group.writer->unpublished() + group.publisher->published().misfits();
    figures.unpublished.set(left_out);
    const mitch::PublishedFeed& published = group.publisher->published();
    figures.kept.set(std::uint64_t{published.last() == 0 ? 0 : published.last() - published.oldest() + 1});
    unpublished += left_out;
  }
  unpublished_.store(unpublished, std::memory_order_relaxed);
  Figures::set(figures_->channels[0], replay_.get());
  Figures::set(figures_->channels[1], recovery_.get());
  if (itch_ == nullptr) return;
  const mitch::SoupCounts& soup = itch_->soup().counts();
  Figures::OfItch& itch = *figures_->itch;
  itch.messages.set(itch_->mold().next() - 1);
  itch.untranslated.set(itch_->untranslated());
  itch.connections.set(std::uint64_t{itch_->soup().connections()});
  itch.readers.set(std::uint64_t{itch_->soup().logged_in()});
  itch.refused_logins.set(soup.logins_refused + soup.cut);
  itch.slow.set(soup.slow);
}

}  // namespace dojima::app
