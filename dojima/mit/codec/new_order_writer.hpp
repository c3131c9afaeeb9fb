#pragma once

// Writes NewOrder, for any dialect that has tables (codec_tables.hpp), in two ways that give the same bytes: `write`
// patches the fields of an order into the image of an empty message, for orders that one test says the dialect carries;
// `compose` looks at each field and says which one cannot be carried. Instantiated once per dialect, in its own source.
// Stateless, no allocation.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dojima/base/characters.hpp"
#include "dojima/mit/codec/composer.hpp"
#include "dojima/mit/codec/empty_message.hpp"
#include "dojima/mit/codec/request_fields.hpp"

namespace dojima::mit {

template <class D>
class NewOrderWriter {
  using M = typename D::NewOrder;

 public:
  /// The bytes written; an Error that names a value which the dialect cannot carry, or `no_room`.
  static Result<std::size_t> encode(const market::NewOrder& order, Room room) {
    if (room.size() < M::k_size || !is_plain(order)) [[unlikely]]
      return compose(order, room);
    write(order, room.first(M::k_size));
    return M::k_size;
  }

  /// Whether the dialect can carry an order, of those without an expiry: all in one test, because most are so.
  [[nodiscard]] static bool is_plain(const market::NewOrder& order) noexcept {
    const market::OrderTerms& terms = order.terms;
    bool holds = is_seven_bit(order.labels.client_order_id);
    holds &= is_seven_bit(order.labels.trader);
    holds &= is_seven_bit(order.labels.account);
    for_each_number(order, [&holds]<class T, Wire Type>(NumberField<T, Type>, std::int64_t value) {
      holds &= std::in_range<T>(value);
    });
    holds &= D::k_order_types.has(number_of(terms.type));
    holds &= D::k_times_in_force.has(number_of(terms.time_in_force));
    holds &= is_side(terms.side);
    holds &= unsigned{number_of(terms.capacity)} - 1 <= 2;
    holds &= (terms.flags & ~(market::k_auto_cancel | market::k_named)) == 0;
    holds &= D::k_order_sub_types.has(number_of(terms.sub_type));
    holds &= terms.expiry == time::Time{};
    if constexpr (!requires { M::passive_only_order; }) holds &= terms.passive == 0;
    if constexpr (!requires { M::group_id; }) holds &= terms.group == 0;
    if constexpr (!requires { M::minimum_quantity; }) holds &= terms.minimum.lots == 0;
    if constexpr (!requires { M::offset; }) holds &= terms.offset_bp == 0;
    if constexpr (!requires { M::pegged_exec_inst; }) holds &= terms.peg == 0;
    if constexpr (!requires { M::owner_type; }) holds &= terms.owner_type == 0;
    return holds;
  }

  /// Of an order that is_plain(), into exactly its bytes.
  static void write(const market::NewOrder& order, Room whole) noexcept {
    const Room message(whole.data(), M::k_size);  // a length that the compiler knows
    static constexpr EmptyWords<M> k_empty = words_beside<M>(written());
    write_empty<k_empty>(message);
    store(message, M::client_order_id, order.labels.client_order_id);
    store(message, M::trader_id, order.labels.trader);
    store(message, M::account, order.labels.account);
    for_each_number(order, [&](auto field, std::int64_t value) { patch(message, field, value); });
  }

  /// Of any order.
  [[gnu::noinline]] static Result<std::size_t> compose(const market::NewOrder& order, Room room) {
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

  template <std::size_t Width>
  [[nodiscard]] static bool is_seven_bit(const Text<Width>& text) noexcept {
    return !any_of<Width>(reinterpret_cast<const std::byte*>(text.chars.data()),
                          [](Sixteen c) { return c & std::uint8_t{0x80}; });
  }

  /// Calls `use(field, number)` for each number of a message without an expiry.
  template <class Use>
  [[gnu::always_inline]] static constexpr void for_each_number(const market::NewOrder& order, Use use) {
    const market::OrderTerms& terms = order.terms;
    const market::OrderLabels& labels = order.labels;
    use(M::clearing_account, std::int64_t{labels.clearing});
    use(M::instrument_id, std::int64_t{order.header.instrument});
    use(M::mifid_flags, std::int64_t{labels.mifid});
    use(M::party_role_qualifiers, std::int64_t{labels.roles});
    use(M::order_type, std::int64_t{number_of(terms.type)});
    use(M::tif, std::int64_t{number_of(terms.time_in_force)});
    use(M::expire_date_time, std::int64_t{0});
    use(M::side, std::int64_t{number_of(terms.side)});
    use(M::order_qty, terms.quantity.lots);
    use(M::display_qty, terms.displayed.lots);
    use(M::limit_price, terms.limit.units);
    use(M::capacity, std::int64_t{number_of(terms.capacity)});
    use(M::auto_cancel, std::int64_t{(terms.flags & market::k_auto_cancel) != 0});
    use(M::order_sub_type, std::int64_t{number_of(terms.sub_type)});
    use(M::anonymity, std::int64_t{(terms.flags & market::k_named) != 0});
    use(M::stop_price, terms.stop.units);
    use(M::client_id, std::int64_t{labels.client});
    use(M::investment_decision_maker, std::int64_t{labels.decision_maker});
    use(M::executing_trader, std::int64_t{labels.executing_trader});
    if constexpr (requires { M::passive_only_order; }) use(M::passive_only_order, std::int64_t{terms.passive});
    if constexpr (requires { M::group_id; }) use(M::group_id, std::int64_t{terms.group});
    if constexpr (requires { M::minimum_quantity; }) use(M::minimum_quantity, terms.minimum.lots);
    if constexpr (requires { M::offset; }) use(M::offset, std::int64_t{terms.offset_bp});
    if constexpr (requires { M::pegged_exec_inst; }) use(M::pegged_exec_inst, std::int64_t{terms.peg});
    if constexpr (requires { M::owner_type; }) use(M::owner_type, std::int64_t{terms.owner_type});
    if constexpr (requires { M::order_source; }) use(M::order_source, std::int64_t{k_order_source});
  }

  /// Where `write` writes, whatever the order.
  [[nodiscard]] static consteval std::array<bool, M::k_size> written() {
    auto marks = bytes_of<M>(M::client_order_id, M::trader_id, M::account);
    for_each_number({}, [&marks](const auto& field, std::int64_t) {
      std::fill_n(marks.begin() + field.offset, field.info().width, true);
    });
    return marks;
  }
};

}  // namespace dojima::mit
