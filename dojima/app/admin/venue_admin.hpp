#pragma once

// A venue as its operator sees it: figures of all that it counts, and the verbs of `dojima admin`. What changes
// something is written into the operator's log first, with who ordered it and why: words behind `--`. Belongs to the
// venue's loop.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/admin/admin_desk.hpp"
#include "dojima/app/config.hpp"
#include "dojima/measure/gauges.hpp"
#include "dojima/simulate/exchange.hpp"
#include "dojima/venue/operator_log.hpp"

namespace dojima::app {

class VenueAdmin final : public AdminTarget {
 public:
  /// All outlive it. Makes the figures.
  VenueAdmin(const VenueConfig& config, simulate::Exchange& exchange, venue::OperatorLog& log,
             measure::GaugeBoard& board);
  ~VenueAdmin();
  VenueAdmin(const VenueAdmin&) = delete;
  VenueAdmin& operator=(const VenueAdmin&) = delete;

  [[nodiscard]] std::span<const AdminVerb> verbs() const override;
  AdminAnswer on_command(std::span<const std::string> words, time::Time now) override;
  AdminAnswer on_command(std::span<const std::string> words, std::string_view from, time::Time now) override;
  void publish(time::Time now) override;
  [[nodiscard]] std::string waits_for() const override;

 private:
  struct Figures;
  using Words = std::span<const std::string>;
  /// Instruments that a word names: a symbol, a number, the name of a segment, `all`; with `instrument:` or
  /// `segment:` before it only such.
  struct Target {
    std::vector<const simulate::InstrumentConfig*> instruments;
    std::string_view segment;  ///< all of them are of this one and no other is; empty: they are named, or all
    bool is_all = false;
  };

  [[nodiscard]] AdminAnswer look(Words words) const;
  [[nodiscard]] AdminAnswer change(Words words, time::Time now);
  [[nodiscard]] AdminAnswer status() const;
  [[nodiscard]] AdminAnswer sessions(bool is_of_all) const;
  [[nodiscard]] AdminAnswer instruments() const;
  [[nodiscard]] AdminAnswer audit(Words words) const;
  [[nodiscard]] AdminAnswer lock(Words words, time::Time now);
  [[nodiscard]] AdminAnswer expire(Words words, time::Time now);
  [[nodiscard]] AdminAnswer user(Words words, time::Time now);
  [[nodiscard]] AdminAnswer add_user(Words words, time::Time now);
  struct AddedUser;
  [[nodiscard]] AdminAnswer refusal_of_user(const AddedUser& user, const Error& error) const;
  /// The place that a user of this name and account gets; the answer that says why none.
  [[nodiscard]] std::expected<std::uint16_t, AdminAnswer> place_for(const AddedUser& user) const;
  [[nodiscard]] AdminAnswer set_password(Words words, time::Time now);
  [[nodiscard]] static AdminAnswer no_passwords();
  [[nodiscard]] static std::string words_for_log(Words words);
  [[nodiscard]] AdminAnswer limits(Words words, time::Time now);
  /// What KEY=VALUE words set of `about`; the answer that says why not.
  [[nodiscard]] std::expected<std::vector<market::RiskCommand>, AdminAnswer> limits_in(Words settings,
                                                                                       market::RiskCommand about,
                                                                                       const std::string& who,
                                                                                       bool is_reader) const;
  [[nodiscard]] Result<void> set_limits(std::vector<market::RiskCommand>& commands, time::Time now);
  [[nodiscard]] AdminAnswer limits_table(const std::optional<market::RiskCommand>& about) const;
  [[nodiscard]] AdminAnswer kill(Words words, time::Time now);
  [[nodiscard]] AdminAnswer revive_all(market::RiskCommand command, time::Time now);
  [[nodiscard]] Result<void> set_killed(market::RiskCommand& command, time::Time now);
  [[nodiscard]] AdminAnswer cancel(Words words, time::Time now);
  [[nodiscard]] AdminAnswer bust(Words words, time::Time now);
  [[nodiscard]] AdminAnswer correct(Words words, time::Time now);
  [[nodiscard]] AdminAnswer log_out(Words words, time::Time now);
  [[nodiscard]] AdminAnswer halt(Words words, time::Time now);
  [[nodiscard]] AdminAnswer set_listed(Words words, time::Time now);
  [[nodiscard]] AdminAnswer phase(Words words, time::Time now);
  [[nodiscard]] AdminAnswer end_of_day(time::Time now);
  [[nodiscard]] AdminAnswer next_day(time::Time now);
  [[nodiscard]] AdminAnswer drain(bool is_draining, time::Time now);
  [[nodiscard]] AdminAnswer recovery(Words words, time::Time now);

  [[nodiscard]] std::optional<Target> target_of(std::string_view word) const;
  [[nodiscard]] std::vector<std::uint16_t> users_of(std::string_view name) const;
  /// A command about a user, an account or all, with who gives it and why; none: there is no such one.
  [[nodiscard]] std::optional<market::RiskCommand> command_about(const std::string& who) const;
  [[nodiscard]] bool place_into(market::RiskCommand& command, const std::string& word, bool takes_segments) const;
  [[nodiscard]] Result<void> complaint_of(const market::RiskCommand& command) const;
  [[nodiscard]] AdminAnswer unknown_user(std::string_view name) const;
  [[nodiscard]] static AdminAnswer unknown_place(std::string_view word, bool takes_segments = true);
  [[nodiscard]] AdminAnswer unknown_subject(std::string_view who) const;
  [[nodiscard]] AdminAnswer unknown_limit(const std::string& word) const;
  /// Instruments in which no order of anybody is taken, and whether the operator said so.
  [[nodiscard]] std::map<std::uint32_t, bool> unlisted_instruments() const;
  [[nodiscard]] static std::string listing_of(const std::map<std::uint32_t, bool>& unlisted, std::uint32_t instrument);
  [[nodiscard]] static std::string refused_limit(const std::string& word, const Error& error);
  [[nodiscard]] static AdminAnswer refusal_of(const Error& error);
  [[nodiscard]] bool has_timetable(const simulate::InstrumentConfig& instrument) const;
  [[nodiscard]] const venue::Partition& partition_of(const simulate::InstrumentConfig& instrument) const;

  const VenueConfig& config_;
  simulate::Exchange& exchange_;
  venue::OperatorLog& log_;
  std::unique_ptr<Figures> figures_;
};

}  // namespace dojima::app
