// NewOrders written at once, against the same composed field by field: of orders that a dialect can carry and of those
// that it cannot.

#include "dojima/mit/codec/new_order_writer.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <vector>

#include "dojima/mit/bit_9_4.hpp"
#include "dojima/mit/lse_11_8_5.hpp"
#include "dojima/mit/lse_21_2.hpp"

namespace dojima::mit {
namespace {

using market::NewOrder;

/// Mostly what every dialect carries, now and then at an edge or beyond it.
std::int64_t any_order_number() {
  constexpr std::int64_t k_int32 = std::numeric_limits<std::int32_t>::max();
  if (*rc::gen::inRange(0, 30) != 0) return *rc::gen::inRange<std::int64_t>(0, k_int32);
  return *rc::gen::element<std::int64_t>(-1, 0, k_int32, k_int32 + 1, std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min());
}

template <std::size_t Width>
Text<Width> any_order_text() {
  Text<Width> text;
  for (char& c : text.chars) c = *rc::gen::inRange(0, 400) == 0 ? '\x80' : *rc::gen::element('A', 'z', '\0', '\x7f');
  return text;
}

/// Mostly 0, which every dialect carries even where it has no such field.
template <class T>
T any_seldom() {
  return *rc::gen::inRange(0, 8) != 0 ? T{} : static_cast<T>(*rc::gen::arbitrary<std::int32_t>());
}

NewOrder any_new_order() {
  NewOrder order;
  market::OrderTerms& terms = order.terms;
  order.header.instrument = static_cast<std::uint32_t>(any_order_number());
  order.labels.client_order_id = any_order_text<20>();
  order.labels.trader = any_order_text<11>();
  order.labels.account = any_order_text<10>();
  order.labels.clearing = *rc::gen::arbitrary<std::uint8_t>();
  order.labels.mifid = *rc::gen::arbitrary<std::uint8_t>();
  order.labels.roles = *rc::gen::arbitrary<std::uint8_t>();
  order.labels.client = *rc::gen::arbitrary<std::uint32_t>();
  order.labels.decision_maker = *rc::gen::arbitrary<std::uint32_t>();
  order.labels.executing_trader = *rc::gen::arbitrary<std::uint32_t>();
  terms.limit = {any_order_number()};
  terms.stop = {any_order_number()};
  terms.quantity = {any_order_number()};
  terms.displayed = {any_order_number()};
  terms.minimum = {any_seldom<std::int64_t>()};
  terms.expiry = time::from_nanoseconds(any_seldom<std::int64_t>() * *rc::gen::element<std::int64_t>(1, k_second));
  terms.offset_bp = any_seldom<std::int32_t>();
  terms.group = any_seldom<std::uint8_t>();
  terms.side = static_cast<market::Side>(*rc::gen::inRange(0, 30) != 0 ? *rc::gen::inRange(1, 3) : 0);
  terms.type = static_cast<market::OrderType>(*rc::gen::inRange(1, 6));
  terms.time_in_force = static_cast<market::TimeInForce>(*rc::gen::element(0, 0, 0, 3, 4, 5, 10, 12, 99));
  terms.passive = any_seldom<std::uint8_t>();
  terms.sub_type = static_cast<market::OrderSubType>(*rc::gen::element(0, 0, 0, 3, 5, 51, 55, 99));
  terms.capacity = static_cast<market::Capacity>(*rc::gen::inRange(0, 20) != 0 ? *rc::gen::inRange(1, 4) : 4);
  terms.peg = any_seldom<std::uint8_t>();
  terms.flags = *rc::gen::inRange(0, 20) != 0 ? std::uint8_t{0} : *rc::gen::arbitrary<std::uint8_t>();
  if (*rc::gen::arbitrary<bool>()) terms.flags |= market::k_auto_cancel;
  if (*rc::gen::arbitrary<bool>()) terms.flags |= market::k_named;
  terms.owner_type = any_seldom<std::uint8_t>();
  return order;
}

template <class Tables>
void expect_same_order_bytes(const NewOrder& order) {
  using Orders = NewOrderWriter<Tables>;
  const std::size_t size = *rc::gen::inRange(0, 20) != 0 ? 300 : *rc::gen::inRange<std::size_t>(0, 300);
  // Whatever was in the room before is gone.
  std::vector<std::byte> at_once(size, std::byte{0x55}), by_field(size, std::byte{0xaa});
  const Result<std::size_t> written = Orders::encode(order, at_once), composed = Orders::compose(order, by_field);
  RC_ASSERT(written.has_value() == composed.has_value());
  if (!written) {
    RC_ASSERT(written.error() == composed.error());
    return;
  }
  RC_ASSERT(*written == *composed);
  at_once.resize(*written);
  by_field.resize(*composed);
  RC_ASSERT(at_once == by_field);
}

RC_GTEST_PROP(NewOrderWriter, gives_the_bytes_and_errors_of_the_composer_in_every_dialect, ()) {
  const NewOrder order = any_new_order();
  expect_same_order_bytes<lse_21_2::Tables>(order);
  expect_same_order_bytes<bit_9_4::Tables>(order);
  expect_same_order_bytes<lse_11_8_5::Tables>(order);
  RC_TAG(NewOrderWriter<lse_21_2::Tables>::is_plain(order) ? "at once" : "by field");
}

/// What is one beyond what it can be has to be said; what is at the edge is written at once.
TEST(NewOrderWriter, takes_at_once_what_the_dialect_carries_and_nothing_else) {
  using Orders = NewOrderWriter<lse_21_2::Tables>;
  NewOrder plain;
  plain.header.instrument = 7;
  plain.terms.side = market::Side::buy;
  plain.terms.type = market::OrderType::limit;
  plain.terms.capacity = market::Capacity::dealing;
  plain.terms.quantity = plain.terms.displayed = {std::numeric_limits<std::int32_t>::max()};
  EXPECT_TRUE(Orders::is_plain(plain));
  const auto expect_other = [&](auto change) {
    NewOrder other = plain;
    change(other);
    EXPECT_FALSE(Orders::is_plain(other));
  };
  expect_other([](NewOrder& order) { order.terms.quantity.lots += 1; });
  expect_other([](NewOrder& order) { order.terms.displayed.lots += 1; });
  expect_other([](NewOrder& order) { order.header.instrument = std::uint32_t{1} << 31; });
  expect_other([](NewOrder& order) { order.terms.side = market::Side::none; });
  expect_other([](NewOrder& order) { order.terms.capacity = market::Capacity::none; });
  expect_other([](NewOrder& order) { order.terms.expiry = time::from_nanoseconds(k_second); });
  expect_other([](NewOrder& order) { order.terms.flags = 0x80; });
  for (std::size_t at = 0; at < plain.labels.client_order_id.chars.size(); ++at)
    expect_other([at](NewOrder& order) { order.labels.client_order_id.chars[at] = '\x80'; });
}

}  // namespace
}  // namespace dojima::mit
