#include "dojima/replay/replay.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>
#include <span>
#include <utility>

#include "dojima/replay/replay_record.hpp"
#include "dojima/replay/run/replay_feed.hpp"
#include "dojima/replay/run/replay_run.hpp"

namespace dojima::replay {
namespace {

using market::Side;
using recorded::DepthLevel;
using recorded::EventKind;
using recorded::RecordedEvent;

/// The smallest step of each instrument's prices, where the reader has none: a book of orders numbers prices
/// by ticks. Reads the whole file.
std::expected<std::vector<std::int64_t>, std::string> find_ticks(const ReplaySettings& settings) {
  auto file = recorded::RecordedFile::open(settings.file, settings.recorded);
  if (!file) return std::unexpected(file.error());
  std::vector<std::int64_t> ticks;
  bool is_needed = true;
  for (auto events = file->reader().next_batch(); !events.empty() && is_needed; events = file->reader().next_batch()) {
    const auto& instruments = file->reader().instruments();
    ticks.resize(instruments.size(), 0);
    is_needed = std::ranges::any_of(instruments, [](const auto& instrument) { return instrument.tick == 0; });
    for (const RecordedEvent& event : events) {
      const bool has_price =
          event.kind == EventKind::add || event.kind == EventKind::amend || event.kind == EventKind::replace;
      if (has_price && event.price != recorded::k_unknown)
        ticks[event.instrument] = std::gcd(ticks[event.instrument], event.price);
    }
  }
  return ticks;
}

evidence::Table table_of_books(ReplayFeed& feed) {
  constexpr std::uint32_t k_most = 20;
  evidence::Table table{.name = "books",
                        .title = "the books at the end",
                        .columns = {{"symbol"}, {"bid"}, {"bid_quantity"}, {"ask"}, {"ask_quantity"}, {"last_trade"}}};
  const auto& instruments = feed.file().reader().instruments();
  std::size_t left_out = 0;
  for (std::uint32_t at = 0; at < feed.books().size(); ++at) {
    const recorded::RecordedInstrument& of = instruments[at];
    const auto bid = feed.books().best(at, Side::buy), ask = feed.books().best(at, Side::sell);
    const DepthLevel last = feed.books().last_trade(at);
    if (!bid && !ask && last.quantity == 0) continue;
    if (table.rows.size() == k_most) {
      ++left_out;
      continue;
    }
    const auto quantity = [&](const std::optional<DepthLevel>& level) {
      return level ? scaled_text(level->quantity, of.quantity_decimals) : std::string();
    };
    table.add_row({of.symbol, level_text(bid, of), quantity(bid), level_text(ask, of), quantity(ask),
                   last.quantity == 0 ? std::string() : scaled_text(last.price, of.price_decimals)});
  }
  if (left_out != 0) table.notes.push_back(fmt::format("and {} more", left_out));
  return table;
}

}  // namespace

bool can_jump(const ReplaySettings& settings) noexcept {
  return settings.file != "-" && settings.out.empty();
}

std::expected<ReplayResult, std::string> replay(const ReplaySettings& settings, const ReplayHooks& hooks,
                                                time::Clock& clock) {
  std::vector<std::int64_t> ticks;
  if (settings.books.keeper != recorded::Keeper::depth && settings.file != "-") {
    auto found = find_ticks(settings);
    if (!found) return std::unexpected(found.error());
    ticks = *std::move(found);
  }
  auto opened = open_feed(settings, ticks, hooks.watcher);
  if (!opened) return std::unexpected(std::move(opened.error()));
  ReplayResult result;
  result.format = (*opened)->file().reader().format();
  result.names = (*opened)->file().names();
  ReplayRun run(settings, hooks, clock, ticks, *std::move(opened));
  if (auto done = run.run(result); !done) return std::unexpected(done.error());
  ReplayFeed& feed = run.feed();

  result.events = feed.events();
  result.first = feed.first();
  result.last = feed.now();
  result.counts = feed.books().counts();
  const std::span instruments(feed.file().reader().instruments());
  result.instruments = recorded::count_of(instruments.first(std::min(instruments.size(), feed.books().size())));
  result.live_orders = feed.books().live_orders();
  result.digest = feed.books().digest();
  result.books = table_of_books(feed);
  result.trouble = feed.file().trouble();
  if (settings.is_checking && feed.window().counts().rows != 0) result.window = feed.window().counts();
  if (feed.beside() != nullptr && settings.books.keeper == recorded::Keeper::mirror)
    result.keepers_agree = feed.beside()->digest() == result.digest;
  return result;
}

}  // namespace dojima::replay
