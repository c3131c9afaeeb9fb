#pragma once

// What clients ask about the market and themselves, answered from the configuration: the instruments, the trading
// session, their own user. The venue is not asked, and its protocol would not say. No allocation after construction;
// O(1), for the instruments O(symbols).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dojima/fix/message.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/translator/client_channels.hpp"
#include "dojima/gateway/venue_users.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

class ReferenceRequests {
 public:
  /// Instruments in one SecurityList at most; more, or those that its session's largest body has no room for, come in
  /// further ones.
  static constexpr std::size_t k_fragment = 50;

  /// `channels` outlives this. Throws std::bad_alloc.
  ReferenceRequests(ClientChannels& channels, std::span<const SymbolConfig> symbols,
                    std::span<const ClientConfig> clients, const VenueUsers& users);

  /// SecurityListRequest(x), type 0 one instrument or 4 all: SecurityList(y), in pieces.
  void answer_securities(std::uint32_t client, const fix::MessageView& view);
  /// TradingSessionStatusRequest(g): TradingSessionStatus(h) with status 0, unknown, since the venue's protocol does
  /// not carry it.
  void answer_trading_session(std::uint32_t client, const fix::MessageView& view);
  /// UserRequest(BE): UserResponse(BF). Type 4 is answered; passwords are changed by NewPassword(925) of a Logon.
  void answer_user(std::uint32_t client, const fix::MessageView& view);

 private:
  /// The client's own words, short enough to be repeated; else it is answered with a Reject, and false.
  [[nodiscard]] bool is_repeatable(std::uint32_t client, const fix::MessageView& view, fix::Tag tag);
  void send_securities(std::uint32_t client, std::string_view request, std::span<const SymbolConfig> symbols);

  struct Names {
    std::string comp_id, username;
  };
  ClientChannels& channels_;
  const VenueUsers& users_;
  std::vector<SymbolConfig> symbols_;
  std::vector<Names> names_;
};

}  // namespace dojima::gateway
