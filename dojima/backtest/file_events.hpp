#pragma once

// The events of recorded files as a run reads them.

#include <algorithm>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dojima/backtest/backtest.hpp"
#include "dojima/recorded/files/recorded_file.hpp"

namespace dojima::backtest {

/// Events of a file that are about the market of the wanted instruments, up to the end that is wanted.
class FileEvents final : public EventStream {
 public:
  [[nodiscard]] static std::expected<FileEvents, std::string> open(const BacktestSettings& settings,
                                                                   const BacktestHooks& hooks) {
    if (hooks.open) return FileEvents(hooks.open(), settings);
    auto file = recorded::RecordedFile::open(settings.file, settings.recorded);
    if (!file) return std::unexpected(file.error());
    return FileEvents(*std::move(file), settings);
  }

  std::span<const RecordedEvent> next_batch() override {
    while (!is_over_) {
      const auto events = reader().next_batch();
      if (events.empty()) break;
      kept_.clear();
      for (const RecordedEvent& event : events) {
        if (settings_.until && event.replay_time() >= *settings_.until && !event.has(recorded::k_snapshot)) {
          is_over_ = true;
          break;
        }
        if (is_wanted(event)) kept_.push_back(event);
      }
      if (!kept_.empty()) return kept_;
    }
    return {};
  }
  const std::vector<RecordedInstrument>& instruments() const override { return reader().instruments(); }
  [[nodiscard]] std::string format() const { return std::string(reader().format()); }
  /// What it stopped at; empty: nothing.
  [[nodiscard]] std::string trouble() const {
    if (file_) return file_->trouble();
    const recorded::ReadTrouble* trouble = opened_->trouble();
    return trouble == nullptr ? std::string() : settings_.file + ": " + recorded::describe(*trouble);
  }

 private:
  FileEvents(recorded::RecordedFile file, const BacktestSettings& settings)
      : file_(std::move(file)), settings_(settings) {}
  FileEvents(std::unique_ptr<recorded::RecordedReader> opened, const BacktestSettings& settings)
      : opened_(std::move(opened)), settings_(settings) {}

  [[nodiscard]] recorded::RecordedReader& reader() { return file_ ? file_->reader() : *opened_; }
  [[nodiscard]] const recorded::RecordedReader& reader() const { return file_ ? file_->reader() : *opened_; }
  [[nodiscard]] bool is_wanted(const RecordedEvent& event) const {
    switch (event.kind) {
      case recorded::EventKind::none:
      case recorded::EventKind::window:
      case recorded::EventKind::notice:
      case recorded::EventKind::value:
      case recorded::EventKind::auction:
      case recorded::EventKind::request:
        return false;
      default:
        break;
    }
    return settings_.symbols.empty() ||
           std::ranges::find(settings_.symbols, instruments()[event.instrument].symbol) != settings_.symbols.end();
  }

  std::optional<recorded::RecordedFile> file_;          // or
  std::unique_ptr<recorded::RecordedReader> opened_{};  // by whoever handed it in
  const BacktestSettings& settings_;
  std::vector<RecordedEvent> kept_;
  bool is_over_ = false;
};

/// The files of several venues as one stream, in the order of their clocks; of equal times the first venue's come
/// first. An instrument's place is that in its file behind those of the venues before it.
class VenueEvents final : public EventStream {
 public:
  /// `instruments` of each file as its survey found them.
  VenueEvents(std::vector<FileEvents> files, const std::vector<VenueSettings>& venues,
              std::span<const DaySurvey> surveys);

  std::span<const RecordedEvent> next_batch() override;
  const std::vector<RecordedInstrument>& instruments() const override { return instruments_; }
  [[nodiscard]] std::size_t venue_of(std::uint32_t instrument) const noexcept override { return venue_of_[instrument]; }
  /// What the first file that ended too early stopped at; empty: none did.
  [[nodiscard]] std::string trouble() const;

 private:
  struct Source {
    FileEvents file;
    std::uint32_t first;  // place of its first instrument
    std::span<const RecordedEvent> batch{};
    std::size_t at = 0;
    Time time = Time::min();  // of the event at hand; never: there is none
  };
  static void load(Source& source);

  std::vector<Source> sources_;
  std::vector<RecordedInstrument> instruments_;
  std::vector<std::size_t> venue_of_;
  std::vector<RecordedEvent> merged_;
};

}  // namespace dojima::backtest
