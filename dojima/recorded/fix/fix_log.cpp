#include "dojima/recorded/fix/fix_log.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/frame.hpp"

namespace dojima::recorded {
namespace {

constexpr std::string_view k_start = "8=FIX";
constexpr char k_separator = '\x01';
constexpr std::size_t k_longest = 200'000;

bool is_digit(char character) noexcept {
  return character >= '0' && character <= '9';
}

bool is_line_end(char character) noexcept {
  return character == '\n' || character == '\r';
}

/// The text without line ends.
std::string joined(std::string_view text) {
  std::string result;
  std::ranges::copy_if(text, std::back_inserter(result), [](char character) { return !is_line_end(character); });
  return result;
}

/// The separator of fields: the text behind BeginString. Empty: nothing that could be one.
std::string separator_of(std::string_view text) {
  std::size_t at = 2;
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.' || (text[at] >= 'A' && text[at] <= 'Z'))) ++at;
  if (at >= text.size() || at < 7) return "";
  for (const std::string_view known : {"^A", "<SOH>", "\\x01", "\\u0001"}) {
    if (text.substr(at).starts_with(known)) return std::string(known);
  }
  return std::string(1, text[at]);
}

/// Behind the three digits of CheckSum; npos: there is none.
std::size_t end_of(std::string_view text, const std::string& separator) {
  const std::string mark = separator + "10=";
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const std::size_t digits = at + mark.size();
    if (digits + 3 > text.size() || !is_digit(text[digits]) || !is_digit(text[digits + 1]) ||
        !is_digit(text[digits + 2]))
      continue;
    const std::string_view behind = text.substr(digits + 3);
    if (behind.empty() || !is_digit(behind[0])) return digits + 3;
  }
  return std::string_view::npos;
}

std::string with_separators(std::string_view text, const std::string& separator) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with(separator)) {
      result += k_separator;
      at += separator.size();
    } else {
      result += text[at++];
    }
  }
  if (!result.ends_with(k_separator)) result += k_separator;
  return result;
}

/// The message with a length and a checksum that are right, and what was wrong with those it had.
void put_right(LoggedMessage& message) {
  const std::string_view text = message.text;
  const std::size_t length_at = text.find(
      "\x01"
      "9=");
  const std::size_t body = length_at == std::string_view::npos ? length_at : text.find(k_separator, length_at + 1);
  if (body == std::string_view::npos) {
    message.trouble = "no BodyLength";
    message.has_wrong_length = true;
    return;
  }
  const std::string given_length(text.substr(length_at + 3, body - length_at - 3));
  const std::size_t trailer = message.is_cut ? text.size()
                                             : text.rfind(
                                                   "\x01"
                                                   "10=") +
                                                   1;
  const std::string right_length = std::to_string(trailer - body - 1);
  std::string fixed =
      std::string(text.substr(0, length_at + 3)) + right_length + std::string(text.substr(body, trailer - body));
  // The checksum is that of the bytes as they were: a wrong length alone is one error, not two.
  const std::string right_sum = fmt::format("{:03}", fix::check_sum(as_bytes(text.substr(0, trailer))));
  if (given_length != right_length) {
    message.has_wrong_length = true;
    message.trouble = fmt::format("BodyLength {} should be {}", given_length, right_length);
  }
  if (!message.is_cut) {
    const std::string given_sum(text.substr(trailer + 3, 3));
    if (given_sum != right_sum) {
      message.has_wrong_checksum = true;
      message.trouble +=
          fmt::format("{}CheckSum {} should be {}", message.trouble.empty() ? "" : ", ", given_sum, right_sum);
    }
  }
  fixed += fmt::format("10={:03}\x01", fix::check_sum(as_bytes(fixed)));
  message.text = std::move(fixed);
}

}  // namespace

std::string_view FixLog::line_in_front(std::size_t at) const noexcept {
  std::size_t begin = at;
  const auto may_be_shown = [](char character) { return character >= ' ' && character < 0x7f; };
  while (begin > 0 && !is_line_end(text_[begin - 1]) && text_[begin - 1] != k_separator) --begin;
  std::string_view line = text_.substr(begin, at - begin);
  while (!line.empty() && (line.front() == ' ' || !may_be_shown(line.front()))) line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || !may_be_shown(line.back()))) line.remove_suffix(1);
  constexpr std::size_t k_shown = 80;
  return std::ranges::all_of(line, may_be_shown) ? line.substr(0, k_shown) : std::string_view();
}

std::optional<LoggedMessage> FixLog::next() {
  LoggedMessage message;
  if (!next(message)) return std::nullopt;
  return message;
}

bool FixLog::next(LoggedMessage& message) {
  const std::size_t begin = text_.find(k_start, at_);
  if (begin == std::string_view::npos) return false;
  message.offset = begin;
  message.in_front = line_in_front(begin);
  message.has_wrong_length = message.has_wrong_checksum = message.is_cut = false;
  message.trouble.clear();
  // As it is on the wire, data with line ends and all.
  const fix::FrameSearch found = fix::find_frame(as_bytes(text_.substr(begin)), fix::k_body_max);
  if (found.state == fix::FrameState::whole) {
    message.text = text_.substr(begin, found.size);
    at_ = begin + found.size;
    return true;
  }
  const std::size_t next_start = std::min(text_.find(k_start, begin + 1), text_.size());
  const std::string_view raw = text_.substr(begin, std::min(next_start - begin, k_longest));
  const std::string line = joined(raw);
  const std::string separator = separator_of(line);
  const std::size_t end = separator.empty() ? std::string::npos : end_of(line, separator);
  message.is_cut = end == std::string::npos;
  // Cut: up to the end of its line.
  const std::string whole =
      message.is_cut ? std::string(raw.substr(0, raw.find_first_of("\r\n"))) : line.substr(0, end);
  message.text = separator.empty() ? whole : with_separators(whole, separator);
  at_ = message.is_cut ? begin + std::max(whole.size(), k_start.size()) : begin + 1;
  if (!message.is_cut) {
    // Behind the same number of characters that are no line ends.
    std::size_t passed = 0;
    for (at_ = begin; passed < end; ++at_) passed += is_line_end(text_[at_]) ? 0u : 1u;
  }
  put_right(message);
  if (message.is_cut) message.trouble = "cut: no CheckSum";
  return true;
}

}  // namespace dojima::recorded
