#pragma once

// Limits as people write them: the keys of [[limit]] in a venue's configuration and of `dojima admin limits`, with
// their ranges, in the order in which orders are held against them. docs/risk.md explains each. Cold path; allocates.
//
//   const LimitKey* key = find_limit_key("max_open_orders");
//   Result<std::int64_t> value = parse_limit(*key, "100");

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/base/text.hpp"
#include "dojima/market/command.hpp"

namespace dojima::venue {

/// In a command's header: of a RiskCommand that the venue's configuration orders.
inline constexpr std::uint8_t k_by_configuration = 1;
/// ... that market-maker protection orders.
inline constexpr std::uint8_t k_by_protection = 2;

/// How the value of a limit is written.
enum class LimitForm : std::uint8_t {
  number,   ///< whole, 0 to `most`
  integer,  ///< whole, -`most` to `most`
  percent,  ///< with two decimals, kept as basis points
  permit,   ///< yes or no; empty: nothing is said
  from,     ///< last or reference
  none,     ///< it has no value
};

struct LimitKey {
  market::LimitKind kind = market::LimitKind::none;
  std::string_view name;
  LimitForm form = LimitForm::number;
  std::int64_t most = 0;
  bool is_counted = false;  ///< of a user or an account only
  std::string_view meaning;
  [[nodiscard]] constexpr bool has_value() const noexcept { return form != LimitForm::none; }
};

/// All of them, in the order of the checks.
[[nodiscard]] std::span<const LimitKey> limit_keys() noexcept;
/// Null: no limit is called so.
[[nodiscard]] const LimitKey* find_limit_key(std::string_view name) noexcept;
/// Null: no kind.
[[nodiscard]] const LimitKey* key_of(market::LimitKind kind) noexcept;

/// The value of a text; `expected` of the error says what can be there.
[[nodiscard]] Result<std::int64_t> parse_limit(const LimitKey& key, std::string_view text) noexcept;
[[nodiscard]] std::string text_of_limit(const LimitKey& key, std::int64_t value);

/// A limit that is set, with what is used of it.
struct LimitRow {
  market::LimitOf of = market::LimitOf::everybody;
  std::uint16_t user = market::k_no_user;
  Text<10> account;
  std::uint32_t instrument = 0;  ///< 0: all
  market::LimitKind kind = market::LimitKind::none;
  bool is_by_operator = false;  ///< else by the configuration, which the next start may change
  std::int64_t value = 0;
  std::int64_t used = 0;  ///< of open orders, open value (rounded up), a position and executions; else 0
  friend bool operator==(const LimitRow&, const LimitRow&) = default;
};

}  // namespace dojima::venue
