#include "copied_trades.hpp"

#include "trader_file.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string_view>
#include <utility>

#include "dojima/cli/journal/day.hpp"
#include "dojima/market/price.hpp"
#include "dojima/mit/identifiers.hpp"

namespace dojima::crash {
namespace {

constexpr std::size_t k_most_complaints = 10;

/// One user's side of a trade.
struct Side {
  std::uint64_t trade = 0, order = 0;
  std::int64_t price = 0;  // units
  std::int64_t quantity = 0;
  friend auto operator<=>(const Side&, const Side&) = default;
};
using Sides = std::map<std::string, std::multiset<Side>>;  // by the client's name

std::string text_of(const Side& side) {
  return fmt::format("trade {} of order {:016x}, {} lots at {} units", side.trade, side.order, side.quantity,
                     side.price);
}

template <typename Number>
Number number_in(const std::string& text, int base = 10) {
  Number number{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (wrong != std::errc{} || end != text.data() + text.size()) throw std::runtime_error(text + " is no number");
  return number;
}

std::int64_t price_in(const std::string& text) {
  const auto price = market::parse_price(text);
  if (!price) throw std::runtime_error(text + " is no price");
  return price->units;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = line.find(',', begin);
    cells.push_back(line.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return cells;
}

/// Both sides of every trade of a day.
void read_trades(const std::string& path, Sides& sides) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error(path + " cannot be read");
  const std::vector<std::string> columns = cells_of(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    const auto cell = [&](std::string_view column) {
      const auto at = std::ranges::find(columns, column) - columns.begin();
      return cells.at(static_cast<std::size_t>(at));
    };
    for (const auto& [user, order] : {std::pair{"buyer", "buy_order"}, {"seller", "sell_order"}})
      sides[cell(user)].insert({.trade = number_in<std::uint64_t>(cell("trade")),
                                .order = number_in<std::uint64_t>(cell(order), 16),
                                .price = price_in(cell("price")),
                                .quantity = number_in<std::int64_t>(cell("quantity"))});
  }
}

std::map<int, std::string> fields_of(std::string_view fix) {
  std::map<int, std::string> fields;
  for (std::size_t begin = 0, end = 0; (end = fix.find('\x01', begin)) != std::string_view::npos; begin = end + 1) {
    const std::string_view field = fix.substr(begin, end - begin);
    const std::size_t equal = field.find('=');
    fields[number_in<int>(std::string(field.substr(0, equal)))] = field.substr(equal + 1);
  }
  return fields;
}

class Comparing {
 public:
  void read_firm(const std::string& path) {
    TraderFile::read(path, {.on_request = [](const TraderRequest&) {},
                            .on_withdrawn = [](const std::string&) {},
                            .on_received = [this](std::string_view fix) { copied(fields_of(fix)); }});
  }

  void compare(const std::string& client, const std::multiset<Side>& of_files, bool may_be_missing) {
    const std::multiset<Side>& of_firm = firm_[client];
    std::vector<Side> missing, invented;
    std::ranges::set_difference(of_files, of_firm, std::back_inserter(missing));
    std::ranges::set_difference(of_firm, of_files, std::back_inserter(invented));
    for (const Side& side : invented) complain(fmt::format("{}: the files have no {}", client, text_of(side)));
    if (may_be_missing) return;
    for (const Side& side : missing) complain(fmt::format("{}: the firm has no {}", client, text_of(side)));
    result.sides += of_files.size();
    ++result.whole;
  }

  CopyComparison result;

 private:
  void copied(const std::map<int, std::string>& fields) {
    const auto at = [&](int tag) {
      const auto found = fields.find(tag);
      return found == fields.end() ? std::string() : found->second;
    };
    if (at(35) != "8") return;
    if (!executions_.insert({at(115), at(17)}).second)
      complain(fmt::format("{}: execution {} was copied twice", at(115), at(17)));
    if (at(150) != "F") return;
    const auto trade = mit::parse_base36(at(527));
    const auto order = mit::parse_base62(at(37));
    if (!trade || !order) {
      complain(fmt::format("{}: execution {} names no trade or no order", at(115), at(17)));
      return;
    }
    ++result.copied;
    firm_[at(115)].insert({*trade, *order, price_in(at(31)), number_in<std::int64_t>(at(32))});
  }

  void complain(std::string what) {
    ++result.contradictions;
    if (result.complaints.size() < k_most_complaints) result.complaints.push_back(std::move(what));
  }

  Sides firm_;
  std::set<std::pair<std::string, std::string>> executions_;  // of whom, ExecID
};

}  // namespace

CopyComparison compare_copies(const std::string& folder, std::uint64_t days, const std::vector<std::string>& clients,
                              const std::function<bool(std::size_t client)>& may_be_missing) {
  Sides files;
  for (std::uint64_t day = 0; day < days; ++day) {
    const std::string of_day = fmt::format("{}/days/day-{}", folder, day);
    const auto written = cli::write_files_of_day(folder + "/venue", day, of_day, std::stop_token());
    if (!written) throw std::runtime_error(fmt::format("the files of day {}: {}", day, written.error()));
    read_trades(of_day + "/trades.csv", files);
  }
  Comparing comparing;
  comparing.result.days = days;
  comparing.read_firm(folder + "/" + k_firm);
  for (std::size_t client = 0; client < clients.size(); ++client)
    comparing.compare(clients[client], files[clients[client]], may_be_missing(client));
  return comparing.result;
}

}  // namespace dojima::crash
