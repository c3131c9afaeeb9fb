#include "dojima/evidence/host/host.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "dojima/evidence/host/system_files.hpp"

namespace dojima::evidence {
namespace {

namespace files = std::filesystem;

/// Gathers facts; a missing one leaves a note.
class Gatherer {
 public:
  explicit Gatherer(const files::path& root) : root_(root) {}

  [[nodiscard]] std::optional<std::string> text(const char* path) const { return read_text(root_ / path); }
  [[nodiscard]] const files::path& root() const { return root_; }

  template <class Value>
  void add(std::string_view name, const std::optional<Value>& value, std::string_view reason) {
    if (value) {
      facts_.values.set(name, *value);
    } else {
      missing(name, reason);
    }
  }
  void add(std::string_view name, Document value) { facts_.values.set(name, std::move(value)); }
  void missing(std::string_view name, std::string_view reason) {
    facts_.values.set(name, nullptr);
    facts_.notes.push_back({Quality::unavailable, std::string(reason), "host." + std::string(name)});
  }
  [[nodiscard]] HostFacts facts() && { return std::move(facts_); }

 private:
  files::path root_;
  HostFacts facts_;
};

Document number_or_text(const std::string& text) {
  const auto number = whole_of(text);
  return number && std::to_string(*number) == text ? Document(*number) : Document(text);
}

void add_processor(Gatherer& gather) {
  const auto cpuinfo = gather.text("proc/cpuinfo");
  if (!cpuinfo) return gather.missing("cpu", "the kernel shows no cpuinfo");
  Document cpu;
  for (const auto& [name, key] : {std::pair{"model", "model name"},
                                  {"vendor", "vendor_id"},
                                  {"family", "cpu family"},
                                  {"model_number", "model"},
                                  {"stepping", "stepping"},
                                  {"microcode", "microcode"}}) {
    const auto value = value_of(*cpuinfo, key);
    if (value) cpu.set(name, number_or_text(*value));
  }
  gather.add("cpu", std::move(cpu));

  std::int64_t online = 0;
  for (const std::string& line : lines_of(*cpuinfo)) online += line.starts_with("processor") ? 1 : 0;
  gather.add("cores_online", online);

  const std::vector<std::string> flags = words_of(value_of(*cpuinfo, "flags").value_or(""));
  const bool is_guest = std::ranges::find(flags, "hypervisor") != flags.end();
  if (!is_guest) {
    gather.add("hypervisor", "none");
  } else {
    const std::string clocks =
        gather.text("sys/devices/system/clocksource/clocksource0/available_clocksource").value_or("");
    const char* name = clocks.find("kvm") != std::string::npos      ? "kvm"
                       : clocks.find("hyperv") != std::string::npos ? "hyperv"
                       : clocks.find("xen") != std::string::npos    ? "xen"
                                                                    : "of unknown kind";
    gather.add("hypervisor", name);
  }
}

void add_caches(Gatherer& gather) {
  Document caches = Document::array();
  for (int index = 0; index < 8; ++index) {
    const std::string folder = "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    const auto level = gather.text((folder + "level").c_str());
    const auto type = gather.text((folder + "type").c_str());
    const auto size = gather.text((folder + "size").c_str());
    if (!level || !type || !size) break;
    caches.push(Document::object().set("level", number_or_text(*level)).set("type", *type).set("size", *size));
  }
  if (caches.elements().empty()) return gather.missing("caches", "the kernel shows no caches");
  gather.add("caches", std::move(caches));
}

void add_memory(Gatherer& gather) {
  const auto meminfo = gather.text("proc/meminfo");
  const auto total = meminfo ? value_of(*meminfo, "MemTotal") : std::nullopt;
  gather.add("memory_kib", total ? whole_of(*total) : std::nullopt, "the kernel shows no meminfo");
}

/// Parameters of the kernel's command line that bear on latency; everything else on it is nobody's business.
void add_command_line(Gatherer& gather) {
  static constexpr std::array<std::string_view, 14> k_kept = {
      "isolcpus", "nohz_full", "nohz", "rcu_nocbs", "mitigations", "preempt",     "transparent_hugepage",
      "tsc",      "skew_tick", "idle", "nosmt",     "threadirqs",  "clocksource", "intel_idle.max_cstate"};
  const auto line = gather.text("proc/cmdline");
  if (!line) return gather.missing("kernel_parameters", "the kernel shows no command line");
  Document kept = Document::array();
  for (const std::string& word : words_of(*line)) {
    if (std::ranges::find(k_kept, std::string_view(word).substr(0, word.find('='))) != k_kept.end()) kept.push(word);
  }
  gather.add("kernel_parameters", std::move(kept));
}

void add_mitigations(Gatherer& gather) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : files::directory_iterator(gather.root() / "sys/devices/system/cpu/vulnerabilities", error)) {
    names.push_back(entry.path().filename().string());
  }
  if (error || names.empty()) return gather.missing("vulnerabilities", "the kernel does not list them");
  std::ranges::sort(names);
  Document all = Document::object();
  for (const std::string& name : names) {
    const auto text = gather.text(("sys/devices/system/cpu/vulnerabilities/" + name).c_str());
    if (text && *text != "Not affected") all.set(name, *text);
  }
  gather.add("vulnerabilities", std::move(all));
}

