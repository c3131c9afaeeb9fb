#include "dojima/recorded/files/event_file.hpp"

#include <charconv>
#include <cstdio>
#include <utility>

#include "dojima/recorded/formats/bitstamp_writer.hpp"
#include "dojima/recorded/formats/compact.hpp"
#include "dojima/recorded/formats/event_csv.hpp"
#include "dojima/recorded/formats/itch_writer.hpp"
#include "dojima/recorded/formats/lobster_writer.hpp"

namespace dojima::recorded {

/// A file that is written front to back. Blocks are large: the stream's own buffer only copies.
class EventFile::FileSink final : public ByteSink {
 public:
  explicit FileSink(std::string name)
      : name_(std::move(name)), stream_(name_ == "-" ? stdout : std::fopen(name_.c_str(), "wb")) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override { static_cast<void>(close()); }

  [[nodiscard]] bool is_open() const noexcept { return stream_ != nullptr; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  Written write(Bytes bytes) override {
    size_ += bytes.size();
    if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) == bytes.size()) return {};
    return std::unexpected(name_ + ": cannot be written to the end; is the disk full?");
  }

  Written close() {
    std::FILE* stream = std::exchange(stream_, nullptr);
    if (stream == nullptr) return {};
    const bool is_written = stream == stdout ? std::fflush(stream) == 0 : std::fclose(stream) == 0;
    if (is_written) return {};
    return std::unexpected(name_ + ": cannot be written to the end; is the disk full?");
  }

 private:
  std::string name_;
  std::FILE* stream_;
  std::uint64_t size_ = 0;
};

Format format_for(std::string_view file) noexcept {
  return file.ends_with(".csv") ? Format::csv : Format::compact;
}

std::vector<std::string> writable_formats() {
  return {"compact", "csv", "lobster", "itch50", "bitstamp"};
}

ByteSink* EventFile::add_sink(const std::string& file) {
  sinks_.push_back(std::make_shared<FileSink>(file));
  return sinks_.back()->is_open() ? sinks_.back().get() : nullptr;
}

std::expected<EventFile, std::string> EventFile::create(const std::string& file, Format format,
                                                        std::string_view source) {
  EventFile made;
  ByteSink* sink = made.add_sink(file);
  if (sink == nullptr)
    return std::unexpected(file + ": cannot be written; does the folder exist, and may you write there?");
  switch (format) {
    case Format::compact:
      made.writer_ = std::make_unique<CompactWriter>(*sink, source);
      break;
    case Format::csv:
      made.writer_ = std::make_unique<CsvWriter>(*sink);
      break;
    case Format::itch50:
      made.writer_ = std::make_unique<ItchWriter>(*sink);
      break;
    case Format::bitstamp:
      made.writer_ = std::make_unique<BitstampWriter>(*sink);
      break;
    case Format::lobster: {
      // The order book lies beside the messages, by LOBSTER's names.
      constexpr std::string_view k_message = "_message_";
      constexpr std::size_t k_levels = 10;
      const std::size_t at = file.rfind(k_message);
      ByteSink* book = nullptr;
      if (at != std::string::npos) {
        const std::string partner = std::string(file).replace(at, k_message.size(), "_orderbook_");
        book = made.add_sink(partner);
        if (book == nullptr) return std::unexpected(partner + ": cannot be written");
      }
      std::size_t levels = k_levels;
      if (at != std::string::npos) {
        const char* const number = file.data() + at + k_message.size();
        static_cast<void>(std::from_chars(number, file.data() + file.size(), levels));
      }
      made.writer_ = std::make_unique<LobsterWriter>(*sink, book, levels == 0 ? k_levels : levels);
      break;
    }
    default:
      return std::unexpected(std::string(name_of(format)) + ": nothing here writes that format");
  }
  return made;
}

Written EventFile::finish() {
  if (auto written = writer_->finish(); !written) return written;
  for (const auto& sink : sinks_)
    if (auto closed = sink->close(); !closed) return closed;
  return {};
}

std::uint64_t EventFile::size() const noexcept {
  std::uint64_t size = 0;
  for (const auto& sink : sinks_) size += sink->size();
  return size;
}

}  // namespace dojima::recorded
