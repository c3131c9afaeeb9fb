#pragma once

// `dojima venue` as a process of its own: started, read, killed.
//
//   VenueProcess venue(program, {"--config", "venue.toml"});
//   if (!venue.wait_for("MIT203 real-time", 5s)) ... venue.output() ...
//   venue.kill();

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::crash {

class VenueProcess {
 public:
  /// Throws std::system_error.
  VenueProcess(const std::string& program, const std::vector<std::string>& words);
  /// Kills it if it still runs.
  ~VenueProcess();
  VenueProcess(const VenueProcess&) = delete;
  VenueProcess& operator=(const VenueProcess&) = delete;

  /// Reads until a line begins so. False: the process ended, or the time is over.
  [[nodiscard]] bool wait_for(std::string_view beginning, std::chrono::milliseconds patience);
  /// SIGKILL, and waits until it is gone.
  void kill();
  /// SIGKILL alone; from any thread, before `kill()`.
  void strike() const;
  /// Everything that it has said so far.
  [[nodiscard]] const std::string& output();

 private:
  bool read_some(std::chrono::milliseconds patience);
  int process_ = -1;
  int pipe_ = -1;
  std::string output_;
};

}  // namespace dojima::crash
