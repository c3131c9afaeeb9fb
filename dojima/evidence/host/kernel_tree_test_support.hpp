#pragma once

// Machines for tests: trees of files such as the kernel shows.

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace dojima::evidence {

/// A tree of files such as the kernel shows, removed at the end.
class Tree {
 public:
  Tree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tree-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() { std::filesystem::remove_all(root_); }

  Tree& put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
    return *this;
  }
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

inline void put_guest(Tree& tree) {
  tree.put(
      "proc/cpuinfo",
      "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n"
      "stepping\t: 1\nmicrocode\t: 0x1\nflags\t\t: fpu constant_tsc nonstop_tsc hypervisor rdtscp\n\nprocessor\t: 1\n");
  tree.put("proc/meminfo", "MemTotal:       24684084 kB\nHugePages_Total:       0\n");
  tree.put("proc/cmdline", "root=/dev/vda1 isolcpus=3 mitigations=auto secret=yes\n");
  tree.put("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  tree.put("proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76\n");
  tree.put("proc/sys/kernel/sched_rt_runtime_us", "950000\n").put("proc/sys/kernel/sched_rt_period_us", "1000000\n");
  tree.put("proc/sys/kernel/hostname", "kitahama\n");
  tree.put("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  tree.put("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc kvm-clock\n");
  tree.put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  tree.put("sys/devices/system/cpu/isolated", "3\n").put("sys/devices/system/cpu/smt/active", "0\n");
  for (const char* name : {"level", "type", "size"}) {
    const std::string value = name == std::string("level") ? "1" : name == std::string("type") ? "Data" : "48K";
    tree.put("sys/devices/system/cpu/cpu0/cache/index0/" + std::string(name), value + "\n");
  }
  tree.put("sys/devices/system/cpu/vulnerabilities/spectre_v1", "Mitigation: usercopy\n");
  tree.put("sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n");
}

inline void put_state(Tree& tree, int factor) {
  const auto times = [factor](int n) { return std::to_string(n * factor); };
  tree.put("proc/loadavg", "0.42 0.30 0.10 1/100 5\n");
  tree.put("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=" + times(1000) + "\nfull avg10=0\n");
  tree.put("proc/stat", "cpu  " + times(500) + " 0 100 300 0 0 0 " + times(50) + " 0 0\ncpu0 1 2\n");
  for (const char* thread : {"5", "6"}) {
    const std::string folder = std::string("proc/self/task/") + thread;
    tree.put(folder + "/status",
             "Name:\tx\nvoluntary_ctxt_switches:\t10\nnonvoluntary_ctxt_switches:\t" + times(20) + "\n");
    tree.put(folder + "/schedstat", "900 " + times(1'000'000) + " 3\n");
  }
  tree.put("proc/self/stat", "5 (a (b) c) S 1 2 3 4 5 6 " + times(70) + " 8 " + times(9) + " 10 11\n");
  tree.put("proc/self/cgroup", "1:cpu:/box\n0::/\n");
  tree.put("sys/fs/cgroup/cpu/box/cpu.stat", "nr_periods 9\nthrottled_time " + times(2'000'000) + "\n");
}

}  // namespace dojima::evidence
