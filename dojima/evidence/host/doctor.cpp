#include "dojima/evidence/host/doctor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <zlib.h>

#include "dojima/evidence/host/system_files.hpp"
#include "dojima/evidence/svg.hpp"

namespace dojima::evidence {
namespace {

namespace files = std::filesystem;

struct Outcome {
  Health health;
  std::string reason;
};

Outcome ok(std::string reason) {
  return {Health::ok, std::move(reason)};
}
Outcome warn(std::string reason) {
  return {Health::warn, std::move(reason)};
}
Outcome unavailable(std::string reason) {
  return {Health::unavailable, std::move(reason)};
}
Outcome ok_if(bool is_well, const std::string& reason) {
  return is_well ? ok(reason) : warn(reason);
}

/// The configuration that the kernel was built with: packed or plain, zlib reads both.
std::string kernel_configuration(const files::path& root) {
  gzFile file = ::gzopen((root / "proc/config.gz").c_str(), "rb");
  if (file == nullptr) return {};
  std::string text;
  std::array<char, 16384> piece{};
  for (int size = 0; (size = ::gzread(file, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  ::gzclose(file);
  return text;
}

/// "250" of the line "CONFIG_HZ=250".
std::optional<std::string> configured(const std::string& configuration, const std::string& name) {
  for (const std::string& line : lines_of(configuration)) {
    if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
  }
  return std::nullopt;
}

/// The machine as the checks see it.
struct Machine {
  files::path root;
  LiveFacts live;
  std::string cpuinfo;
  std::vector<std::string> flags;
  std::vector<std::string> parameters;  ///< of the kernel's command line
  bool is_guest = false;

  Machine(const files::path& of, LiveFacts facts) : root(of), live(std::move(facts)) {
    cpuinfo = read_text(root / "proc/cpuinfo").value_or("");
    flags = words_of(value_of(cpuinfo, "flags").value_or(""));
    parameters = words_of(read_text(root / "proc/cmdline").value_or(""));
    is_guest = has_flag("hypervisor");
  }

  [[nodiscard]] std::optional<std::string> text(const char* path) const { return read_text(root / path); }
  [[nodiscard]] std::optional<std::int64_t> number(const char* path) const {
    const auto found = text(path);
    return found ? whole_of(*found) : std::nullopt;
  }
  [[nodiscard]] bool has(const char* path) const {
    std::error_code error;
    return files::exists(root / path, error);
  }
  [[nodiscard]] bool has_flag(const char* flag) const { return std::ranges::find(flags, flag) != flags.end(); }
  /// "1-3" of the parameter "rcu_nocbs=1-3".
  [[nodiscard]] std::optional<std::string> parameter(const std::string& name) const {
    for (const std::string& word : parameters) {
      if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
    }
    return std::nullopt;
  }
  /// A setting that is a number; `wanted` decides.
  template <class Wanted>
  [[nodiscard]] Outcome setting(const char* path, const char* name, Wanted wanted) const {
    const auto value = number(path);
    if (!value) return unavailable(std::string("the kernel has no ") + name);
    return ok_if(wanted(*value), std::string(name) + " = " + std::to_string(*value));
  }
};

constexpr auto k_is_zero = [](std::int64_t value) { return value == 0; };

// ----------------------------------------------------------------------------------------------------------- clocks

Outcome clock_source(const Machine& machine) {
  const auto source = machine.text("sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (!source) return unavailable("the kernel does not show its clock source");
  return ok_if(*source == "tsc" || *source == "arch_sys_counter", *source + " answers clock_gettime");
}

Outcome invariant_tsc(const Machine& machine) {
  if (machine.flags.empty()) return unavailable("the processor shows no flags");
  const bool is_invariant = machine.has_flag("constant_tsc") && machine.has_flag("nonstop_tsc");
  const bool is_known = machine.has_flag("tsc_known_freq");
  return ok_if(is_invariant,
               std::string(is_invariant ? "one rate in all states" : "the rate is not promised to stay the same") +
                   (is_known ? ", known to the kernel" : ", calibrated at boot"));
}

Outcome tsc_quantum(const Machine& machine) {
  if (!machine.live.tsc_quantum_ns) return unavailable("not measured here");
  const double quantum = *machine.live.tsc_quantum_ns;
  return ok_if(quantum <= 2, "it advances in steps of " + value_text(quantum, "ns"));
}

Outcome high_resolution_devices(const Machine& machine) {
  std::string there;
  for (const auto& [path, name] : {std::pair{"dev/hpet", "hpet"}, {"dev/ptp0", "ptp0"}, {"dev/cpu/0/msr", "msr"}}) {
    if (machine.has(path)) there += (there.empty() ? "" : ", ") + std::string(name);
  }
  return there.empty() ? unavailable("no hpet, no ptp clock, no model-specific registers") : ok("there are: " + there);
}

// -------------------------------------------------------------------------------------------------------- processor

std::string no_cpufreq(const Machine& machine) {
  return machine.is_guest ? "no cpufreq: cannot be seen from a guest" : "no cpufreq: the firmware decides";
}

Outcome governor(const Machine& machine) {
  std::string others;
  bool is_any = false;
  std::error_code error;
  for (const auto& cpu : files::directory_iterator(machine.root / "sys/devices/system/cpu", error)) {
    const auto name = read_text(cpu.path() / "cpufreq/scaling_governor");
    is_any = is_any || name.has_value();
    if (name && *name != "performance" && others.find(*name) == std::string::npos) {
      others += (others.empty() ? "" : ", ") + *name;
    }
  }
  if (!is_any) return unavailable(no_cpufreq(machine));
  return others.empty() ? ok("performance on every processor") : warn(others);
}

Outcome turbo(const Machine& machine) {
  const auto boost = machine.number("sys/devices/system/cpu/cpufreq/boost");
  const auto no_turbo = machine.number("sys/devices/system/cpu/intel_pstate/no_turbo");
  if (!boost && !no_turbo) return unavailable(no_cpufreq(machine));
  const bool is_on = boost ? *boost != 0 : *no_turbo == 0;
  return ok_if(!is_on, is_on ? "on: the rate of work follows heat and the neighbours" : "off");
}

Outcome idle_states(const Machine& machine) {
  std::int64_t deepest = -1;
  std::string name;
  std::error_code error;
  for (const auto& state : files::directory_iterator(machine.root / "sys/devices/system/cpu/cpu0/cpuidle", error)) {
    const auto latency = whole_of(read_text(state.path() / "latency").value_or(""));
    const bool is_disabled = read_text(state.path() / "disable").value_or("0") == "1";
    if (!latency || is_disabled || *latency <= deepest) continue;
    deepest = *latency;
    name = read_text(state.path() / "name").value_or("?");
  }
  if (deepest < 0) return unavailable("no cpuidle: the host or the firmware decides");
  return ok_if(deepest <= 2, "the deepest state (" + name + ") takes " + std::to_string(deepest) + " us to leave");
}

Outcome sibling_threads(const Machine& machine) {
  const auto active = machine.number("sys/devices/system/cpu/smt/active");
  if (!active) return unavailable("the kernel does not show SMT");
  if (*active != 0) return warn("two threads share a core");
  return machine.is_guest ? ok("off as the guest sees it; the host may share the core all the same") : ok("off");
}

Outcome hypervisor(const Machine& machine) {
  if (machine.cpuinfo.empty()) return unavailable("the kernel shows no cpuinfo");
  return machine.is_guest ? warn("a guest: its host can stop it unseen") : ok("none");
}

Outcome steal(const Machine& machine) {
  const std::string stat = machine.text("proc/stat").value_or("");
  const std::vector<std::string> words = words_of(stat.substr(0, stat.find('\n')));
  if (words.size() < 9 || words[0] != "cpu") return unavailable("the kernel does not show it");
  double all = 0;
  for (std::size_t i = 1; i <= 8; ++i) all += static_cast<double>(whole_of(words[i]).value_or(0));
  const double stolen = static_cast<double>(whole_of(words[8]).value_or(0));
  const double share = all > 0 ? stolen / all : 0;
  return ok_if(share < 0.0001, share_text(std::round(share * 1e5) / 1e5) + " of the processor time since boot");
}

Outcome mitigations(const Machine& machine) {
  std::vector<std::string> active;
  bool is_any = false;
  std::error_code error;
  for (const auto& one : files::directory_iterator(machine.root / "sys/devices/system/cpu/vulnerabilities", error)) {
    is_any = true;
    if (read_text(one.path()).value_or("").starts_with("Mitigation")) active.push_back(one.path().filename().string());
  }
  if (!is_any) return unavailable("the kernel does not list them");
  std::ranges::sort(active);
  std::string names;
  for (const std::string& name : active) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? ok("none active") : warn("active: " + names);
}

Outcome hardware_counters(const Machine& machine) {
  if (machine.live.hardware_counters) {
    return *machine.live.hardware_counters == "ok" ? ok("usable")
                                                   : unavailable("no PMU: " + *machine.live.hardware_counters);
  }
  for (const char* device : {"sys/bus/event_source/devices/cpu", "sys/bus/event_source/devices/cpu_core",
                             "sys/bus/event_source/devices/armv8_pmuv3_0"}) {
    if (machine.has(device)) return ok("the kernel drives a PMU");
  }
  return unavailable("no PMU");
}

// -------------------------------------------------------------------------------------------------------- scheduler

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

// ------------------------------------------------------------------------------------------------------ interference

Outcome interrupt_balancing(const Machine& machine) {
  std::error_code error;
  bool is_any = false;
  for (const auto& process : files::directory_iterator(machine.root / "proc", error)) {
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

// ------------------------------------------------------------------------------------------------------------ memory

Outcome transparent_hugepages(const Machine& machine) {
  const auto enabled = machine.text("sys/kernel/mm/transparent_hugepage/enabled");
  if (!enabled) return unavailable("the kernel is built without them");
  const std::string defrag = chosen_of(machine.text("sys/kernel/mm/transparent_hugepage/defrag").value_or("?"));
  const std::string chosen = chosen_of(*enabled);
  return ok_if(chosen != "always" && defrag != "always", chosen + ", defrag " + defrag);
}

Outcome explicit_hugepages(const Machine& machine) {
  const auto meminfo = machine.text("proc/meminfo");
  const auto pages = meminfo ? whole_of(value_of(*meminfo, "HugePages_Total").value_or("")) : std::nullopt;
  if (!pages) return unavailable("the kernel is built without them");
  return *pages > 0 ? ok(std::to_string(*pages) + " pages") : unavailable("the pool is empty");
}

Outcome swapping(const Machine& machine) {
  const auto swaps = machine.text("proc/swaps");
  const auto swappiness = machine.number("proc/sys/vm/swappiness");
  if (!swaps || !swappiness) return unavailable("the kernel does not show it");
  if (lines_of(*swaps).size() <= 1) return ok("no swap space");
  return ok_if(*swappiness <= 10, "swap space, vm.swappiness = " + std::to_string(*swappiness));
}

Outcome page_merging(const Machine& machine) {
  return machine.setting("sys/kernel/mm/ksm/run", "ksm run", k_is_zero);
}

Outcome numa_nodes(const Machine& machine) {
  const auto online = machine.text("sys/devices/system/node/online");
  if (!online) return unavailable("the kernel is built without NUMA");
  return ok_if(*online == "0", "nodes " + *online);
}

Outcome numa_balancing(const Machine& machine) {
  return machine.setting("proc/sys/kernel/numa_balancing", "kernel.numa_balancing", k_is_zero);
}

// ----------------------------------------------------------------------------------------------------------- network

Outcome busy_polling(const Machine& machine) {
  const auto read = machine.number("proc/sys/net/core/busy_read");
  const auto poll = machine.number("proc/sys/net/core/busy_poll");
  if (!read || !poll) return unavailable("the kernel is built without it");
  return ok_if(*read > 0 && *poll > 0,
               "net.core.busy_read = " + std::to_string(*read) + ", busy_poll = " + std::to_string(*poll));
}

Outcome card_interrupts(const Machine& machine) {
  if (machine.live.nics.empty()) return unavailable("no network card was asked");
  std::string text;
  bool is_known = false;
  bool is_well = true;
  for (const NicFacts& card : machine.live.nics) {
    text += (text.empty() ? "" : ", ") + card.name;
    text += card.rx_usecs ? " waits " + std::to_string(*card.rx_usecs) + " us" : std::string(" does not say");
    is_known = is_known || card.rx_usecs.has_value();
    is_well = is_well && card.rx_usecs.value_or(0) == 0;
  }
  return is_known ? ok_if(is_well, text) : unavailable(text);
}

Outcome card_offloads(const Machine& machine) {
  if (machine.live.nics.empty()) return unavailable("no network card was asked");
  std::string text;
  bool is_known = false;
  bool is_well = true;
  for (const NicFacts& card : machine.live.nics) {
    text += (text.empty() ? "" : ", ") + card.name;
    text += !card.merges_packets ? " does not say" : *card.merges_packets ? " merges packets" : " leaves packets alone";
    is_known = is_known || card.merges_packets.has_value();
    is_well = is_well && !card.merges_packets.value_or(false);
  }
  return is_known ? ok_if(is_well, text) : unavailable(text);
}

Outcome kernel_bypass(const Machine& machine) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 6> k_libraries = {{{"libonload", "Onload"},
                                                                                           {"libciul", "ef_vi"},
                                                                                           {"libvma", "VMA"},
                                                                                           {"libxlio", "XLIO"},
                                                                                           {"librte_eal", "DPDK"},
                                                                                           {"libexanic", "ExaNIC"}}};
  std::string found;
  for (const char* folder : {"usr/lib", "usr/lib64", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu",
                             "usr/local/lib", "usr/local/lib64"}) {
    std::error_code error;
    for (const auto& entry : files::directory_iterator(machine.root / folder, error)) {
      const std::string name = entry.path().filename().string();
      for (const auto& [prefix, product] : k_libraries) {
        if (!name.starts_with(prefix) || found.find(product) != std::string::npos) continue;
        found += (found.empty() ? "" : ", ") + std::string(product);
      }
    }
  }
  return found.empty() ? unavailable("no such library: packets go through the kernel") : ok(found);
}

// -------------------------------------------------------------------------------------------------------- all of them

struct DoctorCheck {
  const char* name;
  Outcome (*examine)(const Machine&);
  const char* cost;
  const char* read;
};

constexpr std::array k_checks = {
    DoctorCheck{"clock_source", clock_source,
                "another source is a system call or a trip to the host: up to microseconds a reading",
                "kernel: timekeeping, clocksource; man 7 vdso"},
    DoctorCheck{"invariant_tsc", invariant_tsc, "times taken with the counter drift with the frequency",
                "Intel SDM 3B 18.17; AMD APM 2 13.2.4"},
    DoctorCheck{"tsc_quantum", tsc_quantum, "single times below ten steps cannot be told apart: batch them",
                "docs/measuring.md"},
    DoctorCheck{"other_clocks", high_resolution_devices,
                "nothing to check the counter against, no count of firmware interrupts", "kernel: timers, hpet; ptp"},
    DoctorCheck{"governor", governor, "the first microseconds after a pause run at a low frequency",
                "kernel: admin-guide/pm/cpufreq"},
    DoctorCheck{"turbo", turbo, "the same work takes other times with heat and neighbours: some 10 %",
                "kernel: admin-guide/pm/cpufreq"},
    DoctorCheck{"idle_states", idle_states, "waking takes as long as the state takes to leave: 1 to 200 us",
                "kernel: admin-guide/pm/cpuidle; cpu_dma_latency"},
    DoctorCheck{"sibling_threads", sibling_threads, "the neighbour takes half of the core's width and caches",
                "kernel: admin-guide/hw-vuln/core-scheduling"},
    DoctorCheck{"hypervisor", hypervisor, "stalls of micro- to milliseconds that no counter of the guest shows",
                "kernel: virt/kvm"},
    DoctorCheck{"steal", steal, "the host ran somebody else for that share", "man 5 proc, stat"},
    DoctorCheck{"mitigations", mitigations, "each system call and indirect jump pays: 50 to 500 ns a call",
                "kernel: admin-guide/hw-vuln"},
    DoctorCheck{"hardware_counters", hardware_counters, "no cycles, misses or mispredictions: only times",
                "man 2 perf_event_open"},
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
    DoctorCheck{"transparent_hugepages", transparent_hugepages,
                "the kernel moves pages while threads wait: up to milliseconds", "kernel: admin-guide/mm/transhuge"},
    DoctorCheck{"explicit_hugepages", explicit_hugepages, "more misses of the TLB on large tables: some 10 ns each",
                "kernel: admin-guide/mm/hugetlbpage"},
    DoctorCheck{"swapping", swapping, "a page that was swapped out comes back from disk: milliseconds",
                "kernel: admin-guide/sysctl/vm"},
    DoctorCheck{"page_merging", page_merging, "a write to a merged page copies it first: microseconds",
                "kernel: admin-guide/mm/ksm"},
    DoctorCheck{"numa_nodes", numa_nodes,
                "memory of another node takes half as long again; dojima lab numa measures it", "man 7 numa"},
    DoctorCheck{"numa_balancing", numa_balancing,
                "the kernel takes pages away to see who uses them: a fault each, 1 to 5 us",
                "kernel: admin-guide/sysctl/kernel"},
    DoctorCheck{"busy_polling", busy_polling, "a reader sleeps and is woken by an interrupt: 5 to 50 us a message",
                "man 7 socket, SO_BUSY_POLL"},
    DoctorCheck{"card_interrupts", card_interrupts, "the card holds packets back for that long", "man 8 ethtool, -C"},
    DoctorCheck{"card_offloads", card_offloads, "a packet waits for others that it could be merged with",
                "man 8 ethtool, -K"},
    DoctorCheck{"kernel_bypass", kernel_bypass, "each message costs system calls and copies: 1 to 5 us",
                "Onload, ef_vi, VMA, DPDK"},
};

}  // namespace

std::string_view name_of(Health health) noexcept {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::warn:
      return "warn";
    case Health::unavailable:
      break;
  }
  return "unavailable";
}

std::optional<double> tick_ns(const files::path& root) {
  const auto rate = configured(kernel_configuration(root), "CONFIG_HZ");
  const auto hertz = rate ? whole_of(*rate) : std::nullopt;
  return hertz && *hertz > 0 ? std::optional(1e9 / static_cast<double>(*hertz)) : std::nullopt;
}

std::vector<DoctorFinding> examine(const files::path& root, const LiveFacts& live) {
  const Machine machine(root, live);
  std::vector<DoctorFinding> findings;
  for (const DoctorCheck& check : k_checks) {
    Outcome outcome = check.examine(machine);
    findings.push_back({check.name, outcome.health, std::move(outcome.reason), check.cost, check.read});
  }
  return findings;
}

Table table_of(const std::vector<DoctorFinding>& findings) {
  Table table{"doctor",
              "settings of this machine that bear on latency; nothing is changed",
              {{"check"}, {"health"}, {"reason"}, {"cost"}, {.name = "read", .on_screen = false}}};
  std::size_t warnings = 0;
  std::size_t gaps = 0;
  for (const DoctorFinding& one : findings) {
    table.add_row({one.check, name_of(one.health), one.reason, one.cost, one.read});
    warnings += one.health == Health::warn ? 1 : 0;
    gaps += one.health == Health::unavailable ? 1 : 0;
  }
  table.notes.push_back(std::to_string(findings.size()) +
                        " checks: " + std::to_string(findings.size() - warnings - gaps) + " ok, " +
                        std::to_string(warnings) + " warn, " + std::to_string(gaps) + " unavailable");
  return table;
}

Document document_of(const std::vector<DoctorFinding>& findings) {
  Document document = Document::object();
  for (const DoctorFinding& one : findings)
    document.set(one.check, std::string(name_of(one.health)) + ": " + one.reason);
  return document;
}

}  // namespace dojima::evidence
