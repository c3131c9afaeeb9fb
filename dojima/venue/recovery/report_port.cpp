#include "dojima/venue/recovery/report_port.hpp"

#include <stdexcept>
#include <string>

namespace dojima::venue {

ReportPort::ReportPort(const char* name, const Limits& limits, std::span<Partition* const> partitions,
                       std::span<ReportArchive* const> archives)
    : partitions_(partitions.begin(), partitions.end()), archives_(archives.begin(), archives.end()) {
  const auto demand = [&](bool is_so, const char* what) {
    if (!is_so) throw std::invalid_argument(std::string(name) + ": " + what);
  };
  demand(!partitions.empty(), "at least one partition");
  demand(archives.empty() || archives.size() == partitions.size(), "an archive for each partition, or none");
  demand(limits.sessions > 0, "at least one session");
  demand(limits.messages_a_turn > 0 && limits.reports_a_turn > 0, "at least one message");
}

std::optional<std::size_t> ReportPort::place_of(std::uint8_t app_id) const noexcept {
  for (std::size_t at = 0; at < partitions_.size(); ++at)
    if (partitions_[at]->app_id() == app_id) return at;
  return std::nullopt;
}

const market::OwnerReport* ReportPort::kept(std::size_t partition, market::Sequence number) const {
  const ReportLog& log = log_of(partition);
  Cursor at = log.find(number);
  const ReportLog::Batch batch = log.read(at, partitions_[partition]->durable());
  return batch.reports.empty() || batch.reports.front().sequence != number ? nullptr : &batch.reports.front();
}

}  // namespace dojima::venue
