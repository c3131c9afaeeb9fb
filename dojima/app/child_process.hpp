#pragma once

// A program as a process of its own: started, read, killed. It ends with this process, however that ends, and Ctrl-C is
// not for it.
//
//   ChildProcess venue(program, {"venue", "--config", "venue.toml"});
//   if (!venue.wait_for("MIT203 real-time", 5s)) ... venue.output() ...
//   venue.kill();

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::app {

class ChildProcess {
 public:
  /// Throws std::system_error.
  ChildProcess(const std::string& program, const std::vector<std::string>& words);
  /// Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Reads until a line begins so. False: the process ended, or the time is over.
  [[nodiscard]] bool wait_for(std::string_view beginning, std::chrono::milliseconds patience);
  /// The rest of the first line that begins so, as far as it has come; none: there is none yet. Does not wait.
  [[nodiscard]] std::optional<std::string> rest_of_line(std::string_view beginning);
  /// Whether it has ended by itself. Does not wait.
  [[nodiscard]] bool has_ended();
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

}  // namespace dojima::app
