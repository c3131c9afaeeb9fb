#include "dojima/book/script.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "dojima/book/book.hpp"
#include "dojima/book/script/script_orders.hpp"
#include "dojima/book/script/script_words.hpp"
#include "dojima/book/script/scripted_book.hpp"

namespace dojima::book {
namespace {

using market::BookReport;
using market::BookReportKind;

/// What a refused order is linked by: it has no id.
constexpr OrderId k_no_such_order{~std::uint64_t{0}};

/// The lines of a command's reports.
class Collector final : public ReportBuffer {
 public:
  Collector() : ReportBuffer(16) {}
  std::vector<BookReport> reports;

 private:
  void drain(std::span<const BookReport> more, time::Time) override {
    reports.insert(reports.end(), more.begin(), more.end());
  }
};

market::Instrument instrument_of(const ScriptBook& book) {
  auto ticks = market::TickTable::uniform(book.tick, book.lowest, book.highest);
  if (!ticks) throw ScriptTrouble("tick, lowest and highest do not make a table of prices");
  return {.id = 1, .symbol = "SCRIPT", .ticks = *std::move(ticks), .maximum_quantity = {book.largest}};
}

/// Runs the commands of one script on one book.
class Stage {
 public:
  Stage(const ScriptBook& book, ScriptedBookMaker make)
      : instrument_(instrument_of(book)),
        table_({.capacity = book.orders, .owners = book.owners}),
        owners_(book.owners),
        book_(make(instrument_, table_, collector_,
                   {.levels = book.levels, .hidden_levels = book.hidden_levels, .stop_levels = book.stop_levels},
                   book.rules)) {}

  /// The reports of a command line, as lines.
  std::vector<std::string> run(std::string_view text) {
    ScriptLine line(text);
    collector_.reports.clear();
    collector_.begin({++sequence_}, now_);
    const std::string_view verb = line.take("a command");
    if (verb == "time") {
      now_ = time::from_nanoseconds(script_number(line.take("nanoseconds")));
      line.end();
      return {};
    }
    if (verb == "show") {
      line.end();
      return show();
    }
    orders_.set_subject("");
    if (verb == "buy" || verb == "sell")
      enter(read_side(verb), line);
    else if (verb == "replace")
      replace(line);
    else if (verb == "cancel")
      cancel(line);
    else if (verb == "cancel_all")
      cancel_all(line);
    else if (verb == "expire")
      expire(line);
    else if (verb == "phase")
      change_phase(line);
    else
      throw ScriptTrouble("\"" + std::string(verb) +
                          "\" is none of buy sell replace cancel cancel_all expire phase time show");
    collector_.finish();
    if (const char* wrong = book_->inconsistency()) throw ScriptTrouble(std::string("the book is broken: ") + wrong);
    std::vector<std::string> lines;
    for (const BookReport& report : collector_.reports) lines.push_back(words_of(report, orders_));
    return lines;
  }

 private:
  void enter(Side side, ScriptLine& line) {
    orders_.set_subject(line.take("the order's name"));
    market::NewOrder command = read_order(side, line);
    if (const auto linked = line.value("linked")) {
      command.linked = orders_.named(*linked).id;
      if (command.linked.value == 0) command.linked = k_no_such_order;
    }
    finish(command, line);
    book_->apply(command);
    OrderId id;
    for (const BookReport& report : collector_.reports)
      if (report.kind == BookReportKind::accepted) id = report.order;
    collector_.finish();
    if (id.value == 0 && !collector_.reports.empty()) id = collector_.reports.front().order;
    orders_.enter({id, side, command.header.user});
  }

  void replace(ScriptLine& line) {
    orders_.set_subject(line.take("the order's name"));
    const ScriptOrder& order = orders_.subject();
    market::Replace command = read_replace(line);
    command.order = order.id;
    address(command, order, line);
  }

  void cancel(ScriptLine& line) {
    orders_.set_subject(line.take("the order's name"));
    const ScriptOrder& order = orders_.subject();
    market::Cancel command;
    command.order = order.id;
    address(command, order, line);
  }

  void cancel_all(ScriptLine& line) {
    market::MassCancel command = read_mass_cancel(line);
    finish(command, line);
    book_->apply(command);
  }

  void expire(ScriptLine& line) {
    market::Expire command;
    command.is_end_of_day = script_yes(line, "day");
    finish(command, line);
    book_->apply(command);
  }

