#include "dojima/simulate/exchange_config.hpp"

#include <algorithm>
#include <utility>

namespace dojima::simulate {

std::vector<venue::DirectoryEntry> directory_of(const ExchangeConfig& config) {
  std::vector<venue::DirectoryEntry> directory;
  directory.reserve(config.instruments.size());
  for (const InstrumentConfig& instrument : config.instruments)
    directory.push_back({.instrument = instrument.id,
                         .isin = Text<12>::cut(instrument.isin),
                         .sedol = Text<12>::cut(instrument.sedol),
                         .currency = Text<3>::cut(instrument.currency)});
  std::ranges::sort(directory, {}, &venue::DirectoryEntry::instrument);
  return directory;
}

Result<market::TickTable> tick_table(const InstrumentConfig& instrument) {
  std::vector<market::TickBand> bands;
  for (const TickConfig& band : instrument.ticks) bands.push_back({band.from, band.tick});
  if (bands.empty()) return fail(ErrorCode::missing);
  return market::TickTable::make(std::move(bands), instrument.highest);
}

market::Instrument make_instrument(const InstrumentConfig& config) {
  return {.id = config.id,
          .symbol = config.symbol,
          .partition = config.partition,
          .ticks = tick_table(config).value(),
          .maximum_quantity = config.maximum_quantity,
          .reference = config.reference,
          .segment = config.segment};
}

book::BookRules rules_of(const ExchangeConfig& config) {
  book::BookRules rules = config.rules;
  rules.accounts.clear();
  for (std::size_t user = 0; user < config.users.size(); ++user) {
    // An account's number is that of its first user.
    std::size_t first = user;
    if (!config.users[user].account.empty())
      for (first = 0; config.users[first].account != config.users[user].account;) ++first;
    rules.accounts.push_back(static_cast<std::uint16_t>(first));
  }
  return rules;
}

void add_spare_users(ExchangeConfig& config) {
  if (std::ranges::any_of(config.users, &VenueUserConfig::is_spare)) return;
  VenueUserConfig place;
  place.is_spare = true;
  config.users.insert(config.users.end(), config.spare_users, place);
  for (const SpareUserConfig& kind : config.spare_user_kinds) {
    place = kind.user;
    place.is_spare = true;
    config.users.insert(config.users.end(), kind.places, place);
  }
}

std::vector<std::uint8_t> users_of(const CopyReaderConfig& reader, const std::vector<VenueUserConfig>& users) {
  std::vector<std::uint8_t> meant(users.size());
  const bool is_of_account = reader.of.starts_with(k_copies_of_account);
  const std::string_view account = is_of_account ? std::string_view(reader.of).substr(k_copies_of_account.size()) : "";
  for (std::size_t user = 0; user < users.size(); ++user) {
    const VenueUserConfig& each = users[user];
    const bool is_this =
        is_of_account ? !account.empty() && each.account == account : !reader.of.empty() && each.name == reader.of;
    meant[user] = reader.of == k_copies_of_all || is_this ? 1 : 0;
  }
  return meant;
}

venue::VenueLimits limits_of(const ExchangeConfig& config) {
  return {.orders = config.orders, .levels = config.levels, .reports = config.reports, .trades = config.trades};
}

}  // namespace dojima::simulate
