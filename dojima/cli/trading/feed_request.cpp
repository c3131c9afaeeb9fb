#include "dojima/cli/trading/feed_request.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "dojima/app/config.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/net/address.hpp"
#include "dojima/sched/loop.hpp"

namespace dojima::cli {
namespace {

/// On display at a time in each group of a file, where no configuration says how many there can be.
constexpr std::size_t k_orders_of_file = std::size_t{1} << 18;

/// A value, or what is wrong with its text.
template <class Value>
using Checked = std::expected<Value, std::string>;

/// "5%", "0.5%", "5": parts of a million; none for anything else.
std::optional<std::uint32_t> parts_of(std::string text) {
  if (text.empty()) return 0;
  if (text.back() == '%') text.pop_back();
  double percent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !(percent >= 0 && percent <= 90))
    return std::nullopt;
  return static_cast<std::uint32_t>(std::lround(percent * 10'000));
}

Checked<link::Address> address_of(const char* option, const std::string& text, const char* example) {
  const auto address = net::parse_address(text);
  if (!address || address->port == 0)
    return std::unexpected(fmt::format("{} {}: write HOST:PORT, such as {}", option, text, example));
  return *address;
}

/// What the venue's configuration says goes for what the options do not say.
void fill_in(FeedOptions& options, const app::VenueConfig& venue) {
  const app::FeedConfig& feed = venue.feed;
  const auto set = [](std::string& option, const std::string& value) {
    if (option.empty()) option = value;
  };
  const auto channel = [&](std::int32_t port) {
    return port > 0 ? net::text_of({venue.listen.host, static_cast<std::uint16_t>(port)}) : std::string();
  };
  set(options.line_a, feed.line_a);
  set(options.line_b, feed.line_b);
  set(options.interface, feed.interface);
  set(options.replay, channel(feed.replay_port));
  set(options.recovery, channel(feed.recovery_port));
  if (!options.user.empty() || feed.readers.empty()) return;
  options.user = feed.readers.front().name;
  set(options.password, feed.readers.front().password);
  if (feed.readers.size() == 1 || app::is_scrypt_text(feed.readers[1].password)) return;
  options.control_user = feed.readers[1].name;
  options.control_password = feed.readers[1].password;
}

Checked<void> read_lines(const FeedOptions& options, app::FeedSessionOptions& session) {
  if (options.line_a.empty() && options.line_b.empty())
    return std::unexpected(
        "no line: say --line-a HOST:PORT, or --config with the file of a venue that has [feed] line_a");
  for (const auto& [option, line] : {std::pair{"--line-a", &options.line_a}, {"--line-b", &options.line_b}}) {
    if (line->empty()) continue;
    if (const auto address = address_of(option, *line, "239.255.77.1:14301"); !address)
      return std::unexpected(address.error());
  }
  if (!options.line_a.empty() && options.line_a == options.line_b)
    return std::unexpected("--line-b: the lines are the same; say one of them");
  if (!options.interface.empty() && !net::is_host(options.interface))
    return std::unexpected(
        fmt::format("--interface {}: write an address of this machine, such as 127.0.0.1", options.interface));
  const auto drop = parts_of(options.drop);
  if (!drop)
    return std::unexpected(
        fmt::format("--drop {}: write a part of the datagrams from 0 to 90%, such as 5%", options.drop));
  session.line_a = options.line_a;
  session.line_b = options.line_b;
  if (!options.interface.empty()) session.interface = options.interface;
  session.drop_ppm = *drop;
  session.seed = options.seed;
  return {};
}

Checked<void> read_channels(const FeedOptions& options, app::FeedSessionOptions& session) {
  mitch::FeedClientOptions& client = session.client;
  for (auto [option, text, to] : {std::tuple{"--replay", &options.replay, &client.replay},
                                  std::tuple{"--recovery", &options.recovery, &client.recovery}}) {
    if (text->empty()) continue;
    auto address = address_of(option, *text, "127.0.0.1:14303");
    if (!address) return std::unexpected(address.error());
    *to = *std::move(address);
  }
  if ((client.replay || client.recovery) && options.user.empty())
    return std::unexpected("the channels want a name: say --user NAME --password-file FILE");
  client.user = options.user.empty() ? "-" : options.user;
  client.password = options.password;
  session.control_user = options.control_user;
  session.control_password = options.control_password;
  return {};
}

/// A symbol of the configuration, ID or ID@GROUP.
std::optional<mitch::FollowedInstrument> instrument_of(const std::string& word, const app::VenueConfig* venue) {
  if (venue != nullptr)
    for (const simulate::InstrumentConfig& each : venue->instruments)
      if (each.symbol == word || std::to_string(each.id) == word)
        return mitch::FollowedInstrument{static_cast<char>('0' + each.partition), each.id};
  mitch::FollowedInstrument instrument;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, instrument.id);
  const bool has_group = read.ptr + 2 == end && *read.ptr == '@';
  if (has_group) instrument.group = read.ptr[1];
  if (read.ec == std::errc() && instrument.id != 0 && (read.ptr == end || has_group)) return instrument;
  return std::nullopt;
}

/// None of the configuration's instruments is of this segment; empty: one is.
std::string complaint_of_segment(const std::string& segment, const app::VenueConfig& venue) {
  std::set<std::string> known;
  for (const simulate::InstrumentConfig& each : venue.instruments)
    if (!each.segment.empty()) known.insert(each.segment);
  if (known.contains(segment)) return {};
  if (known.empty()) return fmt::format("--segment {}: no instrument of --config has a segment", segment);
  return fmt::format("--segment {}: no instrument of --config is of it; there are {}", segment, fmt::join(known, ", "));
}

Checked<void> read_followed(const FeedOptions& options, const app::VenueConfig* venue, FeedRequest& request) {
  mitch::FeedClientOptions& client = request.session.client;
  for (const std::string& word : options.instruments) {
    const auto instrument = instrument_of(word, venue);
    if (!instrument)
      return std::unexpected(
          fmt::format("--instrument {}: write a number, a number and its group such as 1001@2, or, with --config, a "
                      "symbol of that file",
                      word));
    client.instruments.push_back(*instrument);
    request.shown.push_back(instrument->id);
  }
  for (const std::string& segment : options.segments) {
    if (segment.empty() || segment.size() > 6)
      return std::unexpected(fmt::format("--segment {}: a segment's name has at most 6 characters", segment));
    if (venue != nullptr)
      if (std::string problem = complaint_of_segment(segment, *venue); !problem.empty())
        return std::unexpected(problem);
    client.segments.push_back(Text<6>::cut(segment));
  }
  return {};
}

/// All of the venue's instruments by their names, and those that nobody chose among; room for their books.
void add_instruments(const app::VenueConfig& venue, FeedRequest& request) {
  mitch::FeedClientOptions& client = request.session.client;
  const bool are_all_wanted = client.instruments.empty() && client.segments.empty();
  for (const simulate::InstrumentConfig& each : venue.instruments) {
    request.names[each.id] = each.symbol;
    if (are_all_wanted) client.instruments.push_back({static_cast<char>('0' + each.partition), each.id});
  }
  client.books.orders = venue.orders;
  client.books.levels = venue.levels;
  client.books.instruments = std::max<std::size_t>(client.books.instruments, venue.instruments.size());
}

/// Of a file: how fast, and nothing that only lines have.
Checked<void> read_file_options(const FeedOptions& options, FeedRequest& request) {
  for (const auto& [name, text] : {std::pair{"--line-a", &options.line_a},
                                   {"--line-b", &options.line_b},
                                   {"--interface", &options.interface},
                                   {"--replay", &options.replay},
                                   {"--recovery", &options.recovery},
                                   {"--user", &options.user},
                                   {"--drop", &options.drop}})
    if (!text->empty()) return std::unexpected(fmt::format("{} is of a live feed; leave it or FILE out", name));
  if (options.speed == "max" && options.has_dashboard)
    return std::unexpected(
        "--dashboard shows a file whose time goes on: leave --speed max out, or write how many times the clock's, such "
        "as "
        "--speed 60");
  if (options.speed.empty() || options.speed == "max") {
    request.speed = options.has_dashboard ? 1 : 0;
    return {};
  }
  const std::string_view text = std::string_view(options.speed).substr(options.speed.starts_with('x') ? 1 : 0);
  const auto read = std::from_chars(text.data(), text.data() + text.size(), request.speed);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() &&
      request.speed >= sched::PacedPacer::k_slowest && request.speed <= sched::PacedPacer::k_fastest)
    return {};
  return std::unexpected(
      fmt::format("--speed takes max, or a number from 0.1 to 10000 such as x600; got \"{}\"", options.speed));
}

}  // namespace

