#include "dojima/gateway/fix_version.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/messages/values.hpp"

namespace dojima::gateway {
namespace {

using fix::DictionaryModel, fix::FieldModel, fix::FieldType, fix::MemberModel, fix::MessageModel, fix::Tag,
    fix::ValueModel;

struct VersionNames {
  std::string_view name, begin_string, application_version;
};
constexpr std::array k_names{VersionNames{"FIX.4.2", "FIX.4.2", ""}, VersionNames{"FIX.4.4", "FIX.4.4", ""},
                             VersionNames{"FIX.5.0SP2", "FIXT.1.1", "9"}};
static_assert(k_names.size() == k_fix_versions.size());

[[nodiscard]] const VersionNames& names_of(FixVersion version) noexcept {
  return k_names[static_cast<std::size_t>(version)];
}

/// A dictionary as it was written, to be added to.
class Extension {
 public:
  explicit Extension(DictionaryModel& model) : model_(model) {}

  /// A field that the version lacks.
  void field(Tag tag, FieldType type, std::string_view name) {
    if (std::ranges::find(model_.fields, tag, &FieldModel::tag) == model_.fields.end())
      model_.fields.push_back({.tag = tag, .type = type, .name = std::string(name)});
  }

  /// A value that the field's enumeration lacks.
  void value(Tag tag, std::string_view value, std::string_view meaning) {
    FieldModel& field = existing(tag);
    if (field.values.empty() || std::ranges::find(field.values, value, &ValueModel::value) != field.values.end())
      return;
    field.values.push_back({std::string(value), std::string(meaning)});
  }

  void type(Tag tag, FieldType type) { existing(tag).type = type; }

  /// Optional fields in the messages of these types, behind all others.
  void members(std::initializer_list<std::string_view> messages, std::initializer_list<Tag> tags) {
    for (MessageModel& message : model_.messages) {
      if (std::ranges::find(messages, message.type) == messages.end()) continue;
      for (const Tag tag : tags)
        if (std::ranges::none_of(message.members, [&](const MemberModel& member) { return member.tag == tag; }))
          message.members.push_back({.tag = tag});
    }
  }

  /// An optional group in the messages of this type that lack it, behind all others.
  void group(std::string_view type, Tag count, std::initializer_list<Tag> tags) {
    MemberModel group{.kind = MemberModel::Kind::group, .tag = count};
    for (const Tag tag : tags) group.members.push_back({.tag = tag});
    for (MessageModel& message : model_.messages)
      if (message.type == type) message.members.push_back(group);
  }

 private:
  FieldModel& existing(Tag tag) {
    const auto found = std::ranges::find(model_.fields, tag, &FieldModel::tag);
    DOJIMA_ASSERT(found != model_.fields.end(), "the version has the field that is extended", tag,
                  model_.begin_string());
    return *found;
  }

