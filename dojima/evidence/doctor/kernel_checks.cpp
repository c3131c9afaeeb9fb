// The kernel, and what interrupts a processor.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/evidence/doctor/machine.hpp"
#include "dojima/evidence/svg.hpp"

namespace dojima::evidence::doctor {
namespace {

Outcome isolated_cpus(const Machine& machine) {
  const auto isolated = machine.text("sys/devices/system/cpu/isolated");
  if (!isolated) return unavailable("the kernel does not show isolated processors");
  return isolated->empty() ? warn("none: every task may run everywhere") : ok("processors " + *isolated);
}

Outcome nohz_full(const Machine& machine) {
  const auto cpus = machine.text("sys/devices/system/cpu/nohz_full");
  if (!cpus) return unavailable("the kernel is built without it");
  const bool is_none = cpus->empty() || *cpus == "(null)";
  return is_none ? warn("on no processor: the tick runs everywhere") : ok("processors " + *cpus);
}

Outcome rcu_callbacks(const Machine& machine) {
  const auto cpus = machine.parameter("rcu_nocbs");
  return cpus ? ok("kept off processors " + *cpus) : warn("run on every processor");
}

Outcome tick(const Machine& machine) {
  const auto period = tick_ns(machine.root);
  if (!period) return unavailable("the kernel does not show its configuration");
  return ok_if(*period >= 4e6, "every " + duration_text(*period));
}

Outcome preemption(const Machine& machine) {
  const auto version = machine.text("proc/sys/kernel/version");
  if (!version) return unavailable("the kernel does not show its version");
  if (version->find("PREEMPT_RT") != std::string::npos) return ok("PREEMPT_RT");
  const std::size_t at = version->find("PREEMPT");
  if (at == std::string::npos) return warn("none: system calls run to their end");
  const std::string model = version->substr(at, version->find(' ', at) - at);
  const auto mode = machine.parameter("preempt");
  return warn(model + (mode ? ", " + *mode : std::string()) + ", not PREEMPT_RT");
}

Outcome real_time_budget(const Machine& machine) {
  const auto runtime = machine.number("proc/sys/kernel/sched_rt_runtime_us");
  const auto period = machine.number("proc/sys/kernel/sched_rt_period_us");
  if (!runtime || !period) return unavailable("the kernel does not show its real-time budget");
  if (*runtime < 0 || *runtime >= *period) return ok("no budget: a real-time thread may run for ever");
  return warn(std::to_string(*runtime) + " of " + std::to_string(*period) +
              " us: a real-time thread that never sleeps stands still for " +
              duration_text(static_cast<double>(*period - *runtime) * 1e3) + " of each " +
              duration_text(static_cast<double>(*period) * 1e3));
}

/// Whether the effective capabilities have this bit.
bool has_capability(const std::string& status, unsigned bit) {
  const std::string mask = value_of(status, "CapEff").value_or("0");
  return ((std::strtoull(mask.c_str(), nullptr, 16) >> bit) & 1u) != 0;
}

/// The soft limit in the line "Max realtime priority     0     0"; -1 is unlimited.
std::optional<std::int64_t> limit_of(const Machine& machine, const std::string& name) {
  for (const std::string& line : lines_of(machine.text("proc/self/limits").value_or(""))) {
    if (!line.starts_with(name)) continue;
    const std::vector<std::string> words = words_of(line.substr(name.size()));
    if (words.empty()) return std::nullopt;
    return words[0] == "unlimited" ? std::optional<std::int64_t>(-1) : whole_of(words[0]);
  }
  return std::nullopt;
}

Outcome real_time_priority(const Machine& machine) {
  const auto limit = limit_of(machine, "Max realtime priority");
  if (!limit) return unavailable("the kernel does not show the limits of this process");
  constexpr unsigned k_sys_nice = 23;
  if (has_capability(machine.text("proc/self/status").value_or(""), k_sys_nice)) return ok("allowed: CAP_SYS_NICE");
  return *limit != 0 ? ok("allowed up to " + std::to_string(*limit)) : warn("not allowed: the limit rtprio is 0");
}

Outcome memory_locking(const Machine& machine) {
  const auto limit = limit_of(machine, "Max locked memory");
  if (!limit) return unavailable("the kernel does not show the limits of this process");
  constexpr unsigned k_ipc_lock = 14;
  if (has_capability(machine.text("proc/self/status").value_or(""), k_ipc_lock)) return ok("allowed: CAP_IPC_LOCK");
  return ok_if(*limit < 0 || *limit >= (std::int64_t{64} << 20),
               *limit < 0 ? "allowed without limit" : "up to " + std::to_string(*limit >> 20) + " MiB");
}

Outcome group_quota(const Machine& machine) {
  const auto quota = machine.text("sys/fs/cgroup/cpu.max");
  if (!quota) return unavailable("no control group of version 2, or its root");
  return ok_if(quota->starts_with("max"), "cpu.max = " + *quota);
}

Outcome pressure(const Machine& machine) {
  const std::string text = machine.text("proc/pressure/cpu").value_or("");
  const std::size_t at = text.find("avg10=");
  const auto share = at == std::string::npos ? std::nullopt : number_of(text.substr(at + 6));
  if (!share) return unavailable("the kernel keeps no pressure stall information");
  return ok_if(*share < 1, "tasks waited for a processor in " + share_text(*share / 100) + " of the last 10 s");
}

Outcome interrupt_balancing(const Machine& machine) {
  std::error_code error;
  bool is_any = false;
  for (const auto& process : std::filesystem::directory_iterator(machine.root / "proc", error)) {
    const auto name = read_text(process.path() / "comm");
    is_any = is_any || name.has_value();
    if (name == "irqbalance") return warn("irqbalance moves interrupts between processors");
  }
  return is_any ? ok("no irqbalance runs") : unavailable("no process can be seen");
}

Outcome work_queues(const Machine& machine) {
  const auto mask = machine.text("sys/devices/virtual/workqueue/cpumask");
  const auto isolated = machine.text("sys/devices/system/cpu/isolated");
  if (!mask) return unavailable("the kernel does not show it");
  if (!isolated || isolated->empty()) return warn("mask " + *mask + ": on every processor, since none is isolated");
  return ok("mask " + *mask + ", isolated " + *isolated);
}

Outcome watchdog(const Machine& machine) {
  return machine.setting("proc/sys/kernel/nmi_watchdog", "kernel.nmi_watchdog", k_is_zero);
}

Outcome timer_migration(const Machine& machine) {
  return machine.setting("proc/sys/kernel/timer_migration", "kernel.timer_migration", k_is_zero);
}

Outcome statistics_interval(const Machine& machine) {
  return machine.setting("proc/sys/vm/stat_interval", "vm.stat_interval", [](std::int64_t s) { return s >= 10; });
}

constexpr std::array k_kernel_checks = {
    DoctorCheck{"isolated_cpus", isolated_cpus, "other tasks share the processor: slices of a tick, milliseconds",
                "kernel: kernel-parameters, isolcpus; cgroup v2 cpuset"},
    DoctorCheck{"nohz_full", nohz_full, "the tick interrupts at its rate, some 2 to 20 us each time",
                "kernel: timers/no_hz"},
    DoctorCheck{"rcu_callbacks", rcu_callbacks, "clean-up of the kernel runs between two instructions: microseconds",
                "kernel: kernel-parameters, rcu_nocbs"},
    DoctorCheck{"tick", tick, "each tick interrupts for some 2 to 20 us; a faster one more often",
                "kernel: timers/no_hz"},
    DoctorCheck{"preemption", preemption, "a task that wakes waits for others' system calls to end: up to milliseconds",
                "kernel: PREEMPT_RT"},
    DoctorCheck{"real_time_budget", real_time_budget,
                "a busy real-time thread is stopped for the rest of each period: 50 ms by default", "man 7 sched"},
    DoctorCheck{"real_time_priority", real_time_priority, "measurements with real-time priority are unavailable",
                "man 2 setrlimit; man 7 capabilities"},
    DoctorCheck{"memory_locking", memory_locking, "a page that was taken away comes back from disk: milliseconds",
                "man 2 mlock"},
    DoctorCheck{"group_quota", group_quota, "when the quota is used up all threads stand still for the rest of 100 ms",
                "kernel: admin-guide/cgroup-v2, cpu.max"},
    DoctorCheck{"pressure", pressure, "somebody else wants the processor now: do not measure",
                "kernel: accounting/psi"},
    DoctorCheck{"interrupt_balancing", interrupt_balancing,
                "a quiet processor gets the interrupts of a busy one: 2 to 50 us each",
                "man 1 irqbalance; kernel: core-api/irq"},
    DoctorCheck{"work_queues", work_queues, "the kernel's own work runs on every processor: 10 to 100 us",
                "kernel: core-api/workqueue"},
    DoctorCheck{"nmi_watchdog", watchdog, "takes a counter and an interrupt now and then",
                "kernel: admin-guide/lockup-watchdogs"},
    DoctorCheck{"timer_migration", timer_migration, "timers of idle processors come to the busy one",
                "kernel: admin-guide/sysctl/kernel"},
    DoctorCheck{"statistics_interval", statistics_interval,
                "a kernel task wakes that often on each processor: 5 to 10 us", "kernel: admin-guide/sysctl/vm"},
};

}  // namespace

std::span<const DoctorCheck> kernel_checks() noexcept {
  return k_kernel_checks;
}

}  // namespace dojima::evidence::doctor
