#include "arguments.hpp"

#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <fmt/core.h>
#include <fstream>
#include <limits>
#include <mutex>
#include <nanobind/stl/string.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "dojima/backtest/latency.hpp"
#include "dojima/recorded/event.hpp"
#include "dojima/recorded/files/convert.hpp"
#include "dojima/time/calendar.hpp"

namespace dojima::python {

using market::Side;
using time::Duration;
using time::Time;

namespace {

[[nodiscard]] std::string shown(nb::handle value) {
  std::string text = nb::repr(value).c_str();
  constexpr std::size_t k_most = 80;
  if (text.size() > k_most) text = text.substr(0, k_most) + "...";
  return text;
}

[[nodiscard]] bool is_bool(nb::handle value) {
  return PyBool_Check(value.ptr()) != 0;
}

[[nodiscard]] std::string text_of(nb::handle value) {
  return nb::cast<std::string>(value);
}

[[nodiscard]] bool is_text(nb::handle value) {
  return PyUnicode_Check(value.ptr()) != 0;
}

}  // namespace

void refuse(const std::string& text) {
  throw nb::value_error(text.c_str());
}

namespace {

constexpr std::uint64_t k_no_limit = std::numeric_limits<std::uint64_t>::max();

/// The first whole number of a file behind `key`, or its only one; none: there is no such file, or no number.
std::optional<std::uint64_t> number_in(const char* file, std::string_view key = {}) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t digit = line.find_first_of("0123456789", key.size());
    std::uint64_t number = 0;
    if (digit == std::string::npos ||
        std::from_chars(line.data() + digit, line.data() + line.size(), number).ec != std::errc{})
      return std::nullopt;
    return number;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t memory_left() {
  std::uint64_t left = k_no_limit;
  if (const auto available = number_in("/proc/meminfo", "MemAvailable:")) left = *available * 1024;
  const auto most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (most && used) left = std::min(left, *most > *used ? *most - *used : 0);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const std::uint64_t taken =
        number_in("/proc/self/statm").value_or(0) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    left = std::min<std::uint64_t>(left, limit.rlim_cur > taken ? limit.rlim_cur - taken : 0);
  }
  return left;
}

void need_memory(double bytes, const std::string& what) {
  constexpr double k_small = 1 << 26;
  if (bytes <= k_small) return;
  const std::uint64_t left = memory_left();
  if (left == k_no_limit || bytes <= static_cast<double>(left)) return;
  refuse(fmt::format("{} needs about {:.3g} MB of memory, and there are {:.3g} MB left", what, bytes / 1e6,
                     static_cast<double>(left) / 1e6));
}

std::optional<std::int64_t> whole_number_of(nb::handle value) {
  if (is_bool(value) || PyIndex_Check(value.ptr()) == 0) return std::nullopt;
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    return std::nullopt;
  }
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0 || (number == -1 && PyErr_Occurred() != nullptr)) {
    PyErr_Clear();
    return std::nullopt;
  }
  return number;
}

Side side_of(nb::handle value) {
  if (is_text(value)) {
    const std::string text = text_of(value);
    if (text == "buy") return Side::buy;
    if (text == "sell") return Side::sell;
  } else if (const auto number = whole_number_of(value); number && (*number == 1 || *number == 2)) {
    return static_cast<Side>(*number);
  }
  refuse("side takes \"buy\", \"sell\" or a Side; got " + shown(value));
}

std::string path_of(nb::handle value, const char* argument) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(value.ptr(), &bytes) == 0) {
    PyErr_Clear();
    refuse(fmt::format("{} takes a path; got {}", argument, shown(value)));
  }
  const nb::object owner = nb::steal(bytes);
  return {PyBytes_AsString(bytes), static_cast<std::size_t>(PyBytes_Size(bytes))};
}

