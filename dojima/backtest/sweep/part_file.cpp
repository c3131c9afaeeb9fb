#include "dojima/backtest/sweep/part_file.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>

namespace dojima::backtest {
namespace {

std::uint32_t checksum_of_line(std::string_view line) noexcept {
  std::uint32_t hash = 0x811c9dc5;
  for (const char letter : line) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x01000193U;
  return hash;
}

/// Into its place in `rows`; false: torn, changed or of no point.
bool take_line(std::string_view line, std::vector<SweepRow>& rows) {
  const std::size_t last = line.rfind(',');
  if (last == std::string_view::npos) return false;
  const std::string_view rest = line.substr(0, last);
  if (line.substr(last + 1) != fmt::format("{:08x}", checksum_of_line(rest))) return false;
  std::size_t point = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), point);
  if (error != std::errc() || *end != ',' || point >= rows.size()) return false;
  const std::string_view cells = rest.substr(static_cast<std::size_t>(end - rest.data()) + 1);
  if (std::ranges::count(cells, ',') != std::ranges::count(sweep_columns(), ',') + 1) return false;
  const std::size_t trouble = cells.rfind(',');
  rows[point] = {.is_done = true,
                 .cells = std::string(cells.substr(0, trouble)),
                 .trouble = std::string(cells.substr(trouble + 1))};
  return true;
}

std::string line_of(std::size_t point, const SweepRow& row) {
  const std::string line = fmt::format("{},{},{}", point, row.cells, row.trouble);
  return fmt::format("{},{:08x}\n", line, checksum_of_line(line));
}

}  // namespace

std::expected<std::size_t, std::string> PartFile::open(const std::string& name, std::uint64_t digest,
                                                       std::vector<SweepRow>& rows) {
  name_ = name;
  const std::string head = fmt::format("dojima sweep 1 {:016x}", digest);
  std::size_t taken = 0;
  if (std::error_code error; std::filesystem::exists(name, error)) {
    std::ifstream stream(name, std::ios::binary);
    std::string line;
    if (!stream || !std::getline(stream, line)) line.clear();
    if (line != head && !line.empty())
      return std::unexpected(name + ": is of another sweep (another day, setting or parameter); remove it or name " +
                             "another table");
    while (std::getline(stream, line)) static_cast<void>(take_line(line, rows));
    taken = static_cast<std::size_t>(std::ranges::count(rows, true, &SweepRow::is_done));
  }
  // Written anew with what is whole, so that nothing torn is in the middle.
  const std::string fresh = name + ".new";
  file_.reset(std::fopen(fresh.c_str(), "wb"));
  bool is_written = file_ && std::fprintf(file_.get(), "%s\n", head.c_str()) > 0;
  for (std::size_t point = 0; point < rows.size() && is_written; ++point)
    if (rows[point].is_done) is_written = std::fputs(line_of(point, rows[point]).c_str(), file_.get()) >= 0;
  is_written = is_written && std::fflush(file_.get()) == 0 && std::rename(fresh.c_str(), name.c_str()) == 0;
  if (!is_written) return std::unexpected(name + ": cannot be written");
  return taken;
}

bool PartFile::add(std::size_t point, const SweepRow& row) {
  return std::fputs(line_of(point, row).c_str(), file_.get()) >= 0 && std::fflush(file_.get()) == 0;
}

}  // namespace dojima::backtest
