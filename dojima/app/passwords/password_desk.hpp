#pragma once

// Checks and makes what is kept of passwords on a thread of its own, so that the tens of milliseconds which that takes
// on purpose hold no order up. At most one question of a user is in hand. find() takes a lock for a moment and
// allocates; it is called at logons only.
//
//   PasswordDesk desk;
//   FrontConfig config{.hasher = &desk};     // outlives the front

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/venue/credentials.hpp"

namespace dojima::app {

class PasswordDesk final : public venue::PasswordHasher {
 public:
  /// `cost`: of passwords that are chosen from now on. Throws std::system_error.
  explicit PasswordDesk(const ScryptCost& cost = {});
  PasswordDesk(const PasswordDesk&) = delete;
  PasswordDesk& operator=(const PasswordDesk&) = delete;

  [[nodiscard]] std::optional<venue::PasswordAnswer> find(std::uint16_t user,
                                                          const venue::PasswordQuestion& question) override;

 private:
  struct Job {
    venue::PasswordQuestion question;
    std::optional<venue::PasswordAnswer> answer;  // none: it waits, or is being worked on
  };
  void work(const std::stop_token& stop);

  const ScryptCost cost_;
  std::mutex mutex_;
  std::condition_variable_any has_work_;
  std::map<std::uint16_t, Job> jobs_;  // by user
  std::deque<std::uint16_t> waiting_;  // users whose question nobody works on yet
  std::jthread thread_;
};

}  // namespace dojima::app
