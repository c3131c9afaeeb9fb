#include "market_keys.hpp"

#include "arguments.hpp"

#include <algorithm>
#include <map>
#include <nanobind/stl/string.h>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/app/configuration/market_schema.hpp"
#include "dojima/app/nearest.hpp"
#include "dojima/market/price.hpp"

namespace dojima::python {
namespace {

std::string joined(std::string_view parent, std::string_view key) {
  return parent.empty() ? std::string(key) : std::string(parent) + "." + std::string(key);
}

bool is_text(nb::handle value) {
  return PyUnicode_Check(value.ptr()) != 0;
}

/// Where a visitor is: a table of the configuration, or where one would be.
struct Place {
  std::string path;
  nb::object table;  // not valid: there is none
};

std::string shown_value(nb::handle value) {
  std::string text = nb::repr(value).c_str();
  constexpr std::size_t k_most = 60;
  return text.size() > k_most ? text.substr(0, k_most) + "..." : text;
}

/// The keys that a market is made from, with changes to them: gives out their values, and knows in the end which of
/// them nobody has asked for.
class MarketKeys {
 public:
  MarketKeys(const nb::dict& keys, const nb::dict& changes) : root_(keys) {
    for (const auto& [path, value] : changes) {
      if (!is_text(path)) refuse("keys of a market are texts; got " + shown_value(path));
      changes_.emplace(nb::cast<std::string>(path), nb::borrow(value));
    }
  }

  [[nodiscard]] Place root() const { return {.path = "", .table = root_}; }

  /// Not valid: there is none. `is_in_row`: of a list, whose rows are said by note_table().
  nb::object value_of(const Place& here, std::string_view key, bool is_in_row) {
    const std::string path = joined(here.path, key);
    known_.insert(path);
    if (const auto change = changes_.find(path); change != changes_.end()) return change->second;
    if (!here.table.is_valid()) return {};
    const nb::str name(key.data(), key.size());
    PyObject* const found = PyDict_GetItemWithError(here.table.ptr(), name.ptr());
    if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (found == nullptr) return {};
    if (PyDict_Check(found) != 0 && !is_in_row) note_table({.path = path, .table = nb::borrow(found)});
    return nb::borrow(found);
  }
  /// All of its keys have to be asked for.
  void note_table(Place table) { tables_.push_back(std::move(table)); }

  /// What is wrong with keys that nobody has asked for.
  [[nodiscard]] std::vector<std::string> complaints() const {
    std::vector<std::string> all;
    add_unknown_of(root(), all);
    for (const Place& place : tables_) add_unknown_of(place, all);
    for (const auto& [path, value] : changes_)
      if (!known_.contains(path)) all.push_back(unknown(path));
    return all;
  }

 private:
  void add_unknown_of(const Place& place, std::vector<std::string>& all) const {
    for (const auto& [key, value] : nb::borrow<nb::dict>(place.table)) {
      if (!is_text(key)) refuse("keys of a market are texts; got " + shown_value(key));
      const std::string path = joined(place.path, nb::cast<std::string>(key));
      if (!known_.contains(path)) all.push_back(unknown(path));
    }
  }
  /// Words of the same table first, then all.
  [[nodiscard]] std::string unknown(const std::string& path) const {
    const std::size_t dot = path.rfind('.');
    const std::string parent = dot == std::string::npos ? "" : path.substr(0, dot + 1);
    const std::string word = path.substr(parent.size());
    std::vector<std::string> siblings;
    for (const std::string& known : known_)
      if (known.starts_with(parent) && known.find('.', parent.size()) == std::string::npos)
        siblings.push_back(known.substr(parent.size()));
    auto meant = app::nearest(word, siblings);
    if (!meant) meant = app::nearest(path, std::vector<std::string>(known_.begin(), known_.end()));
    return path + ": no such key" + (meant ? "; did you mean \"" + *meant + "\"?" : "");
  }

  nb::dict root_;
  std::map<std::string, nb::object> changes_;
  std::vector<Place> tables_;    // that there are
  std::set<std::string> known_;  // that were asked for
};

class KeyReader final : public app::ConfigVisitor {
 public:
  KeyReader(const nb::dict& keys, const nb::dict& changes) : keys_(keys, changes), here_(keys_.root()) {}

