#pragma once

// A reader of a venue's drop copies over a socket: logs on, asks for all of the day, or what follows the numbers that
// it has, and hands copies on as they come. It connects again when its session ends, and begins anew with each day of
// the venue. On a loop of its own.
//
//   CopySession session(options, handler);
//   const CopySessionEnd end = session.run([&] { return !stop.is_raised(); });

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dojima/app/station.hpp"
#include "dojima/mit/copy_client.hpp"
#include "dojima/mit/dialect.hpp"

namespace dojima::app {

struct CopySessionOptions {
  link::Address where;
  std::string user, password;
  const mit::Dialect* dialect = &mit::lse_21_2::k_dialect;  ///< that of the venue
  std::vector<std::uint8_t> partitions = {1, 2, 3, 4};      ///< which the venue need not have
  bool ends_when_complete = false;                          ///< once all has come that the venue had when it was asked
  time::Duration retry = std::chrono::seconds{1};
  net::IdlePolicy idle = net::IdlePolicy::block;
};

class CopySessionHandler {
 public:
  virtual void on_copy(const market::OwnerReport& report, std::int32_t code) = 0;
  /// Something that a person should know: a line.
  virtual void on_copy_note(const std::string& line) = 0;

 protected:
  ~CopySessionHandler() = default;
};

enum class CopySessionEnd : std::uint8_t {
  done,         ///< it was asked to end, or all has come
  refused,      ///< the venue does not let it in, or has not what it wants
  unreachable,  ///< nobody listens there
};

class CopySession final : public mit::CopyClientHandler {
 public:
  /// The handler outlives it. Throws std::invalid_argument for a user or password that no Logon can carry,
  /// std::bad_alloc, std::system_error.
  CopySession(CopySessionOptions options, CopySessionHandler& handler);

  /// Until `goes_on()` says no, which is asked after each turn of the loop.
  [[nodiscard]] CopySessionEnd run(const std::function<bool()>& goes_on);

  [[nodiscard]] std::uint64_t copies() const noexcept { return copies_; }
  /// The last number of a partition that has come; 0: none has.
  [[nodiscard]] market::Sequence highest(std::uint8_t partition) const noexcept { return client_.highest(partition); }
  [[nodiscard]] const mit::VenueDay& day() const noexcept { return day_; }

  void on_copies_logged_on(mit::CopyClient& client, const mit::VenueDay& day, time::Time now) override;
  void on_copy(mit::CopyClient& client, const market::OwnerReport& report, std::int32_t code, time::Time now) override;
  void on_copies_complete(mit::CopyClient& client, time::Time now) override;
  void on_copies_refused(mit::CopyClient& client, std::uint8_t partition, mit::Recovery why, time::Time now) override;
  void on_copies_end(mit::CopyClient& client, const mit::CopyOutcome& outcome, time::Time now) override;

 private:
  void connect(time::Time now);
  void begin_anew();
  void end(CopySessionEnd how);

  CopySessionOptions options_;
  CopySessionHandler& handler_;
  Station station_;
  mit::CopyClient client_;
  sched::TimerOf<&CopySession::connect> retry_;
  mit::VenueDay day_;
  std::uint64_t copies_ = 0;
  bool was_logged_on_ = false;
  bool is_loss_noted_ = false;  // since the last logon
  bool is_over_ = false;
  CopySessionEnd how_ = CopySessionEnd::done;
};

}  // namespace dojima::app
