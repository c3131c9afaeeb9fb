#pragma once

// FIX market data as recorded events: 35=X and W in raw streams and in logs of any dialect that FixLog reads, a
// megabyte at a time. Bids and offers with an MDEntryID become orders (`add`, `amend`, `remove`; numbers as they are,
// other ids by a hash), those without one `level` events; trades, index values, statistics follow; W clears the book
// first. Other messages are a `notice`. Prices have twelve decimals, quantities eight; what is finer is left out and
// counted.
//
// event_time is the entry's own date and time, else TransactTime; receive_time the stamp that the log has in front of
// the message, else SendingTime(52). Numbers are ApplSeqNum(1181) where there is one, per ApplID(1180), else
// MsgSeqNum(34), per sender; where they jump forward there is a `gap`. Damaged messages are left out and counted.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "dojima/fix/message.hpp"
#include "dojima/recorded/byte_source.hpp"
#include "dojima/recorded/event.hpp"
#include "dojima/recorded/fix/fix_log.hpp"

namespace dojima::recorded {

class FixDataReader final : public RecordedReader {
 public:
  /// The source outlives the reader.
  explicit FixDataReader(ByteSource& source);

  [[nodiscard]] std::string_view format() const noexcept override { return "fix"; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return position_; }
  [[nodiscard]] std::vector<TypeCount> type_counts() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> notes() const override;

 private:
  /// One entry of MDEntries; texts are of the message.
  struct Entry {
    char action = '0';
    char type = '\0';
    std::string_view symbol, id, price, size, date, time, orders, trade;
  };

  void decode(EventBatch& batch) override;
  void open_part();
  void leave_part(std::size_t used);
  void finish();
  [[nodiscard]] bool add_message(EventBatch& batch, const LoggedMessage& message);
  void check_sequence(EventBatch& batch);
  void read_entries();
  void add_data(EventBatch& batch, bool is_whole_book);
  void add_entry(EventBatch& batch, const Entry& entry);
  void add_order_entry(RecordedEvent& event, const Entry& entry);
  [[nodiscard]] bool has_book_entries() const noexcept;
  [[nodiscard]] std::uint32_t index_of(std::string_view symbol);
  [[nodiscard]] std::int64_t number(std::string_view text, unsigned decimals);
  [[nodiscard]] time::Time time_of(const Entry& entry) const;

  ByteWindow window_;
  std::optional<FixLog> log_;  // over the part in hand
  std::uint64_t part_at_ = 0;  // where it begins in the file
  std::size_t part_size_ = 0;
  bool is_last_part_ = false;
  std::uint64_t next_ = 0;  // messages that begin before were given
  std::uint64_t position_ = 0;
  LoggedMessage found_;  // the message in hand
  fix::MessageView view_;
  std::vector<Entry> entries_;
  RecordedEvent facts_;  // what all events of the message in hand share
  std::map<std::string, std::uint32_t, std::less<>> indexes_;
  std::map<std::string, std::uint64_t, std::less<>> last_numbers_;
  std::map<std::string, std::uint64_t> counts_;
  std::uint64_t damaged_ = 0, too_fine_ = 0;
};

}  // namespace dojima::recorded
