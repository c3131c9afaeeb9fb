#include "dojima/queueing/load_step.hpp"

#include <algorithm>
#include <vector>

namespace dojima::queueing {

Answer<StepRepeat> judge_step(const Trace& low, const Trace& high, const Scenario& scenario, const ForecastPlan& plan,
                              const StepRule& rule) {
  const auto forecaster = Forecaster::from(low, study_services(low, {}));
  if (!forecaster) return std::unexpected(forecaster.error());
  ForecastPlan as_long = plan;
  as_long.requests = high.size();
  const auto forecast = forecaster->predict(scenario, as_long);
  if (!forecast) return std::unexpected(forecast.error());
  StepRepeat repeat{.low_load = study_services(low, {}).load,
                    .high_load = study_services(high, {}).load,
                    .p50 = forecast->p50,
                    .p99 = forecast->p99};
  const std::vector<double> waits = settled_waits(high);
  if (waits.empty()) return std::unexpected(impossible("no request in the second capture"));
  repeat.measured_p50 = measure::quantile(waits, 0.5);
  repeat.measured_p99 = measure::quantile(waits, 0.99);
  repeat.share_close = std::min(replay(low, rule.close_ns).share_close, replay(high, rule.close_ns).share_close);
  repeat.is_contended = repeat.share_close < rule.least_close;
  return repeat;
}

std::string_view name_of(StepVerdict verdict) noexcept {
  switch (verdict) {
    case StepVerdict::met:
      return "met";
    case StepVerdict::missed:
      return "missed";
    case StepVerdict::undecidable:
      break;
  }
  return "interval only";
}

StepVerdict verdict_of(std::span<const StepRepeat> repeats, std::size_t needed) {
  std::size_t p50 = 0;
  std::size_t p99 = 0;
  std::size_t contended = 0;
  for (const StepRepeat& repeat : repeats) {
    contended += repeat.is_contended ? 1U : 0U;
    p50 += !repeat.is_contended && repeat.covers_p50() ? 1U : 0U;
    p99 += !repeat.is_contended && repeat.covers_p99() ? 1U : 0U;
  }
  const std::size_t covered = std::min(p50, p99);
  if (covered >= needed) return StepVerdict::met;
  return covered + contended < needed ? StepVerdict::missed : StepVerdict::undecidable;
}

}  // namespace dojima::queueing
