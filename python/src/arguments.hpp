#pragma once

// What callers hand in, read into the house's own types: each throws ValueError with one line that names the argument,
// what it takes and what it got. Hold the interpreter's lock.

#include <chrono>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/market/order.hpp"
#include "dojima/recorded/files/recorded_file.hpp"
#include "dojima/time/time.hpp"

namespace dojima::python {

namespace nb = nanobind;

/// Throws ValueError.
[[noreturn]] void refuse(const std::string& text);

/// Bytes that this process may still take: the least of what the machine, the control group and the process's own limit
/// leave. Reads /proc.
[[nodiscard]] std::uint64_t memory_left();
/// Throws ValueError where `bytes` are more than that: before they are taken. What is small is not looked at. `what`:
/// "depth of 1000 levels each 1 ns". Needs no lock.
void need_memory(double bytes, const std::string& what);

/// A whole number of Python's or of NumPy's; none: something else, or beyond int64.
[[nodiscard]] std::optional<std::int64_t> whole_number_of(nb::handle value);
/// "buy", "sell" or a Side.
[[nodiscard]] market::Side side_of(nb::handle value);
/// A path as Python has them: str, bytes or os.PathLike.
[[nodiscard]] std::string path_of(nb::handle value, const char* argument);
/// "250us", nanoseconds as int, or a timedelta; never below 0.
[[nodiscard]] time::Duration duration_of(nb::handle value, const char* argument);
/// A latency as text, or a duration.
[[nodiscard]] std::string latency_of(nb::handle value, const char* argument);
/// "2012-06-21T13:30:00", nanoseconds since 1970 as int, an aware datetime, or a numpy.datetime64. None: none.
[[nodiscard]] std::optional<time::Time> moment_of(nb::handle value, const char* argument);
/// The other way: nanoseconds since 1970; None where no time was recorded.
[[nodiscard]] nb::object moment_or_none(time::Time at);
/// Text as it is; numbers as the shortest decimal that gives them back, without an exponent.
[[nodiscard]] std::string decimal_of(nb::handle value, const char* argument);
/// None: none; a text, or a sequence of texts.
[[nodiscard]] std::vector<std::string> words_of(nb::handle value, const char* argument);
/// One of `words`; its place.
[[nodiscard]] std::size_t word_of(std::string_view value, const char* argument, const std::vector<std::string>& words);
/// Format, date and symbol, each None or text.
[[nodiscard]] recorded::RecordedOptions recorded_options(nb::handle format, nb::handle date, const std::string& symbol);

/// An array by DLPack or by the buffer protocol. NumPy's single times are none: they hand out a buffer without strides
/// although strides are asked for, which nanobind would read nevertheless.
[[nodiscard]] bool is_array(nb::handle value);

/// Whole numbers in a row, a copy of them: an array, a sequence, or one for all rows.
class Numbers {
 public:
  /// `value` None: `standard` in every row.
  Numbers(nb::handle value, const char* argument, std::int64_t standard = 0);
  /// None: as many as are wanted.
  [[nodiscard]] std::optional<std::size_t> rows() const noexcept { return rows_; }
  [[nodiscard]] std::int64_t operator[](std::size_t row) const noexcept { return rows_ ? values_[row] : one_; }
  [[nodiscard]] const char* argument() const noexcept { return argument_; }
  /// Refuses what lies outside. Of arrays: the first such row.
  void hold_within(std::int64_t least, std::int64_t most) const;

 private:
  void take_array(nb::handle array);

  const char* argument_;
  std::optional<std::size_t> rows_{};
  std::int64_t one_ = 0;
  std::vector<std::int64_t> kept_;
  const std::int64_t* values_ = nullptr;
};
/// The rows that all of them have; refuses where they differ. 1 where none is an array.
[[nodiscard]] std::size_t common_rows(std::initializer_list<const Numbers*> all);

/// Runs without the interpreter's lock while it lives; made and ended with the lock held. When the interpreter ends,
/// threads of it may be in here still, and taking the lock would end the process: they stop then, for good.
class WithoutLock {
 public:
  WithoutLock();
  ~WithoutLock();
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;

  /// In between: takes the lock where it has not been taken, and gives it back.
  void take() noexcept;
  void give() noexcept;

  /// The interpreter ends: whatever runs is to come to its end.
  [[nodiscard]] static bool is_over() noexcept;
  /// Says so, and waits a moment for those that run. With the lock held.
  static void end();

 private:
  void leave() noexcept;
  void stand_still_at_the_end() noexcept;

  PyThreadState* state_ = nullptr;  // null: the lock is held
};

/// Asks for signals, so that Ctrl-C ends what runs. Takes the interpreter's lock at most every few milliseconds, for
/// code that runs without it. Made and ended with the lock held.
class SignalWatch {
 public:
  /// True from then on; what the signal's handler threw is kept, so that Python code may still run before it is raised.
  [[nodiscard]] bool is_interrupted();
  /// Throws it, if there is something.
  void raise();

 private:
  std::optional<nb::python_error> thrown_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

}  // namespace dojima::python
