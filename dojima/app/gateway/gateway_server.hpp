#pragma once

// `dojima gateway` as an object: a FIX gateway on a loop of its own, over real sockets. start() takes the port and
// begins to connect to the venue, run() works until asked to stop, then sends Logout on both sides. One thread.

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/gateway/gateway_journal.hpp"
#include "dojima/app/message_log_file.hpp"
#include "dojima/app/station.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/stored_passwords.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/measure/gauges.hpp"
#include "dojima/net/tls_fabric.hpp"

namespace dojima::app {

class AdminDesk;
class GatewayAdmin;
class GatewayTimes;
class GatewayWatch;

class GatewayServer {
 public:
  /// Lines for a log: clients and venue users that come and go.
  using Log = std::function<void(const std::string& line)>;

  /// Opens journal and message log, where the configuration names them, and makes the gateway on them. The error is
  /// text for a person. Throws as the constructor does.
  [[nodiscard]] static std::expected<std::unique_ptr<GatewayServer>, std::string> make(const GatewayConfig& config,
                                                                                       Log log);
  /// The same on a journal that was opened, or taken over, before; null: in memory.
  [[nodiscard]] static std::expected<std::unique_ptr<GatewayServer>, std::string> make(
      const GatewayConfig& config, Log log, std::unique_ptr<GatewayJournal> journal);
  /// On what was opened before; both may be null. Throws std::invalid_argument, std::runtime_error (a dictionary or a
  /// certificate that cannot be used, with the reason), std::bad_alloc, std::system_error.
  GatewayServer(const GatewayConfig& config, Log log, std::unique_ptr<GatewayJournal> journal = nullptr,
                std::unique_ptr<MessageLogFile> message_log = nullptr);
  ~GatewayServer();

  /// Takes the ports. Where clients are taken, or for a person: which port could not be had, why, and what to do. A
  /// port in use is tried again for as long as `patience`, which blocks: the sockets of a process that has just ended
  /// may still be there.
  [[nodiscard]] std::expected<link::Address, std::string> start(time::Duration patience = {});
  /// A line in the log when the ports are there and when all venue users are ready, with the time since.
  void log_when_ready(time::Time since);

  /// What a person wants to know at start, a line each.
  [[nodiscard]] std::vector<std::string> describe(const link::Address& where) const;

  /// Works until `stops()`, then logs out on both sides and waits, at most two seconds, until all are gone.
  template <class Stops>
  void run(Stops stops) {
    station_.run([&] { return !stops(); });
    shut_down();
  }

  [[nodiscard]] const gateway::Gateway& gateway() const noexcept { return *gateway_; }

 private:
  class Events;
  void shut_down();
  void on_look(time::Time now);
  void on_ready_look(time::Time now);
  /// To the log, and to the screens.
  void say(const std::string& line);
  [[nodiscard]] std::expected<void, std::string> start_desk(time::Duration patience);
  [[nodiscard]] std::expected<void, std::string> start_screens(time::Duration patience);

  std::vector<std::unique_ptr<const fix::Dictionary>> dictionaries_;  // of the configuration
  GatewayConfig config_;
  Log log_;
  std::unique_ptr<GatewayJournal> journal_;
  std::unique_ptr<fix::StoredPasswords> passwords_;  // in the journal
  std::unique_ptr<MessageLogFile> message_log_;
  std::string log_trouble_;  // that has been logged
  Station station_;
  std::unique_ptr<GatewayWatch> watch_;  // null: there are no screens; outlives the gateway that calls it
  measure::GaugeBoard gauges_;
  std::unique_ptr<GatewayTimes> times_;  // null: nobody is answered; outlives the gateway that calls it
  std::unique_ptr<Events> events_;
  std::unique_ptr<net::TlsFabric> secure_;  // in front of the station's fabric, for clients
  std::unique_ptr<gateway::Gateway> gateway_;
  sched::TimerOf<&GatewayServer::on_look> look_;
  sched::TimerOf<&GatewayServer::on_ready_look> ready_look_;
  std::optional<time::Time> taken_over_at_;
  std::unique_ptr<GatewayAdmin> admin_;  // null: nobody is answered, as the desk
  std::unique_ptr<AdminDesk> desk_;
  link::Address admin_address_;
};

}  // namespace dojima::app
