#include "dojima/app/passwords/password_desk.hpp"

#include <openssl/crypto.h>
#include <utility>

namespace dojima::app {

PasswordDesk::Question::Question(const venue::PasswordQuestion& of)
    : kept(of.kept), password(of.password), chosen(of.chosen) {}

PasswordDesk::Question::~Question() {
  OPENSSL_cleanse(password.data(), password.size());
  OPENSSL_cleanse(chosen.data(), chosen.size());
}

PasswordDesk::PasswordDesk(const ScryptCost& cost, const DeskPatience& patience)
    : cost_(cost), patience_(patience), thread_([this](const std::stop_token& stop) { work(stop); }) {}

PasswordDesk::~PasswordDesk() = default;

std::optional<venue::PasswordAnswer> PasswordDesk::find(std::uint16_t user, const venue::PasswordQuestion& question) {
  const Clock::time_point now = Clock::now();
  const std::lock_guard lock(mutex_);
  const auto at = jobs_.find(user);
  if (at != jobs_.end()) {
    Job& job = at->second;
    if (job.question == question) {
      job.asked = now;
      if (!job.answer) return std::nullopt;
      std::optional<venue::PasswordAnswer> answer = std::move(job.answer);
      jobs_.erase(at);
      return answer;
    }
    if (is_held(job, now)) return std::nullopt;
    if (!job.answer) std::erase(waiting_, user);
    jobs_.erase(at);
  }
  jobs_.emplace(user, Job{.question = Question(question), .asked = now});
  waiting_.push_back(user);
  has_work_.notify_one();
  return std::nullopt;
}

/// Whether another question of the user has to wait: this one is worked on, or whoever asks it is still there.
bool PasswordDesk::is_held(const Job& job, Clock::time_point now) const noexcept {
  if (job.is_at_work) return true;
  return job.answer ? now - job.answered < patience_.answer : now - job.asked < patience_.question;
}

/// Whether nobody comes for it any more.
bool PasswordDesk::is_over(const Job& job, Clock::time_point now) const noexcept {
  if (job.is_at_work) return false;
  return job.answer ? now - job.answered >= patience_.unread : now - job.asked >= patience_.question;
}

void PasswordDesk::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (Clock::now() - tidied_ >= patience_.question) tidy();
    if (!waiting_.empty())
      answer_one(lock);
    else if (jobs_.empty())
      has_work_.wait(lock, stop, [this] { return !waiting_.empty(); });
    else
      has_work_.wait_for(lock, stop, patience_.question, [this] { return !waiting_.empty(); });
  }
}

/// The one that waits longest, unless nobody asks it any more.
void PasswordDesk::answer_one(std::unique_lock<std::mutex>& lock) {
  const std::uint16_t user = waiting_.front();
  waiting_.pop_front();
  const auto at = jobs_.find(user);
  if (is_over(at->second, Clock::now())) {
    jobs_.erase(at);
    return;
  }
  Job& job = at->second;  // nobody erases it while it is worked on, nor changes its question
  job.is_at_work = true;
  const Question& question = job.question;
  lock.unlock();
  venue::PasswordAnswer answer{.is_right = question.kept.empty() || is_password_of(question.kept, question.password),
                               .kept = {}};
  if (answer.is_right && !question.chosen.empty()) answer.kept = scrypt_text(question.chosen, cost_);
  lock.lock();
  job.is_at_work = false;
  job.answered = Clock::now();
  job.answer = std::move(answer);
}

/// Throws away what nobody comes for.
void PasswordDesk::tidy() {
  tidied_ = Clock::now();
  std::erase_if(jobs_, [this](const auto& entry) { return is_over(entry.second, tidied_); });
  std::erase_if(waiting_, [this](std::uint16_t user) { return !jobs_.contains(user); });
}

}  // namespace dojima::app