  void section(std::string_view name, std::string_view) override {
    here_ = keys_.root();
    if (name.empty()) return;
    const nb::object table = value_of(name);
    const bool is_table = table.is_valid() && PyDict_Check(table.ptr()) != 0;
    if (table.is_valid() && !is_table) wrong(name, "a dict", table);
    here_ = {.path = std::string(name), .table = is_table ? table : nb::object()};
  }
  void text(std::string_view key, std::string& value, std::size_t longest, std::string_view) override {
    const nb::object found = value_of(key);
    if (!found.is_valid()) return;
    if (!is_text(found)) return wrong(key, "text", found);
    const auto words = nb::cast<std::string>(found);
    if (words.size() > longest) return complain(key, "longer than " + std::to_string(longest) + " characters");
    if (std::ranges::any_of(words, [](char character) { return character < ' ' || character > '~'; }))
      return complain(key, "only printable ASCII characters are allowed here");
    value = words;
  }
  void integer(std::string_view key, std::int64_t& value, std::int64_t lowest, std::int64_t highest,
               std::string_view) override {
    const nb::object found = value_of(key);
    if (!found.is_valid()) return;
    const auto number = whole_number_of(found);
    if (!number) return wrong(key, "an integer", found);
    if (*number < lowest || *number > highest)
      return complain(key, std::to_string(*number) + " is out of range: " + std::to_string(lowest) + " to " +
                               std::to_string(highest));
    value = *number;
  }
  void flag(std::string_view key, bool& value, std::string_view) override {
    const nb::object found = value_of(key);
    if (!found.is_valid()) return;
    if (PyBool_Check(found.ptr()) == 0) return wrong(key, "True or False", found);
    value = found.ptr() == Py_True;
  }
  void choice(std::string_view key, std::size_t& value, std::span<const std::string_view> names,
              std::string_view) override {
    const nb::object found = value_of(key);
    if (!found.is_valid()) return;
    std::string all;
    for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    if (!is_text(found)) return wrong(key, "one of " + all, found);
    const auto named = std::ranges::find(names, nb::cast<std::string>(found));
    if (named == names.end()) return wrong(key, "one of " + all, found);
    value = static_cast<std::size_t>(named - names.begin());
  }
  void price(std::string_view key, market::Price& value, std::string_view) override {
    const nb::object found = value_of(key);
    if (!found.is_valid()) return;
    const auto parsed = market::parse_price(is_text(found) ? nb::cast<std::string>(found) : std::string());
    if (!parsed) return wrong(key, "a price as text, such as \"12.50\"", found);
    value = *parsed;
  }
  std::size_t begin_list(std::string_view name, std::size_t rows, std::string_view) override {
    const nb::object found = value_of(name);
    lists_.push_back({.around = here_, .path = joined(here_.path, name), .rows = {}});
    if (!found.is_valid()) return rows;
    const bool is_list = PyList_Check(found.ptr()) != 0 || PyTuple_Check(found.ptr()) != 0;
    if (is_list)
      for (const nb::handle row : found) lists_.back().rows.push_back(nb::borrow(row));
    const bool has_tables =
        std::ranges::all_of(lists_.back().rows, [](const nb::object& row) { return PyDict_Check(row.ptr()) != 0; });
    if (!is_list || !has_tables) {
      wrong(name, "a list of dicts", found);
      lists_.back().rows.clear();
    }
    return lists_.back().rows.size();
  }
  void begin_row(std::size_t row) override {
    const List& list = lists_.back();
    here_.path = list.path + "." + std::to_string(row);
    here_.table = row < list.rows.size() ? list.rows[row] : nb::object();
    if (here_.table.is_valid()) keys_.note_table(here_);
  }
  void end_row() override {}
  void end_list() override {
    here_ = lists_.back().around;
    lists_.pop_back();
  }
  void complain(std::string_view key, const std::string& what) override {
    problems_.push_back(joined(here_.path, key) + ": " + what);
  }
  [[nodiscard]] bool has_complained() const override { return !problems_.empty(); }

  /// Behind the walk: what was asked for by nobody. Throws what is wrong.
  void finish() {
    for (std::string& problem : keys_.complaints()) problems_.push_back(std::move(problem));
    if (problems_.empty()) return;
    std::string all;
    for (const std::string& problem : problems_) all += (all.empty() ? "" : "; ") + problem;
    refuse(all);
  }

 private:
  struct List {
    Place around;
    std::string path;
    std::vector<nb::object> rows;
  };

  void wrong(std::string_view key, const std::string& expected, nb::handle value) {
    complain(key, "takes " + expected + "; got " + shown_value(value));
  }
  nb::object value_of(std::string_view key) { return keys_.value_of(here_, key, !lists_.empty()); }

  MarketKeys keys_;
  Place here_;
  std::vector<List> lists_;  // those that are open
  std::vector<std::string> problems_;
};

class KeyWriter final : public app::ConfigVisitor {
 public:
  nb::dict root;

  void section(std::string_view name, std::string_view) override {
    here_ = root;
    if (name.empty()) return;
    here_ = nb::dict();
    root[nb::str(name.data(), name.size())] = here_;
  }
  void text(std::string_view key, std::string& value, std::size_t, std::string_view) override {
    put(key, nb::str(value.c_str(), value.size()));
  }
  void integer(std::string_view key, std::int64_t& value, std::int64_t, std::int64_t, std::string_view) override {
    put(key, nb::int_(value));
  }
  void flag(std::string_view key, bool& value, std::string_view) override { put(key, nb::bool_(value)); }
  void choice(std::string_view key, std::size_t& value, std::span<const std::string_view> names,
              std::string_view) override {
    put(key, nb::str(names[value].data(), names[value].size()));
  }
  void price(std::string_view key, market::Price& value, std::string_view) override {
    char digits[market::k_price_text_max];
    const std::string_view text = market::format_price(value, digits);
    put(key, nb::str(text.data(), text.size()));
  }
  std::size_t begin_list(std::string_view name, std::size_t rows, std::string_view) override {
    rows_ = nb::list();
    put(name, rows_);
    around_ = here_;
    return rows;
  }
  void begin_row(std::size_t) override {
    here_ = nb::dict();
    rows_.append(here_);
  }
  void end_row() override {}
  void end_list() override { here_ = around_; }
  void complain(std::string_view, const std::string&) override {}

 private:
  void put(std::string_view key, const nb::object& value) { here_[nb::str(key.data(), key.size())] = value; }

  nb::dict here_ = root, around_;
  nb::list rows_;
};

}  // namespace

backtest::MarketConfig market_of(const nb::dict& keys, const nb::dict& changes) {
  backtest::MarketConfig config{.populations = backtest::standard_populations()};
  KeyReader reader(keys, changes);
  app::describe(config, reader);
  reader.finish();
  return config;
}

nb::dict keys_of(const backtest::MarketConfig& config) {
  backtest::MarketConfig copy = config;  // the schema hands out references
  KeyWriter writer;
  app::describe(copy, writer);
  return writer.root;
}

}  // namespace dojima::python
