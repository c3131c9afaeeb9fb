#pragma once

// What a queueing formula answers with: a value, or why there is none. A queue that grows without bound is such a
// reason, and so are parameters that describe nothing. Texts are one line that says what is missing.
//
//   const Answer<Station> answer = mmc(10, 1, 8);
//   if (!answer) show(answer.error().text);     // "load 1.25: the queue grows by 2 a second"

#include <cmath>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>

namespace dojima::queueing {

enum class RefusalKind : std::uint8_t {
  unstable,    ///< more arrives than can be served
  impossible,  ///< parameters out of their range
};

struct Refusal {
  RefusalKind kind = RefusalKind::impossible;
  std::string text{};
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

template <class T>
using Answer = std::expected<T, Refusal>;

/// "load 1.25: the queue grows by 2 a second", for rates per second of arrivals and of what all servers can do.
[[nodiscard]] Refusal unstable(double arrival_rate, double capacity);
[[nodiscard]] Refusal impossible(std::string text);

/// Above 0 and finite.
[[nodiscard]] inline bool is_positive(double value) noexcept {
  return std::isfinite(value) && value > 0;
}
/// Both above 0 and finite, arrivals below capacity: nothing; otherwise what is wrong.
[[nodiscard]] Answer<double> checked_load(double arrival_rate, double capacity);

/// P(T > t) of a time T >= 0, for t >= 0.
using Tail = std::function<double(double)>;

/// The smallest t with P(T > t) <= 1 - share: the quantile at `share`, 0 < share < 1. `scale` is any time of about the
/// right size, where the search begins. Relative error about 1e-14 where the tail is that exact.
[[nodiscard]] double quantile(const Tail& exceeds, double share, double scale);

/// Means of a queue in steady state. Times in the unit of the rates; requests turned away count in `loss` only.
struct Means {
  double load = 0;         ///< work that arrives, over what the servers can do
  double utilisation = 0;  ///< share of the time that a server is busy
  double throughput = 0;   ///< requests served per unit of time
  double loss = 0;         ///< share of the requests that find no room
  double delayed = 0;      ///< share of the served requests that wait at all
  double wait = 0;         ///< in the queue, without the service
  double response = 0;     ///< wait and service
  double queue = 0;        ///< requests waiting
  double system = 0;       ///< requests waiting or in service
};

/// A queue: its means and, where a formula gives them, the distributions of wait and response. An empty function says
/// that there is no formula.
struct Station {
  Means means;
  Tail wait_exceeds{};
  Tail response_exceeds{};
};

}  // namespace dojima::queueing
