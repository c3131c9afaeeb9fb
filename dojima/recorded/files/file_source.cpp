#include "dojima/recorded/files/file_source.hpp"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <lzma.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <zlib.h>
#include <zstd.h>

namespace dojima::recorded {
namespace {

constexpr std::size_t k_part = std::size_t{1} << 16;

struct Step {
  std::size_t used = 0, made = 0;
  bool is_damaged = false;
};

/// A decompressor, fed piece by piece.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  /// `is_last`: nothing comes behind `input`.
  virtual Step step(Bytes input, Room output, bool is_last) = 0;
  /// Whether the packed data may end here.
  [[nodiscard]] virtual bool is_whole() const = 0;
  [[nodiscard]] virtual const char* name() const = 0;
};

class Gzip final : public Unpacker {
 public:
  Gzip() {
    constexpr int k_any_header = 15 + 32;
    is_ready_ = inflateInit2(&stream_, k_any_header) == Z_OK;
  }
  ~Gzip() override {
    if (is_ready_) inflateEnd(&stream_);
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  Step step(Bytes input, Room output, bool) override {
    if (!is_ready_) return {.is_damaged = true};
    // Several members may follow each other.
    if (is_whole_ && !input.empty()) is_whole_ = inflateReset(&stream_) != Z_OK;
    stream_.next_in = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = reinterpret_cast<unsigned char*>(output.data());
    stream_.avail_out = static_cast<uInt>(output.size());
    int status = Z_OK;
    if (!is_whole_) status = inflate(&stream_, Z_NO_FLUSH);
    is_whole_ = is_whole_ || status == Z_STREAM_END;
    return {input.size() - stream_.avail_in, output.size() - stream_.avail_out,
            status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR};
  }
  [[nodiscard]] bool is_whole() const override { return is_whole_; }
  [[nodiscard]] const char* name() const override { return "gzip"; }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
  bool is_whole_ = false;
};

class Xz final : public Unpacker {
 public:
  Xz() { is_ready_ = lzma_stream_decoder(&stream_, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK; }
  ~Xz() override { lzma_end(&stream_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

  Step step(Bytes input, Room output, bool is_last) override {
    if (!is_ready_) return {.is_damaged = true};
    if (is_whole_) return {};
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(input.data());
    stream_.avail_in = input.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(output.data());
    stream_.avail_out = output.size();
    const lzma_ret status = lzma_code(&stream_, is_last ? LZMA_FINISH : LZMA_RUN);
    is_whole_ = status == LZMA_STREAM_END;
    return {input.size() - stream_.avail_in, output.size() - stream_.avail_out,
            status != LZMA_OK && status != LZMA_STREAM_END && status != LZMA_BUF_ERROR};
  }
  [[nodiscard]] bool is_whole() const override { return is_whole_; }
  [[nodiscard]] const char* name() const override { return "xz"; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool is_ready_ = false;
  bool is_whole_ = false;
};

class Zstd final : public Unpacker {
 public:
  Step step(Bytes input, Room output, bool) override {
    if (!stream_) return {.is_damaged = true};
    if (input.empty() && is_whole_) return {};
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    const std::size_t left = ZSTD_decompressStream(stream_.get(), &out, &in);
    is_whole_ = left == 0;
    return {in.pos, out.pos, ZSTD_isError(left) != 0};
  }
  [[nodiscard]] bool is_whole() const override { return is_whole_; }
  [[nodiscard]] const char* name() const override { return "zstd"; }

 private:
  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_{ZSTD_createDStream(), ZSTD_freeDStream};
  bool is_whole_ = false;
};

/// By the first bytes; null: not packed.
std::unique_ptr<Unpacker> unpacker_for(Bytes bytes) {
  const std::string_view start = as_text(bytes);
  constexpr std::string_view k_xz("\xfd\x37zXZ\0", 6);
  if (start.starts_with("\x1f\x8b")) return std::make_unique<Gzip>();
  if (start.starts_with(k_xz)) return std::make_unique<Xz>();
  if (start.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<Zstd>();
  return nullptr;
}

/// A stream, unpacked where it is packed.
class StreamSource final : public FileSource {
 public:
  StreamSource(std::FILE* stream, std::uint64_t size)
      : stream_(stream), size_(size), part_(std::make_unique<std::byte[]>(k_part)) {
    refill();
    unpacker_ = unpacker_for(input_);
  }
  explicit StreamSource(std::string bytes)
      : size_(bytes.size()), bytes_(std::move(bytes)), input_(as_bytes(bytes_)), is_last_(true) {
    unpacker_ = unpacker_for(input_);
  }

  [[nodiscard]] std::uint64_t file_position() const noexcept override { return position_; }
  [[nodiscard]] std::uint64_t file_size() const noexcept override { return size_; }

  [[nodiscard]] std::expected<std::size_t, std::string> read(Room room) override {
    while (true) {
      if (input_.empty() && !is_last_) refill();
      if (is_unreadable_) return std::unexpected(std::string("cannot be read"));
      const Step step = unpacker_ ? unpacker_->step(input_, room, is_last_) : copied(room);
      input_ = input_.subspan(step.used);
      if (step.is_damaged) return damaged();
      if (step.made != 0) return step.made;
      if (step.used != 0 || (input_.empty() && !is_last_)) continue;
      if (!input_.empty() || (unpacker_ && !unpacker_->is_whole())) return damaged();
      return 0;
    }
  }

 private:
  struct Closing {
    void operator()(std::FILE* stream) const noexcept {
      if (stream != stdin) static_cast<void>(std::fclose(stream));
    }
  };

  [[nodiscard]] std::unexpected<std::string> damaged() const {
    return std::unexpected(std::string("damaged or cut ") + unpacker_->name());
  }
  [[nodiscard]] Step copied(Room room) const {
    const std::size_t size = std::min(room.size(), input_.size());
    std::copy_n(input_.begin(), size, room.begin());
    return {size, size};
  }
  void refill() {
    const std::size_t size = std::fread(part_.get(), 1, k_part, stream_.get());
    is_unreadable_ = std::ferror(stream_.get()) != 0;
    is_last_ = size < k_part;
    position_ += size;
    input_ = {part_.get(), size};
  }

  std::unique_ptr<std::FILE, Closing> stream_;
  std::uint64_t size_;
  std::unique_ptr<std::byte[]> part_;
  std::string bytes_;
  Bytes input_;
  std::uint64_t position_ = 0;
  bool is_last_ = false;
  bool is_unreadable_ = false;
  std::unique_ptr<Unpacker> unpacker_;
};

/// A file as it lies on the disk, mapped.
class MappedSource final : public FileSource {
 public:
  MappedSource(void* address, std::size_t size) noexcept : address_(address), size_(size) {}
  ~MappedSource() override {
    if (size_ != 0) static_cast<void>(::munmap(address_, size_));
  }
  MappedSource(const MappedSource&) = delete;
  MappedSource& operator=(const MappedSource&) = delete;
  [[nodiscard]] std::optional<Bytes> whole() const override {
    return Bytes(static_cast<const std::byte*>(address_), size_);
  }
  [[nodiscard]] std::expected<std::size_t, std::string> read(Room) override { return 0; }
  [[nodiscard]] std::uint64_t file_size() const noexcept override { return size_; }

 private:
  void* address_;
  std::size_t size_;
};

bool is_packed(std::FILE* stream) {
  std::byte start[6];
  const std::size_t size = std::fread(start, 1, sizeof start, stream);
  std::rewind(stream);
  return unpacker_for({start, size}) != nullptr;
}

}  // namespace

std::expected<std::unique_ptr<FileSource>, std::string> open_source(const std::string& file) {
  if (file == "-") return std::make_unique<StreamSource>(stdin, 0);
  std::FILE* stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr) return std::unexpected(file + ": cannot be opened");
  struct stat facts{};
  if (::fstat(::fileno(stream), &facts) != 0 || S_ISDIR(facts.st_mode)) {
    static_cast<void>(std::fclose(stream));
    return std::unexpected(file + (S_ISDIR(facts.st_mode) ? ": is a folder" : ": cannot be read"));
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (S_ISREG(facts.st_mode) && size != 0 && !is_packed(stream)) {
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, ::fileno(stream), 0);
    if (address != MAP_FAILED) {
      static_cast<void>(::madvise(address, size, MADV_SEQUENTIAL));
      static_cast<void>(std::fclose(stream));
      return std::make_unique<MappedSource>(address, size);
    }
  }
  return std::make_unique<StreamSource>(stream, S_ISREG(facts.st_mode) ? size : 0);
}

std::unique_ptr<FileSource> memory_source(std::string bytes) {
  return std::make_unique<StreamSource>(std::move(bytes));
}

}  // namespace dojima::recorded
