#pragma once

// Checks, reads and writes NewQuote `S`, for dialects that have it. Instantiated once per dialect, by its reader and
// writer. Stateless, no allocation.

#include "dojima/mit/codec/codec_rules.hpp"
#include "dojima/mit/codec/composer.hpp"

namespace dojima::mit {

template <class D>
concept HasQuotes = requires { typename D::NewQuote; };

template <HasQuotes D>
class QuoteCodec {
  using M = typename D::NewQuote;

 public:
  /// Level 1, then level 2: fields that do not apply to an order-driven book are not there, so all are looked at.
  static Fault check(Bytes message) {
    const std::uint8_t mifid = load(message, M::mifid_flags);
    const std::uint8_t qualifiers = load(message, M::party_role_qualifiers);
    const std::uint32_t client = load(message, M::client_id);
    const std::uint32_t decision_maker = load(message, M::investment_decision_maker);
    const std::uint32_t trader = load(message, M::executing_trader);
    Rules rules(message);
    rules.identifier(M::client_order_id)
        .present(M::client_order_id)
        .ascii(M::trader_id)
        .one_of(M::clearing_account, {1, 3})
        .at_least(M::instrument_id, 1)
        .at_least(M::bid_price, 0)
        .at_least(M::bid_size, 0)
        .at_least(M::ask_price, 0)
        .at_least(M::ask_size, 0)
        .one_of(M::capacity, {1, 2, 3})
        .one_of(M::auto_cancel, {0, 1});
    if constexpr (requires { M::tif; }) rules.one_of(M::tif, {5, 9});
    if constexpr (requires { M::anonymity; }) rules.one_of(M::anonymity, {0, 1});
    rules.require(client != 3, M::client_id, client, "0, 1, 2 or a short code from 4")
        .require(decision_maker == 0 || decision_maker >= k_first_short_code, M::investment_decision_maker,
                 decision_maker, "0 or a short code from 4")
        .require(trader >= 3, M::executing_trader, trader, "3 or a short code from 4")
        .require((mifid & 0xf8) == 0, M::mifid_flags, mifid, "bits 3 to 7 zero")
        .require((qualifiers & 0xc0) == 0, M::party_role_qualifiers, qualifiers, "bits 6 and 7 zero");
    if constexpr (requires { M::pegged_exec_inst; }) rules.one_of(M::pegged_exec_inst, {0, 1, 2});
    const bool is_each_qualified = is_qualified(qualifiers, 0, client) && is_qualified(qualifiers, 1, decision_maker) &&
                                   is_qualified(qualifiers, 2, trader);
    return rules.require(is_each_qualified, M::party_role_qualifiers, qualifiers, "a qualifier for every short code")
        .fault();
  }

  static void read(Bytes message, Inbound& request) {
    market::Quote& quote = begin(request, Inbound::Kind::quote, request.quote);
    quote.header.instrument = static_cast<std::uint32_t>(load(message, M::instrument_id));
    quote.bid.units = load(message, M::bid_price);
    quote.ask.units = load(message, M::ask_price);
    quote.bid_size.lots = lots_in(message, M::bid_size);
    quote.ask_size.lots = lots_in(message, M::ask_size);
    quote.capacity = static_cast<market::Capacity>(load(message, M::capacity));
    if (load(message, M::auto_cancel) != 0) quote.flags |= market::k_auto_cancel;
    if constexpr (requires { M::tif; }) quote.time_in_force = static_cast<market::TimeInForce>(load(message, M::tif));
    if constexpr (requires { M::anonymity; })
      if (load(message, M::anonymity) != 0) quote.flags |= market::k_named;
    if constexpr (requires { M::pegged_exec_inst; }) quote.peg = load(message, M::pegged_exec_inst);
    read_labels<M>(message, quote.labels);
  }

  static Result<std::size_t> encode(const market::Quote& quote, Room room) {
    const market::OrderLabels& labels = quote.labels;
    Composer<M> composer(room);
    composer.put(M::client_order_id, labels.client_order_id)
        .put(M::trader_id, labels.trader)
        .require(labels.account.is_empty(), M::client_order_id, 0, "no account: the venue's quotes have none")
        .put(M::clearing_account, labels.clearing)
        .put(M::instrument_id, quote.header.instrument)
        .put(M::bid_price, quote.bid.units)
        .put(M::bid_size, quote.bid_size.lots)
        .put(M::ask_price, quote.ask.units)
        .put(M::ask_size, quote.ask_size.lots)
        .require(number_of(quote.capacity) >= 1 && number_of(quote.capacity) <= 3, M::capacity,
                 number_of(quote.capacity), "Capacity 1 to 3")
        .put(M::capacity, number_of(quote.capacity))
        .require((quote.flags & ~(market::k_auto_cancel | market::k_named)) == 0, M::auto_cancel, quote.flags,
                 "only the flags of AutoCancel and Anonymity")
        .put(M::auto_cancel, (quote.flags & market::k_auto_cancel) != 0 ? 1 : 0)
        .put(M::client_id, labels.client)
        .put(M::investment_decision_maker, labels.decision_maker)
        .put(M::executing_trader, labels.executing_trader)
        .put(M::mifid_flags, labels.mifid)
        .put(M::party_role_qualifiers, labels.roles);
    put_conditions(composer, quote);
    return composer.size();
  }

 private:
  /// Fields of one dialect or the other.
  static void put_conditions(Composer<M>& composer, const market::Quote& quote) {
    const auto time_in_force = number_of(quote.time_in_force);
    if constexpr (requires { M::tif; }) {
      composer
          .require(time_in_force == 5 || time_in_force == 9, M::tif, time_in_force,
                   "a quote for an auction: the venue's protocol has no other")
          .put(M::tif, time_in_force);
    } else {
      composer.require(time_in_force == 0, M::client_order_id, time_in_force,
                       "a quote for the day: the venue's protocol has no other");
    }
    const bool is_named = (quote.flags & market::k_named) != 0;
    if constexpr (requires { M::anonymity; }) {
      composer.put(M::anonymity, is_named ? 1 : 0);
    } else {
      composer.require(!is_named, M::client_order_id, 1, "an anonymous quote: the venue's protocol has no other");
    }
    if constexpr (requires { M::pegged_exec_inst; }) {
      composer.put(M::pegged_exec_inst, quote.peg);
    } else {
      composer.require(quote.peg == 0, M::client_order_id, quote.peg,
                       "no pegged instruction: the venue's protocol has none");
    }
  }
};

/// As Dialect::encode_quote.
template <class D>
[[nodiscard]] Result<std::size_t> encode_quote(const market::Quote& quote, Room room) {
  if constexpr (HasQuotes<D>)
    return QuoteCodec<D>::encode(quote, room);
  else
    return fail(ErrorCode::not_supported, 0, 0, 0, "no quote: the venue's protocol has none");
}

}  // namespace dojima::mit
