#include "dojima/app/demo/venue_desk.hpp"

#include <utility>

#include "dojima/app/admin/admin_desk.hpp"
#include "dojima/app/admin/venue_admin.hpp"

namespace dojima::app::demo {

std::size_t VenueDesk::timers(const Settings& settings) {
  return settings.admin_port >= 0 ? AdminDesk::k_timers : 0;
}

VenueDesk::VenueDesk(const Settings& settings, simulate::Exchange& exchange, venue::OperatorLog& operations,
                     sched::Scheduler& scheduler)
    : config_(venue_config(settings)),
      admin_(std::make_unique<VenueAdmin>(config_, exchange, operations, gauges_)),
      desk_(std::make_unique<AdminDesk>(
          config_.admin, *admin_, gauges_, scheduler, [](const std::string&) {}, settings.is_virtual)) {}

VenueDesk::~VenueDesk() {
  desk_->stop();
}

std::expected<std::string, std::string> VenueDesk::start(std::function<void()> wake) {
  const auto where = desk_->start(std::move(wake));
  if (!where) return std::unexpected(where.error());
  return desk_->describe(*where);
}

void VenueDesk::stop() {
  desk_->stop();
}

sched::Source& VenueDesk::source() noexcept {
  return *desk_;
}

std::uint64_t VenueDesk::commands() const noexcept {
  return desk_->commands();
}

}  // namespace dojima::app::demo