void add_kernel(Gatherer& gather) {
  gather.add("kernel", gather.text("proc/sys/kernel/osrelease"), "the kernel does not show its release");
  const auto version = gather.text("proc/sys/kernel/version");
  if (version) {
    const std::size_t at = version->find("PREEMPT");
    gather.add("preemption",
               at == std::string::npos ? std::string("none") : version->substr(at, version->find(' ', at) - at));
  } else {
    gather.missing("preemption", "the kernel does not show its version");
  }
  add_command_line(gather);
  gather.add("clocksource", gather.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
             "the kernel does not show its clock source");
  gather.add("governor", gather.text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
             "no cpufreq: the machine, or the host below it, sets the frequency");
  const auto huge = gather.text("sys/kernel/mm/transparent_hugepage/enabled");
  gather.add("transparent_hugepages", huge ? std::optional(chosen_of(*huge)) : std::nullopt, "built without them");
  gather.add("smt_active", gather.text("sys/devices/system/cpu/smt/active"), "the kernel does not show SMT");
  gather.add("isolated_cpus", gather.text("sys/devices/system/cpu/isolated"), "the kernel does not show isolated cpus");
  gather.add("nohz_full", gather.text("sys/devices/system/cpu/nohz_full"), "built without it");
  for (const char* name : {"rt_runtime_us", "rt_period_us"}) {
    const auto text = gather.text((std::string("proc/sys/kernel/sched_") + name).c_str());
    gather.add(name, text ? whole_of(*text) : std::nullopt, "the kernel does not show its real-time budget");
  }
}

/// Sums a number over the files of all living threads.
template <class FromText>
std::optional<std::int64_t> over_threads(const files::path& root, const char* file, FromText from_text) {
  std::optional<std::int64_t> sum;
  std::error_code error;
  for (const auto& thread : files::directory_iterator(root / "proc/self/task", error)) {
    const auto text = read_text(thread.path() / file);  // a thread may end meanwhile
    const std::optional<std::int64_t> number = text ? from_text(*text) : std::nullopt;
    if (number) sum = sum.value_or(0) + *number;
  }
  return sum;
}

std::optional<std::int64_t> word_at(const std::string& text, std::size_t index) {
  const std::vector<std::string> words = words_of(text);
  return index < words.size() ? whole_of(words[index]) : std::nullopt;
}

/// "some avg10=0.00 avg60=0.00 avg300=0.00 total=123"
std::optional<double> pressure_total(const std::optional<std::string>& text) {
  if (!text || !text->starts_with("some")) return std::nullopt;
  const std::size_t at = text->find("total=");
  return at == std::string::npos ? std::nullopt : number_of(text->substr(at + 6));
}

