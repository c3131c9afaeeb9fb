#pragma once

// How a latency probe leaves: what rests is cancelled first, and the answer awaited; then it logs out.

#include "dojima/app/trade/probe/probe_round.hpp"
#include "dojima/mit/client_session.hpp"

namespace dojima::app {

class ProbeFarewell {
 public:
  /// Both outlive it.
  ProbeFarewell(mit::ClientSession& session, ProbeRound& round) : session_(session), round_(round) {}

  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
  [[nodiscard]] bool has_logged_out() const noexcept { return has_logged_out_; }

  /// Begins it, or goes on with it when an answer has come. True: a cancel was sent, and its answer is awaited.
  bool go_on() {
    has_begun_ = true;
    const bool can_cancel = round_.rests() && session_.is_logged_on();
    if (can_cancel && !has_cancelled_) {
      has_cancelled_ = true;
      if (session_.send(round_.cancel())) return true;
    } else if (can_cancel && !has_given_up_) {
      return false;
    }
    if (!has_logged_out_) {
      has_logged_out_ = true;
      session_.logout("bye");
    }
    return false;
  }
  /// The answer to the cancel is not awaited any more.
  void give_up() noexcept { has_given_up_ = true; }

 private:
  mit::ClientSession& session_;
  ProbeRound& round_;
  bool has_begun_ = false, has_cancelled_ = false, has_given_up_ = false, has_logged_out_ = false;
};

}  // namespace dojima::app
