#pragma once

// FIX messages in any text: raw streams, and logs with one message a line, with other text around them, with `|`, `^A`
// or another character for the separator, broken over several lines, without the last separator. What claims to be a
// message but is none is given as well, with what is wrong. Works on a whole text in memory; O(text).
//
//   FixLog log(text);
//   while (const auto found = log.next()) show(found->text);

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dojima::recorded {

struct LoggedMessage {
  std::string text;           ///< with separators as on the wire, length and checksum put right: it can be read
  std::size_t offset = 0;     ///< where it began in the log
  std::string_view in_front;  ///< the rest of its line in front of it, without blanks: a log's own stamp
  bool has_wrong_length = false;
  bool has_wrong_checksum = false;
  bool is_cut = false;  ///< no CheckSum is where it should end
  std::string trouble;  ///< what was wrong, for a reader; empty: nothing
};

class FixLog {
 public:
  /// The text outlives the log.
  explicit FixLog(std::string_view text) noexcept : text_(text) {}
  /// The next message, or none any more.
  [[nodiscard]] std::optional<LoggedMessage> next();
  /// The same into a message whose memory is used again: for a message as it is on the wire nothing is allocated.
  [[nodiscard]] bool next(LoggedMessage& message);

 private:
  [[nodiscard]] std::string_view line_in_front(std::size_t at) const noexcept;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace dojima::recorded