  void change_phase(ScriptLine& line) {
    market::PhaseChange command;
    command.phase = read_phase(line.take("a phase"));
    command.reference = line.price("reference", {});
    command.is_uncrossed = script_yes(line, "uncross");
    finish(command, line);
    book_->apply(command);
  }

  template <class Command>
  void address(Command& command, const ScriptOrder& order, ScriptLine& line) {
    command.side = order.side;
    if (const auto side = line.value("side")) command.side = read_side(*side);
    command.header.user = script_narrow<std::uint16_t>(line, "owner", order.owner);
    finish(command, line);
    book_->apply(command);
  }

  template <class Command>
  void finish(Command& command, const ScriptLine& line) {
    line.end();
    if (command.header.user >= owners_) throw ScriptTrouble("there are fewer owners");
    command.header.instrument = instrument_.id;
    command.header.time = now_;
    command.header.sequence = {sequence_};
  }

  [[nodiscard]] std::vector<std::string> show() const {
    std::vector<std::string> lines;
    for (const Side side : {Side::buy, Side::sell})
      for (const RestingOrder& order : book_->resting(side)) lines.push_back(words_of(side, order, orders_));
    return lines;
  }

  market::Instrument instrument_;
  OrderTable table_;
  std::size_t owners_;
  Collector collector_;
  std::unique_ptr<ScriptedBook> book_;
  std::uint64_t sequence_ = 0;
  time::Time now_{};
  ScriptOrders orders_;
};

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

/// Lines one by one, with their numbers.
class Lines {
 public:
  explicit Lines(std::string_view text) : left_(text) {}
  bool next() {
    if (left_.empty()) return false;
    const std::size_t end = std::min(left_.find('\n'), left_.size());
    line = trimmed(left_.substr(0, end));
    left_.remove_prefix(std::min(end + 1, left_.size()));
    ++number;
    return true;
  }
  std::string_view line;
  std::size_t number = 0;

 private:
  std::string_view left_;
};

/// One script from its first line to its last.
class Run {
 public:
  explicit Run(ScriptedBookMaker make) : make_(make) {}

  ScriptResult all(std::string_view text) {
    Lines lines(text);
    try {
      while (lines.next()) take(lines.line, lines.number);
      compare();
    } catch (const std::exception& trouble) {  // also of a book that cannot be made
      result_.trouble = trouble.what();
      result_.trouble_line = lines.number;
    }
    return std::move(result_);
  }

 private:
  void take(std::string_view line, std::size_t number) {
    if (line.starts_with('>')) {
      if (command_.empty()) throw ScriptTrouble("reports without a command");
      has_expectation_ = true;
      if (const std::string_view words = trimmed(line.substr(1)); words != "none") expected_.emplace_back(words);
      return;
    }
    if (line.empty() || line.starts_with('#')) return;
    compare();
    command_ = line;
    line_ = number;
    result_.printed += command_ + "\n";
    if (line == "book" || line.starts_with("book ")) {
      if (stage_ != nullptr) throw ScriptTrouble("\"book\" must precede all commands");
      ScriptLine words(line);
      static_cast<void>(words.next());
      const ScriptBook book = read_book(words);
      words.end();
      stage_ = std::make_unique<Stage>(book, make_);
      return;
    }
    if (stage_ == nullptr) stage_ = std::make_unique<Stage>(ScriptBook{}, make_);
    got_ = stage_->run(line);
    ++result_.commands;
    for (const std::string& words : got_) result_.printed += "> " + words + "\n";
  }

  void compare() {
    if (has_expectation_) {
      ++result_.checked;
      if (expected_ != got_) result_.differences.push_back({line_, command_, expected_, got_});
    }
    has_expectation_ = false;
    expected_.clear();
    got_.clear();
    command_.clear();
  }

  ScriptedBookMaker make_;
  ScriptResult result_;
  std::unique_ptr<Stage> stage_;
  std::string command_;
  std::size_t line_ = 0;
  bool has_expectation_ = false;
  std::vector<std::string> expected_;
  std::vector<std::string> got_;
};

}  // namespace

ScriptResult run_script_on(std::string_view text, ScriptedBookMaker make) {
  return Run(make).all(text);
}

ScriptResult run_script(std::string_view text) {
  return run_script_on(text, make_scripted_book<Book>);
}

}  // namespace dojima::book
