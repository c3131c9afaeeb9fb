#include "dojima/gateway/messages/quote_reader.hpp"

#include <array>

#include "dojima/gateway/messages/owner_reader.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {
namespace {

using fix::MessageView;
using fix::Tag;

constexpr Reasons k_quote_reasons{quote_reject::k_unknown_symbol, quote_reject::k_other, quote_reject::k_other,
                                  quote_reject::k_other};

/// Fields that say what a quote of two limit orders for the day cannot be.
constexpr std::array k_uncarried_of_quote{
    Uncarried{tag::k_account, "Account(1)=% is not supported: the venue's quotes have none"},
    Uncarried{tag::k_order_qty, "OrderQty(38)=% is not supported: a quote has BidSize(134) and OfferSize(135)"},
    Uncarried{tag::k_side, "Side(54)=% is not supported: a quote has both"},
    Uncarried{tag::k_valid_until_time, "ValidUntilTime(62)=% is not supported: a quote is for the day"},
    Uncarried{tag::k_min_qty, "MinQty(110)=% is not supported"},
    Uncarried{tag::k_quote_req_id, "QuoteReqID(131)=% is not supported: there are no requests for quotes"},
    Uncarried{tag::k_trading_session_id, "TradingSessionID(336)=% is not supported"},
    Uncarried{tag::k_price_type, "PriceType(423)=% is not supported"},
    Uncarried{tag::k_min_bid_size, "MinBidSize(647)=% is not supported"},
    Uncarried{tag::k_min_offer_size, "MinOfferSize(648)=% is not supported"},
};

Read check_carried_of_quote(const MessageView& view) noexcept {
  if (Read read = check_absent(view, k_uncarried_of_quote, quote_reject::k_other); !read) return read;
  if (view.find(tag::k_quote_type).value_or("1") != "1")
    return refuse_value(quote_reject::k_other, tag::k_quote_type,
                        "QuoteType(537)=% is not supported: the venue has 1, tradeable", view);
  if (view.find(tag::k_ord_type).value_or("2") != "2")
    return refuse_value(quote_reject::k_other, tag::k_ord_type,
                        "OrdType(40)=% is not supported: both sides of a quote are limit orders, 2", view);
  return {};
}

/// A side's fields, and what the client reads where they cannot be used.
struct SideOfQuote {
  Tag price, size;
  const char *no_size, *no_price, *size_range, *price_range;
};
constexpr SideOfQuote k_bid{.price = tag::k_bid_px,
                            .size = tag::k_bid_size,
                            .no_size = "BidPx(132)=% needs BidSize(134)",
                            .no_price = "BidSize(134)=% needs BidPx(132)",
                            .size_range = "BidSize(134)=% is out of range: 0 to 2147483647",
                            .price_range = "BidPx(132)=% is out of range: above 0"};
constexpr SideOfQuote k_offer{.price = tag::k_offer_px,
                              .size = tag::k_offer_size,
                              .no_size = "OfferPx(133)=% needs OfferSize(135)",
                              .no_price = "OfferSize(135)=% needs OfferPx(133)",
                              .size_range = "OfferSize(135)=% is out of range: 0 to 2147483647",
                              .price_range = "OfferPx(133)=% is out of range: above 0"};

/// One side; absent, or with a size of 0: it is not quoted.
Read read_side_of_quote(const MessageView& view, const SideOfQuote& side, market::Price& price,
                        market::Quantity& size) noexcept {
  if (!view.has(side.size)) {
    if (!view.has(side.price)) return {};
    return missing(side.size, side.no_size, said_of(view, side.price));
  }
  const auto read = read_quantity(view, side.size, 0, k_quote_reasons, side.size_range);
  if (!read) return Refused(read.error());
  size = *read;
  if (size.lots == 0) return {};
  if (!view.has(side.price)) return missing(side.price, side.no_price, said_of(view, side.size));
  const Result<market::Price> value = view.price(side.price);
  if (!value) return unreadable(value.error());
  if (value->units <= 0) return refuse_value(quote_reject::k_invalid_price, side.price, side.price_range, view);
  price = *value;
  return {};
}

Read read_sides(const MessageView& view, market::Quote& quote) noexcept {
  if (Read read = read_side_of_quote(view, k_bid, quote.bid, quote.bid_size); !read) return read;
  if (Read read = read_side_of_quote(view, k_offer, quote.ask, quote.ask_size); !read) return read;
  if (quote.bid_size.lots != 0 && quote.ask_size.lots != 0 && quote.bid >= quote.ask)
    return refuse_value(quote_reject::k_invalid_spread, tag::k_bid_px, "BidPx(132)=% is not below OfferPx(133)=%", view,
                        said_of(view, tag::k_offer_px));
  return {};
}

/// Who quotes, as of a new order; its reasons have other numbers.
Read read_owner_of_quote(const MessageView& view, const market::NewOrder& defaults, market::Quote& quote,
                         OrderParties& said) noexcept {
  market::NewOrder owner = defaults;
  Read read = read_owner(view, owner, said);
  if (!read && read.error().answer == Refusal::Answer::report) {
    Refusal refusal = read.error();
    refusal.reason = quote_reject::k_other;
    return Refused(refusal);
  }
  if (!read) return read;
  if (owner.terms.owner_type != 0)
    return refuse_value(quote_reject::k_other, tag::k_owner_type,
                        "OwnerType(522)=% is not supported: the venue's quotes have none", view);
  quote.labels = owner.labels;
  quote.labels.account = {};
  quote.capacity = owner.terms.capacity;
  quote.flags = owner.terms.flags;
  return {};
}

/// The one instrument of NoQuoteEntries(295).
Read read_entry(const MessageView& view, const SymbolTable& symbols, std::uint32_t& instrument) noexcept {
  constexpr std::array k_members{tag::k_symbol, tag::k_security_id, tag::k_security_id_source};
  const Result<fix::Group> entries = view.group(tag::k_no_quote_entries, k_members);
  if (!entries) return unreadable(entries.error());
  if (entries->size() != 1)
    return refuse_value(quote_reject::k_other, tag::k_no_quote_entries,
                        "NoQuoteEntries(295)=% is not supported: one symbol at a time", view);
  const auto found = read_instrument(view, symbols, k_quote_reasons);
  if (!found) return Refused(found.error());
  instrument = *found;
  return {};
}

}  // namespace

