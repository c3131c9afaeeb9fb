#include "dojima/evidence/import.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dojima/evidence/hdr_log.hpp"
#include "dojima/evidence/privacy.hpp"
#include "dojima/evidence/sha256.hpp"

namespace dojima::evidence {
namespace {

/// Thrown and caught in this file: what is wrong, and where.
struct Refused {
  std::string what;
};

[[noreturn]] void refuse(const std::string& place, std::string_view expected) {
  throw Refused{place + ": expected " + std::string(expected)};
}

constexpr std::uint64_t k_most_values = std::uint64_t{1} << 53;

double number_at(const Document& parent, std::string_view key, const std::string& place) {
  if (!parent.at(key).is_number()) refuse(place + std::string(key), "a number");
  return parent.at(key).as_number();
}

std::uint64_t count_of(const Document& value, const std::string& place) {
  if (!value.is_whole() || value.as_whole() < 0 || static_cast<std::uint64_t>(value.as_whole()) > k_most_values) {
    refuse(place, "a whole number, 0 or above");
  }
  return static_cast<std::uint64_t>(value.as_whole());
}

std::string text_at(const Document& parent, std::string_view key, const std::string& place) {
  if (!parent.at(key).is_text()) refuse(place + std::string(key), "a text");
  // Here already: two names that differ in their paths only must not fall together when the artefact cuts them.
  return without_paths(parent.at(key).as_text());
}

Document parsed(std::string_view text) {
  auto document = parse_document(text);
  if (!document) throw Refused{"no JSON: " + document.error()};
  return std::move(*document);
}

std::uint64_t nanoseconds_of(double seconds, const std::string& place) {
  const double ns = std::round(seconds * 1e9);
  if (!(ns >= 0) || ns >= 0x1p42) refuse(place, "a time of 0 to 4398 s");
  return static_cast<std::uint64_t>(ns);
}

// --------------------------------------------------------------------------------------------------------- rt-tests

/// The members of a thread's histogram, by microsecond.
struct Bucket {
  std::uint64_t us;
  std::uint64_t count;
};

std::vector<Bucket> buckets_of(const Document& thread, const std::string& place) {
  std::vector<Bucket> buckets;
  std::uint64_t total = 0;
  for (const auto& [key, value] : thread.at("histogram").members()) {
    Bucket bucket{0, count_of(value, place + "histogram." + key)};
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), bucket.us);
    if (error != std::errc() || end != key.data() + key.size() || bucket.us > 4'000'000'000) {
      refuse(place + "histogram", "whole microseconds, not \"" + key + "\"");
    }
    total += bucket.count;
    if (total > k_most_values) refuse(place + "histogram", "fewer values");
    if (bucket.count > 0) buckets.push_back(bucket);
  }
  std::ranges::sort(buckets, {}, &Bucket::us);
  return buckets;
}

std::uint64_t middle_ns(std::uint64_t us) {
  return us * 1'000 + 500;
}

std::string arm_of(const Document& thread, std::size_t threads) {
  return threads > 1 ? "cpu " + std::to_string(thread.at("cpu").as_whole(-1)) : std::string();
}

void note_whole_microseconds(Artefact& artefact, std::uint64_t above) {
  artefact.add_quality(Quality::quantised, "the tool counts whole microseconds; each stands at the middle of its own");
  if (above > 1) {
    artefact.add_quality(Quality::quantised, std::to_string(above - 1) +
                                                 " values above the last bucket stand at its edge; of those above it "
                                                 "only the largest is known");
  }
}

/// What both programs of rt-tests write beside the threads. The name of the host stays behind.
Document rt_tests_host(const Document& file) {
  const Document& system = file.at("sysinfo");
  Document host;
  host.set("kernel", system.at("release")).set("machine", system.at("machine"));
  host.set("preempt_rt", system.at("realtime").as_whole() != 0);
  return host;
}

