// What holds for every line, whatever the laws: Little's law, work conservation, and longer waits under more load. On
// paths, job by job and in whole numbers; and of the formulas.

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/queueing/formulas/general_queues.hpp"
#include "dojima/queueing/formulas/markov_queues.hpp"
#include "dojima/queueing/formulas/modulated.hpp"
#include "dojima/queueing/recursions.hpp"

namespace dojima::queueing {
namespace {

struct Job {
  Ticks gap = 0;
  Ticks service = 0;
};

/// Few different times, so that much happens at the same instant.
std::vector<Job> drawn_jobs(std::uint64_t seed, std::size_t servers) {
  Random random(seed);
  std::vector<Job> jobs(1 + random.below(120));
  const Ticks longest = 1 + random.below(12);
  for (Job& job : jobs) {
    job.gap = random.below(8);
    job.service = random.below(longest * servers);
  }
  return jobs;
}

struct ServedJob {
  Ticks arrival = 0, start = 0, end = 0;
};

std::vector<ServedJob> served_by(std::size_t servers, const std::vector<Job>& jobs) {
  ManyServerQueue many(servers);
  LindleyQueue single;
  std::vector<ServedJob> served;
  Ticks now = 0;
  for (const Job& job : jobs) {
    now += job.gap;
    const Ticks wait = servers == 1 ? single.serve(now, job.service) : many.serve(now, job.service);
    served.push_back({now, now + wait, now + wait + job.service});
  }
  return served;
}

constexpr std::size_t k_server_counts[] = {1, 2, 3, 8};

TEST(LineProperties, no_server_is_idle_while_somebody_waits) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const std::size_t servers : k_server_counts) {
      const std::vector<ServedJob> served = served_by(servers, drawn_jobs(seed, servers));
      for (const ServedJob& job : served) {
        const auto busy_at = [&](Ticks at) {
          return static_cast<std::size_t>(
              std::ranges::count_if(served, [at](const ServedJob& of) { return of.start <= at && at < of.end; }));
        };
        ASSERT_LE(busy_at(job.start), servers) << "seed " << seed;
        if (job.start > job.arrival) {
          ASSERT_EQ(busy_at(job.start - 1), servers) << "seed " << seed;
        }
      }
    }
  }
}

TEST(LineProperties, requests_in_the_place_are_arrivals_times_how_long_they_stay) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    for (const std::size_t servers : k_server_counts) {
      const std::vector<ServedJob> served = served_by(servers, drawn_jobs(seed, servers));
      Ticks stayed = 0;
      Ticks end = 0;
      for (const ServedJob& job : served) {
        stayed += job.end - job.arrival;
        end = std::max(end, job.end);
      }
      Ticks area = 0;  // the number in the place, tick by tick
      for (Ticks at = 0; at < end; ++at)
        area += static_cast<Ticks>(
            std::ranges::count_if(served, [at](const ServedJob& of) { return of.arrival <= at && at < of.end; }));
      ASSERT_EQ(area, stayed) << "seed " << seed;
    }
  }
}

TEST(LineProperties, nobody_waits_less_when_gaps_are_shorter_services_longer_or_a_server_goes) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    for (const std::size_t servers : k_server_counts) {
      const std::vector<Job> jobs = drawn_jobs(seed, servers);
      std::vector<Job> denser = jobs;
      std::vector<Job> longer = jobs;
      Random random(seed + 1'000'000);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        denser[i].gap -= random.below(denser[i].gap + 1);
        longer[i].service += random.below(3);
      }
      const auto calm = served_by(servers, jobs);
      const auto less_time = served_by(servers, denser);
      const auto more_work = served_by(servers, longer);
      const auto fewer = served_by(servers == 1 ? 1 : servers - 1, jobs);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        const Ticks wait = calm[i].start - calm[i].arrival;
        ASSERT_GE(less_time[i].start - less_time[i].arrival, wait) << "seed " << seed;
        ASSERT_GE(more_work[i].start - more_work[i].arrival, wait) << "seed " << seed;
        ASSERT_GE(fewer[i].start - fewer[i].arrival, wait) << "seed " << seed;
      }
    }
  }
}

TEST(LineProperties, formulas_wait_longer_the_higher_the_load) {
  const auto rises = [](const char* name, auto station_at) {
    double last = -1;
    for (double load = 0.02; load < 0.995; load += 0.02) {
      const Answer<Station> station = station_at(load);
      ASSERT_TRUE(station.has_value()) << name << " " << station.error().text;
      EXPECT_GT(station->means.wait, last) << name << " at " << load;
      last = station->means.wait;
    }
  };
  rises("M/M/1", [](double load) { return mm1(load, 1); });
  rises("M/M/10", [](double load) { return mmc(10 * load, 1, 10); });
  rises("M/M/3/8", [](double load) { return mmck(3 * load, 1, 3, 8); });
  rises("M/D/1", [](double load) { return md1(load, 1); });
  rises("M/G/1", [](double load) { return mg1(load, Law::hyperexponential(1, 4)); });
  rises("GI/M/1", [](double load) { return gim1(Law::erlang(1 / load, 2), 1); });
  rises("MMPP(2)/M/1", [](double load) { return mmpp2_m1({{0.5 * load, 2.5 * load}, {0.1, 0.3}}, 1); });
  rises("M/M/1//10",
        [](double load) { return mm1_finite_source({.sources = 10, .think_rate = load, .service_rate = 1}); });
  rises("M/D/1//10",
        [](double load) { return md1_finite_source({.sources = 10, .think_rate = load, .service_rate = 1}); });
}

}  // namespace
}  // namespace dojima::queueing
