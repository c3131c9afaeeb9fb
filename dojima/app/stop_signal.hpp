#pragma once

// Ctrl-C and SIGTERM as a question: the first one asks the program to end in order, a second one ends it at once.
// One object at a time.
//
//   StopSignal stop;
//   while (!stop.is_raised()) ...

#include <csignal>

namespace dojima::app {

class StopSignal {
 public:
  /// Takes SIGINT and SIGTERM over.
  StopSignal();
  /// Gives them back.
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  [[nodiscard]] bool is_raised() const noexcept;

 private:
  struct sigaction before_interrupt_{};
  struct sigaction before_terminate_{};
};

}  // namespace dojima::app
