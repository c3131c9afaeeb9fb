#include "dojima/app/packed_file.hpp"

#include <array>
#include <cstdio>
#include <lzma.h>
#include <memory>
#include <zlib.h>
#include <zstd.h>

namespace dojima::app {
namespace {

constexpr std::size_t k_part = std::size_t{1} << 16;

std::unexpected<std::string> damaged(const std::string& name, const char* format) {
  return std::unexpected(name + ": damaged or cut " + format);
}

unsigned char* writable(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

std::expected<std::string, std::string> from_gzip(std::string& bytes, const std::string& name) {
  z_stream stream{};
  constexpr int k_any_header = 15 + 32;
  if (inflateInit2(&stream, k_any_header) != Z_OK) return std::unexpected(name + ": no memory to unpack it");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
  stream.next_in = writable(bytes);
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<unsigned char, k_part> part;
  int status = Z_OK;
  while (status == Z_OK || (status == Z_STREAM_END && stream.avail_in > 0)) {
    // Several members may stand behind each other.
    if (status == Z_STREAM_END && inflateReset(&stream) != Z_OK) break;
    stream.next_out = part.data();
    stream.avail_out = k_part;
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(reinterpret_cast<const char*>(part.data()), k_part - stream.avail_out);
    if (status == Z_BUF_ERROR) break;
  }
  if (status != Z_STREAM_END) return damaged(name, "gzip");
  return text;
}

std::expected<std::string, std::string> from_xz(std::string& bytes, const std::string& name) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED) != LZMA_OK)
    return std::unexpected(name + ": no memory to unpack it");
  const std::unique_ptr<lzma_stream, void (*)(lzma_stream*)> guard(&stream, lzma_end);
  stream.next_in = writable(bytes);
  stream.avail_in = bytes.size();
  std::string text;
  std::array<unsigned char, k_part> part;
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK) {
    stream.next_out = part.data();
    stream.avail_out = k_part;
    status = lzma_code(&stream, stream.avail_in == 0 ? LZMA_FINISH : LZMA_RUN);
    text.append(reinterpret_cast<const char*>(part.data()), k_part - stream.avail_out);
  }
  if (status != LZMA_STREAM_END) return damaged(name, "xz");
  return text;
}

std::expected<std::string, std::string> from_zstd(const std::string& bytes, const std::string& name) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (!stream) return std::unexpected(name + ": no memory to unpack it");
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  std::string text;
  std::array<char, k_part> part;
  std::size_t left = 1;
  while (input.pos < input.size || left != 0) {
    ZSTD_outBuffer output{part.data(), part.size(), 0};
    const std::size_t before = input.pos;
    left = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(left) != 0) return damaged(name, "zstd");
    text.append(part.data(), output.pos);
    if (output.pos == 0 && input.pos == before) break;
  }
  if (left != 0) return damaged(name, "zstd");
  return text;
}

}  // namespace

std::expected<std::string, std::string> unpacked(std::string bytes, const std::string& name) {
  const std::string_view start = std::string_view(bytes).substr(0, 6);
  if (start.starts_with("\x1f\x8b")) return from_gzip(bytes, name);
  if (start == std::string_view("\xfd"
                                "7zXZ\0",
                                6))
    return from_xz(bytes, name);
  if (start.starts_with("\x28\xb5\x2f\xfd")) return from_zstd(bytes, name);
  return bytes;
}

std::expected<std::string, std::string> read_packed(const std::string& file) {
  struct Closing {
    void operator()(std::FILE* stream) const noexcept {
      if (stream != stdin) static_cast<void>(std::fclose(stream));
    }
  };
  const std::unique_ptr<std::FILE, Closing> stream(file == "-" ? stdin : std::fopen(file.c_str(), "rb"));
  if (!stream) return std::unexpected(file + ": cannot be opened");
  std::string bytes;
  std::array<char, k_part> part;
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), stream.get()))
    bytes.append(part.data(), size);
  if (std::ferror(stream.get()) != 0) return std::unexpected(file + ": cannot be read");
  return unpacked(std::move(bytes), file);
}

}  // namespace dojima::app
