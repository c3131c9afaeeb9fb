#include "dojima/gateway/messages/owner_reader.hpp"

#include <array>
#include <charconv>

#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/values.hpp"

namespace dojima::gateway {
namespace {

using fix::MessageView;

constexpr std::array k_party_members{
    tag::k_party_id,         tag::k_party_id_source, tag::k_party_role,       tag::k_party_role_qualifier,
    tag::k_no_party_sub_ids, tag::k_party_sub_id,    tag::k_party_sub_id_type};
constexpr std::array k_attribute_members{tag::k_order_attribute_type, tag::k_order_attribute_value};

constexpr std::uint8_t k_direct_access = 1, k_liquidity_provision = 2, k_algorithm = 4;

Read read_capacity(const MessageView& view, market::NewOrder& order) noexcept {
  const bool is_old = !view.has(tag::k_order_capacity);
  const fix::Tag tag = is_old ? tag::k_rule_80a : tag::k_order_capacity;
  if (!view.has(tag)) return {};
  const Result<char> value = view.character(tag);
  if (!value) return unreadable(value.error());
  const auto capacity = is_old ? capacity_of_rule_80a(*value) : capacity_of(*value);
  if (!capacity)
    return refuse_value(order_reject::k_unsupported_characteristic, tag,
                        is_old ? "Rule80A(47)=% is not supported: the venue has A and P"
                               : "OrderCapacity(528)=% is not supported: the venue has A, P and R",
                        view);
  order.terms.capacity = *capacity;
  return {};
}

/// 1 is a retail investor, 2 a retail liquidity provider; FIX has further kinds of owners.
Read read_owner_type(const MessageView& view, market::NewOrder& order) noexcept {
  return read_number(view, tag::k_owner_type, 0, 2, k_new_order_reasons, "OwnerType(522)=% is out of range: 0 to 2",
                     order.terms.owner_type);
}

Read read_anonymity(const MessageView& view, market::NewOrder& order) noexcept {
  if (!view.has(tag::k_pre_trade_anonymity)) return {};
  const auto named = static_cast<std::uint8_t>(market::k_named);
  order.terms.flags = view.is_set(tag::k_pre_trade_anonymity) ? static_cast<std::uint8_t>(order.terms.flags & ~named)
                                                              : static_cast<std::uint8_t>(order.terms.flags | named);
  return {};
}

/// OrderOrigination(1724) 5 is direct electronic access; OrderAttributeType(2594) 2 liquidity provision, 4 with Y an
/// algorithm. What is there says the whole.
Read read_mifid(const MessageView& view, market::OrderLabels& labels) noexcept {
  const auto set = [&](std::uint8_t flag, bool is_on) {
    labels.mifid = static_cast<std::uint8_t>(is_on ? labels.mifid | flag : labels.mifid & ~flag);
  };
  if (const auto origin = view.find(tag::k_order_origination)) set(k_direct_access, *origin == "5");
  if (!view.has(tag::k_order_attribute_count)) return {};
  const Result<fix::Group> attributes = view.group(tag::k_order_attribute_count, k_attribute_members);
  if (!attributes) return unreadable(attributes.error());
  set(k_liquidity_provision, false);
  set(k_algorithm, false);
  for (std::size_t index = 0; index < attributes->size(); ++index) {
    const fix::GroupEntry attribute = (*attributes)[index];
    const std::string_view type = attribute.find(tag::k_order_attribute_type).value_or("");
    const bool is_yes = attribute.find(tag::k_order_attribute_value).value_or("Y") == "Y";
    if (type != "2" && type != "4")
      return refuse_value(order_reject::k_unsupported_characteristic, tag::k_order_attribute_type,
                          "OrderAttributeType(2594)=% is not supported: the venue has 2 and 4", type);
    set(type == "2" ? k_liquidity_provision : k_algorithm, is_yes);
  }
  return {};
}

/// One of the three parties that have a number: where its id goes, and the bits of its qualifier.
struct NumberedParty {
  std::string_view role;
  std::uint32_t market::OrderLabels::* id;
  unsigned shift;
  OrderParties::Given given;
  const char *unchanged, *unchanged_qualifier;  // what the client reads of a change
};
constexpr std::array k_numbered_parties{
    NumberedParty{"3", &market::OrderLabels::client, 0, OrderParties::client_id,
                  "PartyID(448)=% of PartyRole(452)=3 cannot be changed: the order has %",
                  "PartyRoleQualifier(2376)=% of PartyRole(452)=3 cannot be changed: the order has %"},
    NumberedParty{"122", &market::OrderLabels::decision_maker, 2, OrderParties::decision_maker_id,
                  "PartyID(448)=% of PartyRole(452)=122 cannot be changed: the order has %",
                  "PartyRoleQualifier(2376)=% of PartyRole(452)=122 cannot be changed: the order has %"},
    NumberedParty{"12", &market::OrderLabels::executing_trader, 4, OrderParties::executing_trader_id,
                  "PartyID(448)=% of PartyRole(452)=12 cannot be changed: the order has %",
                  "PartyRoleQualifier(2376)=% of PartyRole(452)=12 cannot be changed: the order has %"}};

Read read_numbered(const fix::GroupEntry& party, const NumberedParty& place, std::string_view id,
                   market::OrderLabels& labels) noexcept {
  std::uint32_t& number = labels.*place.id;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc{} || end != id.data() + id.size())
    return refuse_value(order_reject::k_other, tag::k_party_id,
                        "PartyID(448)=% of PartyRole(452)=% is no number from 0 to 4294967295", id, place.role);
  const auto qualifier = party.find(tag::k_party_role_qualifier);
  if (!qualifier) return {};
  const auto bits = role_qualifier_of(*qualifier);
  if (!bits)
    return refuse_value(order_reject::k_unsupported_characteristic, tag::k_party_role_qualifier,
                        "PartyRoleQualifier(2376)=% of PartyRole(452)=% is not supported: the venue has 22, 23 and 24",
                        *qualifier, place.role);
  labels.roles = static_cast<std::uint8_t>((labels.roles & ~(3U << place.shift)) | unsigned{*bits} << place.shift);
  return {};
}

/// The venue has one place for each role.
Refused refuse_second_party(std::string_view role) noexcept {
  return refuse_value(order_reject::k_unsupported_characteristic, tag::k_party_role,
                      "a second party of PartyRole(452)=% in NoPartyIDs(453): the venue has one place for it", role);
}

/// Client, investment decision maker and executing trader as numbers, the trader's name as text. Other roles have no
/// place at the venue.
Read read_parties(const MessageView& view, market::OrderLabels& labels, std::uint8_t& given) noexcept {
  const Result<fix::Group> parties = view.group(tag::k_no_party_ids, k_party_members);
  if (!parties) return unreadable(parties.error());
  for (std::size_t index = 0; index < parties->size(); ++index) {
    const fix::GroupEntry party = (*parties)[index];
    const std::string_view role = party.find(tag::k_party_role).value_or("");
    const std::string_view id = party.find(tag::k_party_id).value_or("");
    if (role == "100") {
      if ((given & OrderParties::trader_id) != 0) return refuse_second_party(role);
      const Result<Text<11>> trader = Text<11>::from(id);
      if (!trader || trader->view() != id)
        return refuse_value(order_reject::k_other, tag::k_party_id,
                            "PartyID(448)=% of PartyRole(452)=100 is too long: at most 11 characters", id);
      labels.trader = *trader;
      given |= OrderParties::trader_id;
      continue;
    }
    for (const NumberedParty& place : k_numbered_parties) {
      if (place.role != role) continue;
      if ((given & place.given) != 0) return refuse_second_party(role);
      if (Read read = read_numbered(party, place, id, labels); !read) return read;
      given |= place.given;
    }
  }
  return {};
}

Read read_clearing(const MessageView& view, market::OrderLabels& labels) noexcept {
  const auto type = view.find(tag::k_account_type);
  if (!type) return {};
  const auto clearing = clearing_of(*type);
  if (!clearing)
    return refuse_value(order_reject::k_unsupported_characteristic, tag::k_account_type,
                        "AccountType(581)=% is not supported: the venue has 1 and 3", view);
  labels.clearing = *clearing;
  return {};
}

}  // namespace

