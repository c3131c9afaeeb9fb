#pragma once

// The state machines of the product by name, for `dojima fsm` and for the diagrams in docs/machines. A new machine is
// one line in machines.cpp. Allocates; not for the way of a message.
//
//   if (const app::NamedMachine* machine = app::find_machine("fix-session")) show(fsm::mermaid(machine->describe()));

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/fsm/description.hpp"

namespace dojima::app {

struct NamedMachine {
  std::string_view name;
  std::string_view purpose;
  fsm::Description (*describe)();
};

/// All machines, in the order in which an order meets them.
[[nodiscard]] std::span<const NamedMachine> machines() noexcept;

/// Null when there is none of that name.
[[nodiscard]] const NamedMachine* find_machine(std::string_view name) noexcept;

[[nodiscard]] std::vector<std::string> machine_names();

/// A machine's page in docs/machines: purpose, diagram, table, proofs.
[[nodiscard]] std::string machine_page(const NamedMachine& machine);

}  // namespace dojima::app
