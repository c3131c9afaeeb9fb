#pragma once

// The keys of a configuration, their meaning and their ranges, said once: `describe` walks a configuration with a
// visitor that reads it from TOML, writes it, or checks it. Order of calls is the order in the file; simple keys of a
// section come before its lists.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/config.hpp"

namespace dojima::app {

class ConfigVisitor {
 public:
  /// The keys that follow are in [name]; an empty name: at the top.
  virtual void section(std::string_view name, std::string_view meaning) = 0;
  virtual void text(std::string_view key, std::string& value, std::size_t longest, std::string_view meaning) = 0;
  virtual void integer(std::string_view key, std::int64_t& value, std::int64_t lowest, std::int64_t highest,
                       std::string_view meaning) = 0;
  virtual void flag(std::string_view key, bool& value, std::string_view meaning) = 0;
  virtual void choice(std::string_view key, std::size_t& value, std::span<const std::string_view> names,
                      std::string_view meaning) = 0;
  virtual void price(std::string_view key, market::Price& value, std::string_view meaning) = 0;

  /// A list of tables named `name`; returns how many rows to visit, given how many there are now.
  virtual std::size_t begin_list(std::string_view name, std::size_t rows, std::string_view meaning) = 0;
  virtual void begin_row(std::size_t row) = 0;
  virtual void end_row() = 0;
  virtual void end_list() = 0;

  /// Something is wrong with the value of `key` in the section or row in hand; from the top section a path reaches
  /// every key ("user.0.name").
  virtual void complain(std::string_view key, const std::string& what) = 0;

  /// The path of a key in the section or row in hand: "user.0.name".
  [[nodiscard]] virtual std::string path_of(std::string_view key) const { return std::string(key); }

  /// Whether anything was found wrong so far: then what depends on several keys need not be reported.
  [[nodiscard]] virtual bool has_complained() const { return false; }

  /// Whether files that the configuration names are read, too.
  [[nodiscard]] virtual bool reads_files() const { return false; }

  /// Any integer type: the range must lie inside it.
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, std::int64_t>)
  void integer(std::string_view key, T& value, std::int64_t lowest, std::int64_t highest, std::string_view meaning) {
    auto wide = static_cast<std::int64_t>(value);
    integer(key, wide, lowest, highest, meaning);
    value = static_cast<T>(wide);
  }

  template <class Row, class Visit>
  void list(std::string_view name, std::vector<Row>& rows, std::string_view meaning, Visit visit) {
    rows.resize(begin_list(name, rows.size(), meaning));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      begin_row(row);
      visit(rows[row]);
      end_row();
    }
    end_list();
  }

 protected:
  ~ConfigVisitor() = default;
};

/// A value of an enumeration, by its name; `names` are in the order of its values.
template <class Enum, std::size_t Count>
void describe_enum(std::string_view key, Enum& value, const std::array<std::string_view, Count>& names,
                   std::string_view meaning, ConfigVisitor& visitor) {
  auto place = static_cast<std::size_t>(value);
  visitor.choice(key, place, names, meaning);
  value = static_cast<Enum>(place);
}

void describe(VenueConfig& config, ConfigVisitor& visitor);
void describe(GatewayConfig& config, ConfigVisitor& visitor);

}  // namespace dojima::app
