#pragma once

// What tests of the codec share: a message of any type of a dictionary, made by it and by a seed, valid, with groups
// and data fields.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dojima/base/splitmix.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/tags.hpp"
#include "dojima/fix/value.hpp"
#include "dojima/fix/writer.hpp"

namespace dojima::fix::testing {

/// Every dictionary that is built in: FIX 4.0 to 4.4, then FIXT 1.1 with FIX 4.0 to 4.4 and 5.0 to 5.0 SP2.
inline std::vector<const Dictionary*> built_in_dictionaries() {
  std::vector<const Dictionary*> all{&fix_4_0(), &fix_4_1(), &fix_4_2(), &fix_4_3(), &fix_4_4()};
  for (const char* version : {"2", "3", "4", "5", "6", "7", "8", "9"})
    all.push_back(dictionary_of("FIXT.1.1", version));
  return all;
}

/// A field as it is written, with the text behind views.
struct Written {
  Tag tag;
  FieldType type;
  Value value;
};

/// Makes one message by the dictionary: what is required, and some of the rest.
class Generated {
 public:
  /// What is in data fields: any bytes, separators among them; text; text, and no Signature (other engines write
  /// its length behind it, and do not find their way through separators in nested groups).
  enum class Data : std::uint8_t { bytes, text, unsigned_text };

