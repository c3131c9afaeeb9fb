#include "dojima/app/trade/script.hpp"

#include <fmt/core.h>
#include <fstream>
#include <utility>

#include "dojima/app/trade/trade_command.hpp"

namespace dojima::app {
namespace {

/// The verb of a line that steers the script; `nothing` for all others, also those that cannot be read.
TradeCommand steering(const std::string& line) {
  const auto command = parse_trade_command(line);
  const bool steers = command && (command->verb == TradeVerb::repeat || command->verb == TradeVerb::end ||
                                  command->verb == TradeVerb::source);
  return steers ? *command : TradeCommand{};
}

}  // namespace

bool Script::is_over() const {
  return !recording_ && frames_.empty() && lines_.is_over();
}

Understood<void> Script::source(const std::string& file) {
  if (frames_.size() >= k_deepest)
    return std::unexpected(fmt::format("source {}: more than {} files and repetitions in each other", file, k_deepest));
  std::ifstream stream(file);
  if (!stream) return std::unexpected(fmt::format("source {}: the file cannot be read", file));
  Frame frame;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t number = frame.lines.size() + 1;
    frame.lines.push_back({std::move(line), fmt::format("{}:{}", file, number)});
  }
  if (stream.bad()) return std::unexpected(fmt::format("source {}: the file cannot be read", file));
  frames_.push_back(std::move(frame));
  return {};
}

/// The next line as it is, whatever it says.
std::optional<ScriptLine> Script::take() {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.next < frame.lines.size()) return frame.lines[frame.next++];
    // A repetition does not reach out of the file in which it began.
    if (recording_ && recording_->frames == frames_.size()) return std::nullopt;
    frame.next = 0;
    if (--frame.rounds == 0) frames_.pop_back();
  }
  auto line = lines_.next();
  if (!line) return std::nullopt;
  ++line_;
  return ScriptLine{*std::move(line), name_.empty() ? "" : fmt::format("{}:{}", name_, line_)};
}

/// One more line of a repetition.
std::expected<std::optional<ScriptLine>, ScriptTrouble> Script::record(ScriptLine line) {
  const TradeVerb verb = steering(line.text).verb;
  if (verb == TradeVerb::end && recording_->depth == 0) {
    if (!recording_->frame.lines.empty()) frames_.push_back(std::move(recording_->frame));
    recording_.reset();
    return std::nullopt;
  }
  if (verb == TradeVerb::repeat) ++recording_->depth;
  if (verb == TradeVerb::end) --recording_->depth;
  if (recording_->frame.lines.size() == k_longest) {
    const std::string where = std::exchange(recording_, std::nullopt)->where;
    return std::unexpected(ScriptTrouble{fmt::format("more than {} lines to repeat", k_longest), where});
  }
  recording_->frame.lines.push_back(std::move(line));
  return std::nullopt;
}

std::expected<std::optional<ScriptLine>, ScriptTrouble> Script::next() {
  while (auto line = take()) {
    if (recording_) {
      auto recorded = record(*std::move(line));
      if (!recorded) return recorded;
      continue;
    }
    const TradeCommand command = steering(line->text);
    if (command.verb == TradeVerb::nothing) return line;
    if (command.verb == TradeVerb::end)
      return std::unexpected(ScriptTrouble{"end without a repeat before it", line->where});
    if (command.verb == TradeVerb::source) {
      if (auto read = source(command.text); !read) return std::unexpected(ScriptTrouble{read.error(), line->where});
      continue;
    }
    if (frames_.size() >= k_deepest)
      return std::unexpected(
          ScriptTrouble{fmt::format("more than {} files and repetitions in each other", k_deepest), line->where});
    recording_ =
        Recording{.frame = {.lines = {}, .rounds = command.number}, .where = line->where, .frames = frames_.size()};
  }
  const bool has_no_end = recording_ && (recording_->frames != 0 || lines_.is_over());
  if (!has_no_end) return std::nullopt;
  const std::string where = std::exchange(recording_, std::nullopt)->where;
  return std::unexpected(ScriptTrouble{"repeat without an end", where});
}

}  // namespace dojima::app
