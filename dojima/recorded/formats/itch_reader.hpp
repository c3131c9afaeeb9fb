#pragma once

// NASDAQ TotalView-ITCH 5.0 in a file: messages each behind two bytes of length, as the exchange publishes days; or a
// packet capture of the MoldUDP64 feed. Times count from midnight in New York: ReaderOptions::midnight, or the day of a
// capture's first packet. In a capture messages that come twice (lines A and B) count once, missing ones are a `gap`,
// and packets that are no MoldUDP64 are left out. A message of another type or size ends the reading: it is another
// format.
//
//   ItchReader reader(source, {.midnight = new_york_midnight({2019, 1, 30})});

#include <functional>
#include <map>

#include "dojima/recorded/byte_source.hpp"
#include "dojima/recorded/captures/capture_packets.hpp"
#include "dojima/recorded/event.hpp"
#include "dojima/recorded/formats/itch_messages.hpp"

namespace dojima::recorded {

class ItchReader final : public RecordedReader {
 public:
  /// The source outlives the reader.
  ItchReader(ByteSource& source, const ReaderOptions& options);

  [[nodiscard]] std::string_view format() const noexcept override { return "itch50"; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return window_.position(); }
  [[nodiscard]] std::vector<TypeCount> type_counts() const override { return messages_.counts(); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> notes() const override;

 private:
  void decode(EventBatch& batch) override;
  void decode_file(EventBatch& batch);
  void decode_capture(EventBatch& batch);
  void finish_capture();
  void take_day(Time packet_time);
  [[nodiscard]] bool add_datagram(EventBatch& batch, std::string_view datagram, Time time);
  void add_gap(EventBatch& batch, std::uint64_t expected, std::uint64_t got, Time time);

  ByteWindow window_;
  CapturePackets packets_;
  ItchMessages messages_;
  bool is_begun_ = false;
  bool is_capture_ = false;
  bool has_day_;
  std::uint64_t number_ = 0;                                // messages of a file so far
  std::map<std::string, std::uint64_t, std::less<>> next_;  // by session: the number expected
  std::uint64_t datagrams_ = 0, others_ = 0, doubles_ = 0;
};

}  // namespace dojima::recorded
