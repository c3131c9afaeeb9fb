// Reads configurations from TOML: applies overrides, walks the schema, then looks for keys that the schema did not ask
// for. The only file that knows toml++.

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <fstream>
#include <map>
#include <set>
#include <toml++/toml.h>

#include "dojima/app/config.hpp"
#include "dojima/app/configuration/config_schema.hpp"
#include "dojima/app/configuration/market_schema.hpp"
#include "dojima/app/nearest.hpp"

namespace dojima::app {
namespace {

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t dot = path.find('.');
    parts.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

std::string joined(std::string_view parent, std::string_view key) {
  return parent.empty() ? std::string(key) : std::string(parent) + "." + std::string(key);
}

std::optional<std::size_t> row_number(std::string_view text) {
  std::size_t row = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return row;
}

/// A path without row numbers: what the schema knows it by.
std::string pattern_of(std::string_view path) {
  std::string pattern;
  for (const std::string& part : split(path)) {
    if (!row_number(part)) pattern = joined(pattern, part);
  }
  return pattern;
}

std::string type_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a decimal number";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

/// The document with its overrides, and the messages about it.
class Document {
 public:
  Document(toml::table root, std::string_view name) : root_(std::move(root)), name_(name) {}

  void apply(const Override& change);
  [[nodiscard]] const toml::node* find(std::string_view path) const;
  void complain(std::string_view path, const std::string& what);
  [[nodiscard]] bool is_overridden(const std::string& path) const { return overrides_.contains(path); }
  [[nodiscard]] const std::string& raw_override(const std::string& path) const { return overrides_.at(path); }
  void check_known(const std::set<std::string>& known);
  [[nodiscard]] std::string problems() const;

 private:
  [[nodiscard]] std::string place(std::string_view path) const;
  void check_known(const toml::table& table, const std::string& path, const std::set<std::string>& known);

