#pragma once

// What an exchange is made from: plain values with defaults. `dojima venue` reads them from TOML
// (dojima/app/config.hpp), tests and simulations fill them in. Cold path; allocates.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/book/rules.hpp"
#include "dojima/journal/durability.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/market/risk.hpp"
#include "dojima/market/tick_table.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/venue/credentials.hpp"
#include "dojima/venue/feed/market_data_writer.hpp"
#include "dojima/venue/partition.hpp"
#include "dojima/venue/segment.hpp"

namespace dojima::simulate {

struct TickConfig {
  market::Price from;
  market::Price tick;
  friend bool operator==(const TickConfig&, const TickConfig&) = default;
};

struct InstrumentConfig {
  std::uint32_t id = 0;
  std::string symbol;
  std::uint8_t partition = 1;
  std::string segment;
  std::vector<TickConfig> ticks;
  market::Price highest;
  market::Price reference;
  market::Quantity maximum_quantity;
  // Reference data, for people and other programs; no order is held to it but to the days.
  std::string isin{}, sedol{}, name{};
  std::string currency{};  ///< ISO 4217: "JPY"
  std::uint32_t lot = 1;   ///< units of it in a lot; quantities are in lots
  /// The days on which orders are taken, both included, by the venue's midnight; none: from the first on, or for ever.
  std::optional<std::chrono::sys_days> first_day{}, last_day{};
  std::uint32_t file_line = 0;  ///< of the file of reference data, from 1 on; 0: of the configuration itself
  friend bool operator==(const InstrumentConfig&, const InstrumentConfig&) = default;
};

/// What a user may do at a venue.
enum class UserRole : std::uint8_t {
  trade,  ///< everything
  read,   ///< log on, hear of its orders and cancel them: a limit, venue::LimitKey `permitted`
};

struct VenueUserConfig {
  std::string name;
  std::string password;        ///< or what an Exchange's hasher made of it
  std::string account;         ///< users with the same one belong together; empty: alone
  std::uint32_t throttle = 0;  ///< messages per second; 0: no limit
  std::uint32_t open_orders = 100'000;
  std::int64_t order_quantity = 1'000'000;
  bool cancel_on_disconnect = true;
  bool cancel_on_logout = true;
  UserRole role = UserRole::trade;
  bool first_password = false;  ///< it has to be changed with the first logon
  time::Time password_since{};  ///< when it was set; the epoch: when the venue starts
  bool is_spare = false;        ///< a place for a user that the operator adds; without a name nobody has it yet
  bool is_removed = false;      ///< by the operator
  friend bool operator==(const VenueUserConfig&, const VenueUserConfig&) = default;
};

/// Where commands are kept. Without a directory they are in memory, or nowhere (ExchangeConfig::keep_journal).
struct JournalConfig {
  std::string directory;  ///< each partition has a folder of its own in it; empty: none
  journal::Durability durability = journal::Durability::process;
  std::uint32_t segment_megabytes = 64;
  std::uint32_t spare_segments = 3;          ///< ready ahead, 1 to 8
  std::uint64_t snapshot_every = 1'000'000;  ///< commands; 0: no snapshots
  std::uint32_t snapshot_days = 0;           ///< younger ones are kept as well, whatever their number
  std::uint32_t snapshots = 2;               ///< kept, with the records behind the oldest
  std::uint64_t checkpoint_every = 1 << 16;  ///< commands; 0: none
  std::uint32_t clock_tolerance_s = 60;      ///< a clock further behind the last record is refused
  std::string day_files;                     ///< folder for the files of days that are over; empty: none are written
  std::string build;                         ///< names the program in the journal
  bool cut_holes = false;                    ///< journal::FileJournalOptions::cut_holes
  friend bool operator==(const JournalConfig&, const JournalConfig&) = default;
};

/// The recovery channel, where members ask for reports that they missed.
struct RecoveryChannelConfig {
  std::uint32_t connections = 16;    ///< at a time
  std::uint32_t requests = 1000;     ///< of a user in one real-time session
  std::uint32_t messages = 100'000;  ///< sent for one request
  friend bool operator==(const RecoveryChannelConfig&, const RecoveryChannelConfig&) = default;
};

/// Who gets copies of the execution reports of users, as they happen.
struct CopyReaderConfig {
  std::string name;
  std::string password;  ///< or what an Exchange's hasher made of it
  std::string of;        ///< whose: "account:NAME", a user's name, or "all"
  std::string host;      ///< from where: an address, or a network such as 10.0.0.0/8; empty: from anywhere
  friend bool operator==(const CopyReaderConfig&, const CopyReaderConfig&) = default;
};

/// The channel of drop copies. Without readers there is none.
struct CopyChannelConfig {
  std::uint32_t connections = 16;  ///< at a time
  std::vector<CopyReaderConfig> readers;
  friend bool operator==(const CopyChannelConfig&, const CopyChannelConfig&) = default;
};

/// What CopyReaderConfig::of begins with where it means the users of an account.
inline constexpr std::string_view k_copies_of_account = "account:";
inline constexpr std::string_view k_copies_of_all = "all";

/// Places for users that the operator adds, of one kind.
struct SpareUserConfig {
  std::uint32_t places = 1;
  VenueUserConfig user;  ///< what a user in one has: all but name and password
  friend bool operator==(const SpareUserConfig&, const SpareUserConfig&) = default;
};

/// A limit as the configuration sets it: of a user, of an account, or of everybody where both are empty.
struct LimitConfig {
  std::string user;
  std::string account;                                             ///< that orders carry
  std::string instrument;                                          ///< its symbol; empty: all
  std::vector<std::pair<market::LimitKind, std::int64_t>> values;  ///< in the order of venue::limit_keys()
  friend bool operator==(const LimitConfig&, const LimitConfig&) = default;
};

struct ExchangeConfig {
  std::uint32_t connections = 64;                           ///< MIT203 sessions at a time
  const mit::Dialect* dialect = &mit::lse_21_2::k_dialect;  ///< of MIT203, on both channels; never null
  RecoveryChannelConfig recovery;
  CopyChannelConfig copies;
  std::uint32_t heartbeat_ms = 3000;
  std::uint32_t stall_ms = 10'000;  ///< mit::ServerOptions::stall
  venue::LogonRules logon;
  std::uint32_t throttle = 0;  ///< before logon and for users without a limit of their own
  std::uint32_t orders = 1 << 16;
  std::uint32_t levels = 4096;
  std::uint32_t reports = 1 << 18;
  std::uint32_t maximum_lag = 1 << 16;
  std::uint32_t trades = 0;   ///< the newest of each partition that can still be busted
  std::uint32_t slice = 256;  ///< orders that end by one command at once (venue::PartitionConfig)
  /// 1: one for all; more: one for the sessions, and the partitions share the others (venue::PartitionThreads). More
  /// than one for each partition are not made.
  std::uint32_t threads = 1;
  bool full_reports = false;  ///< ExecTypes 9 and D (venue::PartitionConfig)
  bool keep_journal = false;
  std::uint32_t journal_megabytes = 64;
  JournalConfig journal;
  book::BookRules rules;                ///< of all books; its accounts come from the users, see rules_of()
  std::uint64_t day_seed = 1;           ///< of the random ends of calls
  std::int32_t utc_offset_minutes = 0;  ///< of the venue's midnight: 60 is an hour before UTC's
  /// When day orders of instruments without a timetable expire, in minutes since the venue's midnight; -1: by the
  /// operator only.
  std::int32_t day_end_minutes = -1;
  /// When the venue's next day begins and numbers begin anew, likewise (venue::NextDayClock); -1: by the operator only.
  std::int32_t next_day_minutes = -1;
  std::vector<venue::Segment> segments;  ///< those with a timetable
  std::vector<InstrumentConfig> instruments;
  std::vector<VenueUserConfig> users;
  std::uint32_t spare_users = 0;                  ///< places for users that the operator adds (add_spare_users)
  std::vector<SpareUserConfig> spare_user_kinds;  ///< and more, which are not plain
  std::vector<LimitConfig> limits;                ///< those that the operator has changed since stay as they are
  friend bool operator==(const ExchangeConfig&, const ExchangeConfig&) = default;
};

/// What the directory of the market data says of the instruments, by rising id.
[[nodiscard]] std::vector<venue::DirectoryEntry> directory_of(const ExchangeConfig& config);

/// The tick table of an instrument; an error where its bands make none.
[[nodiscard]] Result<market::TickTable> tick_table(const InstrumentConfig& instrument);

/// What the market rooms want; the configuration has been checked.
[[nodiscard]] market::Instrument make_instrument(const InstrumentConfig& config);

/// The rules of all books, accounts filled in from the users.
[[nodiscard]] book::BookRules rules_of(const ExchangeConfig& config);

/// The places of `spare_users` behind the users, then those of `spare_user_kinds`; once.
void add_spare_users(ExchangeConfig& config);

/// Whose copies a reader gets, by the places of the users: 1 of each that is meant.
[[nodiscard]] std::vector<std::uint8_t> users_of(const CopyReaderConfig& reader,
                                                 const std::vector<VenueUserConfig>& users);

/// What the venue room wants.
[[nodiscard]] venue::VenueLimits limits_of(const ExchangeConfig& config);

}  // namespace dojima::simulate
