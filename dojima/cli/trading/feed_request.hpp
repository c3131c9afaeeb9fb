#pragma once

// What `dojima feed` is asked for: its options as texts, and what they mean.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <vector>

#include "dojima/app/dashboard_config.hpp"
#include "dojima/app/feed/feed_session.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/cli/trading/password_option.hpp"
#include "dojima/cli/trading/venue_file.hpp"

namespace dojima::cli {

struct FeedOptions {
  std::string file;   ///< of recorded units; empty: a live feed is followed
  std::string speed;  ///< of it: max, 600, x600; empty: max, or 1 where somebody watches
  VenueFile venue;
  std::string line_a, line_b, interface, replay, recovery, user, password, control_user, control_password;
  PasswordOption password_option{"--password"};  ///< goes before `password`, once it is read
  std::vector<std::string> instruments;          ///< SYMBOL, ID or ID@GROUP
  std::vector<std::string> segments;
  std::string drop;
  std::size_t depth = 5;
  double seconds = 0;
  double every = 1;
  bool has_tape = false;
  bool has_dashboard = false;
  std::string dashboard;  ///< HOST:PORT; empty: where nobody says another one
  std::size_t seed = 1;
  JsonOption json;
};

struct FeedRequest {
  app::FeedSessionOptions session;
  std::map<std::uint32_t, std::string> names;  ///< of instruments, from the venue's configuration
  std::vector<std::uint32_t> shown;            ///< instruments; empty: all
  double speed = 0;                            ///< of a file, times the clock's; 0: as fast as it goes
  app::DashboardConfig dashboard;
};

/// What the options say, and the configuration of the venue for what they do not. Errors: one line for a person.
[[nodiscard]] std::expected<FeedRequest, std::string> read_request(FeedOptions options);

}  // namespace dojima::cli
