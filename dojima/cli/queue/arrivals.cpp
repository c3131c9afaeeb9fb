#include "dojima/cli/queue/arrivals.hpp"

#include "dojima/cli/command.hpp"

namespace dojima::cli {

void ArrivalOptions::add_to(Command command, const std::vector<std::string>& models, const std::string& meaning) {
  command.add_option("--arrivals", model, meaning).one_of(models).show_default();
  command.add_option("--burst-share", burst_share, "Thousandths of the time that are busy (bursts)")
      .between(1, 999)
      .show_default();
  command.add_option("--burst-factor", burst_factor, "How many times the calm rate the busy one is (bursts)")
      .between(2, 100)
      .show_default();
  command.add_option("--burst", burst_s, "Mean length of a burst, in seconds").between(1e-6, 60.0).show_default();
  command.add_option("--branching", branching, "Arrivals that one causes (hawkes)").between(0.0, 0.99).show_default();
  command.add_option("--memory", memory_s, "Excitement falls to 1/e in this time, in seconds (hawkes)")
      .between(1e-6, 60.0)
      .show_default();
}

flow::ArrivalConfig ArrivalOptions::config() const {
  flow::ArrivalConfig made;
  if (model == "bursts") made.model = flow::ArrivalModel::bursts;
  if (model == "hawkes") made.model = flow::ArrivalModel::hawkes;
  made.burst_share = static_cast<std::uint32_t>(burst_share);
  made.burst_factor = static_cast<std::uint32_t>(burst_factor);
  made.burst_length = time::Duration{static_cast<std::int64_t>(burst_s * 1e9 + 0.5)};
  made.branching = static_cast<std::uint32_t>(branching * 1000 + 0.5);
  made.memory = time::Duration{static_cast<std::int64_t>(memory_s * 1e9 + 0.5)};
  return made;
}

}  // namespace dojima::cli
