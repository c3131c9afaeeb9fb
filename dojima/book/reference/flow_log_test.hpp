#pragma once

// A flow of random commands as a value: written down, run on a book and on the naive one, made shorter, and printed as
// a scenario that `dojima book run` reads. Orders are named by their place in the flow, not by their ids, so that a
// flow from which commands were taken away still means the same orders.

#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dojima/book/random_flow_test.hpp"
#include "dojima/book/reference/reference_book_test.hpp"
#include "dojima/book/script/script_words.hpp"

namespace dojima::book::testing {

[[nodiscard]] inline ReferenceBook make_reference(const WorldOptions& options) {
  return ReferenceBook({.instrument = k_instrument,
                        .tick = k_tick,
                        .lowest = k_tick,
                        .highest = k_ticks * k_tick,
                        .largest = k_largest,
                        .orders = options.orders,
                        .levels = options.levels,
                        .hidden_levels = options.hidden_levels,
                        .stop_levels = options.stop_levels,
                        .book = options.rules});
}

/// A command, the name of the order that it makes or concerns, and of the order that it is linked with; 0: none known.
struct LoggedCommand {
  Command command;
  std::size_t name = 0;
  std::size_t linked = 0;
};

struct FlowLog {
  WorldOptions options;
  std::vector<LoggedCommand> commands;
};

/// Stands for orders that are not there: never lived, or shrunk away.
inline constexpr OrderId k_nobody{~std::uint64_t{0}};

/// What a flow has named so far.
class FlowNames {
 public:
  /// The command with the ids of this run.
  [[nodiscard]] Command resolved(const LoggedCommand& logged) const {
    Command command = logged.command;
    std::visit(
        [&](auto& of) {
          if constexpr (requires { of.order; }) of.order = id(logged.name);
          if constexpr (requires { of.linked; })
            if (of.linked.value != 0) of.linked = id(logged.linked);
        },
        command);
    return command;
  }
  void learn(const LoggedCommand& logged, const std::vector<BookReport>& reports) {
    if (!std::holds_alternative<market::NewOrder>(logged.command)) return;
    if (reports.empty() || reports.front().kind != BookReportKind::accepted) return;
    names_.emplace_back(logged.name, reports.front().order);
  }
  [[nodiscard]] std::size_t name(OrderId order) const {
    for (const auto& [name, id] : names_)
      if (id == order) return name;
    return 0;
  }

 private:
  [[nodiscard]] OrderId id(std::size_t name) const {
    for (const auto& [known, id] : names_)
      if (known == name && name != 0) return id;
    return k_nobody;
  }
  std::vector<std::pair<std::size_t, OrderId>> names_;
};

/// The first `count` commands of a seed's flow.
[[nodiscard]] inline FlowLog record_flow(std::uint64_t seed, std::size_t count, const WorldOptions& options, Mix mix) {
  FlowLog log{options, {}};
  RandomFlow flow(seed, mix);
  ReferenceBook book = make_reference(options);
  FlowNames names;
  for (std::size_t step = 1; step <= count; ++step) {
    LoggedCommand logged{flow.next()};
    std::visit(
        [&](auto& of) {
          if constexpr (requires { of.order; }) logged.name = names.name(of.order);
          if constexpr (requires { of.linked; }) logged.name = step, logged.linked = names.name(of.linked);
        },
        logged.command);
    const auto reports = std::visit([&](const auto& of) { return book.apply(step, of); }, names.resolved(logged));
    names.learn(logged, reports);
    flow.learn(reports);
    log.commands.push_back(std::move(logged));
  }
  return log;
}

/// A book of one storage, asked one command after the other.
template <class Storage>
class QuietBook {
 public:
  explicit QuietBook(const WorldOptions& options)
      : orders_({.capacity = options.orders, .owners = 8}),
        collector_(options.buffer),
        book_(instrument_, orders_, collector_,
              {.levels = options.levels, .hidden_levels = options.hidden_levels, .stop_levels = options.stop_levels},
              options.rules) {}
  template <class Any>
  std::vector<BookReport> apply(std::uint64_t sequence, const Any& command) {
    collector_.reports.clear();
    collector_.begin({sequence}, {});
    book_.apply(command);
    collector_.finish();
    return collector_.reports;
  }
  [[nodiscard]] const char* inconsistency() const { return book_.inconsistency(); }

