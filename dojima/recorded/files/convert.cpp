#include "dojima/recorded/files/convert.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "dojima/recorded/files/event_file.hpp"
#include "dojima/recorded/formats/compact.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::recorded {
namespace {

/// Chooses, writes and counts.
class Conversion {
 public:
  Conversion(const ConvertSettings& settings, const ConvertHooks& hooks, EventFile file, ConvertResult& result)
      : settings_(settings), hooks_(hooks), file_(std::move(file)), result_(result) {}

  Written take(std::span<const RecordedEvent> events, std::span<const RecordedInstrument> instruments,
               std::optional<double> progress) {
    result_.events_read += events.size();
    const std::span<const RecordedEvent> chosen = choose(events, instruments);
    result_.events_written += chosen.size();
    for (const RecordedEvent& event : chosen) {
      const time::Time at = event.replay_time();
      if (at == k_unknown_time) continue;
      if (result_.first == k_unknown_time || at < result_.first) result_.first = at;
      result_.last = std::max(result_.last, at);
    }
    constexpr std::uint64_t k_between = 256;
    if (hooks_.show && ++batches_ % k_between == 0) hooks_.show({result_.events_read, progress});
    return file_.writer().write(chosen, instruments);
  }

  [[nodiscard]] bool is_stopped() {
    result_.was_interrupted = hooks_.is_interrupted && hooks_.is_interrupted();
    return result_.was_interrupted;
  }

  /// `instruments` are all that the input has named.
  Written finish(std::span<const RecordedInstrument> instruments) {
    auto written = file_.finish();
    result_.bytes_written = file_.size();
    result_.instruments = count_of(instruments);
    return written;
  }

 private:
  std::span<const RecordedEvent> choose(std::span<const RecordedEvent> events,
                                        std::span<const RecordedInstrument> instruments) {
    if (!settings_.from && !settings_.until && settings_.symbols.empty()) return events;
    chosen_.clear();
    for (const RecordedEvent& event : events) {
      const time::Time at = event.replay_time();
      if (settings_.from && at < *settings_.from) continue;
      if (settings_.until && at >= *settings_.until) continue;
      if (!settings_.symbols.empty() &&
          std::ranges::find(settings_.symbols, instruments[event.instrument].symbol) == settings_.symbols.end())
        continue;
      chosen_.push_back(event);
    }
    return chosen_;
  }

  const ConvertSettings& settings_;
  const ConvertHooks& hooks_;
  EventFile file_;
  ConvertResult& result_;
  std::vector<RecordedEvent> chosen_;
  std::uint64_t batches_ = 0;
};

Written take_all(RecordedReader& reader, Conversion& conversion,
                 const std::function<std::optional<double>()>& progress) {
  while (!conversion.is_stopped()) {
    const auto events = reader.next_batch();
    if (auto written = conversion.take(events, reader.instruments(), progress()); !written) return written;
    if (events.empty()) break;
  }
  return conversion.finish(reader.instruments());
}

/// From the block that may hold the first event wanted. Blocks are checked before they are used.
Written take_view(const CompactView& view, std::size_t block, Conversion& conversion, ConvertResult& result) {
  // The instruments are named also where no block has such an event.
  if (auto written = conversion.take({}, view.instruments(), 0); !written) return written;
  for (; block < view.blocks() && !conversion.is_stopped(); ++block) {
    if (!view.is_whole(block)) {
      result.trouble = "block " + std::to_string(block + 1) + " is damaged";
      break;
    }
    const double progress = static_cast<double>(block) / static_cast<double>(view.blocks());
    if (auto written = conversion.take(view.events(block), view.instruments(), progress); !written) return written;
  }
  return conversion.finish(view.instruments());
}

}  // namespace

std::expected<ConvertResult, std::string> convert(const ConvertSettings& settings, const ConvertHooks& hooks) {
  // A time in a mapped file is looked up, not searched.
  if (settings.from && settings.input != "-") {
    auto source = open_source(settings.input);
    if (!source) return std::unexpected(source.error());
    const auto whole = (*source)->whole();
    if (whole && is_compact(as_text(*whole))) {
      const auto view = CompactView::of(*whole);
      if (!view) return std::unexpected(settings.input + ": " + describe(view.error()));
      auto file = EventFile::create(settings.output, settings.format, view->source());
      if (!file) return std::unexpected(file.error());
      ConvertResult result{.from_format = "compact"};
      Conversion conversion(settings, hooks, *std::move(file), result);
      if (auto written = take_view(*view, view->block_at(*settings.from), conversion, result); !written)
        return std::unexpected(written.error());
      if (!result.trouble.empty()) result.trouble = settings.input + ": " + result.trouble;
      return result;
    }
  }
  auto input = RecordedFile::open(settings.input, settings.recorded);
  if (!input) return std::unexpected(input.error());
  ConvertResult result{.from_format = std::string(input->reader().format())};
  auto file = EventFile::create(settings.output, settings.format, result.from_format);
  if (!file) return std::unexpected(file.error());
  Conversion conversion(settings, hooks, *std::move(file), result);
  const auto progress = [&] { return input->progress(); };
  if (auto written = take_all(input->reader(), conversion, progress); !written) return std::unexpected(written.error());
  result.trouble = input->trouble();
  return result;
}

std::expected<ConvertResult, std::string> write_events(RecordedReader& reader, const std::string& output, Format format,
                                                       const ConvertHooks& hooks) {
  ConvertResult result{.from_format = std::string(reader.format())};
  auto file = EventFile::create(output, format, result.from_format);
  if (!file) return std::unexpected(file.error());
  const ConvertSettings all{.output = output, .format = format};
  Conversion conversion(all, hooks, *std::move(file), result);
  if (auto written = take_all(reader, conversion, [] { return std::optional<double>(); }); !written)
    return std::unexpected(written.error());
  return result;
}

std::expected<time::Time, std::string> parse_moment(const std::string& text) {
  std::int64_t nanoseconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), nanoseconds);
  if (error == std::errc() && end == text.data() + text.size()) return time::from_nanoseconds(nanoseconds);
  // 2012-06-21T13:30:00.5 as FIX writes it: 20120621-13:30:00.500
  std::string fix;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at < 10 && text[at] == '-') continue;
    fix += at == 10 && (text[at] == 'T' || text[at] == ' ') ? '-' : text[at];
  }
  if (fix.ends_with('Z')) fix.pop_back();
  if (const std::size_t point = fix.find('.'); point != std::string::npos)
    fix.append((3 - (fix.size() - point - 1) % 3) % 3, '0');
  const auto time = time::parse_timestamp(fix);
  if (time) return *time;
  return std::unexpected("\"" + text + "\" is no time: expected 2012-06-21T13:30:00 (UTC) or nanoseconds since 1970");
}

}  // namespace dojima::recorded
