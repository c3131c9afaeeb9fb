#pragma once

// The search for the smallest (key ^ seed) % denominator over any key set, on all cores: smallest denominator, and its
// smallest seed, whatever the number of threads. It works in slices, so that its caller can show progress, keep its
// position and go on from there another day; it reads no clock and prints nothing.
//
//   Result<HashSearch> search = HashSearch::begin(keys);
//   while (search->status() == HashSearch::Status::searching) { search->run(threads, 4096); show(search->position()); }
//   std::string header = emit_header(*search, "mit_types");
//
// Codes below 2^b have 2^b seeds for each denominator (xor_modulo_seeds says why these are all). Where that is more
// than `seeds_max`, only that many are tried for each denominator, and the result says that it is not exhaustive.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/fsm/perfect_hash.hpp"

namespace dojima::fsm {

struct HashSearchLimits {
  std::uint64_t first_denominator = 0;                ///< 0: the number of keys
  std::uint64_t last_denominator = 0;                 ///< 0: eight times the number of keys, and at least 64
  std::uint64_t seeds_max = std::uint64_t{1} << 24U;  ///< for each denominator
};

class HashSearch {
 public:
  enum class Status : std::uint8_t { searching, found, exhausted };

  /// Errors: `missing` (no keys), `duplicate`, `no_room` (over 65,534 keys), `out_of_range` (limits that exclude
  /// everything). Throws std::bad_alloc.
  [[nodiscard]] static Result<HashSearch> begin(std::span<const std::uint64_t> keys, HashSearchLimits limits = {});

  /// Looks at up to `blocks` further blocks of at most 4,096 seeds, on `threads` threads (0 counts as 1).
  void run(unsigned threads, std::uint64_t blocks);

  [[nodiscard]] Status status() const noexcept { return status_; }
  /// Everything before it is refuted; when found, it is the answer.
  [[nodiscard]] const XorModuloPosition& position() const noexcept { return position_; }
  [[nodiscard]] HashPlan plan() const noexcept;
  [[nodiscard]] std::span<const std::uint64_t> keys() const noexcept { return keys_; }
  /// Seeds to try for each denominator, and whether these are all that matter.
  [[nodiscard]] std::uint64_t seeds() const noexcept { return seeds_; }
  [[nodiscard]] bool is_exhaustive() const noexcept { return is_exhaustive_; }
  [[nodiscard]] std::uint64_t last_denominator() const noexcept { return last_denominator_; }

  /// One line of text that `resume` accepts for the same keys and limits.
  [[nodiscard]] std::string checkpoint() const;
  /// Goes on from the checkpoint's position. Errors: `malformed`; `refused` when it belongs to other keys or limits.
  [[nodiscard]] Result<void> resume(std::string_view checkpoint);

 private:
  HashSearch() = default;
  [[nodiscard]] std::uint64_t digest() const noexcept;
  [[nodiscard]] std::uint64_t blocks_per_denominator() const noexcept;

  std::vector<std::uint64_t> keys_;
  std::uint64_t seeds_ = 0;
  std::uint64_t first_denominator_ = 0;
  std::uint64_t last_denominator_ = 0;
  bool is_exhaustive_ = false;
  Status status_ = Status::searching;
  XorModuloPosition position_;
};

/// Keys as a file lists them, one a line; `#` begins a comment. A line is a number (`12`, `0x1f`), or text of up to
/// eight characters, quoted ('D', "AE") or not, whose code is its bytes, the first one the most significant. A lone
/// digit counts as a number only when `digits_are_numbers`. Errors: `malformed`, `too_long` or `duplicate` with the
/// line as offset.
[[nodiscard]] Result<std::vector<std::uint64_t>> parse_keys(std::string_view text, bool digits_are_numbers = false);

/// The key of such a line as it is written there, without comment and blanks; empty: the line has none.
[[nodiscard]] std::string_view key_in_line(std::string_view line) noexcept;

/// A C++ header with the keys and the pair that was found, for KeyLookup. `name` is snake_case.
[[nodiscard]] std::string emit_header(const HashSearch& search, std::string_view name);

/// What `plan` says, one fact a line: strategy, slots, seed, denominator, tries, exhaustive or not.
[[nodiscard]] std::string explain(const HashPlan& plan);

}  // namespace dojima::fsm
