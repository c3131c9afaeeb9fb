#include "dojima/recorded/fix/fix_print.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>

#include "dojima/base/bytes.hpp"
#include "dojima/base/one_line.hpp"

namespace dojima::recorded {
namespace {

std::string meaning_of(const fix::FieldFacts& field, std::string_view value) {
  if (field.values.empty()) return "";
  if (field.type != fix::FieldType::multiple_char && field.type != fix::FieldType::multiple_string)
    return std::string(field.meaning_of(value));
  std::string all;
  for (const std::string_view part : fix::ValueList(value)) {
    const std::string_view meaning = field.meaning_of(part);
    if (!meaning.empty()) all += (all.empty() ? "" : ", ") + std::string(meaning);
  }
  return all;
}

constexpr const char* k_bold = "\x1b[1m";
constexpr const char* k_dim = "\x1b[2m";
constexpr const char* k_red = "\x1b[31m";
constexpr const char* k_green = "\x1b[32m";
constexpr const char* k_plain = "\x1b[0m";

}  // namespace

std::optional<PrintFilter> parse_filter(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  PrintFilter filter{.value = std::string(text.substr(equals + 1))};
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + equals, filter.tag);
  if (trouble != std::errc{} || end != text.data() + equals || filter.tag == 0 || filter.tag > fix::k_tag_max)
    return std::nullopt;
  return filter;
}

FixPrinter::FixPrinter(const fix::Dictionary* dictionary, std::vector<PrintFilter> filters, fix::Checks checks)
    : dictionary_(dictionary),
      filters_(std::move(filters)),
      checks_(checks),
      view_(std::make_unique<fix::MessageView>()) {}

FixPrinter::~FixPrinter() = default;

bool FixPrinter::is_wanted() const {
  return std::ranges::all_of(filters_, [this](const PrintFilter& filter) {
    for (std::size_t at = 0; at < view_->size(); ++at) {
      if (view_->number_of(at) == filter.tag && (*view_)[at].value == filter.value) return true;
    }
    return false;
  });
}

const fix::Dictionary* FixPrinter::dictionary_for(const fix::Frame& frame) {
  const std::string_view begin_string = fix::begin_string_of(frame);
  if (begin_string != "FIXT.1.1") return fix::dictionary_of(begin_string);
  // The version is in the header, which every dictionary reads alike; what cannot be read shows later.
  static_cast<void>(view_->read(frame, {.allows_empty_values = true}));
  std::array<std::string_view, 2> names{view_->find(fix::tag::k_sender_comp_id).value_or(""),
                                        view_->find(fix::tag::k_target_comp_id).value_or("")};
  std::ranges::sort(names);
  std::string& default_version = default_versions_[std::string(names[0]) + '\x01' + std::string(names[1])];
  const std::string_view logged_on = view_->find(fix::tag::k_default_appl_ver_id).value_or("");
  if (view_->msg_type() == fix::type::k_logon && !logged_on.empty()) default_version = logged_on;
  const std::string_view own = view_->find(fix::tag::k_appl_ver_id).value_or("");
  const fix::Dictionary* known = fix::dictionary_of(begin_string, own.empty() ? default_version : own);
  return known == nullptr ? &fix::fix_5_0_sp2() : known;  // which says that there is no such version
}

