#include "dojima/evidence/evidence.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "dojima/evidence/host/host.hpp"
#include "dojima/evidence/host/kernel_tree_test_support.hpp"
#include "dojima/evidence/privacy.hpp"

namespace dojima::evidence {
namespace {

TEST(Host, reads_the_machine_from_its_files) {
  Tree tree;
  put_guest(tree);
  const HostFacts host = read_host(tree.root());
  EXPECT_EQ(host.values.at("cpu").at("model").as_text(), "AMD EPYC");
  EXPECT_EQ(host.values.at("cpu").at("family").as_whole(), 26);
  EXPECT_EQ(host.values.at("cores_online").as_whole(), 2);
  EXPECT_EQ(host.values.at("hypervisor").as_text(), "kvm");
  EXPECT_EQ(host.values.at("caches").canonical(), R"([{"level":1,"size":"48K","type":"Data"}])");
  EXPECT_EQ(host.values.at("memory_kib").as_whole(), 24'684'084);
  EXPECT_EQ(host.values.at("kernel").as_text(), "6.1.0-18-amd64");
  EXPECT_EQ(host.values.at("preemption").as_text(), "PREEMPT_DYNAMIC");
  EXPECT_EQ(host.values.at("transparent_hugepages").as_text(), "madvise");
  EXPECT_EQ(host.values.at("isolated_cpus").as_text(), "3");
  EXPECT_EQ(host.values.at("rt_runtime_us").as_whole(), 950'000);
  EXPECT_EQ(host.values.at("vulnerabilities").canonical(), R"({"spectre_v1":"Mitigation: usercopy"})");
}

TEST(Host, keeps_of_the_kernels_command_line_only_what_bears_on_latency) {
  Tree tree;
  put_guest(tree);
  EXPECT_EQ(read_host(tree.root()).values.at("kernel_parameters").canonical(), R"(["isolcpus=3","mitigations=auto"])");
}

TEST(Host, leaves_null_and_a_reason_for_what_is_not_there) {
  Tree tree;
  put_guest(tree);
  const HostFacts host = read_host(tree.root());
  EXPECT_TRUE(host.values.has("governor"));
  EXPECT_TRUE(host.values.at("governor").is_null());
  const auto note = std::ranges::find(host.notes, "host.governor", &QualityNote::field);
  ASSERT_NE(note, host.notes.end());
  EXPECT_EQ(note->quality, Quality::unavailable);
  EXPECT_FALSE(note->reason.empty());
}

TEST(Host, finds_nothing_in_an_empty_tree_and_says_so_for_each) {
  Tree tree;
  const HostFacts host = read_host(tree.root());
  for (const auto& [name, value] : host.values.members()) {
    EXPECT_TRUE(value.is_null()) << name << " " << value.canonical();
    EXPECT_NE(std::ranges::find(host.notes, "host." + name, &QualityNote::field), host.notes.end()) << name;
  }
  EXPECT_EQ(read_host_state(tree.root()), HostState{});
}

TEST(Host, says_of_every_capability_ok_or_why_not) {
  Tree tree;
  put_guest(tree);
  const Document capability = read_capability(tree.root());
  EXPECT_EQ(capability.at("invariant_tsc").as_text(), "ok");
  EXPECT_EQ(capability.at("isolated_cpus").as_text(), "ok");
  EXPECT_EQ(capability.at("hpet").as_text(), "unavailable: no such device");
  EXPECT_EQ(capability.at("explicit_hugepages").as_text(), "unavailable: the pool is empty");
}

TEST(HostState, sums_the_counters_over_the_threads) {
  Tree tree;
  put_state(tree, 1);
  const HostState state = read_host_state(tree.root());
  EXPECT_EQ(state.load_1_minute, 0.42);
  EXPECT_EQ(state.psi_cpu_us, 1000.0);
  EXPECT_EQ(state.steal_ticks, 50);
  EXPECT_EQ(state.ticks, 950);
  EXPECT_EQ(state.voluntary_switches, 20);
  EXPECT_EQ(state.involuntary_switches, 40);
  EXPECT_EQ(state.run_delay_ns, 2'000'000);
  EXPECT_EQ(state.minor_faults, 70);
  EXPECT_EQ(state.major_faults, 9);
  EXPECT_EQ(state.throttled_us, 2000);
}

TEST(HostState, reads_the_second_version_of_control_groups) {
  Tree tree;
  tree.put("proc/self/cgroup", "0::/box\n").put("sys/fs/cgroup/box/cpu.stat", "usage_usec 1\nthrottled_usec 77\n");
  EXPECT_EQ(read_host_state(tree.root()).throttled_us, 77);
}

TEST(Judge, finds_nothing_in_a_quiet_run) {
  Tree tree;
  put_state(tree, 1);
  const HostState state = read_host_state(tree.root());
  EXPECT_TRUE(judge(state, state, std::chrono::seconds{1}).empty());
}

TEST(Judge, calls_a_run_contended_for_delay_switches_pressure_and_stolen_time_and_throttled_for_its_quota) {
  Tree tree;
  put_state(tree, 1);
  const HostState before = read_host_state(tree.root());
  put_state(tree, 100);
  const auto notes = judge(before, read_host_state(tree.root()), std::chrono::seconds{1});
  ASSERT_EQ(notes.size(), 5u);
  EXPECT_EQ(std::ranges::count(notes, Quality::contended, &QualityNote::quality), 4);
  EXPECT_EQ(std::ranges::count(notes, Quality::throttled, &QualityNote::quality), 1);
  EXPECT_EQ(notes[0].reason, "threads stood ready but did not run for 19.8 % of the time");
}

TEST(Judge, does_not_take_what_the_kernel_does_not_count_for_quiet_or_loud) {
  HostState counted;
  counted.involuntary_switches = 1'000'000;
  EXPECT_TRUE(judge(HostState{}, counted, std::chrono::seconds{1}).empty());
}

BuildIdentity some_build() {
  return {.tool_version = "0.1.0",
          .source_digest = std::string(64, 'a'),
          .commit = std::string(40, 'b'),
          .dirty = false,
          .compiler = "GNU 12.2.0",
          .flags = "-O3 -I/usr/local/include",
          .build_type = "Release"};
}

Artefact run_on(const Tree& tree, const EvidenceResults& results) {
  EvidenceCollector collector({.build = some_build(), .argv = {"/opt/dojima/bin/dojima", "demo"}, .root = tree.root()});
  Artefact run("dojima demo");
  run.set_evidence(collector.finish(results));
  return run;
}

TEST(Evidence, explains_every_null) {
  Tree tree;
  put_guest(tree);
  const Artefact run = run_on(tree, {});
  for (const auto& [name, value] : run.evidence().at("host").members()) {
    if (!value.is_null()) continue;
    EXPECT_NE(std::ranges::find(run.quality(), "host." + name, &QualityNote::field), run.quality().end());
  }
  EXPECT_NE(std::ranges::find(run.quality(), "clock.quantum_ns", &QualityNote::field), run.quality().end());
  EXPECT_NE(std::ranges::find(run.quality(), "after.steal_ticks", &QualityNote::field), run.quality().end());
}

TEST(Evidence, calls_a_guest_virtualised_and_small_figures_quantised) {
  Tree tree;
  put_guest(tree);
  const Artefact run = run_on(tree, {.quantum_ns = 10.0, .smallest_figure_ns = 40.0});
  EXPECT_EQ(std::ranges::count(run.quality(), Quality::virtualised, &QualityNote::quality), 1);
  EXPECT_EQ(std::ranges::count(run.quality(), Quality::quantised, &QualityNote::quality), 1);
}

TEST(Evidence, warns_that_a_real_time_thread_has_a_budget) {
  Tree tree;
  put_guest(tree);
  const Artefact run = run_on(tree, {.applied = Document::object().set("policy", "fifo")});
  EXPECT_EQ(std::ranges::count(run.quality(), Quality::throttled, &QualityNote::quality), 1);
}

TEST(Evidence, finds_a_real_time_thread_among_others_and_in_cells) {
  const auto notes_of = [](Document applied) {
    Tree tree;
    put_guest(tree);
    const Artefact run = run_on(tree, {.applied = std::move(applied)});
    return std::ranges::count(run.quality(), Quality::throttled, &QualityNote::quality);
  };
  const auto thread = [](const char* policy) { return Document::object().set("policy", policy); };
  const Document threads = Document::object().set("cpu 0", thread("other")).set("cpu 1", thread("fifo"));
  EXPECT_EQ(notes_of(threads), 1);
  EXPECT_EQ(notes_of(Document::object().set("tsc, fifo, idle", threads)), 1);
  EXPECT_EQ(notes_of(Document::object().set("cpu 0", thread("other"))), 0);
}

TEST(Evidence, writes_the_time_as_people_read_it) {
  Tree tree;
  const Artefact run = run_on(tree, {.created = time::from_nanoseconds(1'784'548'800'000'000'000)});
  EXPECT_EQ(run.evidence().at("created_utc").as_text(), "2026-07-20T12:00:00Z");
}

TEST(Evidence, of_this_very_machine_names_neither_host_nor_user_nor_any_path) {
  EvidenceCollector collector({.build = some_build(), .argv = {"/usr/bin/dojima", "--in", "/home/someone/day.csv"}});
  Artefact run("dojima demo");
  EvidenceResults results;
  results.elapsed = std::chrono::seconds{1};
  results.applied = applied_settings();
  run.set_evidence(collector.finish(results));
  const std::string text = run.text();

  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  // A name as short as "c1" would be found in any hash.
  if (std::string_view(host.data()).size() >= 4) {
    EXPECT_EQ(text.find(host.data()), std::string::npos) << host.data();
  }
  for (const char* name : {"USER", "LOGNAME", "HOME", "PWD"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && std::string_view(value).size() >= 4 && std::string_view(value) != "root") {
      EXPECT_EQ(text.find(value), std::string::npos) << name << "=" << value;
    }
  }
  EXPECT_EQ(text.find("someone"), std::string::npos);
  EXPECT_TRUE(places_with_paths(run.document()).empty());
}

TEST(Evidence, reads_back_what_is_in_force) {
  const Document applied = applied_settings();
  EXPECT_FALSE(applied.at("cpus").elements().empty());
  EXPECT_TRUE(applied.at("policy").is_text());
  EXPECT_TRUE(applied.at("locked_memory_kib").is_whole());
  const Document capability = probe_capability();
  for (const auto& [name, outcome] : capability.members()) {
    EXPECT_TRUE(outcome.as_text() == "ok" || outcome.as_text().starts_with("unavailable: ")) << name;
  }
  EXPECT_EQ(applied_settings(), applied) << "probing changed the calling thread";
}

}  // namespace
}  // namespace dojima::evidence
