#include "dojima/app/feed/feed_config.hpp"

#include "dojima/link/host_pattern.hpp"

namespace dojima::app {

bool is_multicast(const link::Address& address) noexcept {
  return link::host_matches(address.host, "224.0.0.0/4");
}

}  // namespace dojima::app
