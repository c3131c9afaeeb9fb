// Writes a configuration as commented TOML: every key with its meaning, ready to be edited.

#include <algorithm>

#include "dojima/app/config.hpp"
#include "dojima/app/configuration/config_schema.hpp"
#include "dojima/app/configuration/market_schema.hpp"

namespace dojima::app {
namespace {

std::string quoted_toml(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    result += character;
  }
  return result + "\"";
}

class Writer final : public ConfigVisitor {
 public:
  void section(std::string_view name, std::string_view meaning) override {
    section_ = name;
    if (name.empty()) return;
    text_ += "\n";
    if (!meaning.empty()) text_ += "# " + std::string(meaning) + "\n";
    text_ += "[" + std::string(name) + "]\n";
  }
  void text(std::string_view key, std::string& value, std::size_t, std::string_view meaning) override {
    put(key, quoted_toml(value), meaning);
  }
  void integer(std::string_view key, std::int64_t& value, std::int64_t, std::int64_t,
               std::string_view meaning) override {
    put(key, std::to_string(value), meaning);
  }
  void flag(std::string_view key, bool& value, std::string_view meaning) override {
    put(key, value ? "true" : "false", meaning);
  }
  void choice(std::string_view key, std::size_t& value, std::span<const std::string_view> names,
              std::string_view meaning) override {
    std::string all;
    for (const std::string_view name : names) all += (all.empty() ? "" : " | ") + std::string(name);
    put(key, quoted_toml(names[value]), all + "; " + std::string(meaning));
  }
  void price(std::string_view key, market::Price& value, std::string_view meaning) override {
    char digits[market::k_price_text_max];
    put(key, quoted_toml(market::format_price(value, digits)), meaning);
  }
  std::size_t begin_list(std::string_view name, std::size_t rows, std::string_view meaning) override {
    lists_.emplace_back(name);
    rows_.push_back(0);
    if (is_inline()) {
      text_ += std::string(name) + " = [";
      inline_meaning_ = meaning;
    } else {
      text_ += "\n# " + std::string(meaning) + "\n";
    }
    return rows;
  }
  void begin_row(std::size_t row) override {
    rows_.back() = row;
    is_first_row_ = lists_.size() > 1 ? is_first_row_ : row == 0;
    if (!is_inline()) {
      text_ += (row == 0 ? "[[" : "\n[[") + lists_.back() + "]]\n";
      return;
    }
    text_ += row == 0 ? "{ " : ", { ";
    is_first_key_ = true;
  }
  void end_row() override {
    if (is_inline()) text_ += " }";
  }
  void end_list() override {
    if (is_inline()) {
      text_ += "]";
      if (is_first_row_) text_ += "  # " + inline_meaning_;
      text_ += "\n";
    }
    lists_.pop_back();
    rows_.pop_back();
  }
  void complain(std::string_view, const std::string&) override {}
  [[nodiscard]] std::string path_of(std::string_view key) const override {
    std::string path = section_;
    for (std::size_t list = 0; list < lists_.size(); ++list)
      path += (path.empty() ? "" : ".") + lists_[list] + "." + std::to_string(rows_[list]);
    return path + (path.empty() ? "" : ".") + std::string(key);
  }

  [[nodiscard]] const std::string& result() const noexcept { return text_; }

 private:
  [[nodiscard]] bool is_inline() const noexcept { return lists_.size() == 2; }

  void put(std::string_view key, const std::string& value, std::string_view meaning) {
    if (is_inline()) {
      text_ += (is_first_key_ ? "" : ", ") + std::string(key) + " = " + value;
      is_first_key_ = false;
      return;
    }
    text_ += std::string(key) + " = " + value;
    // The meaning is written beside the first row of a list only.
    if (!meaning.empty() && (lists_.empty() || is_first_row_)) text_ += "  # " + std::string(meaning);
    text_ += "\n";
  }

  std::string text_;
  std::vector<std::string> lists_;  // those being written, outermost first
  std::vector<std::size_t> rows_;   // the row in hand of each
  std::string section_;
  std::string inline_meaning_;
  bool is_first_row_ = false;  // of the outermost list
  bool is_first_key_ = false;  // of a row that is written in one line
};

template <class Config>
std::string write(const Config& config) {
  Config copy = config;  // the schema hands out references
  Writer writer;
  describe(copy, writer);
  return writer.result();
}

}  // namespace

std::string text_of(const VenueConfig& config) {
  return "# A Dojima venue: dojima venue --config FILE\n" + write(config);
}

std::string text_of(const GatewayConfig& config) {
  return "# A Dojima gateway: dojima gateway --config FILE\n" + write(config);
}

std::string text_of(const backtest::MarketConfig& config) {
  return "# A generated market: dojima backtest --exchange market --population FILE\n" + write(config);
}

}  // namespace dojima::app
