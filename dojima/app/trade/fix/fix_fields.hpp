#pragma once

// The fields of a message that is being made, held against the dictionary of its version as they come.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dojima/app/trade/fix/fix_request.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/market/price.hpp"

namespace dojima::app {

class FixFields {
 public:
  /// The version must have the message; otherwise everything is refused.
  FixFields(gateway::FixVersion version, fix::MsgType type);

  /// Adds a field, or remembers that the version cannot say it. Calls chain.
  FixFields& field(fix::Tag tag, std::string_view value);
  FixFields& field(fix::Tag tag, char value) { return field(tag, std::string_view(&value, 1)); }
  FixFields& field(fix::Tag tag, std::int64_t value) { return field(tag, std::to_string(value)); }
  FixFields& field(fix::Tag tag, market::Quantity value) { return field(tag, value.lots); }
  FixFields& field(fix::Tag tag, market::Price value);
  FixFields& transact_time();
  /// Says what cannot be said, in words of its own.
  FixFields& refuse(std::string text);

  [[nodiscard]] gateway::FixVersion version() const noexcept { return version_; }
  [[nodiscard]] bool has(fix::Tag tag) const { return is_known(tag); }
  /// The message, or the first thing that the version cannot say.
  [[nodiscard]] Understood<FixRequest> finish() const;

 private:
  [[nodiscard]] bool is_known(fix::Tag tag) const;

  gateway::FixVersion version_;
  const fix::Dictionary& dictionary_;
  const fix::MessageFacts* message_;
  FixRequest request_;
  std::optional<std::string> trouble_;
};

}  // namespace dojima::app
