// What the doctor asks by system call instead of reading files.

#include <chrono>
#include <cstring>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dojima/evidence/evidence.hpp"
#include "dojima/evidence/host/doctor.hpp"
#include "dojima/measure/cycle_clock.hpp"

namespace dojima::evidence {
namespace {

/// One question to the driver of a card; false: it does not answer.
template <class Question>
bool ask(int socket, const std::string& name, Question& question) {
  ifreq request{};
  std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&question);
  return ::ioctl(socket, SIOCETHTOOL, &request) == 0;
}

NicFacts look_at_card(int socket, const std::string& name) {
  NicFacts facts{.name = name};
  ethtool_coalesce coalesce{};
  coalesce.cmd = ETHTOOL_GCOALESCE;
  if (ask(socket, name, coalesce)) facts.rx_usecs = coalesce.rx_coalesce_usecs;
  ethtool_value generic{};
  generic.cmd = ETHTOOL_GGRO;
  ethtool_value flags{};
  flags.cmd = ETHTOOL_GFLAGS;
  const bool knows_generic = ask(socket, name, generic);
  const bool knows_flags = ask(socket, name, flags);
  if (knows_generic || knows_flags) facts.merges_packets = generic.data != 0 || (flags.data & ETH_FLAG_LRO) != 0;
  return facts;
}

/// Cards have a device; bridges, tunnels and the loopback have none.
std::vector<NicFacts> look_at_cards() {
  std::vector<NicFacts> cards;
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return cards;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/net", error)) {
    if (!std::filesystem::exists(entry.path() / "device", error)) continue;
    cards.push_back(look_at_card(socket, entry.path().filename().string()));
  }
  ::close(socket);
  return cards;
}

}  // namespace

LiveFacts look_at_machine() {
  LiveFacts facts;
  facts.tsc_quantum_ns = measure::CycleClock::calibrate(std::chrono::milliseconds{2}).quantum_ns();
  facts.hardware_counters = std::string(probe_capability().at("hardware_counters").as_text());
  facts.nics = look_at_cards();
  return facts;
}

}  // namespace dojima::evidence
