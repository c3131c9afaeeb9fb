#pragma once

// `dojima venue` as an object: an exchange on a loop of its own, over real sockets. start() takes the port, run() works
// until told to stop, then says Logout to everybody. One thread.
//
//   VenueServer server(config);
//   const auto where = server.start();           // a Result: the port may be taken
//   server.run(stop);

#include <memory>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/feed_file.hpp"
#include "dojima/app/station.hpp"
#include "dojima/app/stop_signal.hpp"
#include "dojima/simulate/exchange.hpp"

namespace dojima::app {

class VenueServer {
 public:
  /// Throws std::invalid_argument, std::bad_alloc, std::system_error (also where the market data cannot be written).
  explicit VenueServer(const VenueConfig& config);

  [[nodiscard]] Result<link::Address> start();

  /// What a person wants to know at start, a line each: what listens where, instruments, users.
  [[nodiscard]] std::vector<std::string> describe(const link::Address& where) const;

  /// Works until `stops()`, then logs everybody out and waits, at most two seconds, until they are gone.
  template <class Stops>
  void run(Stops stops) {
    station_.run([&] { return !stops(); });
    shut_down();
  }

  [[nodiscard]] const simulate::Exchange& exchange() const noexcept { return exchange_; }
  /// Null when all market data is where it should be, else what is missing.
  [[nodiscard]] const char* feed_trouble() const noexcept;

 private:
  void shut_down();

  std::unique_ptr<FeedFile> feed_;
  Station station_;
  VenueConfig config_;
  simulate::Exchange exchange_;
};

/// Options of a fabric for so many connections.
[[nodiscard]] net::FabricOptions fabric_options(const net::NetworkConfig& config, std::size_t connections);

/// Why it cannot listen, and what to do, for a person.
[[nodiscard]] std::string describe_listen_error(const net::ListenConfig& listen, const Error& error);

}  // namespace dojima::app