void read_processor_times(const files::path& root, HostState& state) {
  const auto stat = read_text(root / "proc/stat");
  if (!stat) return;
  const std::vector<std::string> words = words_of(lines_of(*stat).at(0));
  if (words.size() < 9 || words[0] != "cpu") return;
  std::int64_t sum = 0;
  for (std::size_t i = 1; i <= 8; ++i) sum += whole_of(words[i]).value_or(0);
  state.ticks = sum;
  state.steal_ticks = whole_of(words[8]);
}

void read_faults(const files::path& root, HostState& state) {
  const auto stat = read_text(root / "proc/self/stat");
  if (!stat) return;
  // The second field is the program's name in brackets and may hold blanks; fields are counted from behind it.
  const std::size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos) return;
  const std::string rest = stat->substr(name_end + 1);
  state.minor_faults = word_at(rest, 7);
  state.major_faults = word_at(rest, 9);
}

/// Time for which the control group was kept from running by its quota: version 2, else version 1.
std::optional<std::int64_t> throttled_us(const files::path& root) {
  const auto groups = read_text(root / "proc/self/cgroup");
  if (!groups) return std::nullopt;
  for (const std::string& line : lines_of(*groups)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos || second + 1 >= line.size()) continue;
    const std::string controller = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 2);  // without its leading slash
    const bool is_version_2 = controller.empty();
    if (!is_version_2 && controller != "cpu" && controller != "cpu,cpuacct") continue;
    const auto stat = read_text(root / "sys/fs/cgroup" / (is_version_2 ? "" : controller) / path / "cpu.stat");
    if (!stat) continue;
    for (const std::string& entry : lines_of(*stat)) {
      if (entry.starts_with("throttled_usec ")) return word_at(entry, 1);
      if (entry.starts_with("throttled_time ")) return word_at(entry, 1).value_or(0) / 1000;
    }
  }
  return std::nullopt;
}

template <class Number>
std::optional<double> grown(const std::optional<Number>& before, const std::optional<Number>& after) {
  if (!before || !after) return std::nullopt;
  return std::max(0.0, static_cast<double>(*after) - static_cast<double>(*before));
}

std::string with_digits(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

std::string percent(double share) {
  return with_digits(share * 100, share < 0.1 ? 2 : 1) + " %";
}

template <class Value>
Document or_null(const std::optional<Value>& value) {
  return value ? Document(*value) : Document();
}

}  // namespace

HostFacts read_host(const files::path& root) {
  Gatherer gather(root);
  add_processor(gather);
  add_caches(gather);
  add_memory(gather);
  add_kernel(gather);
  add_mitigations(gather);
  return std::move(gather).facts();
}

Document read_capability(const files::path& root) {
  Document capability = Document::object();
  const auto say = [&capability](std::string_view name, bool is_there, std::string_view reason) {
    capability.set(name, is_there ? std::string("ok") : "unavailable: " + std::string(reason));
  };
  const std::string cpuinfo = read_text(root / "proc/cpuinfo").value_or("");
  const std::vector<std::string> flags = words_of(value_of(cpuinfo, "flags").value_or(""));
  const auto has = [&flags](const char* flag) { return std::ranges::find(flags, flag) != flags.end(); };
  say("invariant_tsc", has("constant_tsc") && has("nonstop_tsc"), "the processor does not promise a constant rate");
  say("rdtscp", has("rdtscp"), "the processor has no such instruction");

  const auto there = [&root](const char* path) {
    std::error_code error;
    return files::exists(root / path, error);
  };
  say("hpet", there("dev/hpet"), "no such device");
  say("ptp_clock", there("dev/ptp0"), "no such device");
  say("msr", there("dev/cpu/0/msr"), "no such device");
  say("cpufreq", there("sys/devices/system/cpu/cpu0/cpufreq"), "the kernel, or the host below it, offers none");
  say("cpu_dma_latency", there("dev/cpu_dma_latency"), "no such device");
  say("pressure_stall_information", there("proc/pressure/cpu"), "the kernel keeps none");
  say("schedstat", there("proc/self/schedstat"), "the kernel keeps none");
  const std::string meminfo = read_text(root / "proc/meminfo").value_or("");
  const std::optional<std::int64_t> pool = whole_of(value_of(meminfo, "HugePages_Total").value_or(""));
  say("explicit_hugepages", pool.value_or(0) > 0, "the pool is empty");
  const auto isolated = read_text(root / "sys/devices/system/cpu/isolated");
  say("isolated_cpus", isolated && !isolated->empty(), "no cpu is isolated");
  return capability;
}

