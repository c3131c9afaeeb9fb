#include "dojima/app/loop/loop_settings.hpp"

#include <algorithm>
#include <charconv>

#include "dojima/app/nearest.hpp"

namespace dojima::app {
namespace {

constexpr std::string_view k_try = "try";

std::optional<std::int64_t> whole(std::string_view text, std::int64_t lowest, std::int64_t highest) {
  std::int64_t number = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (trouble != std::errc{} || end != text.data() + text.size() || number < lowest || number > highest)
    return std::nullopt;
  return number;
}

std::optional<std::vector<int>> processors(std::string_view text) {
  constexpr int k_most = 4095;
  std::vector<int> all;
  for (;;) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto number = whole(text.substr(0, end), 0, k_most);
    if (!number) return std::nullopt;
    all.push_back(static_cast<int>(*number));
    if (end == text.size()) return all;
    text.remove_prefix(end + 1);
  }
}

std::optional<RealTime> real_time(std::string_view text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  const std::string_view name = text.substr(0, space);
  if (name != "fifo" && name != "rr") return std::nullopt;
  const auto priority = whole(text.substr(std::min(space + 1, text.size())), 1, 99);
  if (!priority) return std::nullopt;
  return RealTime{name == "fifo" ? RealTime::Policy::fifo : RealTime::Policy::round_robin, static_cast<int>(*priority)};
}

std::expected<void, std::string> refused(std::string_view text, std::string_view right) {
  return std::unexpected("\"" + std::string(text) + "\" is not " + std::string(right));
}

/// `read`: a value out of the text behind "try", or nothing.
template <class Value, class Read>
std::expected<void, std::string> set_wish(Wish<Value>& wish, std::string_view text, std::string_view right, Read read) {
  if (text.empty()) {
    wish = {};
    return {};
  }
  const bool is_tried = text.starts_with(k_try) && text.size() > k_try.size() && text[k_try.size()] == ' ';
  const auto value = read(is_tried ? text.substr(k_try.size() + 1) : text);
  if (!value) return refused(text, right);
  wish = {*value, is_tried};
  return {};
}

std::expected<void, std::string> set_switch(Wish<bool>& wish, std::string_view text) {
  if (text.empty() || text == "no") {
    wish = {};
  } else if (text == "yes" || text == k_try) {
    wish = {true, text == k_try};
  } else {
    return refused(text, "yes, try or no");
  }
  return {};
}

template <class Value>
std::string put(const Wish<Value>& wish, const std::string& value) {
  return !wish.value ? "" : wish.is_tried ? std::string(k_try) + " " + value : value;
}

std::string put(const Wish<bool>& wish) {
  return !wish.value ? "" : wish.is_tried ? std::string(k_try) : "yes";
}

std::string put(const Wish<std::int64_t>& wish) {
  return put(wish, std::to_string(wish.value.value_or(0)));
}

std::string list(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

}  // namespace

std::expected<void, std::string> LoopSettings::set(std::string_view key, std::string_view text) {
  if (key == "processor")
    return set_wish(processor, text, "a processor's number, or several with commas, with or without \"try\" in front",
                    processors);
  if (key == "policy")
    return set_wish(policy, text, "fifo or rr with a priority of 1 to 99, e.g. \"fifo 20\", with or without \"try\"",
                    real_time);
  if (key == "lock_memory") return set_switch(lock_memory, text);
  if (key == "huge_pages") return set_switch(huge_pages, text);
  if (key == "timer_slack")
    return set_wish(timer_slack_ns, text, "1 to 1000000000 nanoseconds, with or without \"try\" in front",
                    [](std::string_view number) { return whole(number, 1, 1'000'000'000); });
  if (key == "busy_poll")
    return set_wish(busy_poll_us, text, "1 to 100000 microseconds, with or without \"try\" in front",
                    [](std::string_view number) { return whole(number, 1, 100'000); });
  if (key == "max_wakes") {
    const auto wakes = whole(text, 100, 1'000'000);
    if (!wakes && !text.empty()) return refused(text, "100 to 1000000 a second");
    max_wakes = wakes;
    return {};
  }
  std::vector<std::string> names;
  std::string all;
  for (const LoopKey& known : k_loop_keys) {
    names.emplace_back(known.name);
    all += (all.empty() ? "" : ", ") + names.back();
  }
  const auto meant = nearest(key, names);
  return std::unexpected("a loop has no setting \"" + std::string(key) + "\"; " +
                         (meant ? "did you mean " + *meant + "?" : "there are: " + all));
}

std::string LoopSettings::text(std::string_view key) const {
  if (key == "processor") return put(processor, list(processor.value.value_or(std::vector<int>{})));
  if (key == "policy") {
    const RealTime of = policy.value.value_or(RealTime{});
    return put(policy, (of.policy == RealTime::Policy::fifo ? "fifo " : "rr ") + std::to_string(of.priority));
  }
  if (key == "lock_memory") return put(lock_memory);
  if (key == "huge_pages") return put(huge_pages);
  if (key == "timer_slack") return put(timer_slack_ns);
  if (key == "busy_poll") return put(busy_poll_us);
  if (key == "max_wakes") return max_wakes ? std::to_string(*max_wakes) : "";
  return {};
}

}  // namespace dojima::app
