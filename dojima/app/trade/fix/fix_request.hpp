#pragma once

// A request of the terminal client as the fields of a FIX message, in the version of its session. What the version
// cannot say is refused here, with words: a field that its message does not have, a value that its enumeration lacks.
// Pure functions.
//
//   const auto message = fix_request_of(request, {.version = gateway::FixVersion::fix_4_4, .user = "KONOIKE"});
//   if (!message) show(message.error());       // "FIX.4.4 has no DisplayMethod(1084) in NewOrderSingle"

#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/trade/trade_session.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/gateway/fix_version.hpp"

namespace dojima::app {

struct FixFieldText {
  fix::Tag tag = 0;
  std::string value{};
  friend bool operator==(const FixFieldText&, const FixFieldText&) = default;
};

/// The body of a message, TransactTime left out: `has_transact_time` says whether it belongs to it.
struct FixRequest {
  fix::MsgType type = fix::MsgType::none;
  std::vector<FixFieldText> fields{};
  bool has_transact_time = false;
};

struct FixRequestForm {
  gateway::FixVersion version = gateway::FixVersion::fix_4_4;
  std::string_view user;  ///< of a user request that names nobody
};

[[nodiscard]] Understood<FixRequest> fix_request_of(const TradeRequest& request, const FixRequestForm& form);

}  // namespace dojima::app
