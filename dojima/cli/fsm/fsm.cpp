// dojima fsm list|print

#include "dojima/cli/fsm/fsm.hpp"

#include <cstdint>
#include <fmt/core.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dojima/app/machines.hpp"
#include "dojima/app/nearest.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/fsm/description.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::cli {
namespace {

/// Prints `text`, or writes the artefact where that was asked for.
int answer(const JsonOption& json, evidence::Artefact result, const std::string& text) {
  if (!json.is_on_stdout()) fmt::print("{}", text);
  if (!json.is_wanted()) return k_success;
  const evidence::EvidenceCollector evidence({.build = evidence::build_identity(), .argv = command_line()});
  time::SystemClock clock;
  result.set_evidence(evidence.finish({.created = clock.now(), .applied = evidence::applied_settings()}));
  return json.write(result.text()) ? k_success : k_environment;
}

// -------------------------------------------------------------------------------------------------------------- list

int list_machines(const JsonOption& json) {
  evidence::Artefact result("dojima fsm list");
  evidence::Table table{
      "machines", "the state machines of the product", {{"machine"}, {"states"}, {"events"}, {"rows"}, {"purpose"}}};
  std::string text;
  for (const app::NamedMachine& machine : app::machines()) {
    const fsm::Description description = machine.describe();
    table.add_row(
        {machine.name, description.states.size(), description.events.size(), description.rows.size(), machine.purpose});
    text += fmt::format("{:<28} {:>2} states {:>2} events {:>2} rows  {}\n", machine.name, description.states.size(),
                        description.events.size(), description.rows.size(), machine.purpose);
  }
  result.add_table(std::move(table));
  return answer(json, std::move(result), text);
}

// ------------------------------------------------------------------------------------------------------------- print

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

evidence::Table rows_of(const fsm::Description& machine) {
  evidence::Table table{"rows",
                        machine.purpose,
                        {{"row"},
                         {"state", 0, true, "empty: any"},
                         {"event", 0, true, "empty: any"},
                         {"guard"},
                         {"next_state", 0, true, "empty: the state stays"},
                         {"action"}}};
  std::size_t number = 0;
  for (const fsm::RowDescription& row : machine.rows)
    table.add_row({number++, joined(row.start), joined(row.event), row.guard, row.next, row.action});
  return table;
}

evidence::Table hashes_of(const fsm::Description& machine) {
  evidence::Table table{"hashes",
                        "from a code to its number",
                        {{"of"},
                         {"strategy"},
                         {"keys"},
                         {"slots"},
                         {"seed", 0, true, "consecutive, direct: first code; otherwise seed or multiplier"},
                         {"denominator", 0, true, "xor_modulo only, else 0"},
                         {"tries"},
                         {"is_exhaustive"}}};
  // A multiplier has 64 bits, more than a number of JSON is sure to keep.
  const auto add = [&table](const char* what, const fsm::HashPlan& plan) {
    table.add_row({what, fsm::name_of(plan.strategy), plan.keys, plan.slots, std::to_string(plan.seed),
                   plan.denominator, plan.tries, plan.is_exhaustive});
  };
  add("states", machine.state_plan);
  add("events", machine.event_plan);
  return table;
}

std::string pairs_text(const std::vector<fsm::PairDescription>& pairs) {
  std::vector<std::string> words;
  for (const auto& [state, event] : pairs) words.push_back(state + " + " + event);
  return joined(words);
}

evidence::Artefact artefact_of(const fsm::Description& machine) {
  evidence::Artefact result("dojima fsm print " + machine.name);
  result.set_parameter("machine", machine.name).set_parameter("initial", machine.initial);
  result.add_table(rows_of(machine)).add_table(hashes_of(machine));
  evidence::Table proofs{"proofs", "what the compiler proved", {{"proof"}, {"found"}}};
  std::vector<std::string> shadowed;
  for (const std::uint16_t row : machine.shadowed) shadowed.push_back(std::to_string(row));
  proofs.add_row({"unreachable states", joined(machine.unreachable)});
  proofs.add_row({"rows that can never fire", joined(shadowed)});
  proofs.add_row({"unhandled pairs", pairs_text(machine.unhandled)});
  proofs.add_row({"guards without an else", pairs_text(machine.guarded_without_else)});
  proofs.add_row({"every value is answered", machine.is_total ? "yes" : "no"});
  return result.add_table(std::move(proofs));
}

struct MachinePrintOptions {
  std::string name;
  std::string form = "table";
  JsonOption json;
};

int print_machine(const MachinePrintOptions& options) {
  const app::NamedMachine* machine = app::find_machine(options.name);
  if (machine == nullptr) {
    const auto meant = app::nearest(options.name, app::machine_names());
    complain(fmt::format("no machine \"{}\"{}; dojima fsm list names them", options.name,
                         meant ? fmt::format("; did you mean {}?", *meant) : std::string()));
    return k_usage;
  }
  const fsm::Description description = machine->describe();
  const std::map<std::string, std::string (*)(const fsm::Description&)> forms{{"mermaid", fsm::mermaid},
                                                                              {"dot", fsm::dot},
                                                                              {"plantuml", fsm::plantuml},
                                                                              {"table", fsm::markdown},
                                                                              {"hash", fsm::explain_hashes}};
  const std::string text = options.form == "page" ? app::machine_page(*machine) : forms.at(options.form)(description);
  return answer(options.json, artefact_of(description), text);
}

}  // namespace

void add_fsm(Command program, int& status) {
  Command fsm = program.add_command("fsm", "The state machines of the product, drawn; perfect hashes, searched");
  fsm.require_command();
  fsm.footer("example: dojima fsm print gateway-client-to-exchange --as mermaid");

  auto json = std::make_shared<JsonOption>();
  Command list = fsm.add_command("list", "Name the machines");
  json->add_to(list);
  list.footer("example: dojima fsm list");
  list.on_run([json, &status] { status = list_machines(*json); });

  auto options = std::make_shared<MachinePrintOptions>();
  Command print = fsm.add_command("print", "Draw a machine, or explain its hashes");
  print.add_option("NAME", options->name, "As dojima fsm list names it").required();
  print.add_option("--as", options->form, "mermaid, dot, plantuml, table, hash, or page: as docs/machines has it")
      .one_of({"mermaid", "dot", "plantuml", "table", "hash", "page"});
  options->json.add_to(print);
  print.footer("example: dojima fsm print fix-session --as dot | dot -Tsvg > fix-session.svg");
  print.on_run([options, &status] { status = print_machine(*options); });

  add_fsm_search(fsm, status);
  add_fsm_denominators(fsm, status);
}

}  // namespace dojima::cli
