#pragma once

// `--loop KEY=VALUE` of programs without a configuration, and what comes of the settings of a loop, in the program's
// words and statuses.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/app/loop/loop_settings.hpp"
#include "dojima/cli/command.hpp"

namespace dojima::cli {

class LoopOption {
 public:
  void add_to(Command& command);
  /// Complains and answers nothing when one of the words is no setting.
  [[nodiscard]] std::optional<app::LoopSettings> settings() const;

 private:
  std::vector<std::string> words_;
};

/// Asks for the settings of a program whose loop runs in the calling thread, and shows what is in force. False: one was
/// refused, which has been reported.
[[nodiscard]] bool apply_loop(const app::LoopSettings& settings, void (*show)(const std::string& line));

}  // namespace dojima::cli