Read read_quote(const MessageView& view, const SymbolTable& symbols, const market::NewOrder& defaults,
                market::Quote& quote, OrderParties& said) noexcept {
  const auto instrument = read_instrument(view, symbols, k_quote_reasons);
  if (!instrument) return Refused(instrument.error());
  quote.header.instrument = *instrument;
  if (Read read = check_carried_of_quote(view); !read) return read;
  if (Read read = read_sides(view, quote); !read) return read;
  if (Read read = read_number(view, tag::k_pegged_exec_inst, 0, 2, k_quote_reasons,
                              "PeggedExecInst(27021)=% is out of range: 0 to 2", quote.peg);
      !read)
    return read;
  return read_owner_of_quote(view, defaults, quote, said);
}

bool wants_status(const MessageView& view) noexcept {
  const std::string_view level = view.find(tag::k_quote_response_level).value_or("0");
  return level == "2" || level == "3";
}

Read read_quote_cancel(const MessageView& view, const SymbolTable& symbols, market::MassCancel& command) noexcept {
  command.of = market::MassCancelOf::quotes;
  const std::string_view type = view.find(tag::k_quote_cancel_type).value_or("");
  if (type == "1") return read_entry(view, symbols, command.header.instrument);
  if (type == "4") return {};
  return refuse_value(quote_reject::k_other, tag::k_quote_cancel_type,
                      "QuoteCancelType(298)=% is not supported: the venue has 1, a symbol, 4, all quotes, and in FIX "
                      "5.0 SP2 5, one quote",
                      view);
}

}  // namespace dojima::gateway