  Generated(const Dictionary& dictionary, const MessageFacts& message, std::uint64_t seed, Data data = Data::bytes)
      : dictionary_(dictionary), choices_(seed), data_(data) {
    texts_.reserve(20'000);  // views of them stay
    add_members(*message.shape, 0);
  }
  [[nodiscard]] const std::vector<Written>& fields() const { return fields_; }

  /// Writes all of them, data fields through their length.
  void write_to(Writer& writer) const {
    for (std::size_t at = 0; at < fields_.size(); ++at) {
      const Written& field = fields_[at];
      if (field.type == FieldType::length && at + 1 < fields_.size() && is_data(fields_[at + 1].type)) {
        writer.data(field.tag, fields_[at + 1].tag, as_bytes(std::get<std::string_view>(fields_[at + 1].value)));
        ++at;
      } else {
        writer.field(field.tag, field.value);
      }
    }
  }

 private:
  void add_members(const Shape& shape, int depth) {
    const std::size_t members = shape.members().size();
    for (const Member& member : shape.members()) {
      if (member.is(Member::k_framing)) continue;
      const bool is_first = depth > 0 && member.position == 0;
      const bool is_needed = member.is(Member::k_required) || is_first || is_of_instrument(shape, member);
      if (!is_needed && choices_.below(members) > 12) continue;
      if (is_length_of_data(member.tag) && !is_needed) continue;  // comes with its data
      if (is_data(member.type)) {
        add_data(shape, member);
      } else if (member.is(Member::k_group)) {
        const bool is_counted = dictionary_.fields()[member.field].is_closed;  // as NoSides(552): one or two
        const std::uint64_t least = member.is(Member::k_required) || is_counted ? 1 : 0;
        const std::uint64_t entries = depth > 3 && !is_counted ? 0 : least + choices_.below(is_counted ? 1 : 3);
        fields_.push_back({member.tag, member.type, text(std::to_string(entries))});
        for (std::uint64_t entry = 0; entry < entries; ++entry) add_members(dictionary_.shape(member), depth + 1);
      } else if (!has(member.tag, depth)) {
        fields_.push_back({member.tag, member.type, value_of(dictionary_.fields()[member.field])});
      }
    }
  }

  static bool is_of_instrument(const Shape& shape, const Member& member) {
    return std::ranges::any_of(shape.alternatives(),
                               [&](const Shape::Alternative& one) { return one.first == member.tag; });
  }
  bool is_length_of_data(Tag tag) const {
    return std::ranges::any_of(dictionary_.data_fields().fields(),
                               [tag](const DataField& field) { return field.length == tag; });
  }
  bool has(Tag tag, int depth) const {
    return depth == 0 && std::ranges::any_of(fields_, [tag](const Written& field) { return field.tag == tag; });
  }
  void add_data(const Shape& shape, const Member& member) {
    const Tag length = dictionary_.data_fields().length_of(member.tag);
    if (length == 0 || shape.find(length) == nullptr) return;
    if (member.tag == tag::k_signature && data_ == Data::unsigned_text) return;
    std::string bytes;
    if (member.type == FieldType::xml_data) {
      bytes = "<x y='" + std::to_string(choices_.below(1000)) + "'/>";
    } else if (data_ != Data::bytes) {
      bytes = "data " + std::to_string(choices_.below(1000));
    } else {
      for (std::uint64_t left = choices_.below(8) + 1; left > 0; --left)
        bytes += choices_.below(3) == 0 ? '\x01' : static_cast<char>(choices_.below(256));
    }
    fields_.push_back({length, FieldType::length, text(std::to_string(bytes.size()))});
    fields_.push_back({member.tag, member.type, text(bytes)});
  }

  std::string_view text(std::string value) { return texts_.emplace_back(std::move(value)); }

  Value value_of(const FieldFacts& field) {
    if (field.tag == tag::k_appl_ver_id || field.tag == tag::k_default_appl_ver_id)
      return text(std::string(dictionary_.application_version()));
    if (field.is_closed) {
      const std::string_view value = field.values[choices_.below(field.values.size())].value;
      // What the dictionary lists and its own type cannot hold stays text.
      return parse_value(field.type, value).value_or(Value(value));
    }
    const auto number = [this](std::uint64_t bound) { return static_cast<std::int64_t>(choices_.below(bound)); };
    const auto decimals = [this] { return static_cast<std::uint8_t>(3 * choices_.below(4)); };
    if (is_decimal(field.type)) {
      const auto places = static_cast<std::uint8_t>(choices_.below(9));
      return Decimal{number(2'000'000) - 1'000'000, places};
    }
    if (is_integer(field.type)) return field.type == FieldType::day_of_month ? 1 + number(31) : number(1'000'000);
    const auto date = std::chrono::sys_days{std::chrono::days{choices_.below(100'000)}};
    switch (field.type) {
      case FieldType::boolean:
        return choices_.below(2) == 0;
      case FieldType::character:
        return static_cast<char>('!' + choices_.below(90));
      case FieldType::utc_timestamp: {
        Timestamp stamp{date + std::chrono::seconds{choices_.below(86'400)}, decimals()};
        for (unsigned place = 0, step = 1'000'000'000; place < stamp.decimals; ++place)
          stamp.time += std::chrono::nanoseconds{(step /= 10) * choices_.below(10)};
        return stamp;
      }
      case FieldType::utc_time:
      case FieldType::local_time:
        return ClockTime{std::chrono::seconds{choices_.below(86'400)}, decimals()};
      case FieldType::utc_date:
      case FieldType::local_date:
        return std::chrono::year_month_day{date};
      case FieldType::month_year: {
        const std::chrono::year_month_day day{date};
        MonthYear month{.month = day.year() / day.month()};
        if (const auto kind = choices_.below(3); kind == 1) {
          month.day = static_cast<std::uint8_t>(static_cast<unsigned>(day.day()));
        } else if (kind == 2) {
          month.week = static_cast<std::uint8_t>(1 + choices_.below(5));
        }
        return month;
      }
      case FieldType::tz_time:
        return std::string_view("07:39:12+08:30");
      case FieldType::tz_timestamp:
        return std::string_view("20060901-07:39Z");
      case FieldType::country:
      case FieldType::language:
        return std::string_view("JP");
      case FieldType::currency:
        return std::string_view("JPY");
      case FieldType::multiple_char:
        return std::string_view("A B");
      case FieldType::multiple_string:
        return std::string_view("AA B");
      default:
        return text("x=" + std::to_string(choices_.below(1'000'000)));
    }
  }

  const Dictionary& dictionary_;
  SplitMix64 choices_;  // by the seed that RapidCheck gives
  Data data_;
  std::vector<std::string> texts_;
  std::vector<Written> fields_;
};

}  // namespace dojima::fix::testing
