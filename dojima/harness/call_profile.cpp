#include "dojima/harness/call_profile.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace dojima::harness {
namespace {

bool is_number(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// "inner'outer'outermost" as frames, the outermost first. A bare number counts a recursion and is no function.
std::vector<std::string> frames_of(std::string_view context) {
  std::vector<std::string> frames;
  while (!context.empty()) {
    const std::size_t end = std::min(context.find('\''), context.size());
    const std::string_view frame = context.substr(0, end);
    if (!frame.empty() && !is_number(frame)) frames.emplace_back(frame);
    context.remove_prefix(std::min(end + 1, context.size()));
  }
  std::ranges::reverse(frames);
  return frames;
}

/// Numbers with spaces between them; nothing when there is something else.
std::optional<std::vector<std::uint64_t>> numbers_of(std::string_view line) {
  std::vector<std::uint64_t> numbers;
  while (!line.empty()) {
    if (line.front() == ' ') {
      line.remove_prefix(1);
      continue;
    }
    std::uint64_t number = 0;
    const auto [end, trouble] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (trouble != std::errc{}) return std::nullopt;
    numbers.push_back(number);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  }
  return numbers;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end != 0) words.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

/// Takes the file line by line.
class ProfileReader {
 public:
  /// False: it is not understood.
  bool take(std::string_view line) {
    if (line.empty() || line.front() == '#') return true;
    const char first = line.front();
    if (is_number(line.substr(0, 1))) return take_cost(line);
    if (first == '+' || first == '-' || first == '*') return false;  // compressed positions
    const std::size_t equals = line.find('=');
    const std::size_t colon = line.find(':');
    if (colon < equals) return take_header(line.substr(0, colon), line.substr(std::min(colon + 2, line.size())));
    if (equals == std::string_view::npos) return false;
    return take_position(line.substr(0, equals), line.substr(equals + 1));
  }

  CallProfile result() && {
    for (auto& [context, cost] : stacks_) {
      cost.self.resize(profile_.events.size());
      profile_.stacks.push_back(std::move(cost));
    }
    std::ranges::sort(profile_.stacks, {}, &StackCost::frames);
    return std::move(profile_);
  }
  [[nodiscard]] bool is_complete() const noexcept { return !profile_.events.empty(); }

 private:
  bool take_header(std::string_view key, std::string_view value) {
    if (key == "events") profile_.events = words_of(value);
    if (key == "creator") profile_.creator = value;
    return key != "positions" || value == "line";
  }

  bool take_position(std::string_view key, std::string_view value) {
    if (key == "fn") {
      current_ = &stack(value);
    } else if (key == "cfn") {
      called_ = &stack(value);
    } else if (key == "calls") {
      const auto numbers = numbers_of(value);
      if (!numbers || numbers->empty() || called_ == nullptr) return false;
      called_->calls += numbers->front();
      is_inclusive_ = true;
    }
    return true;  // files and objects
  }

  bool take_cost(std::string_view line) {
    const auto numbers = numbers_of(line);
    if (!numbers || current_ == nullptr || numbers->size() > profile_.events.size() + 1) return false;
    if (std::exchange(is_inclusive_, false)) return true;  // of the function called
    current_->self.resize(profile_.events.size());
    for (std::size_t at = 1; at < numbers->size(); ++at) current_->self[at - 1] += (*numbers)[at];
    return true;
  }

  StackCost& stack(std::string_view context) {
    const auto found = stacks_.find(context);
    if (found != stacks_.end()) return found->second;
    return stacks_.emplace(std::string(context), StackCost{.frames = frames_of(context), .self = {}}).first->second;
  }

  CallProfile profile_;
  std::map<std::string, StackCost, std::less<>> stacks_;
  StackCost* current_ = nullptr;
  StackCost* called_ = nullptr;
  bool is_inclusive_ = false;
};

std::size_t rule_of(std::string_view frame, std::span<const StageRule> rules) noexcept {
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    if (frame.find(rules[rule].function) != std::string_view::npos) return rule;
  }
  return k_no_stage;
}

}  // namespace

std::size_t CallProfile::event(std::string_view name) const noexcept {
  return static_cast<std::size_t>(std::ranges::find(events, name) - events.begin());
}

std::uint64_t CallProfile::sum(std::string_view event_name) const noexcept {
  const std::size_t place = event(event_name);
  if (place == events.size()) return 0;
  return std::accumulate(stacks.begin(), stacks.end(), std::uint64_t{0},
                         [place](std::uint64_t sum, const StackCost& stack) { return sum + stack.self[place]; });
}

std::expected<CallProfile, std::string> read_call_profile(std::string_view text) {
  ProfileReader reader;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!reader.take(text.substr(0, end)))
      return std::unexpected("line " + std::to_string(number) + " of the profile is not callgrind's: \"" +
                             std::string(text.substr(0, std::min<std::size_t>(end, 80))) + "\"");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!reader.is_complete()) return std::unexpected("the profile does not say which events it counts");
  return std::move(reader).result();
}

StageMatch stage_of(std::span<const std::string> frames, std::span<const StageRule> rules) noexcept {
  StageMatch match;
  for (std::size_t at = frames.size(); at-- > 0;) {
    const std::size_t rule = rule_of(frames[at], rules);
    if (rule == k_no_stage) continue;
    if (match.stage == k_no_stage) match = {.stage = rules[rule].stage, .frame = at, .rule = rule};
    if (rules[rule].stage != match.stage) break;
    match.frame = at;
  }
  return match;
}

std::string short_name(std::string_view function) {
  constexpr std::string_view k_anonymous = "(anonymous namespace)::";
  std::string name;
  int depth = 0;
  for (std::size_t at = 0; at < function.size(); ++at) {
    if (depth == 0 && function.substr(at).starts_with(k_anonymous)) {
      at += k_anonymous.size() - 1;
      continue;
    }
    const char c = function[at];
    if (c == '<') ++depth;
    if (depth == 0 && c == '(' && !name.ends_with("operator")) break;
    if (depth == 0 && c == ' ' && !name.ends_with("operator")) {
      name.clear();  // what it returns
    } else if (depth == 0) {
      name += c;
    }
    if (c == '>' && depth > 0) --depth;
  }
  return name.empty() ? std::string(function) : name;
}

}  // namespace dojima::harness
