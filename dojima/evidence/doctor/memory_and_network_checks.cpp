// Memory and network cards.

#include <array>
#include <filesystem>
#include <span>
#include <string>

#include "dojima/evidence/doctor/machine.hpp"

namespace dojima::evidence::doctor {
namespace {

Outcome transparent_hugepages(const Machine& machine) {
  const auto enabled = machine.text("sys/kernel/mm/transparent_hugepage/enabled");
  if (!enabled) return unavailable("the kernel is built without them");
  const std::string defrag = chosen_of(machine.text("sys/kernel/mm/transparent_hugepage/defrag").value_or("?"));
  const std::string chosen = chosen_of(*enabled);
  return ok_if(chosen != "always" && defrag != "always", chosen + ", defrag " + defrag);
}

Outcome explicit_hugepages(const Machine& machine) {
  const auto meminfo = machine.text("proc/meminfo");
  const auto pages = meminfo ? whole_of(value_of(*meminfo, "HugePages_Total").value_or("")) : std::nullopt;
  if (!pages) return unavailable("the kernel is built without them");
  return *pages > 0 ? ok(std::to_string(*pages) + " pages") : unavailable("the pool is empty");
}

Outcome swapping(const Machine& machine) {
  const auto swaps = machine.text("proc/swaps");
  const auto swappiness = machine.number("proc/sys/vm/swappiness");
  if (!swaps || !swappiness) return unavailable("the kernel does not show it");
  if (lines_of(*swaps).size() <= 1) return ok("no swap space");
  return ok_if(*swappiness <= 10, "swap space, vm.swappiness = " + std::to_string(*swappiness));
}

Outcome page_merging(const Machine& machine) {
  return machine.setting("sys/kernel/mm/ksm/run", "ksm run", k_is_zero);
}

Outcome numa_nodes(const Machine& machine) {
  const auto online = machine.text("sys/devices/system/node/online");
  if (!online) return unavailable("the kernel is built without NUMA");
  return ok_if(*online == "0", "nodes " + *online);
}

Outcome numa_balancing(const Machine& machine) {
  return machine.setting("proc/sys/kernel/numa_balancing", "kernel.numa_balancing", k_is_zero);
}

Outcome busy_polling(const Machine& machine) {
  const auto read = machine.number("proc/sys/net/core/busy_read");
  const auto poll = machine.number("proc/sys/net/core/busy_poll");
  if (!read || !poll) return unavailable("the kernel is built without it");
  return ok_if(*read > 0 && *poll > 0,
               "net.core.busy_read = " + std::to_string(*read) + ", busy_poll = " + std::to_string(*poll));
}

Outcome card_interrupts(const Machine& machine) {
  if (machine.live.nics.empty()) return unavailable("no network card was asked");
  std::string text;
  bool is_known = false;
  bool is_well = true;
  for (const NicFacts& card : machine.live.nics) {
    text += (text.empty() ? "" : ", ") + card.name;
    text += card.rx_usecs ? " waits " + std::to_string(*card.rx_usecs) + " us" : std::string(" does not say");
    is_known = is_known || card.rx_usecs.has_value();
    is_well = is_well && card.rx_usecs.value_or(0) == 0;
  }
  return is_known ? ok_if(is_well, text) : unavailable(text);
}

Outcome card_offloads(const Machine& machine) {
  if (machine.live.nics.empty()) return unavailable("no network card was asked");
  std::string text;
  bool is_known = false;
  bool is_well = true;
  for (const NicFacts& card : machine.live.nics) {
    text += (text.empty() ? "" : ", ") + card.name;
    text += !card.merges_packets ? " does not say" : *card.merges_packets ? " merges packets" : " leaves packets alone";
    is_known = is_known || card.merges_packets.has_value();
    is_well = is_well && !card.merges_packets.value_or(false);
  }
  return is_known ? ok_if(is_well, text) : unavailable(text);
}

Outcome kernel_bypass(const Machine& machine) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 6> k_libraries = {{{"libonload", "Onload"},
                                                                                           {"libciul", "ef_vi"},
                                                                                           {"libvma", "VMA"},
                                                                                           {"libxlio", "XLIO"},
                                                                                           {"librte_eal", "DPDK"},
                                                                                           {"libexanic", "ExaNIC"}}};
  std::string found;
  for (const char* folder : {"usr/lib", "usr/lib64", "usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu",
                             "usr/local/lib", "usr/local/lib64"}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(machine.root / folder, error)) {
      const std::string name = entry.path().filename().string();
      for (const auto& [prefix, product] : k_libraries) {
        if (!name.starts_with(prefix) || found.find(product) != std::string::npos) continue;
        found += (found.empty() ? "" : ", ") + std::string(product);
      }
    }
  }
  return found.empty() ? unavailable("no such library: packets go through the kernel") : ok(found);
}

constexpr std::array k_memory_and_network_checks = {
    DoctorCheck{"transparent_hugepages", transparent_hugepages,
                "the kernel moves pages while threads wait: up to milliseconds", "kernel: admin-guide/mm/transhuge"},
    DoctorCheck{"explicit_hugepages", explicit_hugepages, "more misses of the TLB on large tables: some 10 ns each",
                "kernel: admin-guide/mm/hugetlbpage"},
    DoctorCheck{"swapping", swapping, "a page that was swapped out comes back from disk: milliseconds",
                "kernel: admin-guide/sysctl/vm"},
    DoctorCheck{"page_merging", page_merging, "a write to a merged page copies it first: microseconds",
                "kernel: admin-guide/mm/ksm"},
    DoctorCheck{"numa_nodes", numa_nodes,
                "memory of another node takes half as long again; dojima lab numa measures it", "man 7 numa"},
    DoctorCheck{"numa_balancing", numa_balancing,
                "the kernel takes pages away to see who uses them: a fault each, 1 to 5 us",
                "kernel: admin-guide/sysctl/kernel"},
    DoctorCheck{"busy_polling", busy_polling, "a reader sleeps and is woken by an interrupt: 5 to 50 us a message",
                "man 7 socket, SO_BUSY_POLL"},
    DoctorCheck{"card_interrupts", card_interrupts, "the card holds packets back for that long", "man 8 ethtool, -C"},
    DoctorCheck{"card_offloads", card_offloads, "a packet waits for others that it could be merged with",
                "man 8 ethtool, -K"},
    DoctorCheck{"kernel_bypass", kernel_bypass, "each message costs system calls and copies: 1 to 5 us",
                "Onload, ef_vi, VMA, DPDK"},
};

}  // namespace

std::span<const DoctorCheck> memory_and_network_checks() noexcept {
  return k_memory_and_network_checks;
}

}  // namespace dojima::evidence::doctor