Read read_account(const MessageView& view, market::OrderLabels& labels) noexcept {
  return read_text(view, tag::k_account, k_new_order_reasons, k_account_text, labels.account);
}

Read read_owner(const MessageView& view, market::NewOrder& order, OrderParties& said) noexcept {
  if (Read read = read_capacity(view, order); !read) return read;
  if (Read read = read_clearing(view, order.labels); !read) return read;
  if (Read read = read_owner_type(view, order); !read) return read;
  if (Read read = read_anonymity(view, order); !read) return read;
  if (Read read = read_mifid(view, order.labels); !read) return read;
  if (Read read = read_account(view, order.labels); !read) return read;
  if (Read read = read_parties(view, order.labels, said.given); !read) return read;
  const market::OrderLabels& labels = order.labels;
  if (view.has(tag::k_account_type)) said.clearing = labels.clearing;
  if (said.given == 0) return {};
  said.roles = labels.roles;
  said.trader = labels.trader;
  said.client = labels.client;
  said.decision_maker = labels.decision_maker;
  said.executing_trader = labels.executing_trader;
  return {};
}

namespace {

constexpr std::uint16_t k_unchangeable = cancel_reject::k_exchange_option;

/// The reason of a new order as that of a change.
Read as_of_change(Read read) noexcept {
  if (!read && read.error().answer == Refusal::Answer::report) read.error().reason = k_unchangeable;
  return read;
}

Refused refuse_party(const fix::GroupEntry& party, const NumberedParty& place,
                     const market::OrderLabels& before) noexcept {
  return refuse_value(k_unchangeable, tag::k_party_id, place.unchanged, party.find(tag::k_party_id).value_or("(none)"),
                      TextInPlace<20>{}.add(std::int64_t{before.*place.id}).view());
}

Refused refuse_qualifier(const fix::GroupEntry& party, const NumberedParty& place, unsigned before) noexcept {
  constexpr std::array<std::string_view, 4> k_qualifiers{"(none)", "23", "22", "24"};
  return refuse_value(k_unchangeable, tag::k_party_role_qualifier, place.unchanged_qualifier,
                      party.find(tag::k_party_role_qualifier).value_or("(none)"), k_qualifiers[before & 3]);
}

/// Of each party with a place at the venue its id, and its qualifier.
Read check_parties_unchanged(const MessageView& view, const market::OrderLabels& before) noexcept {
  market::OrderLabels labels = before;
  std::uint8_t given = 0;
  if (Read read = as_of_change(read_parties(view, labels, given)); !read || labels == before) return read;
  const Result<fix::Group> parties = view.group(tag::k_no_party_ids, k_party_members);
  for (std::size_t index = 0; index < parties->size(); ++index) {
    const fix::GroupEntry party = (*parties)[index];
    const std::string_view role = party.find(tag::k_party_role).value_or("");
    if (role == "100" && labels.trader != before.trader)
      return refuse_value(
          k_unchangeable, tag::k_party_id, "PartyID(448)=% of PartyRole(452)=100 cannot be changed: the order has %",
          party.find(tag::k_party_id).value_or("(none)"), before.trader.is_empty() ? "(none)" : before.trader.view());
    for (const NumberedParty& place : k_numbered_parties) {
      if (place.role != role) continue;
      if (labels.*place.id != before.*place.id) return refuse_party(party, place, before);
      if (const unsigned changed = unsigned{labels.roles} ^ before.roles; (changed >> place.shift & 3) != 0)
        return refuse_qualifier(party, place, unsigned{before.roles} >> place.shift);
    }
  }
  return {};
}

/// What the order has of labels that can be compared.
[[nodiscard]] market::OrderLabels labels_of(const OwnerOfOrder& owner) noexcept {
  market::OrderLabels labels = owner.defaults.labels;
  if (owner.said == nullptr) return labels;
  const OrderParties& said = *owner.said;
  if (said.clearing != 0) labels.clearing = said.clearing;
  if (said.given != 0) labels.roles = said.roles;
  if ((said.given & OrderParties::client_id) != 0) labels.client = said.client;
  if ((said.given & OrderParties::decision_maker_id) != 0) labels.decision_maker = said.decision_maker;
  if ((said.given & OrderParties::executing_trader_id) != 0) labels.executing_trader = said.executing_trader;
  if ((said.given & OrderParties::trader_id) != 0) labels.trader = said.trader;
  return labels;
}

Read check_clearing_unchanged(const MessageView& view, const market::OrderLabels& before) noexcept {
  market::OrderLabels labels = before;
  Read read = as_of_change(read_clearing(view, labels));
  if (!read || labels.clearing == before.clearing) return read;
  return refuse_number(k_unchangeable, tag::k_account_type, "AccountType(581)=% cannot be changed: the order has %",
                       view, before.clearing);
}

Read check_capacity_unchanged(const MessageView& view, const market::NewOrder& now, market::Capacity before) noexcept {
  if (now.terms.capacity == before) return {};
  const char known = fix_of(before);
  const bool is_old = !view.has(tag::k_order_capacity);
  return refuse_value(k_unchangeable, is_old ? tag::k_rule_80a : tag::k_order_capacity,
                      is_old ? "Rule80A(47)=% cannot be changed: the order has OrderCapacity(528)=%"
                             : "OrderCapacity(528)=% cannot be changed: the order has %",
                      view, {&known, 1});
}

/// What stands in the order's own terms.
Read check_terms_unchanged(const MessageView& view, const market::OrderTerms& before) noexcept {
  market::NewOrder now;
  now.terms = before;
  if (Read read = as_of_change(read_capacity(view, now)); !read) return read;
  if (Read read = check_capacity_unchanged(view, now, before.capacity); !read) return read;
  if (Read read = as_of_change(read_owner_type(view, now)); !read) return read;
  if (now.terms.owner_type != before.owner_type)
    return refuse_number(k_unchangeable, tag::k_owner_type, "OwnerType(522)=% cannot be changed: the order has %", view,
                         before.owner_type);
  if (Read read = read_anonymity(view, now); !read) return read;
  if (now.terms.flags != before.flags)
    return refuse_value(k_unchangeable, tag::k_pre_trade_anonymity,
                        "PreTradeAnonymity(1091)=% cannot be changed: the order has %", view,
                        (before.flags & market::k_named) != 0 ? "N" : "Y");
  return {};
}

}  // namespace

Read check_owner_unchanged(const MessageView& view, const Order& order, const OwnerOfOrder& owner) noexcept {
  if (Read read = check_terms_unchanged(view, order.terms); !read) return read;
  const bool has_parties = view.has(tag::k_no_party_ids);
  if (!has_parties && !view.has(tag::k_account_type)) return {};
  const market::OrderLabels before = labels_of(owner);
  if (Read read = check_clearing_unchanged(view, before); !read || !has_parties) return read;
  return check_parties_unchanged(view, before);
}

}  // namespace dojima::gateway
