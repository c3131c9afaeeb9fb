// Clocks and processors.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "dojima/evidence/doctor/machine.hpp"
#include "dojima/evidence/svg.hpp"

namespace dojima::evidence::doctor {
namespace {

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

std::string no_cpufreq(const Machine& machine) {
  return machine.is_guest ? "no cpufreq: cannot be seen from a guest" : "no cpufreq: the firmware decides";
}

Outcome governor(const Machine& machine) {
  std::string others;
  bool is_any = false;
  std::error_code error;
  for (const auto& cpu : std::filesystem::directory_iterator(machine.root / "sys/devices/system/cpu", error)) {
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
  for (const auto& state :
       std::filesystem::directory_iterator(machine.root / "sys/devices/system/cpu/cpu0/cpuidle", error)) {
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
  for (const auto& one :
       std::filesystem::directory_iterator(machine.root / "sys/devices/system/cpu/vulnerabilities", error)) {
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

constexpr std::array k_processor_checks = {
    DoctorCheck{"clock_source", clock_source,
                "another source is a system call or a trip to the host: up to microseconds a reading",
                "kernel: timekeeping, clocksource; man 7 vdso"},
    DoctorCheck{"invariant_tsc", invariant_tsc, "times taken with the counter drift with the frequency",
                "Intel SDM 3B 18.17; AMD APM 2 13.2.4"},
    DoctorCheck{"tsc_quantum", tsc_quantum, "single times below ten steps cannot be distinguished: batch them",
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
};

}  // namespace

std::span<const DoctorCheck> processor_checks() noexcept {
  return k_processor_checks;
}

}  // namespace dojima::evidence::doctor
