#pragma once

// An order as a person states it, before any protocol: its terms, and who it is for. What was not said is left open, so
// that the gateway's defaults hold. Plain values.

#include <cstdint>
#include <optional>
#include <string>

#include "dojima/market/order.hpp"

namespace dojima::app {

/// Somebody whom the venue knows by a number.
struct NumberedParty {
  std::uint32_t id = 0;
  std::uint8_t qualifier = 0;  ///< 0: not said; 1 a legal entity, 2 an algorithm, 3 a natural person
  friend bool operator==(const NumberedParty&, const NumberedParty&) = default;
};

/// Bits of OrderEntry::mifid, as MIT203 numbers them.
enum MifidFlag : std::uint8_t { k_direct_access = 1, k_liquidity_provision = 2, k_algorithm = 4 };

struct OrderEntry {
  std::string symbol;
  /// `displayed` is the quantity where nothing was said, `capacity` none; owner and flags are not used.
  market::OrderTerms terms;
  std::string account{};  ///< up to 10 characters; empty: the default
  std::string trader{};   ///< up to 11 characters; empty: the default
  std::optional<NumberedParty> client{}, decision_maker{}, executing_trader{};
  std::optional<bool> is_named{};            ///< none: the default
  std::optional<std::uint8_t> owner_type{};  ///< 0, 1 retail investor, 2 retail liquidity provider
  std::optional<std::uint8_t> mifid{};       ///< MifidFlag bits
  std::optional<std::uint8_t> clearing{};    ///< 1 client, 3 house
  friend bool operator==(const OrderEntry&, const OrderEntry&) = default;
};

/// Both sides of a quote; a size of 0: that side is not quoted, and its price means nothing.
struct QuoteTerms {
  std::string symbol{};
  market::Price bid{}, ask{};
  market::Quantity bid_size{}, ask_size{};
  friend bool operator==(const QuoteTerms&, const QuoteTerms&) = default;
};

/// What is to become of an order: only what is said changes.
struct Amendment {
  std::optional<market::Quantity> quantity{};  ///< the new total, fills included
  std::optional<market::Price> limit{};
  std::optional<market::Price> stop{};
  std::optional<market::Quantity> displayed{};  ///< 0: hidden
  friend bool operator==(const Amendment&, const Amendment&) = default;
};

}  // namespace dojima::app
