// dojima-bench-fsm: what it costs to get from a code to its body, and from a state and an event to an action.

#include "dispatch.hpp"
#include "walk.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/harness/bench_harness.hpp"

namespace {

using namespace dojima;

/// Competitors by case and name; one that a case lacks does not take part there.
template <class Make>
class Register {
 public:
  void add(const std::string& key, std::vector<std::pair<std::string, Make>> unit) {
    for (auto& [name, make] : unit) {
      if (!makers_.contains({key, name}) && std::find(names_.begin(), names_.end(), name) == names_.end())
        names_.push_back(name);
      makers_[{key, name}] = std::move(make);
    }
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] Make find(const std::string& key, const std::string& name) const {
    const auto found = makers_.find({key, name});
    return found == makers_.end() ? Make{} : found->second;
  }

 private:
  std::vector<std::string> names_;
  std::map<std::pair<std::string, std::string>, Make> makers_;
};

const std::vector<evidence::Cell> k_streams{"constant", "markov", "random"};
const std::vector<evidence::Cell> k_bodies{"trivial", "fix"};

harness::BenchTable dispatch_table() {
  auto units = std::make_shared<Register<bench::MakeDispatching>>();
  // Names are in the order in which they are met: a set with all competitors comes first.
  units->add("fix 7", bench::fix_7());
  units->add("fix 4", bench::fix_4());
  units->add("fix 16", bench::fix_16());
  units->add("fix 32", bench::fix_32());
  units->add("fix 64", bench::fix_64());
  units->add("fix 93", bench::fix_93());
  units->add("random 4", bench::random_4());
  units->add("random 7", bench::random_7());
  units->add("random 16", bench::random_16());
  units->add("random 32", bench::random_32());
  units->add("random 64", bench::random_64());
  units->add("random 93", bench::random_93());

  harness::BenchTable table{.name = "dispatch",
                            .title = "from a code to its body: 65,536 codes for 64 sessions in turn"};
  table.parameters = {
      {"keys", {"fix", "random"}}, {"states", {4, 7, 16, 32, 64, 93}}, {"stream", k_streams}, {"body", k_bodies}};
  for (const std::string& name : units->names()) {
    table.competitors.push_back(
        {name, [units, name](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
           const std::string key = std::string(of.text("keys")) + " " + std::to_string(of.integer("states"));
           const auto make = units->find(key, name);
           return make ? make(of) : nullptr;
         }});
  }
  table.baseline = "switch";
  // The talk's Test 1: few codes in random order, as histograms.
  table.is_drawn = [](const harness::BenchCase& of) {
    return of.text("keys") == "fix" && of.integer("states") <= 7 && of.text("stream") == "random";
  };
  table.drawn = {"if-else", "switch", "default hash, functions", "machine, hashed tuple"};
  for (const int states : {4, 7, 16})
    table.targets.push_back({"machine, nested switch", "switch", 1.10, {{"keys", "fix"}, {"states", states}}});
  const std::vector<std::pair<std::string, evidence::Cell>> sparse{
      {"keys", "random"}, {"states", 64}, {"stream", "random"}, {"body", "trivial"}};
  for (const char* ours : {"machine, nested switch", "default hash, functions", "batch, nested switch"}) {
    table.targets.push_back({ours, "switch", 1 / 1.4, sparse});
    table.targets.push_back({ours, "unordered_map", 1 / 1.6, sparse});
  }
  table.notes = {"keys: fix has message types of one byte (up to 32) and of one or two characters, random 31-bit codes",
                 "stream: markov goes on to the next code nine times in ten; body: fix writes a message of four fields",
                 "an unknown code is counted by every competitor; gperf reads the code's text, the others its number"};
  return table;
}

harness::BenchTable walk_table() {
  auto units = std::make_shared<Register<bench::MakeWalking>>();
  units->add("7 trivial", bench::walk_7_2_Trivial());
  units->add("7 fix", bench::walk_7_2_FixLike());
  units->add("10 trivial", bench::walk_10_5_Trivial());
  units->add("10 fix", bench::walk_10_5_FixLike());
  units->add("64 trivial", bench::walk_64_2_Trivial());
  units->add("64 fix", bench::walk_64_2_FixLike());
  units->add("7 trivial", {{"Boost.MSM", bench::walk_msm_7_2_Trivial()}});
  units->add("7 fix", {{"Boost.MSM", bench::walk_msm_7_2_FixLike()}});
  units->add("10 trivial", {{"Boost.MSM", bench::walk_msm_10_5_Trivial()}});
  units->add("10 fix", {{"Boost.MSM", bench::walk_msm_10_5_FixLike()}});

  harness::BenchTable table{.name = "walk", .title = "from a state and an event to an action: 65,536 events"};
  table.parameters = {{"states", {7, 10, 64}}, {"sessions", {1, 64}}, {"stream", k_streams}, {"body", k_bodies}};
  for (const std::string& name : units->names()) {
    table.competitors.push_back(
        {name, [units, name](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
           const auto states = static_cast<std::size_t>(of.integer("states"));
           const auto make = units->find(std::to_string(states) + " " + std::string(of.text("body")), name);
           const std::size_t events = states == 10 ? 5 : 2;
           const auto sessions = static_cast<std::size_t>(of.integer("sessions"));
           return make ? make({bench::stream(of.text("stream"), events, of.seed()), sessions}) : nullptr;
         }});
  }
  table.baseline = "switch by hand";
  // The engine that fsm::DefaultEngine takes for a table of that size.
  for (const auto& [states, engine] : {std::pair{7, "nested switch"}, {10, "flat switch"}, {64, "flat switch"}}) {
    const std::vector<std::pair<std::string, evidence::Cell>> random{
        {"states", states}, {"stream", "random"}, {"body", "trivial"}};
    table.targets.push_back({engine, "switch by hand", 1.15, random});
    table.targets.push_back({engine, "Boost.MSM", 1 / 1.5, random});
  }
  table.notes = {
      "states: 7 with 2 events, 10 with 5, 64 with 2; every cell is a row; Boost.MSM takes 50 rows at most",
      "sessions: state and session in memory, events to each in turn; batches: each session's events in one go"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  return harness::run_benchmarks(
      {.name = "fsm", .tables = {dispatch_table(), walk_table()}, .build = evidence::build_identity()}, count, words);
}
