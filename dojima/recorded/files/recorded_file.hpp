#pragma once

// A file of recorded data, opened: packed or not, of a format that is guessed from its content or said, with the file
// that belongs beside it (LOBSTER's order book, found by its name), and the day that its times count from.
//
//   auto file = RecordedFile::open("AMZN_2012-06-21_34200000_57600000_message_1.csv.gz");
//   while (file->reader().next(event) == recorded::Next::event) ...
//   if (const std::string trouble = file->trouble(); !trouble.empty()) complain(trouble);

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/recorded/event.hpp"
#include "dojima/recorded/files/file_source.hpp"
#include "dojima/recorded/formats/format.hpp"
#include "dojima/time/calendar.hpp"

namespace dojima::recorded {

struct RecordedOptions {
  std::optional<Format> format;    ///< none: guessed
  std::optional<time::Date> date;  ///< for formats without dates; none: as the file's name says, else 1970-01-01
  std::string symbol;              ///< for formats without symbols; empty: as the file's name says
  bool has_book = true;            ///< LOBSTER: false leaves the order-book file alone
};

class RecordedFile {
 public:
  /// `file`: "-" is standard input. The error is one line for the user.
  [[nodiscard]] static std::expected<RecordedFile, std::string> open(const std::string& file,
                                                                     const RecordedOptions& options = {});

  [[nodiscard]] RecordedReader& reader() noexcept { return *reader_; }
  [[nodiscard]] const RecordedReader& reader() const noexcept { return *reader_; }
  [[nodiscard]] Format format() const noexcept { return format_; }
  /// All files that are read: the one that was named first.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  /// What the reader stopped at, with the file's name; empty: nothing.
  [[nodiscard]] std::string trouble() const;
  /// How much of the file is read, 0 to 1; none: its size is not known.
  [[nodiscard]] std::optional<double> progress() const;

 private:
  RecordedFile() = default;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<FileSource>> sources_;
  std::unique_ptr<RecordedReader> reader_;
  Format format_ = Format::csv;
};

/// The reader of a format over sources that are open: the file, and for LOBSTER the order book or null.
[[nodiscard]] std::unique_ptr<RecordedReader> make_reader(Format format, ByteSource& source, ByteSource* book,
                                                          const ReaderOptions& options);

}  // namespace dojima::recorded
