#include "dojima/backtest/queue_calibration.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "dojima/backtest/backtest_test_support.hpp"
#include "dojima/recorded/formats/compact.hpp"

namespace dojima::backtest {
namespace {

class QueueCalibrations : public testing::Test {
 protected:
  QueueCalibrations()
      : folder_(std::filesystem::temp_directory_path() / ("dojima-calibration-" + std::to_string(::getpid()) + "-" +
                                                          std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    std::filesystem::create_directories(folder_);
  }
  ~QueueCalibrations() override { std::filesystem::remove_all(folder_); }
  std::string day(const std::vector<RecordedEvent>& events, const std::vector<RecordedInstrument>& instruments) {
    recorded::MemorySink sink;
    recorded::CompactWriter writer(sink);
    static_cast<void>(writer.write(events, instruments));
    static_cast<void>(writer.finish());
    const std::string name = (folder_ / "day.events").string();
    std::ofstream(name, std::ios::binary) << sink.text();
    return name;
  }
  std::filesystem::path folder_;
};

TEST_F(QueueCalibrations, count_how_often_a_model_and_the_truth_disagree) {
  // The probe joins 20 lots, 20 more come behind it, of which 10 go. The truth knows that they were behind; so does
  // the risk-averse model, as it lets only trades bring a probe forward. power1:1 takes half of them from ahead.
  HandmadeDay made;
  made.add(0ms, 1, Side::buy, 100, 10).add(0ms, 2, Side::buy, 100, 10).add(0ms, 3, Side::sell, 105, 10);
  made.add(20ms, 4, Side::buy, 100, 10).add(30ms, 5, Side::buy, 100, 10);
  made.remove(40ms, 5);  // from behind the probe of 0 ms
  made.execute(50ms, 1, 10).execute(60ms, 2, 6);
  made.execute(70ms, 2, 4);  // now the probe is first
  made.execute(80ms, 4, 1);  // and has this one
  made.add(200ms, 6, Side::buy, 90, 1);
  const auto result =
      calibrate_queue({.day = {.file = day(made.events(), made.instruments())}, .life = 100ms, .passes = 1}, {});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->fills, 1u);
  ASSERT_EQ(result->fits.size(), 27u);
  const auto fit = [&](const char* text) {
    for (const QueueModelFit& one : result->fits)
      if (one.model == *parse_queue_model(text)) return one;
    return QueueModelFit{};
  };
  // Risk-averse is right about what went from behind.
  EXPECT_EQ(fit("risk_averse").mean_error_s, 0);
  EXPECT_EQ(fit("risk_averse").only_here + fit("risk_averse").only_truth, 0u);
  // power1:1 fills too soon.
  EXPECT_LT(fit("power1:1").late_s, 0);
  EXPECT_NEAR(fit("power1:1").mean_error_s * static_cast<double>(result->probes), 0.02, 1e-9);
  EXPECT_LE(result->fits.front().mean_error_s, result->fits.back().mean_error_s);
}

TEST_F(QueueCalibrations, are_the_same_with_any_number_of_threads) {
  const GeneratedEvents generated = generated_events(5, 1500);
  const std::string file = day(generated.events, generated.instruments);
  std::string texts[2];
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
    const auto result = calibrate_queue({.day = {.file = file}, .life = 20ms, .passes = 2, .threads = threads}, {});
    ASSERT_TRUE(result) << result.error();
    EXPECT_GT(result->fills, 10u);
    for (const QueueModelFit& fit : result->fits)
      texts[threads - 1] +=
          to_text(fit.model) + " " + std::to_string(fit.mean_error_s) + " " + std::to_string(fit.fills) + "\n";
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(QueueCalibrations, refuse_days_without_a_truth) {
  HandmadeDay levels;
  levels.level(0ms, Side::buy, 100, 5).level(0ms, Side::sell, 101, 5).trade(10ms, Side::buy, 101, 1);
  const std::string file = day(levels.events(), levels.instruments());
  const auto no_orders = calibrate_queue({.day = {.file = file}}, {});
  ASSERT_FALSE(no_orders);
  EXPECT_NE(no_orders.error().find("it has no orders, so the truth is not known"), std::string::npos);
  HandmadeDay one_side;
  one_side.add(0ms, 1, Side::buy, 100, 5).execute(10ms, 1, 1);
  const auto no_probe = calibrate_queue({.day = {.file = day(one_side.events(), one_side.instruments())}}, {});
  ASSERT_FALSE(no_probe);
  EXPECT_NE(no_probe.error().find("no probe came to rest"), std::string::npos);
  EXPECT_FALSE(calibrate_queue({.day = {.file = file}, .passes = 0}, {}));
  EXPECT_FALSE(calibrate_queue({.day = {.file = file}, .life = {}}, {}));
  EXPECT_FALSE(calibrate_queue({.day = {.file = "/no/such/file"}}, {}));
}

}  // namespace
}  // namespace dojima::backtest
