#include "dojima/app/venue_server.hpp"

#include <cerrno>
#include <fmt/core.h>
#include <system_error>

#include "dojima/net/address.hpp"

namespace dojima::app {

net::FabricOptions fabric_options(const net::NetworkConfig& config, std::size_t connections) {
  return {.max_connections = connections, .input_capacity = config.input_bytes, .output_capacity = config.output_bytes};
}

std::string describe_listen_error(const net::ListenConfig& listen, const Error& error) {
  const std::string where = net::text_of({listen.host, listen.port});
  if (error.code != ErrorCode::unavailable) {
    char text[160];
    return fmt::format("cannot listen on {}: {}", where, describe(error, text));
  }
  const auto number = static_cast<int>(error.got);
  const char* advice = "is the address one of this machine?";
  if (number == EADDRINUSE)
    advice = "stop the program that listens there, or choose another port (--set listen.port=0: any free one)";
  if (number == EACCES) advice = "ports below 1024 need permission; choose another one";
  return fmt::format("cannot listen on {}: {}; {}", where, std::system_category().message(number), advice);
}

VenueServer::VenueServer(const VenueConfig& config)
    : feed_(config.feed_file.empty() ? nullptr : std::make_unique<FeedFile>(config.feed_file)),
      station_({.scheduler = simulate::Exchange::timers(config),
                .idle = config.idle,
                .fabric = fabric_options(config.network, config.connections)}),
      config_(config),
      exchange_(config, station_.scheduler()) {
  for (const auto& clock : exchange_.clocks()) station_.add(*clock);
  station_.add(exchange_.front());
}

Result<link::Address> VenueServer::start() {
  const time::Time now = station_.scheduler().now();
  if (feed_ != nullptr) exchange_.publish(*feed_, now);
  exchange_.start_days(now);
  return exchange_.start(station_.fabric(), {config_.listen.host, config_.listen.port});
}

std::vector<std::string> VenueServer::describe(const link::Address& where) const {
  const VenueConfig& config = config_;
  std::vector<std::string> lines;
  lines.push_back(fmt::format("MIT203 real-time {}", net::text_of(where)));
  if (feed_ != nullptr) lines.push_back(fmt::format("MIT303 market data in {}", config.feed_file));
  for (const simulate::InstrumentConfig& instrument : config.instruments) {
    char reference[market::k_price_text_max];
    lines.push_back(fmt::format("instrument {} {} in partition {}, reference price {}", instrument.id,
                                instrument.symbol, instrument.partition,
                                market::format_price(instrument.reference, reference)));
  }
  for (const venue::Segment& segment : config.segments)
    lines.push_back(fmt::format("segment {}: opening auction {}, closing auction {}, end of day {}", segment.name,
                                time_of_day_text(segment.timetable.opening),
                                time_of_day_text(segment.timetable.closing),
                                time_of_day_text(segment.timetable.end_of_day)));
  for (const simulate::VenueUserConfig& user : config.users) {
    lines.push_back(fmt::format(
        "user {}, {} open orders, {}", user.name, user.open_orders,
        user.throttle == 0 ? std::string("no message limit") : fmt::format("{} messages per second", user.throttle)));
  }
  return lines;
}

void VenueServer::shut_down() {
  station_.fabric().stop_listening();
  exchange_.front().logout_all("venue closes");
  station_.run_at_most(std::chrono::seconds{2}, [&] { return station_.fabric().open_connections() != 0; });
  if (feed_ == nullptr) return;
  exchange_.finish_feed(station_.scheduler().now());
  feed_->flush();
}

const char* VenueServer::feed_trouble() const noexcept {
  if (exchange_.untold() != 0) return "quantities that the market data cannot carry were left out of it";
  if (feed_ != nullptr && feed_->has_failed()) return "not all market data could be written";
  return nullptr;
}

}  // namespace dojima::app