std::optional<PrintedMessage> FixPrinter::read(const LoggedMessage& message) {
  ++counts_.messages;
  counts_.wrong_lengths += message.has_wrong_length ? 1 : 0;
  counts_.wrong_checksums += message.has_wrong_checksum ? 1 : 0;
  counts_.cut += message.is_cut ? 1 : 0;
  PrintedMessage printed;
  printed.source = message.in_front;
  printed.trouble = message.trouble;
  printed.has_wrong_length = message.has_wrong_length;
  printed.has_wrong_checksum = message.has_wrong_checksum;

  const fix::FrameSearch found = fix::find_frame(as_bytes(message.text), fix::k_body_max);
  if (found.state != fix::FrameState::whole) {
    if (printed.trouble.empty()) printed.trouble = "no message";
    printed.is_valid = false;
    ++counts_.invalid;
    ++counts_.types["? unreadable"];
    if (!filters_.empty()) return std::nullopt;
    ++counts_.shown;
    return printed;
  }
  const fix::Dictionary* known = dictionary_ == nullptr ? dictionary_for(found.frame) : dictionary_;
  const fix::Dictionary& dictionary = known == nullptr ? fix::fix_4_4() : *known;
  const auto read = view_->read(found.frame, {.data_fields = &dictionary.data_fields(), .allows_empty_values = true});
  printed.type = one_line(view_->find(fix::tag::k_msg_type).value_or("?"));
  const fix::MessageFacts* facts = dictionary.message(view_->msg_type());
  printed.type_name = facts == nullptr ? "" : std::string(facts->name);
  ++counts_.types[printed.type + (printed.type_name.empty() ? "" : " " + printed.type_name)];

  Error error;
  if (!read) {
    error = read.error();
  } else if (known != nullptr) {
    if (const auto checked = fix::check_message(*view_, dictionary, checks_); !checked) error = checked.error();
  }
  printed.is_valid = error.code == ErrorCode::none && printed.trouble.empty();
  counts_.invalid += error.code == ErrorCode::none ? 0 : 1;
  if (!is_wanted()) return std::nullopt;
  ++counts_.shown;
  const auto text_of = [this](fix::Tag tag) { return one_line(view_->find(tag).value_or("")); };
  printed.sender = text_of(fix::tag::k_sender_comp_id);
  printed.target = text_of(fix::tag::k_target_comp_id);
  printed.sequence = text_of(fix::tag::k_msg_seq_num);
  printed.time = text_of(fix::tag::k_sending_time);
  add_fields(printed, dictionary);
  if (error.code != ErrorCode::none) {
    const std::string why(fix::text_of(fix::reason_of(error)));
    const auto place = std::ranges::find_if(printed.fields, [&, at = std::size_t{0}](const PrintedField&) mutable {
      return view_->offset_of(at++) == error.offset;
    });
    if (place != printed.fields.end() && error.offset != 0) {
      place->trouble = why;
    } else {
      const fix::FieldFacts* field = dictionary.field(error.field);
      printed.trouble += (printed.trouble.empty() ? "" : ", ") + why;
      if (error.field != 0)
        printed.trouble += fmt::format(": {}{}", error.field, field == nullptr ? "" : " " + std::string(field->name));
    }
  }
  return printed;
}

void FixPrinter::add_fields(PrintedMessage& printed, const fix::Dictionary& dictionary) const {
  const fix::MessageFacts* message = dictionary.message(view_->msg_type());
  // The groups that are open, from the outermost one.
  std::vector<const fix::Shape*> open{message == nullptr ? &dictionary.envelope() : message->shape};
  for (std::size_t at = 0; at < view_->size(); ++at) {
    const fix::Field field = (*view_)[at];
    const fix::FieldFacts* facts = dictionary.field(field.tag);
    const bool is_stranger =
        std::ranges::none_of(open, [&](const fix::Shape* shape) { return shape->find(field.tag) != nullptr; });
    while (open.size() > 1 && !is_stranger && open.back()->find(field.tag) == nullptr) open.pop_back();
    printed.fields.push_back({.depth = static_cast<unsigned>(open.size() - 1),
                              .tag = view_->number_of(at),
                              .name = facts == nullptr ? "" : std::string(facts->name),
                              .value = one_line(field.value),
                              .meaning = facts == nullptr ? "" : meaning_of(*facts, field.value)});
    const fix::Member* member = open.back()->find(field.tag);
    if (member != nullptr && member->is(fix::Member::k_group)) open.push_back(&dictionary.shape(*member));
  }
}

std::string to_text(const PrintedMessage& message, bool is_coloured) {
  const auto in = [is_coloured](const char* colour, std::string_view text) {
    return is_coloured && !text.empty() ? fmt::format("{}{}{}", colour, text, k_plain) : std::string(text);
  };
  std::string text = message.time.empty() ? "" : message.time + "  ";
  if (!message.sender.empty() || !message.target.empty()) text += message.sender + " > " + message.target + "  ";
  text += in(k_bold, message.type_name.empty() ? message.type : message.type_name + " (" + message.type + ")");
  if (!message.sequence.empty()) text += " #" + message.sequence;
  if (!message.source.empty()) text += "  " + in(k_dim, message.source);
  if (!message.trouble.empty()) text += "  " + in(k_red, "!! " + message.trouble);
  text += '\n';
  for (const PrintedField& field : message.fields) {
    const std::string indent(4 + 2 * std::size_t{field.depth}, ' ');
    text += fmt::format("{}{:>5} {:<22} {}", indent, field.tag, field.name.empty() ? "-" : field.name, field.value);
    if (!field.meaning.empty()) text += "  " + in(k_green, field.meaning);
    if (!field.trouble.empty()) text += "  " + in(k_red, "!! " + field.trouble);
    text += '\n';
  }
  return text;
}

std::string to_text(const PrintCounts& counts) {
  std::string text = fmt::format(
      "{} messages, {} shown; {} with a wrong checksum, {} with a wrong length, {} cut, {} invalid\n", counts.messages,
      counts.shown, counts.wrong_checksums, counts.wrong_lengths, counts.cut, counts.invalid);
  for (const auto& [type, count] : counts.types) text += fmt::format("{:>8}  {}\n", count, type);
  return text;
}

}  // namespace dojima::recorded