std::expected<FeedRequest, std::string> read_request(FeedOptions options) {
  const auto venue = options.venue.read("feed.line_a=239.255.77.1:14301");
  if (!venue) return std::unexpected(venue.error());
  const app::VenueConfig* const config = *venue ? &**venue : nullptr;
  FeedRequest request;
  if (!options.file.empty()) {
    if (auto read = read_file_options(options, request); !read) return std::unexpected(read.error());
    request.session.client.books.orders = k_orders_of_file;
  } else {
    if (!options.speed.empty()) return std::unexpected("--speed is of a file of recorded units, which is not named");
    if (config != nullptr) fill_in(options, *config);
    if (app::is_scrypt_text(options.password))
      return std::unexpected(fmt::format(
          "of reader {} the venue's file has a password_hash, which nobody can log in with: say --password-file FILE",
          options.user));
    if (auto read = read_lines(options, request.session); !read) return std::unexpected(read.error());
    if (auto read = read_channels(options, request.session); !read) return std::unexpected(read.error());
  }
  if (auto read = read_followed(options, config, request); !read) return std::unexpected(read.error());
  if (config != nullptr) add_instruments(*config, request);
  if (options.has_dashboard) {
    auto dashboard = app::parse_dashboard(options.dashboard);
    if (!dashboard) return std::unexpected(dashboard.error());
    request.dashboard = *std::move(dashboard);
  }
  std::size_t& books = request.session.client.books.instruments;
  books = std::max<std::size_t>(books, 1'024);
  return request;
}

}  // namespace dojima::cli
