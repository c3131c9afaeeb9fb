// Decoding undoes encoding, for every message of every dictionary; messages written anew lose nothing.

#include "dojima/fix/rewrite.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "dojima/fix/rules.hpp"
#include "dojima/fix/session_test_peer.hpp"
#include "dojima/fix/writer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;

/// Deterministic choices of a generated message; RapidCheck gives the seed.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t bound) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % bound;
  }

 private:
  std::uint64_t state_;
};

/// A field as it is written, with the text behind views.
struct Written {
  Tag tag;
  FieldType type;
  Value value;
};

/// Makes one message by the dictionary: what is required, and some of the rest.
class Generated {
 public:
  Generated(const Dictionary& dictionary, const MessageFacts& message, std::uint64_t seed)
      : dictionary_(dictionary), choices_(seed) {
    texts_.reserve(20'000);  // views of them stay
    add_members(*message.shape, 0);
  }
  const std::vector<Written>& fields() const { return fields_; }

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
    std::string bytes;
    for (std::uint64_t left = choices_.below(8) + 1; left > 0; --left)
      bytes += choices_.below(3) == 0 ? '\x01' : static_cast<char>(choices_.below(256));
    fields_.push_back({length, FieldType::length, text(std::to_string(bytes.size()))});
    fields_.push_back({member.tag, member.type, text(bytes)});
  }

  std::string_view text(std::string value) { return texts_.emplace_back(std::move(value)); }

