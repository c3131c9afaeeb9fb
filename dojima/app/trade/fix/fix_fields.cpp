#include "dojima/app/trade/fix/fix_fields.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "dojima/app/trade/fix/tags.hpp"

namespace dojima::app {
namespace {

/// In the message, or in an entry of one of its groups, of whatever depth.
bool occurs(const fix::Dictionary& dictionary, const fix::Shape& shape, fix::Tag tag) {
  if (shape.find(tag) != nullptr) return true;
  return std::ranges::any_of(shape.members(), [&](const fix::Member& member) {
    return member.is(fix::Member::k_group) && occurs(dictionary, dictionary.shape(member), tag);
  });
}

/// A field's name, also where only the newest version has it.
std::string_view name_of(fix::Tag tag) {
  const fix::FieldFacts* const facts = gateway::order_entry_dictionary(gateway::FixVersion::fix_5_0_sp2).field(tag);
  return facts == nullptr ? std::string_view{"field"} : facts->name;
}

}  // namespace

FixFields::FixFields(gateway::FixVersion version, fix::MsgType type)
    : version_(version),
      dictionary_(gateway::order_entry_dictionary(version)),
      message_(dictionary_.message(type)),
      request_{.type = type} {
  if (message_ == nullptr)
    refuse(fmt::format("{} has no message for this (35={})", gateway::name_of(version), fix::text_of(type).view()));
}

bool FixFields::is_known(fix::Tag tag) const {
  return message_ != nullptr && occurs(dictionary_, *message_->shape, tag);
}

FixFields& FixFields::refuse(std::string text) {
  if (!trouble_) trouble_ = std::move(text);
  return *this;
}

FixFields& FixFields::field(fix::Tag tag, std::string_view value) {
  if (trouble_) return *this;
  const fix::FieldFacts* const facts = dictionary_.field(tag);
  if (!is_known(tag))
    return refuse(fmt::format("{} has no {}({}) in {}", gateway::name_of(version_), name_of(tag), tag, message_->name));
  if (facts->is_closed && !facts->allows(value))
    return refuse(fmt::format("{} has no {}({}) of {}", gateway::name_of(version_), facts->name, tag, value));
  request_.fields.push_back({tag, std::string(value)});
  return *this;
}

FixFields& FixFields::field(fix::Tag tag, market::Price value) {
  char text[market::k_price_text_max];
  return field(tag, market::format_price(value, text));
}

FixFields& FixFields::transact_time() {
  request_.has_transact_time = is_known(tag::k_transact_time);
  return *this;
}

Understood<FixRequest> FixFields::finish() const {
  if (trouble_) return std::unexpected(*trouble_);
  return request_;
}

}  // namespace dojima::app
