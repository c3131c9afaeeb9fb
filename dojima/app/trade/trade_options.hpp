#pragma once

// How a terminal client reaches its market. Plain values.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dojima/app/loop/loop_settings.hpp"
#include "dojima/gateway/fix_version.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/net/tls_fabric.hpp"

namespace dojima::app {

/// A session with the venue itself, in MIT203.
struct NativeTradeOptions {
  const mit::Dialect* dialect = &mit::lse_21_2::k_dialect;
  std::optional<link::Address> recovery{};                          ///< the venue's recovery channel; none: not used
  std::map<std::string, std::uint32_t, std::less<>> instruments{};  ///< names for their numbers
};

struct TradeOptions {
  std::vector<link::Address> gateways;  ///< or venues: tried one after the other, at least one
  unsigned attempts = 0;                ///< failed ones in a row until it gives up; 0: one for each gateway
  std::optional<net::TlsConfig> tls;    ///< none: without
  gateway::FixVersion version = gateway::FixVersion::fix_4_4;
  std::optional<NativeTradeOptions> native;  ///< there: MIT203 in place of FIX, with `username` and `password`
  std::string sender;                        ///< SenderCompID, ours
  std::string target;                        ///< TargetCompID, the gateway's
  std::string username;
  std::string password;
  std::string new_password;                 ///< asked for in the Logon; empty: the password stays
  std::chrono::seconds answer_timeout{10};  ///< for the logon, and in a script for each answer
  LoopSettings loop{};                      ///< what its loop asks of the machine
  std::string script;                       ///< a file of commands that comes before the lines; empty: none
};

}  // namespace dojima::app
