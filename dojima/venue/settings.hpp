#pragma once

// What a partition is made from, as text of one `key = value` a line: the beginning of its journal, so that a journal
// can be replayed without the configuration that its venue was started with, and so that a venue that is started with
// another one can say what differs. Cold path; allocates.
//
//   std::string text = text_of(settings);
//   Result<PartitionSettings> again = parse_settings(text);        // equal
//   for (const Difference& what : differences(before, now)) ...    // "users.2.open_orders", "100", "50"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/market/command.hpp"
#include "dojima/venue/partition_config.hpp"

namespace dojima::venue {

struct PartitionSettings {
  PartitionConfig config;
  std::vector<std::string> user_names;  ///< by the user's number
  std::uint64_t day_seed = 1;           ///< of the random ends of calls
  std::int32_t utc_offset_minutes = 0;  ///< of the venue's midnight
  std::string build;                    ///< of the program that wrote this
};

/// The largest capacities that settings are read with (VenueLimits); what asks for more is damaged.
inline constexpr std::size_t k_most_orders = std::size_t{1} << 31;
inline constexpr std::size_t k_most_levels = std::size_t{1} << 24;
inline constexpr std::size_t k_most_reports = std::size_t{1} << 26;
inline constexpr std::size_t k_most_trades = std::size_t{1} << 26;
inline constexpr std::size_t k_most_buffered = std::size_t{1} << 24;
inline constexpr std::uint32_t k_most_slice = 1 << 20;  ///< PartitionConfig::slice

/// Lines in a fixed order, the same for equal settings.
[[nodiscard]] std::string text_of(const PartitionSettings& settings);

/// The settings of a text; an error gives the line in `offset`. A key that is not known or missing is one, and a value
/// that its key cannot have. Makes nothing larger than a few times the text.
[[nodiscard]] Result<PartitionSettings> parse_settings(std::string_view text);

/// How a difference between a journal and the configuration of a start is dealt with.
enum class Change : std::uint8_t {
  free,          ///< the build: it changes nothing by itself
  between_days,  ///< limits of users, timetables, bands, instruments behind the last one: a new record when no day is
                 ///< on
  never,         ///< other instruments, capacities, rules: what is in the books would mean something else
};

struct Difference {
  std::string key;
  std::string before;  ///< empty: not there
  std::string now;     ///< likewise
  Change change = Change::never;
};

/// In the order of the keys of `before`, then those that only `now` has.
[[nodiscard]] std::vector<Difference> differences(std::string_view before, std::string_view now);

/// "users.2.open_orders: 100 in the journal, 50 now", a line each.
[[nodiscard]] std::string describe(const std::vector<Difference>& differences);

/// A text as commands, to be submitted one by one, and back again.
[[nodiscard]] std::vector<market::Setting> commands_of(std::string_view text);

class SettingText {
 public:
  /// The next command. True: the text is complete. One that does not follow the last makes the text incomplete.
  [[nodiscard]] bool add(const market::Setting& setting);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  bool is_open_ = false;
};

}  // namespace dojima::venue