  Value value_of(const FieldFacts& field) {
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
  Choices choices_;
  std::vector<std::string> texts_;
  std::vector<Written> fields_;
};

/// What is wrong with writing and reading it; empty: nothing.
std::string trouble_with(const Dictionary& dictionary, const MessageFacts& message, std::uint64_t seed) {
  const Generated generated(dictionary, message, seed);
  if (generated.fields().size() > MessageView::k_fields_max - 3) return "";
  std::vector<std::byte> room(60'000);
  Writer writer(room, dictionary.begin_string());
  const MsgTypeText type = text_of(message.type());
  writer.field(tag::k_msg_type, type.view());
  for (std::size_t at = 0; at < generated.fields().size(); ++at) {
    const Written& field = generated.fields()[at];
    const bool has_data = at + 1 < generated.fields().size() && is_data(generated.fields()[at + 1].type);
    if (has_data && field.type == FieldType::length) {
      writer.data(field.tag, generated.fields()[at + 1].tag,
                  as_bytes(std::get<std::string_view>(generated.fields()[at + 1].value)));
      ++at;
    } else {
      writer.field(field.tag, field.value);
    }
  }
  const auto encoded = writer.finish();
  if (!encoded) return "not encoded: field " + std::to_string(encoded.error().field);

  MessageView view;
  const ReadRules rules{.data_fields = &dictionary.data_fields()};
  if (const auto read = view.read(*encoded, rules); !read) return "not read: " + std::to_string(read.error().field);
  if (const auto checked = check_message(view, dictionary); !checked)
    return "not valid: " + std::to_string(checked.error().got) + "/" + std::to_string(checked.error().field);
  if (view.size() != generated.fields().size() + 3) return "another number of fields";
  for (std::size_t at = 0; at < generated.fields().size(); ++at) {
    const Written& field = generated.fields()[at];
    const Field got = view[at + 3];
    const bool is_text = std::holds_alternative<std::string_view>(field.value);
    const auto value = is_text ? Result<Value>(Value(got.value)) : parse_value(field.type, got.value);
    if (got.tag != field.tag || !value || *value != field.value) return "another value: " + std::to_string(field.tag);
  }

  std::vector<std::byte> again(60'000);
  const auto compact = rewrite(view, dictionary, FieldOrder::compact, again);
  if (!compact || as_text(*compact) != as_text(*encoded)) return "not the same when written anew";
  const auto canonical = rewrite(view, dictionary, FieldOrder::canonical, again);
  if (!canonical || canonical->size() != encoded->size()) return "another size in canonical order";
  MessageView sorted;
  if (!sorted.read(*canonical, rules)) return "canonical order cannot be read";
  if (const auto checked = check_message(sorted, dictionary); !checked)
    return "canonical order is not valid: " + std::to_string(checked.error().got) + "/" +
           std::to_string(checked.error().field);
  std::vector<std::byte> third(60'000);
  const auto twice = rewrite(sorted, dictionary, FieldOrder::canonical, third);
  if (!twice || as_text(*twice) != as_text(*canonical)) return "canonical order is not its own";
  return "";
}

RC_GTEST_PROP(FixRewriteProperty, decoding_undoes_encoding_for_every_message_of_fix_4_2_and_4_4, (std::uint64_t seed)) {
  for (const Dictionary* dictionary : {&fix_4_2(), &fix_4_4()}) {
    for (const MessageFacts& message : dictionary->messages()) {
      const std::string trouble = trouble_with(*dictionary, message, seed);
      if (!trouble.empty()) RC_FAIL(std::string(dictionary->name()) + " " + std::string(message.name) + ": " + trouble);
    }
  }
}

TEST(FixRewrite, decoding_undoes_encoding_for_every_message_of_fix_5_0_sp2) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const MessageFacts& message : fix_5_0_sp2().messages())
      EXPECT_EQ(trouble_with(fix_5_0_sp2(), message, seed), "") << message.name << " " << seed;
  }
}

std::string rewritten(std::string_view body, FieldOrder order) {
  const std::string text = framed(body);
  MessageView view;
  EXPECT_TRUE(view.read(as_bytes(text)));
  std::array<std::byte, 1024> room;
  const auto result = rewrite(view, fix_4_4(), order, room);
  EXPECT_TRUE(result);
  if (!result) return "";
  std::string shown(as_text(*result));
  std::ranges::replace(shown, '\x01', '|');
  return shown.substr(shown.find("35="), shown.find("10=") - shown.find("35="));
}

TEST(FixRewrite, canonical_order_sorts_and_keeps_strangers) {
  EXPECT_EQ(rewritten("35=D|34=1|56=V|49=M|60=t|55=R|9999=z|11=a|1500=q|453=2|447=D|", FieldOrder::compact),
            "35=D|34=1|56=V|49=M|60=t|55=R|9999=z|11=a|1500=q|453=2|447=D|");
  EXPECT_EQ(rewritten("35=D|56=V|49=M|34=1|60=t|55=R|9999=z|11=a|1500=q|", FieldOrder::canonical),
            "35=D|34=1|49=M|56=V|11=a|55=R|60=t|1500=q|9999=z|");
  EXPECT_EQ(rewritten("35=D|453=2|448=A|452=1|6000=x|447=D|802=1|523=s|448=B|447=D|11=a|", FieldOrder::canonical),
            "35=D|11=a|453=2|448=A|447=D|452=1|802=1|523=s|6000=x|448=B|447=D|");
  EXPECT_EQ(rewritten("35=U1|60=t|95=3|96=a|b|11=a|", FieldOrder::canonical), "35=U1|11=a|60=t|95=3|96=a|b|");
}

TEST(FixRewrite, never_repeats_a_stale_length_or_checksum) {
  const std::string text = framed("35=0|34=1|");
  MessageView view;
  ASSERT_TRUE(view.read(as_bytes(text)));
  std::array<std::byte, 256> room;
  const auto result = rewrite(view, fix_4_4(), FieldOrder::compact, room);
  ASSERT_TRUE(result);
  EXPECT_EQ(as_text(*result), text);
  std::array<std::byte, 20> small;
  EXPECT_EQ(rewrite(view, fix_4_4(), FieldOrder::compact, small).error().code, ErrorCode::no_room);
  EXPECT_EQ(rewrite(MessageView(), fix_4_4(), FieldOrder::compact, room).error().code, ErrorCode::malformed);
}

TEST(FixValue, texts_come_back_as_they_stood) {
  struct Case {
    FieldType type;
    const char* text;
  };
  for (const Case& one : {Case{FieldType::price, "12.50"},
                          {FieldType::price, "-0.05"},
                          {FieldType::price, "0.689999999999"},
                          {FieldType::quantity, "100"},
                          {FieldType::integer, "-7"},
                          {FieldType::boolean, "Y"},
                          {FieldType::character, "x"},
                          {FieldType::utc_timestamp, "20260720-12:00:00.123456"},
                          {FieldType::utc_time, "06:30:45.000"},
                          {FieldType::local_date, "20240229"},
                          {FieldType::month_year, "202607"},
                          {FieldType::month_year, "20260720"},
                          {FieldType::month_year, "202607w3"},
                          {FieldType::string, "any text"},
                          {FieldType::day_of_month, "31"}}) {
    const auto value = parse_value(one.type, one.text);
    ASSERT_TRUE(value) << one.text;
    char room[k_value_text_max];
    EXPECT_EQ(format_value(*value, room), one.text);
  }
}

TEST(FixValue, tells_what_is_wrong) {
  EXPECT_EQ(parse_value(FieldType::price, "").error().code, ErrorCode::missing);
  EXPECT_EQ(parse_value(FieldType::price, "1.2.3").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::price, ".").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::price, "1234567890123456789").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_value(FieldType::price, "0.0000000000000000001").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_value(FieldType::price, std::string(40, '0')).error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_value(FieldType::integer, "99999999999999999999").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_value(FieldType::length, "-1").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::utc_timestamp, "20260720").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::utc_time, "25:00:00").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::utc_date, "20260732").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::month_year, "202613").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_value(FieldType::boolean, "X").error().code, ErrorCode::malformed);
  char room[k_value_text_max];
  EXPECT_EQ(format_value(*parse_value(FieldType::utc_time, "23:59:60"), room), "00:00:00") << "never produced";
}

}  // namespace
}  // namespace dojima::fix