  DictionaryModel& model_;
};

/// Fields of the venue's that no version has: tags above 5000, the same in all.
void add_venue_fields(Extension& extension) {
  extension.field(tag::k_passive_only_order, FieldType::integer, "PassiveOnlyOrder");
  extension.field(tag::k_group_id, FieldType::integer, "GroupID");
  extension.field(tag::k_offset, FieldType::integer, "Offset");
  extension.field(tag::k_pegged_exec_inst, FieldType::integer, "PeggedExecInst");
  extension.field(tag::k_trade_liquidity_indicator, FieldType::character, "TradeLiquidityIndicator");
  extension.field(tag::k_trade_match_number, FieldType::string, "TradeMatchID");
  extension.field(tag::k_type_of_trade, FieldType::integer, "TypeOfTrade");
  extension.members({"D", "G"}, {tag::k_passive_only_order, tag::k_group_id, tag::k_offset, tag::k_pegged_exec_inst});
  extension.members({"S"}, {tag::k_pegged_exec_inst});
  extension.members({"q"}, {tag::k_group_id});
  extension.field(tag::k_appl_id, FieldType::string, "ApplID");
  extension.members({"r"}, {tag::k_appl_id});
  extension.members({"8"}, {tag::k_trade_liquidity_indicator, tag::k_trade_match_number, tag::k_type_of_trade});
}

/// What FIX 5.0 SP2 has to say which orders a mass cancel means: a segment, and the client's own or its firm's.
void add_mass_cancel_fields(Extension& extension) {
  extension.field(tag::k_market_segment_id, FieldType::string, "MarketSegmentID");
  extension.field(tag::k_target_party_count, FieldType::num_in_group, "NoTargetPartyIDs");
  extension.field(tag::k_target_party_id, FieldType::string, "TargetPartyID");
  extension.field(tag::k_target_party_id_source, FieldType::character, "TargetPartyIDSource");
  extension.field(tag::k_target_party_role, FieldType::integer, "TargetPartyRole");
  extension.members({"q"}, {tag::k_market_segment_id});
  extension.group("q", tag::k_target_party_count,
                  {tag::k_target_party_id, tag::k_target_party_id_source, tag::k_target_party_role});
}

void add_values(Extension& extension, FixVersion version) {
  extension.value(tag::k_ord_type, "F", "OFFSET");
  extension.value(tag::k_time_in_force, "7", "AT_THE_CLOSE");
  extension.value(tag::k_time_in_force, "8", "GOOD_FOR_INTRADAY_AUCTION");
  extension.value(tag::k_time_in_force, "9", "GOOD_FOR_NEXT_AUCTION");
  extension.value(tag::k_time_in_force, "C", "GOOD_FOR_SCHEDULED_AUCTION");
  extension.value(tag::k_time_in_force, "D", "AUCTION_VOLUME_DISCOVERY");
  extension.value(tag::k_time_in_force, "E", "VOLUME_DISCOVERY_AND_CROSS");
  extension.value(tag::k_exec_restatement_reason, "8", "MARKET");
  extension.value(tag::k_exec_restatement_reason, "100", "REPLENISHED");
  extension.value(tag::k_trading_session_id, "a", "CLOSING_PRICE_CROSS");
  if (version == FixVersion::fix_4_2) return;
  if (version == FixVersion::fix_5_0_sp2) extension.value(tag::k_trd_type, "67", "CLOSING_PRICE_TRADE");
  // One character holds no 56.
  extension.type(tag::k_mass_cancel_request_type, FieldType::string);
  extension.type(tag::k_mass_cancel_response, FieldType::string);
  for (const Tag tag : {tag::k_mass_cancel_request_type, tag::k_mass_cancel_response}) {
    extension.value(tag, "9", "CANCEL_ORDERS_FOR_A_MARKET_SEGMENT");
    extension.value(tag, "56", "CANCEL_ORDERS_OF_A_GROUP");
    extension.value(tag, "57", "CANCEL_ORDERS_OF_A_GROUP_IN_A_SECURITY");
  }
}

[[nodiscard]] fix::Dictionary extended(FixVersion version) {
  const std::span<const DictionaryModel> models = published_dictionary(version).models();
  std::vector<DictionaryModel> copies(models.begin(), models.end());
  // The transport's, which has the Logon; in FIX 4 it is the application's.
  Extension transport(copies.front());
  transport.field(tag::k_cancel_on_disconnect, FieldType::integer, "CancelOnDisconnect");
  transport.members({"A"}, {tag::k_cancel_on_disconnect});
  // The application's, above the transport's.
  Extension extension(copies.back());
  add_venue_fields(extension);
  add_values(extension, version);
  if (version == FixVersion::fix_4_4) add_mass_cancel_fields(extension);
  auto compiled = fix::Dictionary::compile(std::move(copies));
  DOJIMA_ASSERT(compiled.has_value(), "an extended dictionary can be compiled", name_of(version));
  return *std::move(compiled);
}

template <FixVersion k_version>
const fix::Dictionary& extended_once() {
  static const fix::Dictionary s_dictionary = extended(k_version);
  return s_dictionary;
}

}  // namespace

std::string_view name_of(FixVersion version) noexcept {
  return names_of(version).name;
}

std::optional<FixVersion> fix_version_of(std::string_view name) noexcept {
  for (const FixVersion version : k_fix_versions)
    if (name_of(version) == name) return version;
  return std::nullopt;
}

std::string_view begin_string_of(FixVersion version) noexcept {
  return names_of(version).begin_string;
}

std::string_view application_version_of(FixVersion version) noexcept {
  return names_of(version).application_version;
}

const fix::Dictionary& published_dictionary(FixVersion version) {
  switch (version) {
    case FixVersion::fix_4_2:
      return fix::fix_4_2();
    case FixVersion::fix_4_4:
      return fix::fix_4_4();
    case FixVersion::fix_5_0_sp2:
      break;
  }
  return fix::fix_5_0_sp2();
}

const fix::Dictionary& order_entry_dictionary(FixVersion version) {
  switch (version) {
    case FixVersion::fix_4_2:
      return extended_once<FixVersion::fix_4_2>();
    case FixVersion::fix_4_4:
      return extended_once<FixVersion::fix_4_4>();
    case FixVersion::fix_5_0_sp2:
      break;
  }
  return extended_once<FixVersion::fix_5_0_sp2>();
}

}  // namespace dojima::gateway