Duration duration_of(nb::handle value, const char* argument) {
  const auto fail = [&]() {
    refuse(fmt::format("{} takes a time such as \"250us\", nanoseconds, or a timedelta, not below 0; got {}", argument,
                       shown(value)));
  };
  if (is_text(value)) {
    const auto parsed = backtest::parse_duration(text_of(value));
    if (!parsed) refuse(fmt::format("{}: {}", argument, parsed.error()));
    return *parsed;
  }
  if (const auto number = whole_number_of(value)) {
    if (*number < 0) fail();
    return Duration{*number};
  }
  if (nb::hasattr(value, "total_seconds") && nb::hasattr(value, "microseconds")) {
    const auto days = nb::cast<std::int64_t>(value.attr("days")),
               seconds = nb::cast<std::int64_t>(value.attr("seconds")),
               microseconds = nb::cast<std::int64_t>(value.attr("microseconds"));
    constexpr std::int64_t k_most_days = 36'500;
    if (days < 0 || days > k_most_days) fail();
    return std::chrono::seconds{days * 86'400 + seconds} + std::chrono::microseconds{microseconds};
  }
  fail();
  return {};
}

std::string latency_of(nb::handle value, const char* argument) {
  constexpr Duration k_most = std::chrono::hours{24};
  if (is_text(value)) {
    const std::string text = text_of(value);
    const auto constant = backtest::parse_duration(text);
    if (constant && *constant > k_most) refuse(fmt::format("{} is at most a day; got {}", argument, text));
    return text;
  }
  const Duration duration = duration_of(value, argument);
  if (duration > k_most) refuse(fmt::format("{} is at most a day; got {}", argument, shown(value)));
  return std::to_string(duration.count()) + "ns";
}

std::optional<Time> moment_of(nb::handle value, const char* argument) {
  if (value.is_none()) return std::nullopt;
  if (is_text(value)) {
    const auto parsed = recorded::parse_moment(text_of(value));
    if (!parsed) refuse(fmt::format("{}: {}", argument, parsed.error()));
    return *parsed;
  }
  if (const auto number = whole_number_of(value)) return time::from_nanoseconds(*number);
  if (nb::hasattr(value, "tzinfo") && nb::hasattr(value, "timestamp")) {
    if (value.attr("tzinfo").is_none())
      refuse(fmt::format("{} takes a datetime with a time zone; got {}", argument, shown(value)));
    // To the microsecond, which is what a datetime has.
    const double microseconds = std::round(nb::cast<double>(value.attr("timestamp")()) * 1e6);
    if (std::abs(microseconds) < 9e15) return time::from_nanoseconds(static_cast<std::int64_t>(microseconds) * 1000);
  } else if (nb::hasattr(value, "astype") && nb::hasattr(value, "dtype")) {
    const nb::object whole = value.attr("astype")("datetime64[ns]").attr("astype")("int64");
    if (const auto number = whole_number_of(whole)) return time::from_nanoseconds(*number);
  }
  refuse(fmt::format("{} takes a time such as \"2012-06-21T13:30:00\", nanoseconds since 1970, or a datetime; got {}",
                     argument, shown(value)));
}

nb::object moment_or_none(Time at) {
  return at == recorded::k_unknown_time ? nb::none() : nb::object(nb::int_(at.time_since_epoch().count()));
}

std::string decimal_of(nb::handle value, const char* argument) {
  if (is_text(value)) return text_of(value);
  if (const auto number = whole_number_of(value)) return std::to_string(*number);
  if (PyFloat_Check(value.ptr()) != 0) {
    const double number = PyFloat_AsDouble(value.ptr());
    std::array<char, 400> text{};
    if (std::isfinite(number)) {
      const auto written = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
      return {text.data(), written.ptr};
    }
  }
  refuse(fmt::format("{} takes a number or text; got {}", argument, shown(value)));
}

std::vector<std::string> words_of(nb::handle value, const char* argument) {
  if (value.is_none()) return {};
  if (is_text(value)) return {text_of(value)};
  std::vector<std::string> words;
  const nb::object list = nb::steal(PySequence_List(value.ptr()));
  if (!list.is_valid()) PyErr_Clear();
  if (list.is_valid()) {
    for (const nb::handle one : nb::borrow<nb::list>(list)) {
      if (!is_text(one)) refuse(fmt::format("{} takes texts; got {}", argument, shown(one)));
      words.push_back(text_of(one));
    }
    return words;
  }
  refuse(fmt::format("{} takes a text or several; got {}", argument, shown(value)));
}

std::size_t word_of(std::string_view value, const char* argument, const std::vector<std::string>& words) {
  std::string all;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at] == value) return at;
    all += (at == 0 ? "" : ", ") + words[at];
  }
  refuse(fmt::format("{} takes one of {}; got \"{}\"", argument, all, value));
}

