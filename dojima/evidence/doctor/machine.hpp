#pragma once

// The machine as the doctor's checks (host/doctor.hpp) see it, and what a check is. The checks lie beside, by subject.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "dojima/evidence/host/doctor.hpp"
#include "dojima/evidence/host/system_files.hpp"

namespace dojima::evidence::doctor {

struct Outcome {
  Health health;
  std::string reason;
};

inline Outcome ok(std::string reason) {
  return {Health::ok, std::move(reason)};
}
inline Outcome warn(std::string reason) {
  return {Health::warn, std::move(reason)};
}
inline Outcome unavailable(std::string reason) {
  return {Health::unavailable, std::move(reason)};
}
inline Outcome ok_if(bool is_well, const std::string& reason) {
  return is_well ? ok(reason) : warn(reason);
}

/// The configuration that the kernel was built with; empty: it does not show it.
[[nodiscard]] std::string kernel_configuration(const std::filesystem::path& root);
/// "250" of the line "CONFIG_HZ=250".
[[nodiscard]] std::optional<std::string> configured(const std::string& configuration, const std::string& name);

/// The machine as the checks see it.
struct Machine {
  std::filesystem::path root;
  LiveFacts live;
  std::string cpuinfo;
  std::vector<std::string> flags;
  std::vector<std::string> parameters;  ///< of the kernel's command line
  bool is_guest = false;

  Machine(const std::filesystem::path& of, LiveFacts facts) : root(of), live(std::move(facts)) {
    cpuinfo = read_text(root / "proc/cpuinfo").value_or("");
    flags = words_of(value_of(cpuinfo, "flags").value_or(""));
    parameters = words_of(read_text(root / "proc/cmdline").value_or(""));
    is_guest = has_flag("hypervisor");
  }

  [[nodiscard]] std::optional<std::string> text(const char* path) const { return read_text(root / path); }
  [[nodiscard]] std::optional<std::int64_t> number(const char* path) const {
    const auto found = text(path);
    return found ? whole_of(*found) : std::nullopt;
  }
  [[nodiscard]] bool has(const char* path) const {
    std::error_code error;
    return std::filesystem::exists(root / path, error);
  }
  [[nodiscard]] bool has_flag(const char* flag) const { return std::ranges::find(flags, flag) != flags.end(); }
  /// "1-3" of the parameter "rcu_nocbs=1-3".
  [[nodiscard]] std::optional<std::string> parameter(const std::string& name) const {
    for (const std::string& word : parameters) {
      if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
    }
    return std::nullopt;
  }
  /// A setting that is a number; `wanted` decides.
  template <class Wanted>
  [[nodiscard]] Outcome setting(const char* path, const char* name, Wanted wanted) const {
    const auto value = number(path);
    if (!value) return unavailable(std::string("the kernel has no ") + name);
    return ok_if(wanted(*value), std::string(name) + " = " + std::to_string(*value));
  }
};

inline constexpr auto k_is_zero = [](std::int64_t value) { return value == 0; };

struct DoctorCheck {
  const char* name;
  Outcome (*examine)(const Machine&);
  const char* cost;
  const char* read;
};

// In the order of the doctor's table.
[[nodiscard]] std::span<const DoctorCheck> processor_checks() noexcept;
[[nodiscard]] std::span<const DoctorCheck> kernel_checks() noexcept;
[[nodiscard]] std::span<const DoctorCheck> memory_and_network_checks() noexcept;

}  // namespace dojima::evidence::doctor
