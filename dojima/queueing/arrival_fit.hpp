#pragma once

// What process a trace's arrivals follow: the rate over time, the dispersion of counts in windows of several lengths,
// whether gaps depend on each other, and four models by likelihood: a Poisson process, one whose rate changes over time
// in steps, one whose rate jumps between two states (MMPP), a self-exciting one (Hawkes). Akaike's criterion chooses;
// the Poisson process is out where the dispersion or the gaps say so, whatever its criterion. Y. Ogata, "On Lewis'
// simulation method for point processes" (1981) for the likelihood of a Hawkes process; T. Ryden, "An EM algorithm for
// estimation in Markov-modulated Poisson processes" (1996) for that of an MMPP.
//
//   const Answer<ArrivalFit> fit = fit_arrivals(parts);       // seconds; one list for each independent part
//   fit->models[fit->chosen].name
//
// For offline work: allocates, seeded by nothing; O(arrivals x steps of the search).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/queueing/answer.hpp"
#include "dojima/queueing/formulas/modulated.hpp"

namespace dojima::queueing {

/// Arrivals of one part, in seconds, rising.
using Arrivals = std::vector<double>;

/// Counts in windows of one length. `index` is variance over mean; 1 for a Poisson process.
struct Dispersion {
  double window = 0;  ///< seconds
  std::size_t windows = 0;
  double index = 1;
  double p_value = 1;  ///< two-sided, of the index under a Poisson process of constant rate
};

enum class ArrivalKind : std::uint8_t { poisson, steps, mmpp, hawkes };
[[nodiscard]] std::string_view name_of(ArrivalKind kind) noexcept;

struct ArrivalModelFit {
  ArrivalKind kind = ArrivalKind::poisson;
  std::size_t parameters = 1;
  double log_likelihood = 0;
  double aic = 0;
  bool is_rejected = false;     ///< by a test, not by the criterion
  std::string values{};         ///< the parameters, for a reader
  std::vector<double> rates{};  ///< steps: per second, equal parts of the time
  Mmpp2 mmpp{};
  Hawkes hawkes{};
};

struct ArrivalFit {
  std::size_t arrivals = 0;
  double seconds = 0;                    ///< of all parts together
  double rate = 0;                       ///< per second
  double gap_scv = 0;                    ///< squared coefficient of variation of the gaps
  std::vector<double> rate_over_time{};  ///< per second, in equal parts of the first part's time
  std::vector<Dispersion> dispersion{};
  double independence_p = 1;  ///< of Ljung and Box's test of the gaps, 10 lags
  double exponential_p = 1;   ///< of the gaps' distance to an exponential law, by bootstrap
  std::vector<ArrivalModelFit> models{};
  std::size_t chosen = 0;  ///< in `models`
};

/// At least k_least_arrivals in parts of two or more; times below 0 or falling are refused. Models are fitted to the
/// first `most` arrivals.
[[nodiscard]] Answer<ArrivalFit> fit_arrivals(std::span<const Arrivals> parts, std::size_t most = 20'000);

inline constexpr std::size_t k_least_arrivals = 200;

/// Q of Ljung and Box over `lags`, as a p-value: small when values depend on those before.
[[nodiscard]] double independence_p_value(std::span<const double> values, std::size_t lags);
/// Correlation of values `lag` apart.
[[nodiscard]] double autocorrelation(std::span<const double> values, std::size_t lag);

}  // namespace dojima::queueing
