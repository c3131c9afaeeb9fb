#include "dojima/app/passwords/password_desk.hpp"

#include <openssl/crypto.h>
#include <utility>

#include "dojima/base/thread_name.hpp"

namespace dojima::app {
namespace {

venue::PasswordAnswer password_answer_of(const venue::PasswordQuestion& question, const ScryptCost& cost) {
  venue::PasswordAnswer answer{.is_right = question.kept.empty() || is_password_of(question.kept, question.password)};
  if (answer.is_right && !question.chosen.empty()) answer.kept = scrypt_text(question.chosen, cost);
  return answer;
}

}  // namespace

PasswordDesk::Question::Question(const venue::PasswordQuestion& of)
    : kept(of.kept), password(of.password), chosen(of.chosen) {}

PasswordDesk::Question::~Question() {
  OPENSSL_cleanse(password.data(), password.size());
  OPENSSL_cleanse(chosen.data(), chosen.size());
}

PasswordDesk::PasswordDesk(const ScryptCost& cost, const DeskPatience& patience)
    : PasswordDesk([cost](const venue::PasswordQuestion& question) { return password_answer_of(question, cost); },
                   patience) {}

PasswordDesk::PasswordDesk(PasswordWork how, const DeskPatience& patience)
    : work_(std::move(how)), patience_(patience), thread_([this](const std::stop_token& stop) {
        name_this_thread("passwords");
        this->work(stop);
      }) {}

PasswordDesk::~PasswordDesk() = default;

std::optional<venue::PasswordAnswer> PasswordDesk::find(const venue::PasswordAsker& asker,
                                                        const venue::PasswordQuestion& question) {
  const Clock::time_point now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (const auto at = jobs_.find(asker.connection); at != jobs_.end()) {
    Job& job = at->second;
    if (job.user == asker.user && job.host == asker.host && job.question == question) {
      job.asked = now;
      if (!job.answer) return std::nullopt;
      std::optional<venue::PasswordAnswer> answer = std::move(job.answer);
      jobs_.erase(at);
      return answer;
    }
    // Of an earlier connection of this number. What is being worked on is needed until then.
    if (job.is_at_work) return std::nullopt;
    if (!job.answer) waiting_.erase(job.host, job.user, asker.connection);
    jobs_.erase(at);
  }
  jobs_.emplace(asker.connection,
                Job{.question = Question(question), .host = std::string(asker.host), .user = asker.user, .asked = now});
  waiting_.push(asker.host, asker.user, asker.connection);
  if (waiting_.size() > patience_.waiting) turn_away(now);
  has_work_.notify_one();
  return std::nullopt;
}

/// Answers one of those that wait, perhaps the newest, with "busy": it is to try again.
void PasswordDesk::turn_away(Clock::time_point now) {
  Job& job = jobs_.at(waiting_.turn_away().value());
  job.answer = venue::PasswordAnswer{.is_busy = true};
  job.answered = now;
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
    if (waiting_.size() != 0)
      answer_one(lock);
    else if (jobs_.empty())
      has_work_.wait(lock, stop, [this] { return waiting_.size() != 0; });
    else
      has_work_.wait_for(lock, stop, patience_.question, [this] { return waiting_.size() != 0; });
  }
}

/// Whose turn it is, unless nobody asks it any more.
void PasswordDesk::answer_one(std::unique_lock<std::mutex>& lock) {
  const auto at = jobs_.find(waiting_.take().value());
  if (is_over(at->second, Clock::now())) {
    jobs_.erase(at);
    return waiting_.done();
  }
  Job& job = at->second;  // nobody erases it while it is worked on, nor changes its question
  job.is_at_work = true;
  lock.unlock();
  venue::PasswordAnswer answer =
      work_({.kept = job.question.kept, .password = job.question.password, .chosen = job.question.chosen});
  lock.lock();
  job.is_at_work = false;
  job.answered = Clock::now();
  job.answer = std::move(answer);
  waiting_.done();
}

/// Throws away what nobody comes for.
void PasswordDesk::tidy() {
  tidied_ = Clock::now();
  for (auto at = jobs_.begin(); at != jobs_.end();) {
    const Job& job = at->second;
    if (!is_over(job, tidied_)) {
      ++at;
      continue;
    }
    if (!job.answer) waiting_.erase(job.host, job.user, at->first);
    at = jobs_.erase(at);
  }
}

}  // namespace dojima::app
