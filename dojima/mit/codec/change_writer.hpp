#pragma once

// Writes requests about orders that are there: OrderCancelReplaceRequest, OrderCancelRequest, OrderMassCancelRequest.
// For any dialect that has tables (codec_tables.hpp). Instantiated once per dialect, in its own source. Stateless, no
// allocation.

#include <utility>

#include "dojima/mit/codec/codec_quotes.hpp"
#include "dojima/mit/codec/composer.hpp"
#include "dojima/mit/codec/request_fields.hpp"

namespace dojima::mit {

template <class D>
class ChangeWriter {
 public:
  static Result<std::size_t> encode_replace(const market::Replace& replace, Room room) {
    using M = typename D::OrderCancelReplaceRequest;
    Composer<M> composer(room);
    composer.put(M::client_order_id, replace.client_order_id)
        .put(M::original_client_order_id, replace.original_client_order_id)
        .put_id(M::order_id, replace.order.value)
        .put(M::instrument_id, replace.header.instrument)
        .put_seconds(M::expire_date_time, replace.expiry)
        .put(M::order_qty, replace.quantity.lots)
        .put(M::display_qty, replace.displayed.lots)
        .put(M::limit_price, replace.limit.units)
        .put(M::account, replace.account)
        .require(is_side(replace.side), M::side, number_of(replace.side), "Side 1 or 2")
        .put(M::side, number_of(replace.side))
        .put(M::stop_price, replace.stop.units);
    put_passive<M>(composer, replace.passive);
    put_group<M>(composer, replace.group);
    put_minimum<M>(composer, replace.minimum);
    put_offset<M>(composer, replace.offset_bp);
    return composer.size();
  }

  static Result<std::size_t> encode_cancel(const market::Cancel& cancel, Room room) {
    using M = typename D::OrderCancelRequest;
    Composer<M> composer(room);
    composer.put(M::client_order_id, cancel.client_order_id)
        .put(M::original_client_order_id, cancel.original_client_order_id)
        .put_id(M::order_id, cancel.order.value)
        .put(M::instrument_id, cancel.header.instrument)
        .require(is_side(cancel.side), M::side, number_of(cancel.side), "Side 1 or 2")
        .put(M::side, number_of(cancel.side));
    return composer.size();
  }

  static Result<std::size_t> encode_mass_cancel(const market::MassCancel& cancel, Room room) {
    using M = typename D::OrderMassCancelRequest;
    const MassCancelKind wanted{.is_account = cancel.is_account,
                                .has_instrument = cancel.header.instrument != 0,
                                .has_segment = !cancel.segment.is_empty(),
                                .has_group = cancel.group != 0};
    MassCancelKind found;
    for (MassCancelKind kind : k_mass_cancel_kinds) {
      const std::uint8_t type = std::exchange(kind.type, std::uint8_t{0});
      if (kind == wanted && D::k_mass_cancel_types.has(type)) found.type = type;
    }
    Composer<M> composer(room);
    composer.put(M::client_order_id, cancel.client_order_id)
        .require(found.type != 0, M::mass_cancel_request_type, 0, "instrument, segment and group as one type has them")
        .require(cancel.side == market::Side::none, M::mass_cancel_request_type, number_of(cancel.side), "both sides")
        .require(!cancel.is_everyone, M::mass_cancel_request_type, 1, "a request of a member")
        .require(
            cancel.of == market::MassCancelOf::orders || (HasQuotes<D> && cancel.of == market::MassCancelOf::quotes),
            M::order_sub_type, number_of(cancel.of), HasQuotes<D> ? "orders or quotes" : "orders: there are no quotes")
        .put(M::order_sub_type, number_of(cancel.of))
        .put(M::mass_cancel_request_type, found.type)
        .put(M::instrument_id, cancel.header.instrument)
        .put(M::segment, cancel.segment);
    put_group<M>(composer, cancel.group);
    return composer.size();
  }
};

}  // namespace dojima::mit
