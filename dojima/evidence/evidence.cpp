#include "dojima/evidence/evidence.hpp"

#include <algorithm>
#include <fstream>

#include "dojima/evidence/host/doctor.hpp"
#include "dojima/evidence/sha256.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::evidence {
namespace {

Document to_document(const QualityNote& note) {
  return Document::object().set("label", name_of(note.quality)).set("reason", note.reason).set("field", note.field);
}

std::string standard_library() {
#if defined(__GLIBCXX__)
  return "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
#elif defined(_LIBCPP_VERSION)
  return "libc++ " + std::to_string(_LIBCPP_VERSION);
#else
  return "unknown";
#endif
}

template <class Value>
Document or_null(const std::optional<Value>& value, const char* field, std::string_view reason,
                 std::vector<QualityNote>& notes) {
  if (value) return *value;
  notes.push_back({Quality::unavailable, std::string(reason), field});
  return nullptr;
}

Document text_or_null(const std::string& text, const char* field, std::string_view reason,
                      std::vector<QualityNote>& notes) {
  return or_null(text.empty() ? std::nullopt : std::optional(text), field, reason, notes);
}

/// The digest of the running program, to distinguish "the same sources" from "the same bytes".
std::optional<std::string> program_digest(const std::filesystem::path& root) {
  // At one go: by iterators a program with sanitizers took half a minute to read.
  std::ifstream file(root / "proc/self/exe", std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), size)) return std::nullopt;
  return sha256_hex(bytes);
}

std::string bare_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

void add_build(const BuildIdentity& build, Document& evidence, std::vector<QualityNote>& notes) {
  const char* no_identity = "the program was built without its identity";
  evidence.set("tool_version", text_or_null(build.tool_version, "tool_version", no_identity, notes));
  evidence.set("source_digest", text_or_null(build.source_digest, "source_digest", no_identity, notes));
  evidence.set("commit", text_or_null(build.commit, "commit", "not built in a git repository", notes));
  evidence.set("dirty", or_null(build.dirty, "dirty", "not built in a git repository", notes));
  evidence.set("compiler", text_or_null(build.compiler, "compiler", no_identity, notes));
  evidence.set("flags", build.flags).set("build_type", build.build_type).set("sanitizers", build.sanitizers);
  evidence.set("standard_library", standard_library());
}

Document clock_of(const EvidenceResults& results, std::vector<QualityNote>& notes) {
  Document clock;
  clock.set("source", results.clock);
  clock.set("ns_per_tick",
            or_null(results.ns_per_tick, "clock.ns_per_tick", "the clock counts nanoseconds itself", notes));
  clock.set("quantum_ns", or_null(results.quantum_ns, "clock.quantum_ns", "the run did not look for it", notes));
  clock.set("read_overhead_ns",
            or_null(results.read_overhead_ns, "clock.read_overhead_ns", "the run did not measure it", notes));
  return clock;
}

/// Which counters of the state are null, once for both readings.
void add_gaps(const Document& before, const Document& after, std::vector<QualityNote>& notes) {
  for (const auto& [name, value] : after.members()) {
    if (value.is_null() || before.at(name).is_null()) {
      notes.push_back({Quality::unavailable, "the kernel does not show it", "after." + name});
    }
  }
}

/// Whether a thread ran under a real-time policy. What was applied is stated for the whole run, or for each of its
/// threads or cells under its name.
bool is_real_time(const Document& applied) {
  const std::string_view policy = applied.at("policy").as_text();
  if (policy == "fifo" || policy == "rr") return true;
  return std::ranges::any_of(applied.members(), [](const auto& member) { return is_real_time(member.value); });
}

void add_circumstances(const EvidenceResults& results, const HostFacts& host, std::vector<QualityNote>& notes) {
  const std::string_view hypervisor = host.values.at("hypervisor").as_text();
  if (!hypervisor.empty() && hypervisor != "none") {
    notes.push_back({Quality::virtualised,
                     "a guest of a hypervisor (" + std::string(hypervisor) + "): its host can stop it unseen",
                     "host.hypervisor"});
  }
  const std::int64_t budget = host.values.at("rt_runtime_us").as_whole(-1);
  if (is_real_time(results.applied) && budget >= 0 && budget < host.values.at("rt_period_us").as_whole()) {
    notes.push_back({Quality::throttled,
                     "a real-time thread that never sleeps loses the processor when its budget of " +
                         std::to_string(budget) + " us is used up",
                     "host.rt_runtime_us"});
  }
  if (results.quantum_ns && results.smallest_figure_ns && *results.smallest_figure_ns < 10 * *results.quantum_ns) {
    notes.push_back({Quality::quantised,
                     "single values move in steps of the clock, " + Document(*results.quantum_ns).canonical() +
                         " ns, more than a tenth of what is reported",
                     "clock.quantum_ns"});
  }
}

}  // namespace

std::string utc_text(time::Time when) {
  char text[time::k_timestamp_max];
  const std::string_view fix = time::format_timestamp(when, 0, text);  // YYYYMMDD-HH:MM:SS
  std::string result(fix.substr(0, 4));
  result.append("-").append(fix.substr(4, 2)).append("-").append(fix.substr(6, 2));
  return result.append("T").append(fix.substr(9)).append("Z");
}

EvidenceCollector::EvidenceCollector(EvidenceSettings settings)
    : settings_(std::move(settings)),
      host_(read_host(settings_.root)),
      capability_(read_capability(settings_.root)),
      doctor_(document_of(examine(settings_.root, settings_.root == "/" ? look_at_machine() : LiveFacts{}))),
      before_(read_host_state(settings_.root)) {
  if (settings_.root != "/") return;
  const Document probed = probe_capability();
  for (const auto& [name, outcome] : probed.members()) capability_.set(name, outcome);
}

Document EvidenceCollector::finish(const EvidenceResults& results) const {
  const HostState after = read_host_state(settings_.root);
  std::vector<QualityNote> notes = judge(before_, after, results.elapsed, settings_.limits);
  add_circumstances(results, host_, notes);

  Document evidence;
  add_build(settings_.build, evidence, notes);
  evidence.set("created_utc", utc_text(results.created));
  evidence.set("elapsed_s", std::chrono::duration<double>(results.elapsed).count());
  evidence.set("program_sha256",
               or_null(program_digest(settings_.root), "program_sha256", "the program could not be read", notes));
  Document argv = Document::array();
  for (const std::string& argument : settings_.argv) {
    argv.push(argv.elements().empty() ? bare_name(argument) : argument);
  }
  evidence.set("argv", std::move(argv));
  Document inputs = Document::array();
  for (const auto& [name, digest] : settings_.inputs) {
    inputs.push(Document::object().set("name", bare_name(name)).set("sha256", digest));
  }
  evidence.set("inputs", std::move(inputs));
  evidence.set("host", host_.values).set("capability", capability_).set("doctor", doctor_);
  evidence.set("clock", clock_of(results, notes));
  evidence.set("applied", results.applied);
  evidence.set("before", before_.document()).set("after", after.document());
  add_gaps(before_.document(), after.document(), notes);

  notes.insert(notes.end(), host_.notes.begin(), host_.notes.end());
  Document quality = Document::array();
  for (const QualityNote& note : notes) quality.push(to_document(note));
  evidence.set("quality", std::move(quality));
  return evidence;
}

}  // namespace dojima::evidence
