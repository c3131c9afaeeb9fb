#include "dojima/cli/data/queue_reactive_input.hpp"

#include <exception>
#include <fstream>
#include <iterator>
#include <utility>

#include "dojima/cli/lab/instrument.hpp"
#include "dojima/recorded/days/queue_reactive_calibration.hpp"

namespace dojima::cli {
namespace {

using Read = std::expected<void, std::string>;

template <class Take>
Read read_all_events(const std::string& name, const recorded::RecordedOptions& options, InstrumentRun& run,
                     const char* what, Take take) {
  auto file = recorded::RecordedFile::open(name, options);
  if (!file) return std::unexpected(file.error());
  std::uint64_t events = 0;
  for (auto batch = file->reader().next_batch(); !batch.empty(); batch = file->reader().next_batch()) {
    if (run.is_interrupted()) return std::unexpected(std::string("interrupted"));
    take(batch, file->reader().instruments());
    events += batch.size();
    const auto progress = file->progress();
    run.show(what, static_cast<double>(events), progress && *progress > 0 ? static_cast<double>(events) / *progress : 0,
             "events");
  }
  if (const std::string trouble = file->trouble(); !trouble.empty()) return std::unexpected(trouble);
  return {};
}

}  // namespace

std::expected<CalibratedMarket, std::string> calibrated_market(const std::string& file,
                                                               const recorded::RecordedOptions& options,
                                                               const std::string& only, InstrumentRun& run) {
  if (file == "-") return std::unexpected(std::string("the recording is read twice: name a file, not standard input"));
  recorded::OrderQuantity orders;
  const Read first = read_all_events(file, options, run, "orders",
                                     [&](auto events, const auto& instruments) { orders.take(events, instruments); });
  if (!first) return std::unexpected(first.error());
  const auto instrument = orders.instrument(only);
  if (!instrument) return std::unexpected(file + ": " + instrument.error());
  try {
    recorded::QueueReactiveCalibration calibration({}, *instrument, orders.tick(*instrument), orders.mean(*instrument));
    const Read second = read_all_events(file, options, run, "rates", [&](auto events, const auto& instruments) {
      calibration.take(events, instruments);
    });
    if (!second) return std::unexpected(second.error());
    auto model = calibration.model();
    if (!model) return std::unexpected(file + ": " + model.error());
    return CalibratedMarket{std::move(*model), calibration.events_within(), calibration.events_seen()};
  } catch (const std::exception& error) {
    return std::unexpected(file + ": " + error.what());
  }
}

std::expected<CalibratedMarket, std::string> market_like(const std::string& file,
                                                         const recorded::RecordedOptions& options, InstrumentRun& run) {
  std::ifstream bytes(file, std::ios::binary);
  std::string begin(64, '\0');
  bytes.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(bytes.gcount()));
  if (!recorded::is_queue_reactive(begin)) return calibrated_market(file, options, {}, run);
  bytes.clear();
  bytes.seekg(0);
  const std::string text{std::istreambuf_iterator<char>(bytes), std::istreambuf_iterator<char>()};
  auto model = recorded::read_queue_reactive(text);
  if (!model) return std::unexpected(file + ": " + model.error());
  return CalibratedMarket{std::move(*model)};
}

}  // namespace dojima::cli
