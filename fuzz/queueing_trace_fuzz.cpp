// Service traces come from files. Whatever is accepted can be studied, played again and forecast from, or is refused in
// words.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dojima/base/assert.hpp"
#include "dojima/measure/service_trace.hpp"
#include "dojima/queueing/forecast.hpp"
#include "dojima/queueing/trace_study.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  const auto records = measure::decode_service_trace(std::as_bytes(std::span(data, size)));
  if (!records) return 0;
  for (const std::uint16_t kind : queueing::kinds_of(*records)) {
    const auto trace = queueing::trace_of(*records, kind);
    if (!trace) continue;
    DOJIMA_ASSERT(trace->size() > 0 && trace->size() <= records->size(), "a kind has requests of the trace");
    const queueing::ServiceStudy study = queueing::study_services(*trace, {});
    DOJIMA_ASSERT(study.least <= study.median && study.median <= study.longest, "in order");
    const queueing::ReplayCheck check = queueing::replay(*trace, 20);
    DOJIMA_ASSERT(check.share_close >= 0 && check.share_close <= 1, "a share");
    if (const auto fit = queueing::fit_arrivals(trace->arrivals(), 400))
      DOJIMA_ASSERT(fit->chosen < fit->models.size(), "one of the models is chosen");
    if (const auto forecaster = queueing::Forecaster::from(*trace, study))
      static_cast<void>(forecaster->predict({}, {.replicates = 20}));
  }
  return 0;
}
