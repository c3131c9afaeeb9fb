#pragma once

// A FIX client made of QuickFIX/J: the program QuickFixJTrader (tests/quickfixj) as a process, commanded over its
// input and read from its output.

#include "quickfix_client.hpp"

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace interop {

class QuickFixJClient {
 public:
  /// `class_path`: of the program; `dictionary`: a file; `folder`: of its log. Throws std::system_error.
  QuickFixJClient(const std::string& class_path, std::uint16_t port, const std::string& sender,
                  const std::string& target, const std::string& version, const std::string& dictionary,
                  const std::string& folder);
  ~QuickFixJClient();
  QuickFixJClient(const QuickFixJClient&) = delete;
  QuickFixJClient& operator=(const QuickFixJClient&) = delete;

  bool wait_logged_on(std::chrono::seconds patience);
  /// Any message with these fields, and TransactTime.
  void send(const std::string& msg_type, const std::vector<Field>& fields);
  [[nodiscard]] std::vector<Received> received();

 private:
  void read();
  pid_t process_ = -1;
  std::FILE* in_ = nullptr;
  std::FILE* out_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_logged_on_ = false;
  std::vector<Received> received_;
  std::thread reader_;
};

}  // namespace interop
