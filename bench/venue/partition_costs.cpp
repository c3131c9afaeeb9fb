// dojima-partition-costs: the commands of dojima-bench-venue done in one way and so often, for tools that count what
// that costs (partition_costs.py). What is counted lies in counted(); all else is made before it.

#include "bench/venue/bytes_venue.hpp"
#include "bench/venue/limited.hpp"
#include "bench/venue/recorded_flow.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include "dojima/harness/program_options.hpp"
#include "dojima/venue/feed/feed_tap.hpp"

namespace {

using namespace dojima;
using namespace dojima::bench_venue;

constexpr market::Quantity k_sweep{1'000'000'000'000};

struct Alone {
  journal::MemoryJournal nothing{{.keep = journal::Keep::none, .capacity = 1}};
  venue::Partition partition{settings_of(1 << 16).config, nothing};
};

[[gnu::noinline]] void counted(const std::function<void()>& work) {
  work();
}

void bare_book(std::size_t commands) {
  const RecordedFlow flow(commands);
  BareBooks books;
  counted([&] {
    for (std::size_t at = 0; at < flow.size(); ++at) books.apply(flow.named(at));
  });
}

void replay(std::size_t commands) {
  const RecordedFlow flow(commands);
  Alone alone;
  counted([&] {
    for (std::size_t at = 0; at < flow.size(); ++at)
      if (!alone.partition.replay(flow.record(at))) throw std::runtime_error("a record is no command");
  });
}

/// With no limits, or with all of them and an account in each order.
void submit_commands(std::size_t commands, bool is_limited) {
  const RecordedFlow flow(commands);
  Alone alone;
  if (is_limited) limit_everything(alone.partition);
  venue::Cursor cursor;
  market::NewOrder command;  // the longest
  counted([&] {
    for (std::size_t at = 0; at < flow.size(); ++at) {
      std::memcpy(static_cast<void*>(&command), flow.record(at).data(), flow.record(at).size());
      if (is_limited && command.header.type == market::CommandType::new_order)
        command.labels.account = limited_account();
      if (!alone.partition.submit(command.header, limited_time(at))) throw std::runtime_error("the journal is full");
      if (at % 64 == 0) drain(alone.partition, cursor);
    }
  });
  // By chance an order is like one of the millisecond before it.
  if (refusals_by_limits(alone.partition) > commands / 500) throw std::runtime_error("limits refuse what is counted");
}

void submit(std::size_t commands) {
  submit_commands(commands, false);
}

void limited(std::size_t commands) {
  submit_commands(commands, true);
}

/// As submit(), with market data: what the partition's thread does for it. The ring holds all of it, so nobody takes.
void fed(std::size_t commands) {
  const RecordedFlow flow(commands);
  Alone alone;
  venue::FeedTap tap(alone.partition, commands * 8);
  venue::Cursor cursor;
  market::NewOrder command;  // the longest
  counted([&] {
    for (std::size_t at = 0; at < flow.size(); ++at) {
      std::memcpy(static_cast<void*>(&command), flow.record(at).data(), flow.record(at).size());
      const time::Time now = k_start + (at + 1) * std::chrono::microseconds{20};
      if (!alone.partition.submit(command.header, now)) throw std::runtime_error("the journal is full");
      if (at % 64 != 0) continue;
      drain(alone.partition, cursor);
      static_cast<void>(tap.release());
    }
  });
  if (tap.depth() == 0 || tap.waiting() != 0) throw std::runtime_error("the market data is not in the ring");
}

void front(std::size_t commands) {
  const Requests requests(commands);
  Alone alone;
  BytesVenue venue(alone.partition);
  counted([&] { venue.run(requests, [](std::size_t) {}); });
}

/// Memory of this process that is there, in bytes.
std::size_t resident() {
  std::size_t all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  if (pages == 0) throw std::runtime_error("/proc/self/statm cannot be read");
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// One order that trades with all offers of an instrument.
void sweep(venue::Partition& partition, std::uint32_t instrument, time::Time now) {
  market::NewOrder order;
  order.header.instrument = instrument;
  order.header.type = market::CommandType::new_order;
  order.terms.side = market::Side::buy;
  order.terms.type = market::OrderType::limit;
  order.terms.time_in_force = market::TimeInForce::immediate_or_cancel;
  order.terms.limit = {99'999 * k_tick};
  order.terms.quantity = order.terms.displayed = k_sweep;
  if (!partition.submit(order.header, now) || partition.book(instrument)->best(market::Side::sell))
    throw std::runtime_error("an order did not trade with all others");
}

/// What a partition for so many orders has taken when that many plain ones, but one, rest in it: bytes without the
/// report log, which is there from the start; all of it; and behind one order that trades with half of them.
void memory(std::size_t orders) {
  venue::PartitionSettings settings = settings_of(orders);
  for (market::Instrument& instrument : settings.config.instruments) instrument.maximum_quantity = k_sweep;
  journal::MemoryJournal nothing{{.keep = journal::Keep::none, .capacity = 1}};
  const std::size_t before = resident();
  venue::Partition partition(settings.config, nothing);
  Flow flow;
  time::Time now = k_start;
  for (std::size_t entered = 0; entered + 1 < orders; ++entered) {
    market::NewOrder& order = flow.new_order();
    const bool is_buy = order.terms.side == market::Side::buy;
    const auto away = static_cast<std::int64_t>(1 + entered % 500);  // nothing crosses
    order.terms.limit = {(10'000 + (is_buy ? -away : away)) * k_tick};
    order.header.type = market::CommandType::new_order;
    if (!partition.submit(order.header, now += std::chrono::microseconds{1}))
      throw std::runtime_error("the journal is full");
  }
  const std::size_t taken = resident() - before;
  const std::size_t log = partition.reports().capacity() * sizeof(market::OwnerReport);
  if (partition.reports().end() + 1 < orders) throw std::runtime_error("orders were not answered");
  for (std::uint32_t instrument = 1; instrument <= k_instruments; ++instrument) sweep(partition, instrument, now);
  std::printf("%zu %zu %zu\n", taken - log, taken, resident() - before);
}

/// What the parts of a partition for so many orders take of it.
void parts(std::size_t orders) {
  journal::MemoryJournal nothing{{.keep = journal::Keep::none, .capacity = 1}};
  const venue::Partition partition(settings_of(orders).config, nothing);
  for (const venue::MemoryPart& part : partition.memory_parts())
    std::printf("%.*s\t%zu\n", static_cast<int>(part.what.size()), part.what.data(), part.bytes);
}

}  // namespace

int main(int count, char** words) {
  const std::map<std::string, void (*)(std::size_t)> ways{{"book", bare_book},  {"replay", replay}, {"submit", submit},
                                                          {"limited", limited}, {"fed", fed},       {"front", front},
                                                          {"memory", memory},   {"parts", parts}};
  harness::ProgramOptions program{
      "Does the commands of dojima-bench-venue in one way, for tools that count what that costs"};
  std::string way = "replay";
  std::size_t commands = 20'000;
  program
      .add("--way", way,
           "book, replay, submit (reports read), limited (submit with every limit on), fed (submit with market data "
           "into "
           "its ring), front (MIT203 in and out, "
           "without sockets), memory: bytes without the report log, with it, and behind orders that trade with half "
           "of all; or parts: bytes by what they are for")
      .one_of({"book", "replay", "submit", "limited", "fed", "front", "memory", "parts"});
  program.add("--commands", commands, "So many; of memory and parts, orders that the partition is made for")
      .between(1, 10'000'000);
  if (const auto status = program.parse(count, words)) return *status;
  try {
    ways.at(way)(commands);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
