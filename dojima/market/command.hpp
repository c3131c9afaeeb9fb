#pragma once

// Commands: everything that changes the state of a venue partition, as fixed-size records with one header. A command
// goes into the journal as it is in memory, and replaying the same commands gives the same bytes out. `sequence` and
// `time` are filled in by the partition when the command is submitted.

#include <cstddef>
#include <cstdint>

#include "dojima/market/day.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/phase.hpp"
#include "dojima/market/risk.hpp"

namespace dojima::market {

enum class CommandType : std::uint8_t {
  none = 0,
  new_order = 1,
  replace = 2,
  cancel = 3,
  logon = 4,        ///< a user's real-time session began
  end_session = 5,  ///< it ended; cancels what follows the user's cancel set-up
  mass_cancel = 6,
  expire = 7,          ///< time has come for orders with an end
  phase = 8,           ///< a book goes into another phase
  day = 9,             ///< the trading day goes on: a phase is over, a price broke a band, halt, resume
  setting = 10,        ///< a piece of the text that says what the partition is made from (venue/settings.hpp)
  checkpoint = 11,     ///< what the state must come to here when the commands are replayed
  bust_trade = 12,     ///< the operator takes a trade back
  quote = 13,          ///< both sides of a user's quote in an instrument
  risk = 14,           ///< the operator sets a limit or a kill switch, or cancels what is open
  slice = 15,          ///< the next orders that are to end of what one command ends
  next_day = 16,       ///< the numbers of reports begin anew
  correct_trade = 17,  ///< the operator gives a trade another price
};
inline constexpr std::size_t k_command_types = 18;

/// Who sent a command that comes from no user.
inline constexpr std::uint16_t k_no_user = 0xffff;

/// 24 bytes, at the start of every command.
struct CommandHeader {
  Sequence sequence;
  time::Time time;
  std::uint32_t instrument = 0;  ///< 0 where the command concerns no single instrument
  std::uint16_t user = 0;        ///< who sent it
  CommandType type = CommandType::none;
  std::uint8_t flags = 0;
};

/// 152 bytes.
struct NewOrder {
  CommandHeader header{.type = CommandType::new_order};
  OrderTerms terms;
  OrderLabels labels;
  OrderId linked;  ///< one cancels the other: a live order of the same owner and side; 0: none
};

/// Every field carries the wanted final value, except: negative `stop` and empty `account` mean unchanged, group 0
/// leaves the group, `limit` is ignored for market and stop orders. 144 bytes.
struct Replace {
  CommandHeader header{.type = CommandType::replace};
  OrderId order;  ///< wins when both references are given
  Price limit;
  Price stop;
  Quantity quantity;  ///< new total, fills included
  Quantity displayed;
  Quantity minimum;
  time::Time expiry;
  std::int32_t offset_bp = 0;
  Side side = Side::none;
  std::uint8_t group = 0;
  std::uint8_t passive = 0;
  std::uint8_t flags = 0;
  Text<20> client_order_id;  ///< id of this request; the order's id once it is accepted
  Text<20> original_client_order_id;
  Text<10> account;
  std::uint8_t reserved[6] = {};
};

/// 80 bytes.
struct Cancel {
  CommandHeader header{.type = CommandType::cancel};
  OrderId order;             ///< wins when both references are given
  Text<20> client_order_id;  ///< id of this request
  Text<20> original_client_order_id;
  Side side = Side::none;
  std::uint8_t reserved[7] = {};
};

/// The user's quote in header.instrument becomes this: two limit orders, each with k_quote. A side that is there keeps
/// its order, which is amended to have `size` left; one that is not gets a new order; a size of 0 wants no order on
/// that side. If one side is refused nothing changes. 120 bytes.
struct Quote {
  CommandHeader header{.type = CommandType::quote};
  Price bid;
  Price ask;
  Quantity bid_size;  ///< that shall be left, whatever was executed before; >= 0
  Quantity ask_size;
  OrderLabels labels;  ///< of both orders; an account means nothing
  Capacity capacity = Capacity::none;
  TimeInForce time_in_force = TimeInForce::day;  ///< of new orders; one that is there keeps its own
  std::uint8_t peg = 0;                          ///< as OrderTerms::peg
  std::uint8_t flags = 0;                        ///< OrderFlag bits of new orders: k_auto_cancel and k_named
  std::uint8_t reserved[4] = {};
};

enum class SessionEnd : std::uint8_t { none = 0, logout = 1, disconnect = 2, forced = 3 };

/// What a mass cancel is about, as MIT203 numbers its OrderSubType.
enum class MassCancelOf : std::uint8_t { orders = 0, quotes = 3, orders_and_quotes = 255 };

/// Cancels the sender's orders that match everything that is given; header.instrument 0: of all instruments. 56 bytes.
struct MassCancel {
  CommandHeader header{.type = CommandType::mass_cancel};
  Text<20> client_order_id;  ///< id of this request
  Text<4> segment;           ///< of Instrument::segment; empty: all
  Side side = Side::none;    ///< none: both
  std::uint8_t group = 0;    ///< 0: all
  bool is_everyone = false;  ///< by the operator: of all owners
  bool is_account = false;   ///< of all users of the sender's account (book::BookRules::accounts)
  MassCancelOf of = MassCancelOf::orders;
  std::uint8_t reserved[3] = {};
};

/// Ends orders whose time in force has run out at header.time, and with `is_end_of_day` the day orders. 32 bytes.
struct Expire {
  CommandHeader header{.type = CommandType::expire};
  bool is_end_of_day = false;
  std::uint8_t reserved[7] = {};
};

/// A book goes into `phase`; header.instrument 0: the books of all instruments. What was collected in a call is
/// uncrossed at one price first when the new phase is continuous trading, or the closing price cross behind a call, or
/// `is_uncrossed` asks for it; otherwise it stays as it is. The phase that a book is in already is fine: an auction
/// without an end, or a new reference price. 40 bytes.
struct PhaseChange {
  CommandHeader header{.type = CommandType::phase};
  Price reference;  ///< decides between prices that are equally good, and prices offset orders; 0: the last trade
  Phase phase = Phase::continuous;
  bool is_uncrossed = false;  ///< the call that ends is uncrossed even if the next phase does not ask for it
  std::uint8_t reserved[6] = {};
};

/// Something happens to the trading days of an instrument, of a segment's, or of all. 48 bytes.
struct DayCommand {
  CommandHeader header{.type = CommandType::day};
  time::Time midnight{};   ///< begin: of the day, venue time
  std::uint64_t seed = 0;  ///< begin: of the random ends of its calls
  Text<4> segment;         ///< header.instrument 0: of this segment; empty: all
  DayEvent event = DayEvent::none;
  std::uint8_t reserved[3] = {};
};

/// Logon and end of a session. 32 bytes.
struct UserCommand {
  CommandHeader header;
  SessionEnd end = SessionEnd::none;
  std::uint8_t reserved[7] = {};
};

/// Changes nothing: a journal says with such pieces what its commands meant. 128 bytes.
struct Setting {
  CommandHeader header{.type = CommandType::setting};
  std::uint8_t size = 0;  ///< of the text
  bool is_first = false;
  bool is_last = false;
  char text[101] = {};
};

/// Changes nothing. 32 bytes.
struct Checkpoint {
  CommandHeader header{.type = CommandType::checkpoint};
  std::uint64_t digest = 0;  ///< of what came out so far (venue::Partition)
};

/// A trade of header.instrument counts no more: it is reported to both owners; what was executed of their orders goes
/// down, and so does the total of an order that is open, so that its leaves quantity stays. A trade that is not known
/// any more, or was taken back before, changes nothing. 32 bytes.
struct TradeBust {
  CommandHeader header{.type = CommandType::bust_trade};
  std::uint64_t trade = 0;  ///< OwnerReport::trade
};

/// A trade of header.instrument has another price: it is reported to both owners. What was executed of their orders,
/// and what is left, stays. A trade that is not known any more, or was taken back, changes nothing, nor does a price
/// that is not above 0 or that it has already. 40 bytes.
struct TradeCorrection {
  CommandHeader header{.type = CommandType::correct_trade};
  std::uint64_t trade = 0;  ///< OwnerReport::trade
  Price price;
};

/// A limit of a user, an account or everybody from here on, or a kill switch, or the end of orders; header.instrument
/// 0: in all instruments. One that makes no sense here changes nothing (venue::Partition::complaint). 120 bytes.
struct RiskCommand {
  CommandHeader header{.type = CommandType::risk};  ///< user: whom it is about, with LimitOf::user; else k_no_user
  std::int64_t value = 0;                           ///< of the limit, in its own unit; 0: there is none
  Text<10> account;                                 ///< whom it is about, with LimitOf::account
  Text<4> segment;                                  ///< cancel_orders: of its instruments; empty: all
  Text<20> who;                                     ///< ordered it
  Text<44> why;
  LimitKind kind = LimitKind::none;
  LimitOf of = LimitOf::everybody;
  bool is_cancelling = false;  ///< a kill switch: what is open is cancelled, too
  std::uint8_t reserved[7] = {};
};

/// What a command has begun to end goes on: so many orders, of so many places of the order table. 32 bytes.
struct Slice {
  CommandHeader header{.type = CommandType::slice};
  std::uint32_t orders = 0;
  std::uint32_t places = 0;
};

/// Another day of the venue begins: its reports are numbered from 1 again, those of the day before are not recovered
/// any more, and nobody is logged on, which cancels nothing. Orders, books and phases stay as they are. 40 bytes.
struct NextDay {
  CommandHeader header{.type = CommandType::next_day};
  std::uint64_t day = 0;     ///< its number: one more than that of the day before; that of a new venue is 0
  std::uint64_t digest = 0;  ///< of what came out before it, as a checkpoint's
};

static_assert(sizeof(CommandHeader) == 24 && PlainRecord<CommandHeader>);
static_assert(sizeof(NewOrder) == 152 && PlainRecord<NewOrder>);
static_assert(sizeof(Replace) == 144 && PlainRecord<Replace>);
static_assert(sizeof(Cancel) == 80 && PlainRecord<Cancel>);
static_assert(sizeof(Quote) == 120 && PlainRecord<Quote>);
static_assert(sizeof(MassCancel) == 56 && PlainRecord<MassCancel>);
static_assert(sizeof(Expire) == 32 && PlainRecord<Expire>);
static_assert(sizeof(PhaseChange) == 40 && PlainRecord<PhaseChange>);
static_assert(sizeof(DayCommand) == 48 && PlainRecord<DayCommand>);
static_assert(sizeof(UserCommand) == 32 && PlainRecord<UserCommand>);
static_assert(sizeof(Setting) == 128 && PlainRecord<Setting>);
static_assert(sizeof(Checkpoint) == 32 && PlainRecord<Checkpoint>);
static_assert(sizeof(TradeBust) == 32 && PlainRecord<TradeBust>);
static_assert(sizeof(TradeCorrection) == 40 && PlainRecord<TradeCorrection>);
static_assert(sizeof(RiskCommand) == 120 && PlainRecord<RiskCommand>);
static_assert(sizeof(Slice) == 32 && PlainRecord<Slice>);
static_assert(sizeof(NextDay) == 40 && PlainRecord<NextDay>);

/// The bytes of a command, from its header's type; 0 for a type that is not one.
[[nodiscard]] constexpr std::size_t size_of(CommandType type) noexcept {
  switch (type) {
    case CommandType::new_order:
      return sizeof(NewOrder);
    case CommandType::replace:
      return sizeof(Replace);
    case CommandType::cancel:
      return sizeof(Cancel);
    case CommandType::logon:
    case CommandType::end_session:
      return sizeof(UserCommand);
    case CommandType::mass_cancel:
      return sizeof(MassCancel);
    case CommandType::expire:
      return sizeof(Expire);
    case CommandType::phase:
      return sizeof(PhaseChange);
    case CommandType::day:
      return sizeof(DayCommand);
    case CommandType::setting:
      return sizeof(Setting);
    case CommandType::checkpoint:
      return sizeof(Checkpoint);
    case CommandType::bust_trade:
      return sizeof(TradeBust);
    case CommandType::correct_trade:
      return sizeof(TradeCorrection);
    case CommandType::quote:
      return sizeof(Quote);
    case CommandType::risk:
      return sizeof(RiskCommand);
    case CommandType::slice:
      return sizeof(Slice);
    case CommandType::next_day:
      return sizeof(NextDay);
    case CommandType::none:
      break;
  }
  return 0;
}

}  // namespace dojima::market
