#pragma once

// `dojima gateway` as a process of its own, the program beside this one: killed as kill -9 does it.

#include <cstddef>
#include <string>
#include <sys/types.h>

namespace dojima::bench {

class GatewayProcess {
 public:
  /// What it says goes to the file `log`. It may run on any processor but the one of its maker, where there is another.
  /// Throws std::system_error, std::runtime_error (there is no such program).
  GatewayProcess(const std::string& config, const std::string& log);
  /// Kills it.
  ~GatewayProcess();
  GatewayProcess(const GatewayProcess&) = delete;
  GatewayProcess& operator=(const GatewayProcess&) = delete;

  /// Bytes of its own memory that are in use (RssAnon).
  [[nodiscard]] std::size_t memory() const;
  /// Throws std::runtime_error with the log's end when it is gone.
  void check() const;

 private:
  pid_t id_ = -1;
  std::string log_;
};

}  // namespace dojima::bench
