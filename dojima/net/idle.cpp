#include "dojima/net/idle.hpp"

#include <thread>

namespace dojima::net {

std::string_view name_of(IdlePolicy policy) noexcept {
  switch (policy) {
    case IdlePolicy::spin:
      return "spin";
    case IdlePolicy::yield:
      return "yield";
    case IdlePolicy::block:
      return "block";
    case IdlePolicy::ring:
      return "ring";
  }
  return "unnamed policy";
}

std::optional<IdlePolicy> idle_policy_of(std::string_view name) noexcept {
  for (const IdlePolicy policy : {IdlePolicy::spin, IdlePolicy::yield, IdlePolicy::block, IdlePolicy::ring}) {
    if (name == name_of(policy)) return policy;
  }
  return std::nullopt;
}

void rest(IdlePolicy policy, AsioFabric& fabric, Time until, Time now) {
  switch (policy) {
    case IdlePolicy::spin:
      break;
    case IdlePolicy::yield:
      std::this_thread::yield();
      break;
    case IdlePolicy::block:
    case IdlePolicy::ring:
      fabric.wait(until, now);
      break;
  }
}

}  // namespace dojima::net
