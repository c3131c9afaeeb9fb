#pragma once

// A venue's market data as ITCH 5.0: units of all its market data groups go in, and come out as MoldUDP64 datagrams on
// a line and to readers by SoupBinTCP, numbered alike through one session. One thread, that of the feeds.
//
//   ItchFeed itch(options, scheduler, {line});
//   fabric.listen({"127.0.0.1", 14305}, itch.soup());
//   FeedPublisher publisher(..., &itch);                      // gets every unit, heartbeats excepted

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dojima/mitch/feed/itch_translator.hpp"
#include "dojima/mitch/feed/mold_publisher.hpp"
#include "dojima/mitch/feed/soup_server.hpp"
#include "dojima/mitch/feed_writer.hpp"

namespace dojima::mitch {

struct ItchFeedOptions {
  std::string groups = "1";
  BookBuilderLimits books;  ///< of each group
  std::vector<ItchInstrument> instruments;
  MoldOptions mold;
  SoupServerConfig soup;  ///< its session is that of `mold`
};

class ItchFeed final : public FeedSink, private ItchSink {
 public:
  /// Scheduler entries that it reserves.
  [[nodiscard]] static constexpr std::size_t timers(const SoupServerConfig& soup) noexcept {
    return MoldPublisher::k_timers + SoupServer::timers(soup);
  }

  /// Throws as its parts do.
  ItchFeed(ItchFeedOptions options, sched::Scheduler& scheduler, std::vector<link::DatagramSender*> lines);

  void start(time::Time now) { mold_.start(now); }
  void on_unit(Bytes unit) override;
  /// No unit follows.
  void end();

  [[nodiscard]] SoupServer& soup() noexcept { return soup_; }
  [[nodiscard]] const SoupServer& soup() const noexcept { return soup_; }
  [[nodiscard]] const MoldPublisher& mold() const noexcept { return mold_; }
  /// Facts that ITCH has no place for.
  [[nodiscard]] std::uint64_t untranslated() const noexcept { return translator_.untranslated(); }

 private:
  void on_itch(Bytes message) override {
    mold_.append(message);
    soup_.append(message);
  }

  sched::Scheduler& scheduler_;
  ItchTranslator translator_;
  MoldPublisher mold_;
  SoupServer soup_;
};

}  // namespace dojima::mitch