Document HostState::document() const {
  Document document;
  document.set("load_1_minute", or_null(load_1_minute)).set("psi_cpu_us", or_null(psi_cpu_us));
  document.set("steal_ticks", or_null(steal_ticks)).set("ticks", or_null(ticks));
  document.set("voluntary_switches", or_null(voluntary_switches));
  document.set("involuntary_switches", or_null(involuntary_switches));
  document.set("minor_faults", or_null(minor_faults)).set("major_faults", or_null(major_faults));
  document.set("run_delay_ns", or_null(run_delay_ns)).set("throttled_us", or_null(throttled_us));
  return document;
}

HostState read_host_state(const files::path& root) {
  HostState state;
  const auto load = read_text(root / "proc/loadavg");
  if (load) state.load_1_minute = number_of(*load);
  state.psi_cpu_us = pressure_total(read_text(root / "proc/pressure/cpu"));
  read_processor_times(root, state);
  const auto of_status = [](const char* key) {
    return [key](const std::string& text) { return whole_of(value_of(text, key).value_or("")); };
  };
  state.voluntary_switches = over_threads(root, "status", of_status("voluntary_ctxt_switches"));
  state.involuntary_switches = over_threads(root, "status", of_status("nonvoluntary_ctxt_switches"));
  state.run_delay_ns = over_threads(root, "schedstat", [](const std::string& text) { return word_at(text, 1); });
  read_faults(root, state);
  state.throttled_us = throttled_us(root);
  return state;
}

std::vector<QualityNote> judge(const HostState& before, const HostState& after, std::chrono::nanoseconds elapsed,
                               const DisturbanceLimits& limits) {
  std::vector<QualityNote> notes;
  const double seconds = std::max(1e-9, std::chrono::duration<double>(elapsed).count());
  const auto note = [&notes](Quality quality, std::string reason, const char* field) {
    notes.push_back({quality, std::move(reason), field});
  };
  const auto delay = grown(before.run_delay_ns, after.run_delay_ns);
  if (delay && *delay * 1e-9 / seconds > limits.run_delay_share) {
    note(Quality::contended,
         "threads stood ready but did not run for " + percent(*delay * 1e-9 / seconds) + " of the time",
         "after.run_delay_ns");
  }
  const auto switches = grown(before.involuntary_switches, after.involuntary_switches);
  if (switches && *switches / seconds > limits.involuntary_per_second) {
    note(Quality::contended, with_digits(*switches / seconds, 0) + " involuntary switches a second",
         "after.involuntary_switches");
  }
  const auto pressure = grown(before.psi_cpu_us, after.psi_cpu_us);
  if (pressure && *pressure * 1e-6 / seconds > limits.psi_share) {
    note(Quality::contended,
         "tasks of the machine waited for a processor for " + percent(*pressure * 1e-6 / seconds) + " of the time",
         "after.psi_cpu_us");
  }
  const auto throttled = grown(before.throttled_us, after.throttled_us);
  if (throttled && *throttled > 0) {
    note(Quality::throttled,
         "the quota of the control group held the process back for " + with_digits(*throttled / 1000, 1) + " ms",
         "after.throttled_us");
  }
  const auto stolen = grown(before.steal_ticks, after.steal_ticks);
  const auto all = grown(before.ticks, after.ticks);
  if (stolen && all && *all > 0 && *stolen / *all > limits.steal_share) {
    note(Quality::contended, "the host took " + percent(*stolen / *all) + " of the processor time",
         "after.steal_ticks");
  }
  return notes;
}

}  // namespace dojima::evidence