recorded::RecordedOptions recorded_options(nb::handle format, nb::handle date, const std::string& symbol) {
  recorded::RecordedOptions options;
  options.symbol = symbol;
  if (!format.is_none()) {
    std::vector<std::string> names;
    for (const recorded::Format one : recorded::all_formats()) names.emplace_back(recorded::name_of(one));
    if (!is_text(format)) refuse("format takes text; got " + shown(format));
    options.format = recorded::all_formats()[word_of(text_of(format), "format", names)];
  }
  if (!date.is_none()) {
    // A date, or its text.
    const std::string text = is_text(date) ? text_of(date) : std::string(nb::str(date).c_str());
    time::Date day{};
    const char* const end = text.data() + text.size();
    const auto number = [&](std::size_t from, std::size_t count, auto& into) {
      return text.size() == 10 &&
             std::from_chars(text.data() + from, text.data() + from + count, into).ptr == text.data() + from + count;
    };
    const bool is_date = end != nullptr && number(0, 4, day.year) && text[4] == '-' && number(5, 2, day.month) &&
                         text[7] == '-' && number(8, 2, day.day) && time::exists(day);
    if (!is_date) refuse("date takes a day such as 2012-06-21; got " + shown(date));
    options.date = day;
  }
  return options;
}

// ---- Rows ----------------------------------------------------------------------------------------------------------

bool is_array(nb::handle value) {
  if (!nb::ndarray_check(value)) return false;
  if (PyObject_CheckBuffer(value.ptr()) == 0) return true;
  Py_buffer view;
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_RECORDS_RO) != 0) {  // it has another way, or will be refused
    PyErr_Clear();
    return true;
  }
  const bool has_strides = view.ndim == 0 || view.strides != nullptr;
  PyBuffer_Release(&view);
  return has_strides;
}

Numbers::Numbers(nb::handle value, const char* argument, std::int64_t standard) : argument_(argument), one_(standard) {
  if (value.is_none()) return;
  if (const auto number = whole_number_of(value)) {
    // An array of one number without dimensions counts as that number.
    one_ = *number;
    return;
  }
  if (is_array(value)) {
    take_array(value);
    return;
  }
  const nb::object list = nb::steal(PySequence_List(value.ptr()));
  if (!list.is_valid()) {
    PyErr_Clear();
    refuse(fmt::format("{} takes a whole number, or an array of them; got {}", argument, shown(value)));
  }
  for (const nb::handle one : nb::borrow<nb::list>(list)) {
    const auto number = whole_number_of(one);
    if (!number) refuse(fmt::format("{}: row {}: {} is not a whole number", argument, kept_.size(), shown(one)));
    kept_.push_back(*number);
  }
  rows_ = kept_.size();
  values_ = kept_.data();
}

namespace {

template <class Value>
void copy_rows(const nb::ndarray<nb::ro>& array, std::vector<std::int64_t>& into) {
  const auto* values = static_cast<const Value*>(array.data());
  const std::int64_t stride = array.stride(0);
  for (std::size_t row = 0; row < into.size(); ++row)
    into[row] = static_cast<std::int64_t>(values[static_cast<std::int64_t>(row) * stride]);
}

}  // namespace

