#pragma once

// One connection of a process, between the network and whoever uses it there. It outlives the process: what a process
// does after its end leaves no byte, and what its peer sees of that end is chosen later.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/journal/simulated_disk.hpp"
#include "dojima/link/connection.hpp"

namespace dojima::pairs {

/// Where a process may end: counts its steps down, and at 0 the process ends, whatever it is in the middle of.
class Fuse {
 public:
  explicit Fuse(journal::SimulatedDisk& disk) : disk_(disk) {}
  /// The process ends at the `steps`-th step from now on, the power with it or not; 0: not any more.
  void light(std::uint64_t steps, bool loses_power) {
    left_ = steps;
    loses_power_ = loses_power;
  }
  /// One more instant at which the process may end. True: it has.
  bool burn() {
    if (left_ != 0 && --left_ == 0 && disk_.has_power()) loses_power_ ? disk_.lose_power() : disk_.end_process();
    return has_burnt();
  }
  [[nodiscard]] bool has_burnt() const { return !disk_.has_power(); }

 private:
  journal::SimulatedDisk& disk_;
  std::uint64_t left_ = 0;
  bool loses_power_ = false;
};

class Wire final : public link::Connection, public link::Transport {
 public:
  /// Changes one byte in so many of what arrives, 0: none, as it is when bytes arrive.
  explicit Wire(const std::uint64_t& damage_stride) : stride_(damage_stride) {}

  void take(link::Connection& user, Fuse& fuse) {
    user_ = &user;
    fuse_ = &fuse;
    is_used_ = true;
    used_ = 0;
  }
  [[nodiscard]] bool is_used() const { return is_used_; }
  [[nodiscard]] bool is_of(const Fuse& fuse) const { return is_used_ && user_ != nullptr && fuse_ == &fuse; }
  /// The process is gone: nothing reaches it any more.
  void abandon() { user_ = nullptr; }
  /// The kernel ends the stream of a process that is gone, behind what it had sent.
  void end() {
    if (out_ != nullptr) out_->close(link::CloseReason::by_us);
  }

  // link::Connection
  void on_open(link::Transport& transport, time::Time now) override {
    out_ = &transport;
    if (user_ == nullptr) return transport.close(link::CloseReason::by_us);
    user_->on_open(*this, now);
  }
  [[nodiscard]] std::size_t on_bytes(Bytes bytes, time::Time now) override {
    if (is_gone()) return bytes.size();
    const std::size_t used = user_->on_bytes(stride_ == 0 ? bytes : damaged(bytes), now);
    used_ += used;
    return used;
  }
  void on_writable(time::Time now) override {
    if (!is_gone()) user_->on_writable(now);
  }
  void on_closed(link::CloseReason reason, time::Time now) override {
    out_ = nullptr;
    is_used_ = false;
    if (!is_gone()) user_->on_closed(reason, now);
  }

  // link::Transport
  [[nodiscard]] Room prepare(std::size_t size) override { return fuse_->burn() ? Room{} : out_->prepare(size); }
  void commit(std::size_t size) override {
    if (fuse_->burn()) return;
    out_->commit(size);
    fuse_->burn();
  }
  [[nodiscard]] std::size_t unsent() const override { return out_->unsent(); }
  void flush() override {
    if (!is_gone()) out_->flush();
  }
  void set_reading(bool is_wanted) override {
    if (!is_gone() && out_ != nullptr) out_->set_reading(is_wanted);
  }
  void close(link::CloseReason reason) override {
    if (!fuse_->burn()) out_->close(reason);
  }

 private:
  [[nodiscard]] bool is_gone() const { return user_ == nullptr || fuse_->has_burnt(); }
  Bytes damaged(Bytes bytes) {
    shown_.assign(bytes.begin(), bytes.end());
    for (std::uint64_t at = (used_ / stride_ + 1) * stride_ - 1 - used_; at < shown_.size(); at += stride_)
      shown_[static_cast<std::size_t>(at)] ^= std::byte{0x10};
    return shown_;
  }

  link::Connection* user_ = nullptr;
  link::Transport* out_ = nullptr;
  Fuse* fuse_ = nullptr;
  bool is_used_ = false;
  const std::uint64_t& stride_;
  std::uint64_t used_ = 0;
  std::vector<std::byte> shown_;
};

}  // namespace dojima::pairs
