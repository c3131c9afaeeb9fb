#include "dojima/app/loop/machine_settings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dojima::app {
namespace {

/// What helps against a refusal of that setting.
std::string_view advice(std::string_view name, int trouble) {
  if (name == "processor")
    return "the process may not use it, or it is not there; see /proc/self/status, Cpus_allowed_list";
  if (name == "policy" && trouble == EPERM) return "needs CAP_SYS_NICE or a limit: ulimit -r, LimitRTPRIO of systemd";
  if (name == "lock_memory") return "needs CAP_IPC_LOCK or a limit: ulimit -l, LimitMEMLOCK of systemd";
  if (name == "huge_pages") return "see /sys/kernel/mm/transparent_hugepage/enabled: always or madvise is needed";
  if (name == "busy_poll") return "needs CAP_NET_ADMIN and a kernel with CONFIG_NET_RX_BUSY_POLL";
  return "this kernel does not take it";
}

/// Collects what was applied; after the first refusal that may not be, only that.
class Applier {
 public:
  /// `call` asks and answers an error's number; `in_force` reads back; `is_had` says whether that is what was asked.
  template <class Value, class Call, class InForce, class IsHad>
  void apply(std::string_view name, const LoopSettings& settings, const Wish<Value>& wish, Call call, InForce in_force,
             IsHad is_had) {
    if (!wish.value || !error_.empty()) return;
    const int trouble = call(*wish.value);
    AppliedSetting setting{.name = std::string(name), .asked = settings.text(name), .in_force = in_force()};
    if (trouble != 0) {
      setting.refusal = std::string(std::strerror(trouble)) + "; " + std::string(advice(name, trouble));
    } else if (!is_had(*wish.value)) {
      setting.refusal = "the kernel took it and does otherwise";
    }
    if (!setting.refusal.empty() && !wish.is_tried) {
      error_ = "loop." + setting.name + " = \"" + setting.asked + "\" was refused: " + setting.refusal +
               " (\"try\" in front goes on without)";
      return;
    }
    applied_.push_back(std::move(setting));
  }

  [[nodiscard]] std::expected<AppliedSettings, std::string> result() && {
    if (!error_.empty()) return std::unexpected(std::move(error_));
    return std::move(applied_);
  }

 private:
  AppliedSettings applied_;
  std::string error_;
};

std::string text_of(const std::vector<int>& processors) {
  std::string text;
  for (const int processor : processors) text += (text.empty() ? "" : ",") + std::to_string(processor);
  return text;
}

std::string slack_text(const Machine& machine) {
  return std::to_string(machine.timer_slack_ns()) + " ns";
}

bool is_real_time(const Machine& machine) {
  const std::string policy = machine.policy();
  return policy.starts_with("fifo") || policy.starts_with("rr");
}

/// The policy came after the slack, and kernels differ in what it leaves of that: what is in force is read once more.
void read_slack_again(AppliedSettings& applied, const LoopSettings& settings, const Machine& machine) {
  const auto slack = std::ranges::find(applied, "timer_slack", &AppliedSetting::name);
  if (slack == applied.end()) return;
  slack->in_force = slack_text(machine);
  if (slack->refusal.empty() && machine.timer_slack_ns() != settings.timer_slack_ns.value)
    slack->remark = "the kernel has its own for real-time threads, whose sleeps it ends when they are due";
}

std::string wanted_policy(RealTime of) {
  return (of.policy == RealTime::Policy::fifo ? "fifo " : "rr ") + std::to_string(of.priority);
}

}  // namespace

std::expected<AppliedSettings, std::string> apply_to_process(const LoopSettings& settings, Machine& machine) {
  Applier applier;
  applier.apply(
      "huge_pages", settings, settings.huge_pages, [&](bool) { return machine.take_huge_pages(); },
      [&] { return std::to_string(machine.huge_kib()) + " KiB in large pages"; },
      [&](bool) { return machine.huge_kib() > 0; });
  applier.apply(
      "lock_memory", settings, settings.lock_memory, [&](bool) { return machine.lock_memory(); },
      [&] { return std::to_string(machine.locked_kib()) + " KiB locked"; },
      [&](bool) { return machine.locked_kib() > 0; });
  applier.apply(
      "busy_poll", settings, settings.busy_poll_us,
      [&](std::int64_t microseconds) { return machine.set_busy_poll(microseconds); },
      [&] { return std::to_string(machine.busy_poll_us()) + " us"; },
      [&](std::int64_t microseconds) { return machine.busy_poll_us() == microseconds; });
  auto applied = std::move(applier).result();
  if (applied && settings.max_wakes)
    applied->push_back({.name = "max_wakes",
                        .asked = settings.text("max_wakes"),
                        .in_force = settings.text("max_wakes") + " a second, of each loop with sockets"});
  return applied;
}

std::expected<AppliedSettings, std::string> apply_to_thread(const LoopSettings& settings, std::size_t number,
                                                            Machine& machine) {
  Applier applier;
  const auto own = [number](const std::vector<int>& processors) { return processors[number % processors.size()]; };
  applier.apply(
      "processor", settings, settings.processor, [&](const std::vector<int>& all) { return machine.pin(own(all)); },
      [&] { return text_of(machine.processors()); },
      [&](const std::vector<int>& all) { return machine.processors() == std::vector<int>{own(all)}; });
  applier.apply(
      "timer_slack", settings, settings.timer_slack_ns,
      [&](std::int64_t nanoseconds) { return machine.set_timer_slack(nanoseconds); },
      [&] { return slack_text(machine); },
      [&](std::int64_t nanoseconds) { return machine.timer_slack_ns() == nanoseconds || is_real_time(machine); });
  applier.apply(
      "policy", settings, settings.policy, [&](RealTime policy) { return machine.set_policy(policy); },
      [&] { return machine.policy(); }, [&](RealTime policy) { return machine.policy() == wanted_policy(policy); });
  auto applied = std::move(applier).result();
  if (applied) read_slack_again(*applied, settings, machine);
  return applied;
}

std::string text_of(const AppliedSetting& setting) {
  std::string text = "loop." + setting.name + ": " + setting.in_force;
  if (!setting.refusal.empty()) text += " (asked for \"" + setting.asked + "\", refused: " + setting.refusal + ")";
  if (!setting.remark.empty()) text += " (asked for \"" + setting.asked + "\": " + setting.remark + ")";
  return text;
}

evidence::Document document_of(const AppliedSettings& settings) {
  evidence::Document document = evidence::Document::object();
  for (const AppliedSetting& setting : settings) {
    evidence::Document one = evidence::Document::object();
    one.set("asked", setting.asked).set("in_force", setting.in_force);
    if (!setting.refusal.empty()) one.set("refusal", setting.refusal);
    if (!setting.remark.empty()) one.set("remark", setting.remark);
    document.set(setting.name, std::move(one));
  }
  return document;
}

}  // namespace dojima::app
