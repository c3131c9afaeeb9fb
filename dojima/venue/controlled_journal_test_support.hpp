#pragma once

// A journal whose room and durability the test decides.

#include <cstddef>

#include "dojima/journal/journal.hpp"

namespace dojima::venue::testing {

/// Full and lagging as the test says.
class ControlledJournal final : public journal::Journal {
 public:
  [[nodiscard]] Room prepare(std::size_t size) override { return is_full ? Room{} : Room{bytes_, size}; }
  [[nodiscard]] Room prepare_essential(std::size_t size) override {
    return is_full && !has_reserve ? Room{} : Room{bytes_, size};
  }
  journal::Sequence commit(std::size_t) override { return ++last_.value, last_; }
  [[nodiscard]] journal::Sequence last() const override { return last_; }
  [[nodiscard]] journal::Sequence durable() const override { return is_lagging ? durable_ : last_; }

  void lag() { is_lagging = true, durable_ = last_; }
  bool is_full = false;
  bool has_reserve = false;  ///< for what is essential
  bool is_lagging = false;

 private:
  alignas(8) std::byte bytes_[4096] = {};
  journal::Sequence last_;
  journal::Sequence durable_;
};

}  // namespace dojima::venue::testing
