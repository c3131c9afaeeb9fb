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
#include "dojima/gateway/messages/reasons.hpp"
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
  /// SecurityDefinitionRequest(c), type 0 or 1 the instrument that Symbol(55) or SecurityID(48) names, in FIX 4.2 type
  /// 3 all: a SecurityDefinition(d) of each, or one that says in words why there is none.
  void answer_definition(std::uint32_t client, const fix::MessageView& view);
  /// TradingSessionStatusRequest(g): TradingSessionStatus(h) with status 0, unknown, since the venue's protocol does
  /// not carry it.
  void answer_trading_session(std::uint32_t client, const fix::MessageView& view);
  /// UserRequest(BE): UserResponse(BF). Type 4 is answered; passwords are changed by NewPassword(925) of a Logon.
  void answer_user(std::uint32_t client, const fix::MessageView& view);

 private:
  /// The client's own words, short enough to be repeated; else it is answered with a Reject, and false.
  [[nodiscard]] bool is_repeatable(std::uint32_t client, const fix::MessageView& view, fix::Tag tag);
  /// It does not end a subscription; else it is answered with a BusinessMessageReject, and false.
  [[nodiscard]] bool is_question(std::uint32_t client, const fix::MessageView& view);
  void send_securities(std::uint32_t client, std::string_view request, std::span<const SymbolConfig> symbols);
  /// The instrument that the request names; none: `text` says why.
  [[nodiscard]] const SymbolConfig* find_named(const fix::MessageView& view, ReasonText& text) const;
  void send_definition(std::uint32_t client, const fix::MessageView& view, const SymbolConfig& symbol,
                       unsigned response, std::size_t total);
  void refuse_definition(std::uint32_t client, const fix::MessageView& view, unsigned response, std::string_view text);

  struct Names {
    std::string comp_id, username;
  };
  ClientChannels& channels_;
  const VenueUsers& users_;
  std::vector<SymbolConfig> symbols_;
  std::vector<Names> names_;
};

}  // namespace dojima::gateway
