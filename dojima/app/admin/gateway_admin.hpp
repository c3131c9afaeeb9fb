#pragma once

// A gateway as its operator sees it: figures of all that it counts, and the verbs of `dojima admin`. Belongs to the
// gateway's loop.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/admin/admin_desk.hpp"
#include "dojima/app/config.hpp"
#include "dojima/gateway/gateway.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/measure/gauges.hpp"

namespace dojima::app {

class GatewayAdmin final : public AdminTarget {
 public:
  /// All outlive it; `journal` may be null. Makes the figures.
  GatewayAdmin(const GatewayConfig& config, gateway::Gateway& gateway, measure::GaugeBoard& board,
               const journal::FileJournal* journal = nullptr);
  ~GatewayAdmin();
  GatewayAdmin(const GatewayAdmin&) = delete;
  GatewayAdmin& operator=(const GatewayAdmin&) = delete;

  [[nodiscard]] std::span<const AdminVerb> verbs() const override;
  using AdminTarget::on_command;
  AdminAnswer on_command(std::span<const std::string> words, time::Time now) override;
  void publish(time::Time now) override;
  [[nodiscard]] std::string waits_for() const override;

 private:
  struct Figures;
  using Words = std::span<const std::string>;

  [[nodiscard]] AdminAnswer status() const;
  [[nodiscard]] std::string users_of(std::size_t client) const;
  [[nodiscard]] AdminAnswer sessions() const;
  [[nodiscard]] AdminAnswer numbers(Words words);
  [[nodiscard]] AdminAnswer orders(Words words) const;
  [[nodiscard]] AdminAnswer unknown_trades(Words words) const;
  [[nodiscard]] AdminAnswer log_out(Words words);
  [[nodiscard]] AdminAnswer limits(Words words);
  [[nodiscard]] AdminAnswer limits_of_all() const;
  [[nodiscard]] AdminAnswer limits_table(std::size_t client) const;
  [[nodiscard]] AdminAnswer kill(Words words);
  [[nodiscard]] AdminAnswer revive(Words words);
  [[nodiscard]] AdminAnswer drain(Words words);
  [[nodiscard]] AdminAnswer unknown_client(std::string_view name) const;
  [[nodiscard]] std::size_t client_of(std::string_view comp_id) const;
  [[nodiscard]] std::vector<std::size_t> clients_of(std::string_view name) const;
  [[nodiscard]] std::string symbol_of(std::uint32_t instrument) const;

  const GatewayConfig& config_;
  gateway::Gateway& gateway_;
  const journal::FileJournal* journal_;
  std::unique_ptr<Figures> figures_;
};

}  // namespace dojima::app
