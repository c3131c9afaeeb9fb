#include "dojima/recorded/files/recorded_file.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "dojima/recorded/fields.hpp"
#include "dojima/recorded/fix/fix_data_reader.hpp"
#include "dojima/recorded/formats/binance_reader.hpp"
#include "dojima/recorded/formats/bitstamp_reader.hpp"
#include "dojima/recorded/formats/command_log_reader.hpp"
#include "dojima/recorded/formats/compact.hpp"
#include "dojima/recorded/formats/dbn_reader.hpp"
#include "dojima/recorded/formats/event_csv.hpp"
#include "dojima/recorded/formats/itch_reader.hpp"
#include "dojima/recorded/formats/lobster_reader.hpp"
#include "dojima/recorded/new_york.hpp"

namespace dojima::recorded {
namespace {

/// Gives the first bytes again that were looked at to guess the format.
class ReplayedSource final : public FileSource {
 public:
  explicit ReplayedSource(std::unique_ptr<FileSource> source) : source_(std::move(source)) {
    if (const auto whole = source_->whole()) {
      start_ = whole->first(std::min(whole->size(), k_guess_bytes));
      return;
    }
    memory_.resize(k_guess_bytes);
    std::size_t size = 0;
    while (size < memory_.size()) {
      const auto read = source_->read(std::as_writable_bytes(std::span(memory_)).subspan(size));
      if (!read) trouble_ = read.error();
      if (!read || *read == 0) break;
      size += *read;
    }
    start_ = as_bytes(memory_).first(size);
  }

  [[nodiscard]] Bytes start() const noexcept { return start_; }
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

  [[nodiscard]] std::optional<Bytes> whole() const override { return source_->whole(); }
  [[nodiscard]] std::expected<std::size_t, std::string> read(Room room) override {
    if (at_ == start_.size()) {
      if (!trouble_.empty()) return std::unexpected(trouble_);
      return source_->read(room);
    }
    const Bytes part = start_.subspan(at_, std::min(room.size(), start_.size() - at_));
    std::copy(part.begin(), part.end(), room.begin());
    at_ += part.size();
    return part.size();
  }
  [[nodiscard]] std::uint64_t file_position() const noexcept override { return source_->file_position(); }
  [[nodiscard]] std::uint64_t file_size() const noexcept override { return source_->file_size(); }

 private:
  std::unique_ptr<FileSource> source_;
  std::string memory_;
  Bytes start_;
  std::size_t at_ = 0;
  std::string trouble_;
};

/// "_message_" for "_orderbook_" in a file's name, or the other way round; empty: it has neither.
std::string partner_of(const std::string& file, std::string_view part, std::string_view other) {
  const std::size_t folder = file.rfind('/') + 1;
  const std::size_t at = file.rfind(part);
  if (at == std::string::npos || at < folder) return {};
  return std::string(file).replace(at, part.size(), other);
}

constexpr std::string_view k_message = "_message_", k_order_book = "_orderbook_";

bool is_there(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored);
}

/// The first date like 2012-06-21 in a file's name.
std::optional<time::Date> date_in(const std::string& name) {
  for (std::size_t at = 0; at + 10 <= name.size(); ++at) {
    Fields fields(std::string_view(name).substr(at, 10));
    std::uint64_t year = 0, month = 0, day = 0;
    const bool is_date = fields.take_number(year) && fields.take('-') && fields.take_number(month) &&
                         fields.take('-') && fields.take_number(day) && fields.is_at_end();
    if (!is_date || year < 1987 || year > 2261 || month < 1 || month > 12 || day < 1 || day > 31) continue;
    return time::Date{static_cast<std::int32_t>(year), static_cast<std::uint8_t>(month),
                      static_cast<std::uint8_t>(day)};
  }
  return std::nullopt;
}

ReaderOptions reader_options(const std::string& file, const RecordedOptions& options) {
  const std::string name = std::filesystem::path(file).filename().string();
  ReaderOptions made;
  const std::optional<time::Date> date = options.date ? options.date : date_in(name);
  if (date) made.midnight = new_york_midnight(*date);
  made.symbol = options.symbol;
  const bool is_lobster_name = name.find(k_message) != std::string::npos;
  if (made.symbol.empty() && is_lobster_name) made.symbol = name.substr(0, name.find('_'));
  return made;
}

std::string list_of_formats() {
  std::string text;
  for (const Format format : all_formats()) text += (text.empty() ? "" : ", ") + std::string(name_of(format));
  return text;
}

}  // namespace

std::unique_ptr<RecordedReader> make_reader(Format format, ByteSource& source, ByteSource* book,
                                            const ReaderOptions& options) {
  switch (format) {
    case Format::lobster:
      return std::make_unique<LobsterReader>(source, book, options);
    case Format::itch50:
      return std::make_unique<ItchReader>(source, options);
    case Format::fix:
      return std::make_unique<FixDataReader>(source);
    case Format::commands:
      return std::make_unique<CommandLogReader>(source);
    case Format::dbn:
      return std::make_unique<DbnReader>(source);
    case Format::binance:
      return std::make_unique<BinanceReader>(source);
    case Format::bitstamp:
      return std::make_unique<BitstampReader>(source, options);
    case Format::compact:
      return std::make_unique<CompactReader>(source);
    case Format::csv:
      return std::make_unique<CsvReader>(source);
  }
  return nullptr;
}

std::expected<RecordedFile, std::string> RecordedFile::open(const std::string& named, const RecordedOptions& options) {
  // Of a pair either file may be named: the messages come first.
  std::string file = partner_of(named, k_order_book, k_message);
  if (file.empty() || !is_there(file)) file = named;
  RecordedFile made;
  auto source = open_source(file);
  if (!source) return std::unexpected(source.error());
  auto replayed = std::make_unique<ReplayedSource>(std::move(*source));
  if (!replayed->trouble().empty()) return std::unexpected(file + ": " + replayed->trouble());
  if (replayed->start().empty()) return std::unexpected(file + ": the file is empty");
  const std::optional<Format> format = options.format ? options.format : guess_format(replayed->start());
  if (!format) return std::unexpected(file + ": of no format known here (--format takes " + list_of_formats() + ")");
  made.format_ = *format;
  made.names_.push_back(file);
  made.sources_.push_back(std::move(replayed));
  ByteSource* book = nullptr;
  if (*format == Format::lobster && options.has_book) {
    const std::string partner = partner_of(file, k_message, k_order_book);
    if (is_there(partner)) {
      auto second = open_source(partner);
      if (!second) return std::unexpected(second.error());
      made.names_.push_back(partner);
      made.sources_.push_back(std::move(*second));
      book = made.sources_.back().get();
    }
  }
  made.reader_ = make_reader(*format, *made.sources_.front(), book, reader_options(file, options));
  return made;
}

std::string RecordedFile::trouble() const {
  const ReadTrouble* trouble = reader_->trouble();
  return trouble == nullptr ? std::string() : names_[trouble->file] + ": " + describe(*trouble);
}

std::optional<double> RecordedFile::progress() const {
  std::uint64_t size = 0, position = 0;
  for (const auto& source : sources_) {
    if (source->file_size() == 0) return std::nullopt;
    size += source->file_size();
    position += source->file_position();
  }
  if (sources_.front()->whole()) position = reader_->bytes_read();
  return std::min(1.0, static_cast<double>(position) / static_cast<double>(size));
}

}  // namespace dojima::recorded
