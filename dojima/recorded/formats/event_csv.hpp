#pragma once

// Recorded events as text, one a line: to look at, to load into a spreadsheet or a data frame, and to bring data in
// that no reader knows. Written and read again nothing is lost.
//
//   kind,event_time,receive_time,symbol,instrument,side,price,quantity,order,other,sequence,flags,code
//   instrument,,,AMZN,0,,0.01,,0,,,4,0
//   add,1340285400017459617,,AMZN,0,buy,223.18,100,16113575,,,1,
//
// The first line names the columns, in any order; `kind` must be there, others may be left out. Times are nanoseconds
// since 1970, or as in FIX (20120621-13:30:00.017459617). Prices and quantities are decimal numbers. What is empty is
// not known. A row of the kind `instrument` describes an instrument before it is used: `price` is its tick, `order` its
// number, `flags` the decimals of prices and `code` those of quantities. A symbol or an instrument without such a row
// has eight decimals in both. docs/formats/csv.md has more.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/recorded/byte_source.hpp"
#include "dojima/recorded/event.hpp"
#include "dojima/recorded/event_writer.hpp"

namespace dojima::recorded {

class CsvWriter final : public EventWriter {
 public:
  explicit CsvWriter(ByteSink& sink) : sink_(sink) {}
  /// Refuses a symbol with a line break or more than 18 decimals.
  [[nodiscard]] Written write(std::span<const RecordedEvent> events,
                              std::span<const RecordedInstrument> instruments) override;
  [[nodiscard]] Written finish() override;

 private:
  [[nodiscard]] Written name(std::size_t index, const RecordedInstrument& instrument);
  [[nodiscard]] Written flush();

  ByteSink& sink_;
  std::string text_;
  std::vector<std::string> symbols_;  // quoted where needed
  bool is_begun_ = false;
};

class CsvReader final : public RecordedReader {
 public:
  /// The source outlives the reader.
  explicit CsvReader(ByteSource& source) : window_(source, std::size_t{1} << 20) {}

  [[nodiscard]] std::string_view format() const noexcept override { return "csv"; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return window_.position(); }
  [[nodiscard]] std::vector<TypeCount> type_counts() const override;

  enum class Column : std::uint8_t {
    kind,
    event_time,
    receive_time,
    symbol,
    instrument,
    side,
    price,
    quantity,
    order,
    other,
    sequence,
    flags,
    code,
    none
  };

 protected:
  void decode(EventBatch& batch) override;

 private:
  void read_columns();
  [[nodiscard]] bool split(std::string_view line);
  [[nodiscard]] std::string_view field(Column column) const noexcept;
  [[nodiscard]] bool read_instrument();
  [[nodiscard]] bool find_instrument(std::uint32_t& index);
  [[nodiscard]] bool read_event(RecordedEvent& event);
  [[nodiscard]] bool fail_field(Column column, const char* expected);
  template <class Value>
  [[nodiscard]] bool read_number(Column column, Value& value);
  [[nodiscard]] bool read_decimal(Column column, unsigned decimals, std::int64_t& value);
  [[nodiscard]] bool read_time(Column column, Time& value);

  ByteWindow window_;
  std::vector<Column> columns_;           // of the file, in its order
  std::vector<std::string_view> fields_;  // by Column
  std::string symbol_;                    // without quotes
  std::map<std::string, std::uint32_t, std::less<>> by_symbol_;
  std::uint64_t events_ = 0;
  bool is_begun_ = false;
};

/// Whether a first line names columns of events.
[[nodiscard]] bool is_event_csv(std::string_view start) noexcept;

}  // namespace dojima::recorded
