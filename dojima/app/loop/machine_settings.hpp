#pragma once

// Asks the kernel for what a loop's settings say, and reads back what is in force: nothing is believed because it was
// asked for. A refusal is one line that says what was refused, why, and what would help; of a setting that is only
// tried it is a remark. Before the loop runs; a thread's settings from that thread. Allocates.
//
//   const auto applied = apply_to_thread(settings, 0);
//   if (!applied) { complain(applied.error()); return k_environment; }
//   for (const AppliedSetting& setting : *applied) print(text_of(setting));

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/loop/loop_settings.hpp"
#include "dojima/evidence/document.hpp"

namespace dojima::app {

/// One setting, asked for and read back.
struct AppliedSetting {
  std::string name{};      ///< of the key
  std::string asked{};     ///< as it was written
  std::string in_force{};  ///< as the kernel says now
  std::string refusal{};   ///< why it is not what was asked for; empty: it is
  std::string remark{};    ///< why what is in force is something else and no refusal; empty: it is what was asked for
};

/// The calls of the kernel; another one in tests. Each answers 0 or the error's number.
class Machine {
 public:
  virtual int pin(int processor) = 0;
  virtual int set_policy(RealTime policy) = 0;
  virtual int lock_memory() = 0;
  /// Asks for large pages for all of the process's memory that is large enough.
  virtual int take_huge_pages() = 0;
  virtual int set_timer_slack(std::int64_t nanoseconds) = 0;
  /// On a socket made for this.
  virtual int set_busy_poll(std::int64_t microseconds) = 0;

  // What is in force, of the calling thread or the process.
  [[nodiscard]] virtual std::vector<int> processors() const = 0;
  [[nodiscard]] virtual std::string policy() const = 0;  ///< "fifo 20", "rr 10", "other"
  [[nodiscard]] virtual std::int64_t locked_kib() const = 0;
  [[nodiscard]] virtual std::int64_t huge_kib() const = 0;
  [[nodiscard]] virtual std::int64_t timer_slack_ns() const = 0;
  /// Microseconds of the socket that set_busy_poll was tried on.
  [[nodiscard]] virtual std::int64_t busy_poll_us() const = 0;

  virtual ~Machine() = default;
};

[[nodiscard]] Machine& this_machine();

using AppliedSettings = std::vector<AppliedSetting>;

/// What concerns the whole process: memory, huge pages, busy polling. After all memory was taken. The error is a line
/// for a person.
[[nodiscard]] std::expected<AppliedSettings, std::string> apply_to_process(const LoopSettings& settings,
                                                                           Machine& machine = this_machine());
/// What concerns the calling thread, which is the one of that number among those with loops.
[[nodiscard]] std::expected<AppliedSettings, std::string> apply_to_thread(const LoopSettings& settings,
                                                                          std::size_t number,
                                                                          Machine& machine = this_machine());

/// A line for a person.
[[nodiscard]] std::string text_of(const AppliedSetting& setting);
/// For an artefact: name to {asked, in_force, refusal, remark}, the last two where they are something.
[[nodiscard]] evidence::Document document_of(const AppliedSettings& settings);

}  // namespace dojima::app
