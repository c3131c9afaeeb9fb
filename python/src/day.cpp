#include "day.hpp"

#include <algorithm>
#include <utility>

namespace dojima::python {

static_assert(recorded::k_unknown == k_missing, "what a feed does not have is what a table misses");

namespace {

class DayReader final : public recorded::RecordedReader {
 public:
  explicit DayReader(const Day& day) : day_(day) { instruments_ = day.instruments; }
  std::string_view format() const noexcept override { return day_.format; }
  std::uint64_t bytes_read() const noexcept override { return at_ * sizeof(RecordedEvent); }
  std::vector<recorded::TypeCount> type_counts() const override { return {{"event", at_}}; }

 protected:
  void decode(recorded::EventBatch& batch) override {
    const auto room = batch.room();
    const std::size_t count = std::min(room.size(), day_.events.size() - at_);
    std::copy_n(day_.events.begin() + static_cast<std::ptrdiff_t>(at_), count, room.begin());
    batch.commit(count);
    at_ += count;
  }

 private:
  const Day& day_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<recorded::RecordedReader> reader_of(const Day& day) {
  return std::make_unique<DayReader>(day);
}

const backtest::DaySurvey& Day::survey() const {
  const std::lock_guard lock(mutex_);
  if (!survey_) {
    const backtest::BacktestSettings settings{.file = file};
    backtest::BacktestHooks hooks;
    hooks.open = [this] { return reader_of(*this); };
    survey_ = std::make_unique<backtest::DaySurvey>(backtest::survey_day(settings, hooks).value());
  }
  return *survey_;
}

std::expected<std::shared_ptr<Day>, std::string> read_day(const ReadSettings& settings,
                                                          const std::function<bool()>& is_interrupted) {
  auto file = recorded::RecordedFile::open(settings.file, settings.recorded);
  if (!file) return std::unexpected(file.error());
  auto day = std::make_shared<Day>();
  day->file = settings.file;
  day->recorded = settings.recorded;
  day->is_whole_file = settings.symbols.empty() && !settings.from && !settings.until;
  recorded::RecordedReader& reader = file->reader();
  std::uint64_t batches = 0;
  constexpr std::uint64_t k_batches_between = 64;
  for (auto events = reader.next_batch(); !events.empty(); events = reader.next_batch()) {
    if (++batches % k_batches_between == 0 && is_interrupted && is_interrupted()) break;
    if (day->is_whole_file) {
      day->events.insert(day->events.end(), events.begin(), events.end());
      continue;
    }
    for (const RecordedEvent& event : events) {
      const Time at = event.replay_time();
      const bool is_wanted = (!settings.from || at >= *settings.from) && (!settings.until || at < *settings.until) &&
                             (settings.symbols.empty() ||
                              std::ranges::find(settings.symbols, reader.instruments()[event.instrument].symbol) !=
                                  settings.symbols.end());
      if (is_wanted) day->events.push_back(event);
    }
  }
  day->instruments = reader.instruments();
  day->format = std::string(reader.format());
  day->trouble = file->trouble();
  return day;
}

}  // namespace dojima::python
