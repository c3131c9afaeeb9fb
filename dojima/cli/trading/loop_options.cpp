#include "dojima/cli/trading/loop_options.hpp"

#include <fmt/core.h>

#include "dojima/app/loop/machine_settings.hpp"
#include "dojima/cli/cli.hpp"

namespace dojima::cli {

void LoopOption::add_to(Command& command) {
  std::string names;
  for (const app::LoopKey& key : app::k_loop_keys) names += (names.empty() ? "" : ", ") + std::string(key.name);
  command
      .add_option("--loop", words_,
                  "What the loop asks of the machine, e.g. --loop policy=\"try fifo 20\"; " + names +
                      " (docs/app.md); may be repeated")
      .type_name("KEY=VALUE")
      .one_value_per_use();
}

std::optional<app::LoopSettings> LoopOption::settings() const {
  app::LoopSettings settings;
  for (const std::string& word : words_) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals + 1 == word.size()) {
      complain(fmt::format("--loop {}: write KEY=VALUE, e.g. --loop processor=1", word));
      return std::nullopt;
    }
    if (const auto set = settings.set(word.substr(0, equals), word.substr(equals + 1)); !set) {
      complain(fmt::format("--loop {}: {}", word, set.error()));
      return std::nullopt;
    }
  }
  return settings;
}

bool apply_loop(const app::LoopSettings& settings, void (*show)(const std::string& line)) {
  const auto of_process = app::apply_to_process(settings);
  if (!of_process) {
    complain(of_process.error());
    return false;
  }
  const auto of_thread = app::apply_to_thread(settings, 0);
  if (!of_thread) {
    complain(of_thread.error());
    return false;
  }
  for (const app::AppliedSettings* applied : {&*of_process, &*of_thread}) {
    for (const app::AppliedSetting& setting : *applied) show(text_of(setting));
  }
  return true;
}

}  // namespace dojima::cli
