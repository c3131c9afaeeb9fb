#include "dojima/evidence/host/doctor.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "dojima/evidence/evidence.hpp"
#include "dojima/evidence/host/kernel_tree_test_support.hpp"
#include "dojima/evidence/privacy.hpp"

namespace dojima::evidence {
namespace {

/// A machine on which every check is content.
LiveFacts put_quiet_machine(Tree& tree) {
  tree.put("proc/cpuinfo", "processor\t: 0\nflags\t\t: constant_tsc nonstop_tsc tsc_known_freq\n");
  tree.put("proc/cmdline", "isolcpus=1 rcu_nocbs=1 nohz_full=1\n");
  tree.put("proc/config.gz", "CONFIG_NO_HZ_FULL=y\nCONFIG_HZ=100\n");
  tree.put("proc/stat", "cpu  500 0 100 300 0 0 0 0 0 0\n")
      .put("proc/1/comm", "init\n")
      .put("proc/swaps", "Filename\n");
  tree.put("proc/meminfo", "HugePages_Total:       8\n");
  tree.put("proc/pressure/cpu", "some avg10=0.25 avg60=0.00 avg300=0.00 total=1\n");
  tree.put("proc/self/limits",
           "Max locked memory         unlimited            unlimited            bytes\n"
           "Max realtime priority     50                   50\n");
  tree.put("proc/self/status", "CapEff:\t0000000000000000\n");
  tree.put("proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian\n");
  tree.put("proc/sys/kernel/sched_rt_runtime_us", "-1\n").put("proc/sys/kernel/sched_rt_period_us", "1000000\n");
  for (const char* name : {"nmi_watchdog", "timer_migration", "numa_balancing"}) {
    tree.put(std::string("proc/sys/kernel/") + name, "0\n");
  }
  tree.put("proc/sys/vm/stat_interval", "10\n").put("proc/sys/vm/swappiness", "60\n");
  tree.put("proc/sys/net/core/busy_read", "50\n").put("proc/sys/net/core/busy_poll", "50\n");
  const std::string cpus = "sys/devices/system/cpu/";
  tree.put(cpus + "cpu0/cpufreq/scaling_governor", "performance\n").put(cpus + "cpufreq/boost", "0\n");
  tree.put(cpus + "cpu0/cpuidle/state0/latency", "0\n").put(cpus + "cpu0/cpuidle/state0/name", "POLL\n");
  tree.put(cpus + "smt/active", "0\n").put(cpus + "isolated", "1\n").put(cpus + "nohz_full", "1\n");
  tree.put(cpus + "vulnerabilities/meltdown", "Not affected\n");
  tree.put("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  tree.put("sys/devices/system/node/online", "0\n").put("sys/devices/virtual/workqueue/cpumask", "1\n");
  tree.put("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
  tree.put("sys/kernel/mm/transparent_hugepage/defrag", "always [never]\n").put("sys/kernel/mm/ksm/run", "0\n");
  tree.put("sys/fs/cgroup/cpu.max", "max 100000\n").put("dev/ptp0", "").put("usr/lib/libonload.so.1", "");
  return {.tsc_quantum_ns = 0.4, .hardware_counters = "ok", .nics = {{"eth0", 0, false}}};
}

std::map<std::string, DoctorFinding> by_name(const Tree& tree, const LiveFacts& live) {
  std::map<std::string, DoctorFinding> findings;
  for (const DoctorFinding& one : examine(tree.root(), live)) findings[one.check] = one;
  return findings;
}

TEST(Doctor, finds_a_quiet_machine_well_in_every_check) {
  Tree tree;
  const LiveFacts live = put_quiet_machine(tree);
  const auto findings = by_name(tree, live);
  EXPECT_GE(findings.size(), 25u);
  for (const auto& [name, finding] : findings) EXPECT_EQ(finding.health, Health::ok) << name << ": " << finding.reason;
}

/// One setting that is not as it should be, and the check that sees it.
struct Spoilt {
  const char* file;
  const char* text;
  const char* check;
  const char* reason;
};

class DoctorOfASpoiltMachine : public testing::TestWithParam<Spoilt> {};

TEST_P(DoctorOfASpoiltMachine, warns_of_just_that_and_says_what_it_costs) {
  Tree tree;
  const LiveFacts live = put_quiet_machine(tree);
  tree.put(GetParam().file, GetParam().text);
  for (const auto& [name, finding] : by_name(tree, live)) {
    EXPECT_EQ(finding.health, name == GetParam().check ? Health::warn : Health::ok) << name << ": " << finding.reason;
    if (name != GetParam().check) continue;
    EXPECT_NE(finding.reason.find(GetParam().reason), std::string::npos) << finding.reason;
    EXPECT_FALSE(finding.cost.empty() || finding.read.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, DoctorOfASpoiltMachine,
    testing::Values(
        Spoilt{"sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n", "clock_source", "hpet"},
        Spoilt{"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n", "governor", "powersave"},
        Spoilt{"sys/devices/system/cpu/cpufreq/boost", "1\n", "turbo", "on"},
        Spoilt{"sys/devices/system/cpu/cpu0/cpuidle/state3/latency", "170\n", "idle_states", "170 us"},
        Spoilt{"sys/devices/system/cpu/smt/active", "1\n", "sibling_threads", "two threads"},
        Spoilt{"proc/stat", "cpu  500 0 100 300 0 0 0 50 0 0\n", "steal", "5.263"},
        Spoilt{"sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n", "mitigations", "meltdown"},
        Spoilt{"proc/cmdline", "quiet\n", "rcu_callbacks", "every processor"},
        Spoilt{"proc/config.gz", "CONFIG_HZ=1000\n", "tick", "1.00\u00a0ms"},
        Spoilt{"proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n", "preemption", "PREEMPT_DYNAMIC"},
        Spoilt{"proc/sys/kernel/sched_rt_runtime_us", "950000\n", "real_time_budget",
               "50.0\u00a0ms of each 1.00\u00a0s"},
        Spoilt{"proc/pressure/cpu", "some avg10=12.50 avg60=0.00\n", "pressure", "12.5"},
        Spoilt{"sys/fs/cgroup/cpu.max", "50000 100000\n", "group_quota", "50000"},
        Spoilt{"proc/77/comm", "irqbalance\n", "interrupt_balancing", "irqbalance"},
        Spoilt{"proc/sys/kernel/nmi_watchdog", "1\n", "nmi_watchdog", "= 1"},
        Spoilt{"proc/sys/vm/stat_interval", "1\n", "statistics_interval", "= 1"},
        Spoilt{"sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n", "transparent_hugepages",
               "always"},
        Spoilt{"proc/swaps", "Filename\nswapfile\n", "swapping", "60"},
        Spoilt{"sys/kernel/mm/ksm/run", "1\n", "page_merging", "= 1"},
        Spoilt{"sys/devices/system/node/online", "0-1\n", "numa_nodes", "0-1"},
        Spoilt{"proc/sys/kernel/numa_balancing", "1\n", "numa_balancing", "= 1"},
        Spoilt{"proc/sys/net/core/busy_poll", "0\n", "busy_polling", "busy_poll = 0"}),
    [](const auto& instance) { return std::string(instance.param.check); });

TEST(Doctor, takes_nothing_for_well_that_it_cannot_see) {
  Tree tree;
  for (const DoctorFinding& one : examine(tree.root())) {
    // Without a command line nothing is kept off; that is how such a kernel behaves.
    const bool is_a_default = one.check == "rcu_callbacks";
    EXPECT_EQ(one.health, is_a_default ? Health::warn : Health::unavailable) << one.check << ": " << one.reason;
    EXPECT_FALSE(one.reason.empty());
  }
}

TEST(Doctor, sees_a_guest_a_coarse_counter_and_a_card_that_waits) {
  Tree tree;
  LiveFacts live = put_quiet_machine(tree);
  tree.put("proc/cpuinfo", "processor\t: 0\nflags\t\t: constant_tsc nonstop_tsc hypervisor\n");
  live.tsc_quantum_ns = 10;
  live.hardware_counters = "unavailable: No such file or directory";
  live.nics = {{"eth0", 25, true}, {"eth1", std::nullopt, std::nullopt}};
  const auto findings = by_name(tree, live);
  EXPECT_EQ(findings.at("hypervisor").health, Health::warn);
  EXPECT_EQ(findings.at("tsc_quantum").health, Health::warn);
  EXPECT_EQ(findings.at("hardware_counters").health, Health::unavailable);
  EXPECT_EQ(findings.at("card_interrupts").reason, "eth0 waits 25 us, eth1 does not say");
  EXPECT_EQ(findings.at("card_offloads").health, Health::warn);
}

TEST(Doctor, allows_by_capability_what_the_limits_forbid) {
  Tree tree;
  const LiveFacts live = put_quiet_machine(tree);
  tree.put("proc/self/limits",
           "Max locked memory         8388608              8388608              bytes\nMax realtime priority     0     "
           "  0\n");
  EXPECT_EQ(by_name(tree, live).at("real_time_priority").health, Health::warn);
  EXPECT_EQ(by_name(tree, live).at("memory_locking").reason, "up to 8 MiB");
  tree.put("proc/self/status", "CapEff:\t0000000000804000\n");
  EXPECT_EQ(by_name(tree, live).at("real_time_priority").health, Health::ok);
  EXPECT_EQ(by_name(tree, live).at("memory_locking").health, Health::ok);
}

TEST(Doctor, travels_with_the_evidence_of_every_run_and_shows_no_path) {
  Tree tree;
  put_guest(tree);
  const Document evidence = EvidenceCollector({.root = tree.root()}).finish({});
  EXPECT_EQ(evidence.at("doctor").at("real_time_budget").as_text().substr(0, 5), "warn:");
  EXPECT_TRUE(places_with_paths(evidence.at("doctor")).empty());
}

}  // namespace
}  // namespace dojima::evidence
