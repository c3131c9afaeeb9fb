#pragma once

// Writes NewOrder, for any dialect that has tables (codec_tables.hpp). Instantiated once per dialect, in its own
// source. Stateless, no allocation.

#include "dojima/mit/codec/composer.hpp"
#include "dojima/mit/codec/request_fields.hpp"

namespace dojima::mit {

template <class D>
class NewOrderWriter {
  using M = typename D::NewOrder;

 public:
  static Result<std::size_t> encode(const market::NewOrder& order, Room room) {
    const market::OrderTerms& terms = order.terms;
    const market::OrderLabels& labels = order.labels;
    Composer<M> composer(room);
    composer.put(M::client_order_id, labels.client_order_id)
        .put(M::trader_id, labels.trader)
        .put(M::account, labels.account)
        .put(M::clearing_account, labels.clearing)
        .put(M::instrument_id, order.header.instrument)
        .put(M::mifid_flags, labels.mifid)
        .put(M::party_role_qualifiers, labels.roles)
        .require(D::k_order_types.has(number_of(terms.type)), M::order_type, number_of(terms.type),
                 "an order type that the venue's protocol has")
        .put(M::order_type, number_of(terms.type))
        .require(D::k_times_in_force.has(number_of(terms.time_in_force)), M::tif, number_of(terms.time_in_force),
                 "a time in force that the venue's protocol has")
        .put(M::tif, number_of(terms.time_in_force))
        .put_seconds(M::expire_date_time, terms.expiry)
        .require(is_side(terms.side), M::side, number_of(terms.side), "Side 1 or 2")
        .put(M::side, number_of(terms.side))
        .put(M::order_qty, terms.quantity.lots)
        .put(M::display_qty, terms.displayed.lots)
        .put(M::limit_price, terms.limit.units)
        .require(number_of(terms.capacity) >= 1 && number_of(terms.capacity) <= 3, M::capacity,
                 number_of(terms.capacity), "Capacity 1 to 3")
        .put(M::capacity, number_of(terms.capacity))
        .require((terms.flags & ~(market::k_auto_cancel | market::k_named)) == 0, M::auto_cancel, terms.flags,
                 "only the flags of AutoCancel and Anonymity")
        .put(M::auto_cancel, (terms.flags & market::k_auto_cancel) != 0 ? 1 : 0)
        .require(D::k_order_sub_types.has(number_of(terms.sub_type)), M::order_sub_type, number_of(terms.sub_type),
                 "an order sub-type that the venue's protocol has")
        .put(M::order_sub_type, number_of(terms.sub_type))
        .put(M::anonymity, (terms.flags & market::k_named) != 0 ? 1 : 0)
        .put(M::stop_price, terms.stop.units)
        .put(M::client_id, labels.client)
        .put(M::investment_decision_maker, labels.decision_maker)
        .put(M::executing_trader, labels.executing_trader);
    put_passive<M>(composer, terms.passive);
    put_group<M>(composer, terms.group);
    put_minimum<M>(composer, terms.minimum);
    put_offset<M>(composer, terms.offset_bp);
    if constexpr (requires { M::pegged_exec_inst; }) {
      composer.put(M::pegged_exec_inst, terms.peg);
    } else {
      composer.require(terms.peg == 0, M::order_type, terms.peg,
                       "no pegged instruction: the venue's protocol has none");
    }
    if constexpr (requires { M::owner_type; }) {
      composer.put(M::owner_type, terms.owner_type);
    } else {
      composer.require(terms.owner_type == 0, M::order_type, terms.owner_type,
                       "no owner type: the venue's protocol has none");
    }
    if constexpr (requires { M::order_source; }) composer.put(M::order_source, k_order_source);
    return composer.size();
  }

 private:
  /// OrderSource has no neutral value; this is what is written where a dialect has the field.
  static constexpr std::uint8_t k_order_source = 1;
};

}  // namespace dojima::mit