 private:
  market::Instrument instrument_ = make_instrument();
  OrderTable orders_;
  Collector collector_;
  Book book_;
};

/// Where a book and the naive one, made with `expected` rules, stop saying the same; empty: nowhere.
template <class Storage>
[[nodiscard]] std::string first_difference(const FlowLog& log, const WorldOptions& expected) {
  QuietBook<Storage> book(log.options);
  ReferenceBook reference = make_reference(expected);
  FlowNames names;
  std::uint64_t sequence = 0;
  for (const LoggedCommand& logged : log.commands) {
    const Command command = names.resolved(logged);
    ++sequence;
    const auto wanted = std::visit([&](const auto& of) { return reference.apply(sequence, of); }, command);
    const auto got = std::visit([&](const auto& of) { return book.apply(sequence, of); }, command);
    names.learn(logged, wanted);
    if (const char* wrong = book.inconsistency()) return "command " + std::to_string(sequence) + ": " + wrong;
    if (got == wanted) continue;
    std::ostringstream text;
    text << "command " << sequence << " got";
    for (const BookReport& report : got) market::PrintTo(report, &(text << "\n  "));
    text << "\nwanted";
    for (const BookReport& report : wanted) market::PrintTo(report, &(text << "\n  "));
    return text.str();
  }
  return {};
}

/// The words of a scenario file.
class ScenarioWriter {
 public:
  explicit ScenarioWriter(const FlowLog& log) {
    constexpr std::array policies{"fifo", "pro_rata", "top_pro_rata", "size_time"};
    constexpr std::array preventions{"allowed", "cancel_newest", "cancel_oldest", "cancel_both", "decrement"};
    constexpr std::array scopes{"owner", "account", "group"};
    const BookRules& rules = log.options.rules;
    text_ << "book tick=" << text_of(at(1)) << " lowest=" << text_of(at(1)) << " highest=" << text_of(at(k_ticks))
          << " largest=" << k_largest << " orders=" << log.options.orders << " owners=8 levels=" << log.options.levels
          << " hidden_levels=" << log.options.hidden_levels << " stop_levels=" << log.options.stop_levels
          << " policy=" << policies[static_cast<std::size_t>(rules.policy)]
          << " self_trade=" << preventions[static_cast<std::size_t>(rules.self_trade)]
          << " own=" << scopes[static_cast<std::size_t>(rules.scope)] << " seed=" << rules.seed
          << " peaks=" << rules.most_peaks;
    for (std::size_t owner = 0; owner < rules.accounts.size(); ++owner)
      text_ << (owner == 0 ? " accounts=" : ",") << rules.accounts[owner];
    text_ << '\n';
    for (const LoggedCommand& logged : log.commands)
      std::visit([&](const auto& command) { write(logged, command); }, logged.command);
  }
  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  void write(const LoggedCommand& logged, const market::NewOrder& command) {
    const market::OrderTerms& terms = command.terms;
    const bool has_side = terms.side == Side::buy || terms.side == Side::sell;
    const std::string words = type_words(terms);
    const std::string time_in_force = time_word(terms.time_in_force);
    if (!has_side || words.empty() || time_in_force.empty()) return cannot_say(logged.name);
    if (command.linked.value != 0 && !is_written(logged.linked)) return cannot_say(logged.name);
    written_.insert(logged.name);
    at_time(command.header.time);
    text_ << name_of(terms.side) << " o" << logged.name << ' ' << terms.quantity.lots << words
          << " tif=" << time_in_force << " until=" << time::nanoseconds_of(terms.expiry)
          << " show=" << terms.displayed.lots;
    if (terms.sub_type == market::OrderSubType::random_peak) text_ << " random=yes";
    if ((terms.flags & market::k_all_or_none) != 0) text_ << " aon=yes";
    text_ << " min=" << terms.minimum.lots << " passive=" << int(terms.passive) << " group=" << int(terms.group)
          << " owner=" << command.header.user;
    if (command.linked.value != 0) text_ << " linked=o" << logged.linked;
    text_ << '\n';
  }
  void write(const LoggedCommand& logged, const market::Replace& command) {
    if (!is_written(logged.name) || command.offset_bp != 0) return cannot_say(logged.name);
    at_time(command.header.time);
    text_ << "replace o" << logged.name << ' ' << command.quantity.lots << " @ " << text_of(command.limit)
          << " show=" << command.displayed.lots;
    if (command.stop.units >= 0) text_ << " stop=" << text_of(command.stop);
    text_ << " min=" << command.minimum.lots << " until=" << time::nanoseconds_of(command.expiry)
          << " passive=" << int(command.passive) << " group=" << int(command.group) << " side=" << name_of(command.side)
          << " owner=" << command.header.user << '\n';
  }
  void write(const LoggedCommand& logged, const market::Cancel& command) {
    if (!is_written(logged.name)) return cannot_say(logged.name);
    text_ << "cancel o" << logged.name << " side=" << name_of(command.side) << " owner=" << command.header.user << '\n';
  }
  void write(const LoggedCommand&, const market::MassCancel& command) {
    text_ << "cancel_all owner=" << command.header.user;
    if (command.side != Side::none) text_ << " side=" << name_of(command.side);
    text_ << " group=" << int(command.group) << (command.is_account ? " account=yes" : "")
          << (command.is_everyone ? " everyone=yes" : "") << '\n';
  }
  void write(const LoggedCommand&, const market::Expire& command) {
    at_time(command.header.time);
    text_ << "expire" << (command.is_end_of_day ? " day=yes" : "") << '\n';
  }

