#include "dojima/evidence/host/doctor.hpp"

#include <array>
#include <zlib.h>

#include "dojima/evidence/doctor/machine.hpp"

namespace dojima::evidence {

namespace doctor {

/// Packed or plain, zlib reads both.
std::string kernel_configuration(const std::filesystem::path& root) {
  gzFile file = ::gzopen((root / "proc/config.gz").c_str(), "rb");
  if (file == nullptr) return {};
  std::string text;
  std::array<char, 16384> piece{};
  for (int size = 0; (size = ::gzread(file, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  ::gzclose(file);
  return text;
}

std::optional<std::string> configured(const std::string& configuration, const std::string& name) {
  for (const std::string& line : lines_of(configuration)) {
    if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
  }
  return std::nullopt;
}

}  // namespace doctor

std::string_view name_of(Health health) noexcept {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::warn:
      return "warn";
    case Health::unavailable:
      break;
  }
  return "unavailable";
}

std::optional<double> tick_ns(const std::filesystem::path& root) {
  const auto rate = doctor::configured(doctor::kernel_configuration(root), "CONFIG_HZ");
  const auto hertz = rate ? whole_of(*rate) : std::nullopt;
  return hertz && *hertz > 0 ? std::optional(1e9 / static_cast<double>(*hertz)) : std::nullopt;
}

std::vector<DoctorFinding> examine(const std::filesystem::path& root, const LiveFacts& live) {
  const doctor::Machine machine(root, live);
  std::vector<DoctorFinding> findings;
  for (const auto checks : {doctor::processor_checks(), doctor::kernel_checks(), doctor::memory_and_network_checks()})
    for (const doctor::DoctorCheck& check : checks) {
      doctor::Outcome outcome = check.examine(machine);
      findings.push_back({check.name, outcome.health, std::move(outcome.reason), check.cost, check.read});
    }
  return findings;
}

Table table_of(const std::vector<DoctorFinding>& findings) {
  Table table{"doctor",
              "settings of this machine that bear on latency; nothing is changed",
              {{"check"}, {"health"}, {"reason"}, {"cost"}, {.name = "read", .on_screen = false}}};
  std::size_t warnings = 0;
  std::size_t gaps = 0;
  for (const DoctorFinding& one : findings) {
    table.add_row({one.check, name_of(one.health), one.reason, one.cost, one.read});
    warnings += one.health == Health::warn ? 1 : 0;
    gaps += one.health == Health::unavailable ? 1 : 0;
  }
  table.notes.push_back(std::to_string(findings.size()) +
                        " checks: " + std::to_string(findings.size() - warnings - gaps) + " ok, " +
                        std::to_string(warnings) + " warn, " + std::to_string(gaps) + " unavailable");
  return table;
}

Document document_of(const std::vector<DoctorFinding>& findings) {
  Document document = Document::object();
  for (const DoctorFinding& one : findings)
    document.set(one.check, std::string(name_of(one.health)) + ": " + one.reason);
  return document;
}

}  // namespace dojima::evidence