const Document& threads_of(const Document& file) {
  const Document& threads = file.at("thread");
  if (!threads.is_object() || threads.members().empty()) refuse("thread", "an object of threads");
  return threads;
}

Artefact import_cyclictest(const Document& file) {
  Artefact artefact("cyclictest");
  artefact.set_parameter("command", text_at(file, "cmdline:", ""));
  Table table{"threads", "", {{"thread"}, {"cpu"}, {"cycles"}, {"min_ns"}, {"avg_ns", 0}, {"max_ns"}}};
  std::uint64_t above = 0;
  const Document& threads = threads_of(file);
  for (const auto& [name, thread] : threads.members()) {
    const std::string place = "thread." + name + ".";
    const std::uint64_t cycles = count_of(thread.at("cycles"), place + "cycles");
    const std::uint64_t least = count_of(thread.at("min"), place + "min");
    const std::uint64_t largest = count_of(thread.at("max"), place + "max");
    const double average = number_at(thread, "avg", place);
    if (largest > 4'000'000'000 || least > largest) refuse(place + "max", "at least min, at most 4000 s");
    table.add_row({name, thread.at("cpu").as_whole(-1), cycles, least * 1'000, average * 1e3, largest * 1'000});

    measure::FineHistogram lateness;
    std::uint64_t counted = 0;
    const std::vector<Bucket> buckets = buckets_of(thread, place);
    for (const Bucket& bucket : buckets) {
      lateness.record(middle_ns(bucket.us), bucket.count);
      counted += bucket.count;
    }
    if (!buckets.empty() && cycles > counted) {
      above += cycles - counted;
      lateness.record(middle_ns(largest));
      lateness.record(middle_ns(buckets.back().us + 1), cycles - counted - 1);
    }
    RunRecord& run = artefact.begin_run({.arm = arm_of(thread, threads.members().size())});
    run.add_figure("mean_lateness", "ns", average * 1e3);
    if (lateness.count() > 0) run.add_histogram({"lateness", Role::total}, lateness.view());
  }
  artefact.add_table(std::move(table));
  note_whole_microseconds(artefact, above);
  return artefact;
}

/// In oslat's file bucket k holds what took at least k - 1 and less than k microseconds.
Artefact import_oslat(const Document& file) {
  Artefact artefact("oslat");
  artefact.set_parameter("command", text_at(file, "cmdline:", ""));
  Table table{
      "threads", "", {{"thread"}, {"cpu"}, {"seconds", 3}, {"turns_below_1_us"}, {"gaps"}, {"from_2_us"}, {"max_us"}}};
  std::uint64_t above = 0;
  const Document& threads = threads_of(file);
  for (const auto& [name, thread] : threads.members()) {
    const std::string place = "thread." + name + ".";
    const double seconds = number_at(thread, "duration", place);
    const std::uint64_t largest = count_of(thread.at("max"), place + "max");
    if (largest > 4'000'000'000) refuse(place + "max", "at most 4000 s");
    measure::FineHistogram gaps;
    std::uint64_t quick = 0;
    std::uint64_t from_two = 0;
    std::vector<Bucket> buckets = buckets_of(thread, place);
    if (!buckets.empty() && largest > buckets.back().us) {
      above += buckets.back().count;
      --buckets.back().count;
      gaps.record(middle_ns(largest - 1));
      from_two += largest >= 3 ? 1u : 0u;
    }
    for (const Bucket& bucket : buckets) {
      if (bucket.us == 0) refuse(place + "histogram", "buckets from 1 on");
      if (bucket.us == 1) quick = bucket.count;
      if (bucket.us > 1) gaps.record(middle_ns(bucket.us - 1), bucket.count);
      if (bucket.us > 2) from_two += bucket.count;
    }
    table.add_row({name, thread.at("cpu").as_whole(-1), seconds, quick, gaps.count(), from_two, largest});
    RunRecord& run = artefact.begin_run({.arm = arm_of(thread, threads.members().size())});
    run.add_figure("mean_turn", "ns", number_at(thread, "avg", place) * 1e3);
    if (gaps.count() > 0) run.add_histogram({"gap", Role::total}, gaps.view());
  }
  artefact.add_table(std::move(table));
  note_whole_microseconds(artefact, above);
  return artefact;
}

// ---------------------------------------------------------------------------------------------------------- hdr log

/// All values `unit` times as large, at a precision of ours.
measure::FineHistogram in_nanoseconds(const measure::HistogramView& histogram, std::uint64_t unit) {
  measure::FineHistogram scaled;
  for (std::size_t index = 0; index < histogram.counts.size(); ++index) {
    const std::uint64_t middle = std::clamp(histogram.layout.middle_of(index), histogram.min, histogram.max);
    // What leaves the range counts as overflow; the product must not wrap around to less.
    scaled.record(middle > (~std::uint64_t{0} >> 20) / unit ? ~std::uint64_t{0} >> 20 : middle * unit,
                  histogram.counts[index]);
  }
  return scaled;
}

Artefact import_hdr_log(std::string_view text, std::uint64_t unit_ns) {
  const Result<HdrLog> log = parse_hdr_log(text);
  if (!log) {
    char why[256];
    throw Refused{std::string(describe(log.error(), why))};
  }
  if (log->intervals.empty()) refuse("log", "an interval");
  Artefact artefact("HdrHistogram log");
  struct Tagged {
    std::string tag;
    measure::FineHistogram all;
    Series series;
  };
  std::vector<Tagged> tags;
  for (const HdrLogInterval& interval : log->intervals) {
    const std::string tag = without_paths(interval.tag);
    auto tagged = std::ranges::find(tags, tag, &Tagged::tag);
    if (tagged == tags.end()) {
      if (tags.size() == 64) refuse("log", "at most 64 tags");
      const std::string name = tag.empty() ? "latency" : tag;
      tags.push_back({tag, {}, {name, SeriesKind::latency, "ns", {"p50", "p99", "max"}, {}}});
      tagged = tags.end() - 1;
    }
    const measure::FineHistogram values = in_nanoseconds(interval.histogram.view(), unit_ns);
    if (values.count() == 0) continue;
    tagged->all.merge(values);
    const auto at = [&values](double share) { return static_cast<double>(values.value_at(share)); };
    tagged->series.rows.push_back({interval.start_s, at(0.5), at(0.99), static_cast<double>(values.max())});
  }
  for (Tagged& tagged : tags) {
    const std::string name = tagged.series.name;
    const Role role = &tagged == &tags.front() ? Role::total : Role::other;
    if (tagged.all.count() > 0) artefact.add_histogram({name, role}, tagged.all.view());
    if (!tagged.series.rows.empty()) artefact.add_series(std::move(tagged.series));
  }
  artefact.set_parameter("intervals", log->intervals.size()).set_parameter("unit_ns", unit_ns);
  return artefact;
}

// -------------------------------------------------------------------------------------------------- Google Benchmark

double ns_per_unit(const Document& benchmark, const std::string& place) {
  const std::string unit = benchmark.has("time_unit") ? text_at(benchmark, "time_unit", place) : "ns";
  for (const auto& [name, ns] : {std::pair{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}) {
    if (unit == name) return ns;
  }
  refuse(place + "time_unit", "ns, us, ms or s");
}

Artefact import_google_benchmark(const Document& file) {
  Artefact artefact("Google Benchmark");
  Table table{
      "benchmarks", "", {{"benchmark"}, {"repetition"}, {"iterations"}, {"real_time_ns", 3}, {"cpu_time_ns", 3}}};
  std::vector<RunRecord> repetitions;
  for (const Document& benchmark : file.at("benchmarks").elements()) {
    const std::string place =
        "benchmarks[" + std::to_string(&benchmark - file.at("benchmarks").elements().data()) + "].";
    const std::string name = text_at(benchmark, "name", place);
    // Means and medians of repetitions; they are computed again from the repetitions themselves.
    if (benchmark.at("run_type").as_text() == "aggregate") continue;
    if (benchmark.at("error_occurred").as_bool()) {
      artefact.add_check(name, false, std::string(benchmark.at("error_message").as_text()));
      continue;
    }
    const auto repetition = static_cast<std::size_t>(benchmark.at("repetition_index").as_whole(0));
    if (repetition > 100'000) refuse(place + "repetition_index", "0 to 100000");
    const double unit = ns_per_unit(benchmark, place);
    const double real = number_at(benchmark, "real_time", place) * unit;
    const double cpu = number_at(benchmark, "cpu_time", place) * unit;
    table.add_row({name, repetition, count_of(benchmark.at("iterations"), place + "iterations"), real, cpu});
    if (repetitions.size() <= repetition) repetitions.resize(repetition + 1);
    repetitions[repetition].add_figure(name, "ns", real);
  }
  if (table.rows.empty() && artefact.checks().empty()) refuse("benchmarks", "a benchmark");
  for (RunRecord& run : repetitions) {
    if (!run.figures.empty()) artefact.begin_run(std::move(run));
  }
  return artefact.add_table(std::move(table));
}

Document google_benchmark_host(const Document& file) {
  Document host = Document::object();
  for (const char* name : {"num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "aslr_enabled", "caches", "load_avg",
                           "library_version", "library_build_type"}) {
    if (file.at("context").has(name)) host.set(name, file.at("context").at(name));
  }
  return host;
}

// -------------------------------------------------------------------------------------------------------- hyperfine

void import_command(const Document& result, const std::string& place, Artefact& artefact, Table& table) {
  const std::string command = text_at(result, "command", place);
  const auto& times = result.at("times").elements();
  if (times.empty()) refuse(place + "times", "at least one time");
  measure::FineHistogram all;
  double sum = 0;
  for (const Document& time : times) {
    if (!time.is_number()) refuse(place + "times", "numbers");
    all.record(nanoseconds_of(time.as_number(), place + "times"));
    sum += time.as_number();
  }
  const double mean = sum / static_cast<double>(times.size());
  const double stated = number_at(result, "mean", place);
  artefact.add_check(command + ": its mean is that of its times", std::abs(stated - mean) <= 1e-6 * std::abs(mean));
  for (const Document& time : times) {
    RunRecord& run = artefact.begin_run({.arm = command}).add_figure("run_time", "s", time.as_number());
    if (&time == &times.front()) run.add_histogram({"run time", Role::total}, all.view());
  }
  const auto failed = std::ranges::count_if(result.at("exit_codes").elements(),
                                            [](const Document& code) { return code.as_whole(1) != 0; });
  // Of a single run hyperfine knows no deviation.
  const Document& deviation = result.at("stddev");
  table.add_row(
      {command, times.size(), mean, deviation.is_number() ? Cell(deviation.as_number()) : Unmeasured{"one run"},
       number_at(result, "median", place), number_at(result, "user", place), number_at(result, "system", place),
       number_at(result, "min", place), number_at(result, "max", place), failed});
}

Artefact import_hyperfine(const Document& file) {
  Artefact artefact("hyperfine");
  Table table{"commands",
              "",
              {{"command"},
               {"runs"},
               {"mean_s", 6},
               {"standard_deviation_s", 6},
               {"median_s", 6},
               {"user_s", 6},
               {"system_s", 6},
               {"min_s", 6},
               {"max_s", 6},
               {"failed"}}};
  const auto& results = file.at("results").elements();
  if (results.empty()) refuse("results", "a command's result");
  for (std::size_t i = 0; i < results.size(); ++i) {
    import_command(results[i], "results[" + std::to_string(i) + "].", artefact, table);
  }
  return artefact.add_table(std::move(table));
}

// --------------------------------------------------------------------------------------------------------- evidence

std::string bare_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

/// Nothing of the machine that imports: it measured nothing.
Document evidence_of(std::string_view text, ForeignFormat format, const ImportSettings& settings, Document host) {
  Document argv = Document::array();
  for (const std::string& word : settings.argv) argv.push(argv.elements().empty() ? bare_name(word) : word);
  Document evidence;
  evidence.set("tool_version", settings.tool_version).set("created_utc", settings.created_utc);
  evidence.set("argv", std::move(argv)).set("imported_from", name_of(format)).set("host", std::move(host));
  evidence.set(
      "inputs",
      Document::array({Document::object().set("name", bare_name(settings.file)).set("sha256", sha256_hex(text))}));
  return evidence;
}

Artefact imported(std::string_view text, ForeignFormat format, const ImportSettings& settings) {
  if (format == ForeignFormat::hdr_log) {
    Artefact artefact = import_hdr_log(text, settings.hdr_log_unit_ns);
    artefact.set_evidence(evidence_of(text, format, settings, Document::object()));
    return artefact;
  }
  const Document file = parsed(text);
  Document host = Document::object();
  const auto made = [&] {
    switch (format) {
      case ForeignFormat::cyclictest:
        host = rt_tests_host(file);
        return import_cyclictest(file);
      case ForeignFormat::oslat:
        host = rt_tests_host(file);
        return import_oslat(file);
      case ForeignFormat::google_benchmark:
        host = google_benchmark_host(file);
        return import_google_benchmark(file);
      default:
        return import_hyperfine(file);
    }
  };
  Artefact artefact = made();
  // Values that are null or missing in the other tool's file are no facts.
  Document known = Document::object();
  for (const auto& [name, value] : host.members()) {
    if (!value.is_null()) known.set(name, value);
  }
  artefact.set_evidence(evidence_of(text, format, settings, std::move(known)));
  return artefact;
}

}  // namespace

std::string_view name_of(ForeignFormat format) noexcept {
  switch (format) {
    case ForeignFormat::cyclictest:
      return "cyclictest";
    case ForeignFormat::oslat:
      return "oslat";
    case ForeignFormat::hdr_log:
      return "hlog";
    case ForeignFormat::google_benchmark:
      return "google-benchmark";
    case ForeignFormat::hyperfine:
      return "hyperfine";
  }
  return "unnamed";
}

std::optional<ForeignFormat> format_of(std::string_view text) {
  if (text.starts_with("#[") || text.starts_with("\"StartTimestamp\"")) return ForeignFormat::hdr_log;
  const auto file = parse_document(text);
  if (!file) return std::nullopt;
  if (file->at("benchmarks").is_array() && file->at("context").is_object()) return ForeignFormat::google_benchmark;
  if (file->at("results").is_array()) return ForeignFormat::hyperfine;
  if (!file->at("thread").is_object()) return std::nullopt;
  const auto is_oslat = [](const auto& member) { return member.value.has("freq"); };
  return std::ranges::any_of(file->at("thread").members(), is_oslat) ? ForeignFormat::oslat : ForeignFormat::cyclictest;
}

std::expected<Artefact, std::string> import_foreign(std::string_view text, ForeignFormat format,
                                                    const ImportSettings& settings) {
  try {
    return imported(text, format, settings);
  } catch (const Refused& refused) {
    return std::unexpected(refused.what);
  }
}

std::expected<std::vector<OslatCount>, std::string> oslat_counts(std::string_view text, std::uint64_t limit_us) {
  try {
    const Document file = parsed(text);
    std::vector<OslatCount> counts;
    for (const auto& [name, thread] : threads_of(file).members()) {
      const std::string place = "thread." + name + ".";
      OslatCount count{static_cast<int>(thread.at("cpu").as_whole(-1)), 0, number_at(thread, "duration", place)};
      for (const Bucket& bucket : buckets_of(thread, place)) {
        if (bucket.us > limit_us) count.turns += bucket.count;
      }
      counts.push_back(count);
    }
    return counts;
  } catch (const Refused& refused) {
    return std::unexpected(refused.what);
  }
}

}  // namespace dojima::evidence
