#pragma once

// `dojima venue` as an object: an exchange on a loop of its own, over real sockets. start() takes the port, run() works
// until asked to stop, then sends Logout to everybody. One thread.
//
//   auto server = VenueServer::make(config, show);     // the journals may be damaged
//   const auto where = (*server)->start();             // the port may be taken
//   (*server)->run(stop);

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/days/day_keeper.hpp"
#include "dojima/app/feed/feed_file.hpp"
#include "dojima/app/passwords/password_desk.hpp"
#include "dojima/app/passwords/password_file.hpp"
#include "dojima/app/station.hpp"
#include "dojima/app/stop_signal.hpp"
#include "dojima/app/venue_journals.hpp"
#include "dojima/measure/gauges.hpp"
#include "dojima/simulate/exchange.hpp"
#include "dojima/venue/operator_log.hpp"

namespace dojima::app {

class AdminDesk;
class LiveFeed;
class VenueAdmin;
class VenueTimes;
class VenueWatch;

class VenueServer {
 public:
  /// Called with a line that a person should see.
  using Show = std::function<void(const std::string&)>;

  /// Opens the journals, if there is a directory for them. An error is text for a person, of several lines. Throws
  /// std::invalid_argument, std::bad_alloc, std::system_error (also where the market data cannot be written).
  [[nodiscard]] static std::expected<std::unique_ptr<VenueServer>, std::string> make(const VenueConfig& config,
                                                                                     Show show = {});
  /// With journals that were opened for this configuration, or in memory.
  explicit VenueServer(const VenueConfig& config, std::unique_ptr<VenueJournals> journals = nullptr, Show show = {},
                       std::unique_ptr<PasswordFile> passwords = nullptr);
  ~VenueServer();
  VenueServer(const VenueServer&) = delete;
  VenueServer& operator=(const VenueServer&) = delete;

  /// Takes the ports. Where real-time sessions are taken, or for a person: which port could not be had, why, and what
  /// to do.
  [[nodiscard]] std::expected<link::Address, std::string> start();

  /// Who writes the files of a day that is over (`journal.day_files`): before start(). Without one nobody does.
  void write_days_by(DayWriter writer);

  /// What a person wants to know at start, a line each: what listens where, instruments, users.
  [[nodiscard]] std::vector<std::string> describe(const link::Address& where) const;

  /// Works until `stops()`, then logs everybody out and waits, at most two seconds, until they are gone.
  template <class Stops>
  void run(Stops stops) {
    station_.run([&] { return !stops(); });
    shut_down();
  }

  /// Where the secondary gateway takes sessions, once started; none: there is none.
  [[nodiscard]] const std::optional<link::Address>& secondary() const noexcept { return secondary_; }
  /// Likewise of drop copies.
  [[nodiscard]] const std::optional<link::Address>& copies() const noexcept { return copies_; }
  [[nodiscard]] const simulate::Exchange& exchange() const noexcept { return exchange_; }
  /// Null when all market data is where it should be, else what is missing. Lives until the next call.
  [[nodiscard]] const char* feed_trouble();

 private:
  void shut_down();
  [[nodiscard]] venue::OperatorLog& operations() noexcept {
    return journals_ != nullptr ? journals_->operations() : operations_;
  }
  void on_look(time::Time now);

  [[nodiscard]] simulate::ExchangeProbe probe() noexcept;
  [[nodiscard]] static VenueConfig with_users(VenueConfig config, const venue::OperatorLog& operations,
                                              const PasswordFile* passwords);

  std::unique_ptr<PasswordFile> passwords_;
  PasswordDesk password_desk_;
  venue::OperatorLog operations_;  // where there are no journals
  // Journals' disks and the feed's file outlive the exchange; their threads end before it goes.
  std::unique_ptr<VenueJournals> journals_;
  std::unique_ptr<FeedFile> feed_;
  Station station_;
  VenueConfig config_;
  Show show_;
  std::unique_ptr<VenueWatch> watch_;  // null: there are no screens; outlives the exchange that calls it
  measure::GaugeBoard gauges_;
  std::unique_ptr<VenueTimes> times_;  // null: nobody is answered; outlives the exchange that calls it
  simulate::Exchange exchange_;
  std::string feed_trouble_;           // as it was shown last
  std::unique_ptr<LiveFeed> live_;     // null: no market data leaves
  std::unique_ptr<VenueAdmin> admin_;  // null: nobody is answered, as the desk
  std::unique_ptr<AdminDesk> desk_;
  link::Address admin_address_;
  std::unique_ptr<DayKeeper> days_;  // null: nobody writes the files of days
  time::Time listed_{};              // midnight of the day for which instruments are listed
  sched::TimerOf<&VenueServer::on_look> look_;
  std::optional<link::Address> recovery_;   // where recovery sessions are taken
  std::optional<link::Address> secondary_;  // where the secondary gateway takes sessions
  std::optional<link::Address> copies_;     // where readers of drop copies log on
};

/// Options of a fabric for so many connections.
[[nodiscard]] net::FabricOptions fabric_options(const net::NetworkConfig& config, std::size_t connections,
                                                const LoopSettings& loop);

}  // namespace dojima::app