  void write(const LoggedCommand&, const market::PhaseChange& command) {
    if (static_cast<std::uint8_t>(command.phase) >= market::k_phases) return cannot_say(0);
    at_time(command.header.time);
    text_ << "phase " << name_of(command.phase);
    if (command.reference.units != 0) text_ << " reference=" << text_of(command.reference);
    text_ << (command.is_uncrossed ? " uncross=yes" : "") << '\n';
  }

  void at_time(time::Time now) {
    if (now == now_) return;
    now_ = now;
    text_ << "time " << time::nanoseconds_of(now) << '\n';
  }
  /// Values that scenario files have no words for, and orders that nobody entered.
  void cannot_say(std::size_t name) { text_ << "# a command about o" << name << " that has no words\n"; }
  [[nodiscard]] bool is_written(std::size_t name) const { return written_.contains(name); }

  [[nodiscard]] static std::string type_words(const market::OrderTerms& terms) {
    const std::string limit = " @ " + text_of(terms.limit);
    if (terms.sub_type == market::OrderSubType::offset)
      return " offset " + std::to_string(terms.offset_bp) + (terms.limit.units != 0 ? limit : std::string());
    if (terms.sub_type == market::OrderSubType::pegged)
      return " peg" + (terms.type == OrderType::limit ? limit : std::string()) + " offset=" + text_of(terms.stop);
    switch (terms.type) {
      case OrderType::limit:
        return limit;
      case OrderType::market:
        return " market";
      case OrderType::market_to_limit:
        return " to_limit";
      case OrderType::stop:
        return " stop " + text_of(terms.stop);
      case OrderType::stop_limit:
        return " stop " + text_of(terms.stop) + limit;
      case OrderType::trailing_stop:
        return " trail " + text_of(terms.stop);
      default:
        return {};
    }
  }
  [[nodiscard]] static std::string time_word(TimeInForce time_in_force) {
    switch (time_in_force) {
      case TimeInForce::day:
        return "day";
      case TimeInForce::good_till_cancel:
        return "gtc";
      case TimeInForce::good_till_date:
        return "gtd";
      case TimeInForce::good_till_time:
        return "gtt";
      case TimeInForce::immediate_or_cancel:
        return "ioc";
      case TimeInForce::fill_or_kill:
        return "fok";
      case TimeInForce::at_the_opening:
        return "opg";
      case TimeInForce::at_the_close:
        return "atc";
      case TimeInForce::good_for_next_auction:
        return "gfa";
      case TimeInForce::good_for_intraday_auction:
        return "gfx";
      case TimeInForce::good_for_scheduled_auction:
        return "gfs";
      case TimeInForce::closing_price_cross:
        return "cpx";
      default:
        return {};
    }
  }

  std::ostringstream text_;
  std::set<std::size_t> written_;
  time::Time now_{};
};

[[nodiscard]] inline std::string scenario_of(const FlowLog& log) {
  return ScenarioWriter(log).text();
}

/// How RapidCheck shows a flow that fails.
inline void showValue(const FlowLog& log, std::ostream& out) {
  out << log.commands.size() << " commands:\n" << scenario_of(log);
}

}  // namespace dojima::book::testing