  toml::table root_;
  std::string name_;
  std::map<std::string, std::string> overrides_;
  std::vector<std::string> problems_;
};

void Document::apply(const Override& change) {
  overrides_[change.key] = change.value;
  toml::node* node = &root_;
  const std::vector<std::string> parts = split(change.key);
  for (std::size_t index = 0; index + 1 < parts.size(); ++index) {
    if (toml::table* table = node->as_table()) {
      if (!table->contains(parts[index])) table->insert(parts[index], toml::table{});
      node = table->get(parts[index]);
      continue;
    }
    toml::array* rows = node->as_array();
    const auto row = row_number(parts[index]);
    if (rows == nullptr || !row || *row >= rows->size()) {
      complain(change.key, rows == nullptr ? "\"" + parts[index - 1] + "\" has nothing inside"
                                           : "there is no row " + parts[index] + "; there are " +
                                                 std::to_string(rows->size()) + ", counted from 0");
      return;
    }
    node = rows->get(*row);
  }
  toml::table* table = node->as_table();
  if (table == nullptr) {
    complain(change.key, "this is not a key inside a table; rows of a list are named by number, e.g. user.0.name");
    return;
  }
  // A value that is no TOML is text: --set listen.host=127.0.0.1 needs no quotes.
  try {
    toml::table parsed = toml::parse("value = " + change.value);
    table->insert_or_assign(parts.back(), std::move(*parsed.get("value")));
  } catch (const toml::parse_error&) {
    table->insert_or_assign(parts.back(), change.value);
  }
}

const toml::node* Document::find(std::string_view path) const {
  const toml::node* node = &root_;
  if (path.empty()) return node;
  for (const std::string& part : split(path)) {
    if (const toml::table* table = node->as_table()) {
      node = table->get(part);
    } else if (const toml::array* rows = node->as_array()) {
      const auto row = row_number(part);
      node = row ? rows->get(*row) : nullptr;
    } else {
      node = nullptr;
    }
    if (node == nullptr) return nullptr;
  }
  return node;
}

/// The place of a path in the file; of something that is not there, the place of its parent.
std::string Document::place(std::string_view path) const {
  if (overrides_.contains(std::string(path))) return "--set " + std::string(path);
  const toml::node* node = find(path);
  while (node == nullptr || !node->source().begin) {
    const std::size_t dot = path.rfind('.');
    if (path.empty()) return name_;
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
    node = find(path);
  }
  const toml::source_position at = node->source().begin;
  return name_ + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

void Document::complain(std::string_view path, const std::string& what) {
  const bool is_named = !path.empty() && !overrides_.contains(std::string(path));
  problems_.push_back(place(path) + ": " + (is_named ? std::string(path) + ": " : std::string()) + what);
}

void Document::check_known(const std::set<std::string>& known) {
  check_known(root_, "", known);
}

void Document::check_known(const toml::table& table, const std::string& path, const std::set<std::string>& known) {
  for (const auto& [key, value] : table) {
    const std::string here = joined(path, key.str());
    if (!known.contains(pattern_of(here))) {
      // Words of the same table first: "hots" in [listen] means listen.host, whatever else there is.
      std::vector<std::string> siblings, all(known.begin(), known.end());
      const std::string parent = pattern_of(path);
      for (const std::string& candidate : known) {
        if (candidate == joined(parent, split(candidate).back())) siblings.push_back(split(candidate).back());
      }
      auto suggestion = nearest(key.str(), siblings);
      if (!suggestion) suggestion = nearest(pattern_of(here), all);
      complain(here, "no such key" + (suggestion ? "; did you mean \"" + *suggestion + "\"?" : std::string()));
      continue;
    }
    if (const toml::table* inner = value.as_table()) check_known(*inner, here, known);
    const toml::array* rows = value.as_array();
    for (std::size_t row = 0; rows != nullptr && row < rows->size(); ++row) {
      if (const toml::table* inner = rows->get(row)->as_table())
        check_known(*inner, here + "." + std::to_string(row), known);
    }
  }
}

std::string Document::problems() const {
  std::string text;
  for (const std::string& problem : problems_) text += (text.empty() ? "" : "\n") + problem;
  return text;
}

class Reader final : public ConfigVisitor {
 public:
  explicit Reader(Document& document) : document_(document) {}

  void section(std::string_view name, std::string_view) override {
    path_ = name;
    if (!name.empty()) know(path_, "a table", [](const toml::node& node) { return node.is_table(); });
  }
  void text(std::string_view key, std::string& value, std::size_t longest, std::string_view) override {
    const std::string path = joined(path_, key);
    const toml::node* node = know(path, "", [](const toml::node&) { return true; });
    if (node == nullptr) return;
    if (const auto* string = node->as_string()) {
      value = string->get();
    } else if (document_.is_overridden(path)) {
      value = document_.raw_override(path);  // --set user.0.password=1730 means the text
    } else {
      document_.complain(path, "expected text in quotes, found " + type_of(*node));
      return;
    }
    if (value.size() > longest) document_.complain(path, "longer than " + std::to_string(longest) + " characters");
    if (std::ranges::any_of(value, [](char character) { return character < ' ' || character > '~'; }))
      document_.complain(path, "only printable ASCII characters are allowed here");
  }
  void integer(std::string_view key, std::int64_t& value, std::int64_t lowest, std::int64_t highest,
               std::string_view) override {
    const std::string path = joined(path_, key);
    const toml::node* node = know(path, "an integer", [](const toml::node& found) { return found.is_integer(); });
    if (node == nullptr) return;
    const std::int64_t number = node->as_integer()->get();
    if (number < lowest || number > highest) {
      document_.complain(path, std::to_string(number) + " is out of range: " + std::to_string(lowest) + " to " +
                                   std::to_string(highest));
      return;
    }
    value = number;
  }
  void flag(std::string_view key, bool& value, std::string_view) override {
    const toml::node* node =
        know(joined(path_, key), "true or false", [](const toml::node& found) { return found.is_boolean(); });
    if (node != nullptr) value = node->as_boolean()->get();
  }
  void choice(std::string_view key, std::size_t& value, std::span<const std::string_view> names,
              std::string_view) override {
    const std::string path = joined(path_, key);
    const toml::node* node = know(path, "text in quotes", [](const toml::node& found) { return found.is_string(); });
    if (node == nullptr) return;
    const auto found = std::ranges::find(names, std::string_view(node->as_string()->get()));
    if (found != names.end()) {
      value = static_cast<std::size_t>(found - names.begin());
      return;
    }
    std::string all;
    for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    document_.complain(path, "\"" + node->as_string()->get() + "\" is not one of: " + all);
  }
  void price(std::string_view key, market::Price& value, std::string_view) override {
    const std::string path = joined(path_, key);
    // What was typed for a key is read as it was typed: --set client.0.price_collar=5.5 needs no quotes.
    const bool is_typed = document_.is_overridden(path);
    const toml::node* node =
        know(path, "a price in quotes, e.g. \"12.50\" (a decimal number would be rounded)",
             [is_typed](const toml::node& found) {
               return found.is_string() || found.is_integer() || (is_typed && found.is_floating_point());
             });
    if (node == nullptr) return;
    const std::string digits = node->is_string()    ? node->as_string()->get()
                               : node->is_integer() ? std::to_string(node->as_integer()->get())
                                                    : document_.raw_override(path);
    if (const auto parsed = market::parse_price(digits)) {
      value = *parsed;
    } else {
      document_.complain(path, "\"" + digits + "\" is not a price with at most eight decimals");
    }
  }
  std::size_t begin_list(std::string_view name, std::size_t rows, std::string_view) override {
    lists_.push_back(path_);
    path_ = joined(path_, name);
    const toml::node* node = know(path_, "a list of tables", [](const toml::node& found) {
      const toml::array* array = found.as_array();
      return array != nullptr &&
             std::all_of(array->begin(), array->end(), [](const toml::node& row) { return row.is_table(); });
    });
    rows_here_.push_back(path_);
    return node != nullptr ? node->as_array()->size() : rows;
  }
  void begin_row(std::size_t row) override { path_ = rows_here_.back() + "." + std::to_string(row); }
  void end_row() override {}
  void end_list() override {
    path_ = lists_.back();
    lists_.pop_back();
    rows_here_.pop_back();
  }
  void complain(std::string_view key, const std::string& what) override {
    document_.complain(joined(path_, key), what);
  }

  [[nodiscard]] std::string path_of(std::string_view key) const override { return joined(path_, key); }
  [[nodiscard]] bool has_complained() const override { return !document_.problems().empty(); }
  [[nodiscard]] bool reads_files() const override { return true; }

  [[nodiscard]] const std::set<std::string>& known() const noexcept { return known_; }

 private:
  /// The node of a path that has the right type; null when it is not there, or a complaint was made.
  template <class IsRight>
  const toml::node* know(const std::string& path, const char* expected, IsRight is_right) {
    known_.insert(pattern_of(path));
    const toml::node* node = document_.find(path);
    if (node == nullptr) return nullptr;
    if (is_right(*node)) return node;
    document_.complain(path, std::string("expected ") + expected + ", found " + type_of(*node));
    return nullptr;
  }

  Document& document_;
  std::string path_;                    // of the section or row in hand
  std::vector<std::string> lists_;      // where to go on after each open list
  std::vector<std::string> rows_here_;  // the path of each open list
  std::set<std::string> known_;
};

/// Every key of the schema, those of rows included, whatever the file holds.
template <class Config>
std::set<std::string> all_keys(Config example) {
  Document nothing(toml::table{}, "");
  Reader reader(nothing);
  describe(example, reader);
  return reader.known();
}

Loaded<toml::table> parse_toml(std::string_view toml, std::string_view name) {
  try {
    return toml::parse(toml, name);
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    return std::unexpected(std::string(name) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
                           std::string(error.description()));
  }
}

template <class Config>
Loaded<Config> parse(std::string_view toml, std::string_view name, std::span<const Override> overrides,
                     const Config& example) {
  auto root = parse_toml(toml, name);
  if (!root) return std::unexpected(root.error());
  Document document(std::move(*root), name);
  for (const Override& change : overrides) document.apply(change);
  Config config;
  Reader reader(document);
  describe(config, reader);
  document.check_known(all_keys(example));
  std::string problems = document.problems();
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return config;
}

}  // namespace

std::optional<Override> parse_override(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  return Override{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Loaded<VenueConfig> parse_venue(std::string_view toml, std::string_view name, std::span<const Override> overrides) {
  VenueConfig example = default_venue();
  example.segments.push_back(example_segment());
  example.feed.readers.emplace_back();
  example.copies.readers.emplace_back();
  example.limits.emplace_back();
  return parse(toml, name, overrides, example);
}

Loaded<GatewayConfig> parse_gateway(std::string_view toml, std::string_view name, std::span<const Override> overrides) {
  GatewayConfig example = default_gateway();
  example.gateway.templates.emplace_back();
  example.gateway.other_venues.emplace_back();
  example.gateway.users.emplace_back();
  example.gateway.drop_copies.emplace_back();
  return parse(toml, name, overrides, example);
}

Loaded<std::string> read_text_file(const std::string& path) {
  constexpr std::size_t k_piece = std::size_t{1} << 16, k_largest_text = std::size_t{512} << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (bool is_more = file.good(); is_more;) {
    const std::size_t before = text.size();
    if (before > k_largest_text)
      return std::unexpected(
          fmt::format("{}: more than {} MiB, which no file of this kind has", path, k_largest_text >> 20));
    text.resize(before + k_piece);
    file.read(text.data() + before, static_cast<std::streamsize>(k_piece));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
    is_more = file.good();
  }
  if (!file.eof() || file.bad())
    return std::unexpected(path + ": cannot be read; is the path right, and may you read it?");
  return text;
}

Loaded<VenueConfig> load_venue(const std::string& path, std::span<const Override> overrides) {
  const auto toml = read_text_file(path);
  if (!toml) return std::unexpected(toml.error());
  return parse_venue(*toml, path, overrides);
}

Loaded<GatewayConfig> load_gateway(const std::string& path, std::span<const Override> overrides) {
  const auto toml = read_text_file(path);
  if (!toml) return std::unexpected(toml.error());
  return parse_gateway(*toml, path, overrides);
}

Loaded<backtest::MarketConfig> parse_market(std::string_view toml, std::string_view name,
                                            std::span<const Override> overrides) {
  backtest::MarketConfig example;
  example.populations = backtest::standard_populations();
  example.segments.push_back(example_segment());
  return parse(toml, name, overrides, example);
}

Loaded<backtest::MarketConfig> load_market(const std::string& path, std::span<const Override> overrides) {
  const auto toml = read_text_file(path);
  if (!toml) return std::unexpected(toml.error());
  return parse_market(*toml, path, overrides);
}

Loaded<ConfigKind> kind_of(std::string_view toml, std::string_view name) {
  const auto root = parse_toml(toml, name);
  if (!root) return std::unexpected(root.error());
  const auto has = [&](std::string_view key) { return root->contains(key); };
  if (const auto* kind = root->get_as<std::string>("kind")) {
    if (kind->get() == "venue") return ConfigKind::venue;
    if (kind->get() == "gateway") return ConfigKind::gateway;
  }
  if (has("client") || has("symbol") || has("fix") || has("venue")) return ConfigKind::gateway;
  if (has("instrument") || has("reference") || has("user") || has("journal") || has("session"))
    return ConfigKind::venue;
  return std::unexpected(std::string(name) +
                         ": neither a venue's nor a gateway's configuration; begin it with kind = \"venue\" or kind = "
                         "\"gateway\" (dojima config default venue prints one)");
}

}  // namespace dojima::app
