#include "dojima/mitch/feed/itch_feed.hpp"

#include "dojima/base/assert.hpp"
#include "dojima/mitch/unit.hpp"

namespace dojima::mitch {
namespace {

SoupServerConfig soup_of(ItchFeedOptions& options) {
  options.soup.session = options.mold.session;
  return std::move(options.soup);
}

}  // namespace

ItchFeed::ItchFeed(ItchFeedOptions options, sched::Scheduler& scheduler, std::vector<link::DatagramSender*> lines)
    : scheduler_(scheduler),
      translator_(*this, options.groups, options.books, options.instruments),
      mold_(options.mold, scheduler, std::move(lines)),
      soup_(soup_of(options), scheduler) {}

void ItchFeed::on_unit(Bytes bytes) {
  const Result<Unit> unit = read_unit(bytes);
  DOJIMA_ASSERT(unit.has_value(), "a writer's units are sound", bytes.size());
  for (const Bytes message : *unit) translator_.write(unit->header().market_data_group, message);
  mold_.flush();
  soup_.flush(scheduler_.now());
}

void ItchFeed::end() {
  mold_.end();
  soup_.end(scheduler_.now());
}

}  // namespace dojima::mitch
