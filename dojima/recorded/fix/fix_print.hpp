#pragma once

// FIX messages for people: each with its fields by name, what their values mean, groups indented and what is wrong
// marked; and counted. Reads what fix_log.hpp and capture.hpp find. Text and tables, no output of its own.

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/recorded/fix/fix_log.hpp"

namespace dojima::recorded {

/// One field of a message as it is shown.
struct PrintedField {
  unsigned depth = 0;  ///< 0: of the message; 1: of an entry of a group, and so on
  std::uint32_t tag = 0;
  std::string name;     ///< empty: the dictionary does not know it
  std::string value;    ///< what cannot be printed as \xNN
  std::string meaning;  ///< of an enumerated value
  std::string trouble;  ///< what is wrong with it
};

struct PrintedMessage {
  std::string source;  ///< "10.0.0.1:5001 > 10.0.0.2:9878", or the text in front of it in the log
  std::string type, type_name;
  std::string sender, target, sequence, time;
  std::vector<PrintedField> fields;
  std::string trouble;  ///< of the whole message; empty: none
  bool has_wrong_length = false, has_wrong_checksum = false, is_valid = true;
};

struct PrintCounts {
  std::uint64_t messages = 0, shown = 0, wrong_lengths = 0, wrong_checksums = 0, cut = 0, invalid = 0;
  std::map<std::string, std::uint64_t> types;  ///< "D NewOrderSingle"
};

/// TAG=VALUE: a message is shown when it has that field.
struct PrintFilter {
  std::uint32_t tag = 0;
  std::string value;
};
[[nodiscard]] std::optional<PrintFilter> parse_filter(std::string_view text);

class FixPrinter {
 public:
  /// `dictionary`: null: the built-in one of each message's BeginString, and in FIXT.1.1 of its ApplVerID(1128), or of
  /// the DefaultApplVerID(1137) in the Logon between the same two before. It outlives the printer.
  FixPrinter(const fix::Dictionary* dictionary, std::vector<PrintFilter> filters, fix::Checks checks);
  ~FixPrinter();

  /// None: a filter leaves it out, but it is counted.
  [[nodiscard]] std::optional<PrintedMessage> read(const LoggedMessage& message);
  [[nodiscard]] const PrintCounts& counts() const noexcept { return counts_; }

 private:
  [[nodiscard]] bool is_wanted() const;
  [[nodiscard]] const fix::Dictionary* dictionary_for(const fix::Frame& frame);
  void add_fields(PrintedMessage& printed, const fix::Dictionary& dictionary) const;
  const fix::Dictionary* dictionary_;
  std::vector<PrintFilter> filters_;
  fix::Checks checks_;
  PrintCounts counts_;
  std::map<std::string, std::string> default_versions_;  // DefaultApplVerID by the two names of a session
  std::unique_ptr<fix::MessageView> view_;
};

/// Lines for a terminal, with colours where they are wanted.
[[nodiscard]] std::string to_text(const PrintedMessage& message, bool is_coloured);
[[nodiscard]] std::string to_text(const PrintCounts& counts);

}  // namespace dojima::recorded