void Numbers::take_array(nb::handle value) {
  nb::ndarray<nb::ro> array;
  if (!nb::try_cast(value, array) || array.ndim() != 1 || array.device_type() != nb::device::cpu::value)
    refuse(fmt::format("{} takes an array of one dimension; got {}", argument_, shown(value)));
  rows_ = array.shape(0);
  const nb::dlpack::dtype type = array.dtype();
  // A copy, as others may change the array once it has been looked at: what uses it runs without the interpreter's
  // lock.
  kept_.resize(*rows_);
  if (type == nb::dtype<std::int64_t>()) {
    copy_rows<std::int64_t>(array, kept_);
  } else if (type == nb::dtype<std::int32_t>()) {
    copy_rows<std::int32_t>(array, kept_);
  } else if (type == nb::dtype<std::int16_t>()) {
    copy_rows<std::int16_t>(array, kept_);
  } else if (type == nb::dtype<std::int8_t>()) {
    copy_rows<std::int8_t>(array, kept_);
  } else if (type == nb::dtype<std::uint64_t>()) {
    copy_rows<std::uint64_t>(array, kept_);  // beyond int64: below 0
  } else if (type == nb::dtype<std::uint32_t>()) {
    copy_rows<std::uint32_t>(array, kept_);
  } else if (type == nb::dtype<std::uint16_t>()) {
    copy_rows<std::uint16_t>(array, kept_);
  } else if (type == nb::dtype<std::uint8_t>()) {
    copy_rows<std::uint8_t>(array, kept_);
  } else {
    refuse(fmt::format("{} takes whole numbers; got {}", argument_, shown(value)));
  }
  values_ = kept_.data();
}

void Numbers::hold_within(std::int64_t least, std::int64_t most) const {
  if (!rows_) {
    if (one_ < least || one_ > most) refuse(fmt::format("{} takes {} to {}; got {}", argument_, least, most, one_));
    return;
  }
  for (std::size_t row = 0; row < *rows_; ++row)
    if (values_[row] < least || values_[row] > most)
      refuse(fmt::format("{} takes {} to {}; got {} in row {}", argument_, least, most, values_[row], row));
}

std::size_t common_rows(std::initializer_list<const Numbers*> all) {
  const Numbers* first = nullptr;
  for (const Numbers* one : all) {
    if (!one->rows()) continue;
    if (first == nullptr) first = one;
    if (*one->rows() != *first->rows())
      refuse(
          fmt::format("{} has {} rows, {} has {}", first->argument(), *first->rows(), one->argument(), *one->rows()));
  }
  return first == nullptr ? 1 : *first->rows();
}

// ---- Without the lock -----------------------------------------------------------------------------------------------

namespace {

/// Of the process.
struct LockFree {
  std::mutex mutex;
  std::condition_variable change;
  std::size_t running = 0;
  std::thread::id ends_it;  // before is_over
  std::atomic<bool> is_over = false;
};
LockFree& lock_free() {
  // Never destroyed: threads may be in it when the process ends.
  static LockFree& one = *new LockFree;
  return one;
}

}  // namespace

WithoutLock::WithoutLock() {
  LockFree& all = lock_free();
  {
    const std::lock_guard guard(all.mutex);
    ++all.running;
  }
  state_ = PyEval_SaveThread();
}

WithoutLock::~WithoutLock() {
  take();
  leave();
}

void WithoutLock::take() noexcept {
  if (state_ == nullptr) return;
  stand_still_at_the_end();
  PyEval_RestoreThread(std::exchange(state_, nullptr));
}

void WithoutLock::give() noexcept {
  if (state_ == nullptr) state_ = PyEval_SaveThread();
}

void WithoutLock::leave() noexcept {
  LockFree& all = lock_free();
  const std::lock_guard guard(all.mutex);
  --all.running;
  all.change.notify_all();
}

void WithoutLock::stand_still_at_the_end() noexcept {
  if (!is_over()) return;
  leave();
  for (;;) ::pause();
}

bool WithoutLock::is_over() noexcept {
  // Whoever ends the interpreter may do what it likes on the way.
  return lock_free().is_over && lock_free().ends_it != std::this_thread::get_id();
}

void WithoutLock::end() {
  constexpr std::chrono::seconds k_patience{2};
  LockFree& all = lock_free();
  all.ends_it = std::this_thread::get_id();
  all.is_over = true;
  const nb::gil_scoped_release free;
  std::unique_lock guard(all.mutex);
  all.change.wait_for(guard, k_patience, [&] { return all.running == 0; });
}

bool SignalWatch::is_interrupted() {
  constexpr std::chrono::milliseconds k_between{20};
  if (thrown_ || WithoutLock::is_over()) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + k_between;
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) thrown_.emplace();
  return thrown_.has_value();
}

void SignalWatch::raise() {
  if (thrown_) throw nb::python_error(*std::exchange(thrown_, std::nullopt));
}

}  // namespace dojima::python
