#include "dojima/gateway/saved_state.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/limits/state_image.hpp"
#include "dojima/gateway/records/busted_executions.hpp"
#include "dojima/gateway/records/record_image.hpp"
#include "dojima/gateway/setup/saved_content.hpp"
#include "dojima/gateway/venue_users.hpp"

namespace dojima::gateway {
namespace {

constexpr std::size_t k_comp_id_max = 255;
constexpr std::uint32_t k_clients_max = ClientOrderIds::k_clients_most;
/// Places of users fit an order's record, and leave it the one that means its client's own.
constexpr std::uint32_t k_users_max = 0xffff;
/// An order of its client's own user at a venue without a name, as long as nothing else is read of it.
constexpr std::uint16_t k_plain_user = 0xffff;

/// Two names as one key.
[[nodiscard]] std::string pair_of(std::string_view first, std::string_view second) {
  std::string pair(first);
  return pair.append(1, '\0').append(second);
}

/// The records by their keys, ascending; not copied, as they are large.
template <class Map>
[[nodiscard]] auto in_order(const Map& map) {
  std::vector<std::pair<typename Map::key_type, const typename Map::mapped_type*>> records;
  records.reserve(map.size());
  for (const auto& [key, record] : map) records.emplace_back(key, &record);
  std::ranges::sort(records, {}, [](const auto& each) { return each.first; });
  return records;
}

}  // namespace

std::uint64_t SavedState::bytes_most(const GatewayConfig& config) noexcept {
  const GatewayLimits& limits = config.limits;
  constexpr std::uint64_t k_client_most = 2048 + k_limits_entry_max + k_presence_entry_max, k_bust_most = 40;
  const std::uint64_t copies = config.drop_copies.size() * config.clients.size() * k_copied_entry_max;
  const std::uint64_t configured = (config.clients.size() + 1 + config.other_venues.size()) * k_configured_max +
                                   config.symbols.size() * k_configured_symbol_max;
  return copies + configured + limits.orders * (k_order_entry_max + k_parties_entry_max) +
         std::bit_ceil(limits.requests) * (k_request_entry_max + k_past_id_max) +
         RecordLimits{limits.orders, limits.requests, limits.remembered_ids}.changes() * k_parties_entry_max +
         limits.remembered_ids * k_past_id_max + config.clients.size() * k_client_most +
         BustedExecutions::k_most * k_bust_most + UnknownTrades::k_most * k_entry_max +
         (config.clients.size() + config.users.size()) * k_held_busts_max;
}

std::size_t SavedState::ids_most(const GatewayConfig& config) noexcept {
  const GatewayLimits& limits = config.limits;
  return RecordLimits{limits.orders, limits.requests, limits.remembered_ids}.ids();
}

SavedState::SavedState(std::size_t ids) : content_(std::make_unique<Content>(ids)) {}
SavedState::SavedState(SavedState&&) noexcept = default;
SavedState& SavedState::operator=(SavedState&&) noexcept = default;
SavedState::~SavedState() = default;

Result<void> SavedState::apply(Bytes piece) {
  return content_->apply(piece);
}

std::size_t SavedState::open_orders() const noexcept {
  return content_->open_orders();
}

const SavedState::User* SavedState::find_user(std::string_view venue, std::string_view name) const noexcept {
  return content_->find_user(venue, name);
}

Result<void> SavedState::Content::apply(Bytes piece) {
  StateReader in(piece);
  while (in.left() != 0 && apply_entry(in)) {
  }
  return in.result();
}

bool SavedState::Content::apply_entry(StateReader& in) {
  std::uint8_t kind = 0;
  if (!in.read(kind)) return false;
  switch (static_cast<EntryKind>(kind)) {
    case EntryKind::client:
      return apply_client(in);
    case EntryKind::order:
      return apply_order(in);
    case EntryKind::request:
      return apply_request(in);
    case EntryKind::closed:
      return apply_end(in, false);
    case EntryKind::withdrawn:
      return apply_end(in, true);
    case EntryKind::past_id: {
      ClientOrderIds::Key key;
      ClientOrderIds::Target target;
      if (!read_past_id(in, key, target)) return false;
      if (resolve(key.client)) add_past(key, target, true);
      return true;
    }
    case EntryKind::order_user:
      return apply_order_user(in);
    case EntryKind::order_parties:
      return apply_order_parties(in);
    case EntryKind::quote_parties:
      return apply_quote_parties(in);
    case EntryKind::unknown_trade:
      return apply_unknown_trade(in);
    case EntryKind::user:
      return apply_user(in);
    case EntryKind::busted:
    case EntryKind::user_busted:
      return apply_bust(in, kind);
    case EntryKind::correction:
      return apply_correction(in);
    case EntryKind::held_busts:
      return apply_held_busts(in);
    case EntryKind::progress:
    case EntryKind::user_progress:
      return apply_progress(in, kind);
    case EntryKind::user_day:
      return apply_day(in);
    case EntryKind::reserved:
      return apply_numbers(in);
    case EntryKind::limits:
    case EntryKind::presence:
      return apply_state(in, kind);
    case EntryKind::copied:
      return apply_copied(in);
    case EntryKind::configured:
      return configuration_.apply(in);
  }
  return in.fail("an entry of a gateway's state");
}

bool SavedState::Content::apply_client(StateReader& in) {
  std::uint32_t number = 0;
  std::string_view comp_id, venue_user;
  if (!in.read(number) || !read_text(in, comp_id, k_comp_id_max) || !read_text(in, venue_user, k_comp_id_max))
    return false;
  if (number >= k_clients_max) return in.fail("a client's number");
  const auto place = static_cast<std::uint32_t>(clients_.size());
  const auto [known, is_new] = client_places_.try_emplace(pair_of(comp_id, venue_user), place);
  // A request's record has 16 bits for its client.
  if (is_new && place == k_clients_max) return in.fail("at most 65,536 clients and their venue users");
  if (is_new) clients_.push_back({.comp_id = std::string(comp_id), .venue_user = std::string(venue_user), .state = {}});
  if (places_.size() <= number) places_.resize(number + 1, k_no_slot);
  places_[number] = known->second;
  return true;
}

bool SavedState::Content::apply_user(StateReader& in) {
  std::uint32_t number = 0;
  std::string_view venue, name;
  if (!in.read(number) || !read_text(in, venue, k_comp_id_max) || !read_text(in, name, k_comp_id_max)) return false;
  if (number >= k_clients_max) return in.fail("a venue user's number");
  const std::uint32_t place = place_of_user(venue, name);
  if (place >= k_users_max) return in.fail("at most 65,535 venue users");
  if (user_places_.size() <= number) user_places_.resize(number + 1, k_no_slot);
  user_places_[number] = place;
  return true;
}

std::uint32_t SavedState::Content::place_of_user(std::string_view venue, std::string_view name) {
  const auto place = static_cast<std::uint32_t>(users_.size());
  const auto [known, is_new] = places_of_users_.try_emplace(pair_of(venue, name), place);
  if (is_new)
    users_.push_back({.venue = std::string(venue), .name = std::string(name), .progress = {}, .day = {}, .busted = {}});
  return known->second;
}

SavedState::User* SavedState::Content::user_of(std::uint32_t number, bool is_client) {
  if (is_client) return resolve(number) ? &users_[place_of_user({}, clients_[number].venue_user)] : nullptr;
  if (number >= user_places_.size() || user_places_[number] == k_no_slot) return nullptr;
  return &users_[user_places_[number]];
}

bool SavedState::Content::resolve(std::uint32_t& client) const noexcept {
  if (client >= places_.size() || places_[client] == k_no_slot) return false;
  client = places_[client];
  return true;
}

bool SavedState::Content::apply_order(StateReader& in) {
  std::uint32_t slot = 0;
  SavedOrder order;
  if (!read_order(in, slot, order)) return false;
  order.user = k_plain_user;
  if (resolve(order.client)) {
    orders_[slot] = order;
    unnamed_orders_.erase(slot);
  } else if (is_open(order.state)) {
    unnamed_orders_.insert(slot);
  } else {
    unnamed_orders_.erase(slot);
  }
  return true;
}

bool SavedState::Content::apply_order_user(StateReader& in) {
  std::uint32_t slot = 0, number = 0;
  if (!in.read(slot) || !in.read(number)) return false;
  const auto order = orders_.find(slot);
  if (order == orders_.end() || number >= user_places_.size() || user_places_[number] == k_no_slot) return true;
  DOJIMA_ASSERT(user_places_[number] < k_users_max, "a user's place fits an order's record", number,
                user_places_[number]);
  order->second.user = static_cast<std::uint16_t>(user_places_[number]);
  return true;
}

bool SavedState::Content::apply_order_parties(StateReader& in) {
  std::uint32_t slot = 0;
  OrderParties parties;
  if (!read_parties(in, slot, parties)) return false;
  const auto order = orders_.find(slot);
  if (order == orders_.end()) return true;  // of a client that there is no more
  order->second.has_parties = true;
  order->second.parties = parties;
  return true;
}

bool SavedState::Content::apply_quote_parties(StateReader& in) {
  std::uint64_t number = 0;
  OrderParties parties;
  if (!read_quote_parties(in, number, parties)) return false;
  const auto request = requests_.find(number);
  if (request == requests_.end()) return true;  // of a client that there is no more
  const bool is_amending = request->second.quote != QuoteSide::none && request->second.kind == RequestKind::replace &&
                           !request->second.is_answered;
  if (!is_amending) return in.fail("parties of a quote that is not answered");
  request->second.has_parties = true;
  request->second.parties = parties;
  return true;
}

bool SavedState::Content::apply_request(StateReader& in) {
  SavedRequest request;
  if (!read_request(in, request)) return false;
  next_number_ = std::max(next_number_, request.number + 1);
  std::uint32_t client = request.client;
  if (!resolve(client)) return true;
  DOJIMA_ASSERT(client < k_clients_max, "a client's place fits a request's record", client, request.number);
  request.client = static_cast<std::uint16_t>(client);
  requests_[request.number] = request;
  return true;
}

bool SavedState::Content::apply_end(StateReader& in, bool is_withdrawn) {
  std::uint64_t number = 0;
  bool is_detached = false;
  if (!in.read(number) || !in.read(is_detached)) return false;
  const auto found = requests_.find(number);
  // One that ended before a checkpoint had come to it: the checkpoint has its id among those of the past.
  if (found == requests_.end()) return true;
  const SavedRequest request = found->second;
  requests_.erase(found);
  if (is_withdrawn) {
    if (request.kind == RequestKind::new_order) orders_.erase(request.order);
    return true;
  }
  if (request.is_id_shared) return true;
  const auto order = orders_.find(request.order);
  const bool is_there = !is_detached && order != orders_.end();
  add_past({request.cl_ord_id_text, request.client},
           is_there ? ClientOrderIds::Target{request.order, order->second.generation} : ClientOrderIds::Target{},
           false);
  return true;
}

bool SavedState::Content::apply_state(StateReader& in, std::uint8_t kind) {
  std::uint32_t place = 0;
  if (!in.read(place)) return false;
  ClientState passed_over;
  ClientState& state = resolve(place) ? clients_[place].state : passed_over;
  if (static_cast<EntryKind>(kind) == EntryKind::limits) return read_limits(in, state);
  if (!read_presence(in, state.presence)) return false;
  if (state.presence.number != 0) next_number_ = std::max(next_number_, state.presence.number + 1);
  return true;
}

bool SavedState::Content::apply_unknown_trade(StateReader& in) {
  UnknownTrade trade;
  if (!read_unknown_trade(in, trade)) return false;
  if (!resolve(trade.client)) return true;
  // The whole state is written anew now and then.
  if (std::ranges::find(unknown_trades_, trade) != unknown_trades_.end()) return true;
  if (unknown_trades_.size() == UnknownTrades::k_most) unknown_trades_.erase(unknown_trades_.begin());
  unknown_trades_.push_back(trade);
  return true;
}

std::vector<UnknownTrade> SavedState::Content::unknown_trades(const GatewayConfig& config) const {
  std::vector<UnknownTrade> known;
  for (const UnknownTrade& trade : unknown_trades_) {
    const auto client = std::ranges::find(config.clients, clients_[trade.client].comp_id, &ClientConfig::comp_id);
    if (client == config.clients.end()) continue;
    known.push_back(trade);
    known.back().client = static_cast<std::uint32_t>(client - config.clients.begin());
  }
  return known;
}

bool SavedState::Content::apply_bust(StateReader& in, std::uint8_t kind) {
  std::uint32_t number = 0;
  std::uint64_t execution = 0;
  if (!in.read(number) || !in.read(execution)) return false;
  User* const user = user_of(number, static_cast<EntryKind>(kind) == EntryKind::busted);
  if (user == nullptr) return true;
  // That of an earlier version, which has ended.
  std::erase_if(user->held_busts, [&](const market::OwnerReport& bust) { return bust.reference == execution; });
  std::vector<std::uint64_t>& busted = user->busted;
  if (std::ranges::find(busted, execution) != busted.end()) return true;
  if (busted.size() == BustedExecutions::k_most) busted.erase(busted.begin());
  busted.push_back(execution);
  return true;
}

/// Of the lots nothing is said: it becomes a correction, or is dropped as it cannot be reported as a bust.
bool SavedState::Content::apply_correction(StateReader& in) {
  std::uint32_t number = 0;
  market::OwnerReport bust;
  bust.kind = market::OwnerReportKind::trade_cancelled;
  if (!in.read(number) || !in.read(bust.reference) || !in.read(bust.order) || !in.read(bust.trade) ||
      !in.read(bust.price))
    return false;
  User* const user = user_of(number, false);
  if (user == nullptr) return true;
  std::erase_if(user->held_busts, [&](const market::OwnerReport& each) { return each.reference == bust.reference; });
  if (user->held_busts.size() == HeldBusts::k_most_of_user) user->held_busts.erase(user->held_busts.begin());
  user->held_busts.push_back(bust);
  return true;
}

bool SavedState::Content::apply_held_busts(StateReader& in) {
  std::uint32_t number = 0;
  std::uint8_t count = 0;
  if (!in.read(number) || !in.read(count)) return false;
  if (count > HeldBusts::k_most_of_user) return in.fail("at most four busts of a user that wait");
  std::vector<market::OwnerReport> busts(count);
  for (market::OwnerReport& bust : busts) {
    if (!in.read(bust)) return false;
    if (bust.kind != market::OwnerReportKind::trade_cancelled) return in.fail("a bust that waits");
  }
  if (User* const user = user_of(number, false); user != nullptr) user->held_busts = std::move(busts);
  return true;
}

bool SavedState::Content::apply_copied(StateReader& in) {
  CopyPosition position;
  if (!read_copied(in, position)) return false;
  if (!resolve(position.client)) return true;
  const auto found = std::ranges::find_if(
      copied_, [&](const CopyPosition& each) { return each.client == position.client && each.copy == position.copy; });
  if (found == copied_.end())
    copied_.push_back(std::move(position));
  else
    *found = std::move(position);
  return true;
}

CopyPosition SavedState::Content::position(std::string_view copy, const ClientConfig& client) const {
  for (auto each = copied_.rbegin(); each != copied_.rend(); ++each)
    if (each->copy == copy && clients_[each->client].comp_id == client.comp_id) return *each;
  return {.copy = std::string(copy)};
}

bool SavedState::Content::apply_numbers(StateReader& in) {
  std::uint64_t number = 0, execution = 0;
  if (!in.read(number) || !in.read(execution)) return false;
  next_number_ = std::max(next_number_, number);
  next_execution_ = std::max(next_execution_, execution);
  return true;
}

bool SavedState::Content::apply_progress(StateReader& in, std::uint8_t kind) {
  std::uint32_t number = 0;
  PartitionProgress progress;
  if (!in.read(number) || !in.read(progress.partition) || !in.read(progress.sequence) || !in.read(progress.digest))
    return false;
  User* const user = user_of(number, static_cast<EntryKind>(kind) == EntryKind::progress);
  if (user == nullptr) return true;
  if (progress.sequence == 0) {
    user->progress.clear();
    return true;
  }
  return user->progress.set(progress) || in.fail("at most eight partitions");
}

bool SavedState::Content::apply_day(StateReader& in) {
  std::uint32_t number = 0;
  KnownDay known;
  std::uint8_t flags = 0;
  if (!in.read(number) || !in.read(known.day.venue) || !in.read(known.day.number) || !in.read(flags)) return false;
  if ((flags & ~(k_day_is_over | k_day_is_missed | k_day_has_leftovers)) != 0)
    return in.fail("the flags of a venue's day");
  known.is_over = (flags & k_day_is_over) != 0;
  known.is_missed = (flags & k_day_is_missed) != 0;
  User* const user = user_of(number, false);
  if (user == nullptr) return true;
  user->day = known;
  user->has_leftovers = (flags & k_day_has_leftovers) != 0;
  return true;
}

void SavedState::Content::add_past(const ClientOrderIds::Key& key, const ClientOrderIds::Target& target,
                                   bool is_older) {
  const auto [found, is_new] = past_.try_emplace(key, past_ids_.size());
  if (!is_new && is_older) {
    past_ids_[found->second].target = target;
    return;
  }
  // Used again, after it had been forgotten: it is of the newest now.
  if (!is_new) past_ids_[std::exchange(found->second, past_ids_.size())].is_moved = true;
  past_ids_.push_back({.key = key, .target = target, .is_older = is_older});
  if (past_ids_.size() / 2 > ids_) drop_oldest_ids();
}

/// As a gateway forgets them. O(ids), once for as many new ones.
void SavedState::Content::drop_oldest_ids() {
  std::vector<PastId> kept;
  kept.reserve(past_ids_.size());
  for (const bool is_older : {true, false})
    for (const PastId& id : past_ids_)
      if (id.is_older == is_older && !id.is_moved) kept.push_back(id);
  if (kept.size() > ids_) kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(ids_));
  past_ids_ = std::move(kept);
  past_.clear();
  for (std::size_t at = 0; at < past_ids_.size(); ++at) past_[past_ids_[at].key] = at;
}

std::size_t SavedState::Content::open_orders() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(orders_, [](const auto& each) { return is_open(each.second.state); }));
}

const SavedState::Content::Client* SavedState::Content::find(const ClientConfig& client) const noexcept {
  const auto found = std::ranges::find_if(clients_, [&](const Client& each) {
    return each.comp_id == client.comp_id && each.venue_user == client.venue_user;
  });
  return found == clients_.end() ? nullptr : &*found;
}

const SavedState::User* SavedState::Content::find_user(std::string_view venue, std::string_view name) const noexcept {
  const auto found =
      std::ranges::find_if(users_, [&](const User& each) { return each.venue == venue && each.name == name; });
  return found == users_.end() ? nullptr : &*found;
}

const ClientState* SavedState::Content::find_state(const ClientConfig& client) const noexcept {
  if (const Client* const same = find(client)) return &same->state;
  for (auto each = clients_.rbegin(); each != clients_.rend(); ++each)
    if (each->comp_id == client.comp_id) return &each->state;
  return nullptr;
}

std::optional<std::uint32_t> SavedState::Content::place_of(const GatewayConfig& config, const Client& client) {
  const auto found = std::ranges::find(config.clients, client.comp_id, &ClientConfig::comp_id);
  if (found == config.clients.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - config.clients.begin());
}

SavedState::User SavedState::Content::entered_as(const Order& order) const {
  User names;
  const bool is_plain = order.user == k_plain_user;
  names.venue = is_plain ? "" : users_[order.user].venue;
  names.name = is_plain ? clients_[order.client].venue_user : users_[order.user].name;
  return names;
}

std::optional<std::uint32_t> SavedState::Content::user_of(const Order& order, const VenueUsers& users,
                                                          std::uint32_t client) const {
  const User names = entered_as(order);
  const auto user = users.find(names.venue, names.name);
  return user && std::ranges::find(users.of(client), *user) != users.of(client).end() ? user : std::nullopt;
}

Result<Records::Remembered> SavedState::Content::records(const GatewayConfig& config) const {
  std::vector<std::optional<std::uint32_t>> places;
  const VenueUsers users(config);
  for (const Client& client : clients_) places.push_back(place_of(config, client));
  if (!unnamed_orders_.empty())
    return fail(ErrorCode::missing, 0, 0, *unnamed_orders_.begin(), "the name of every open order's client");
  Records::Remembered remembered;
  remembered.next_number = next_number_;
  // There are many orders of few clients and users: each pair is looked up once.
  std::unordered_map<std::uint64_t, std::optional<std::uint32_t>> known_users;
  const auto user_once = [&](const Order& order, std::uint32_t client) {
    const auto [found, is_new] = known_users.try_emplace(std::uint64_t{order.client} << 32 | order.user);
    if (is_new) found->second = user_of(order, users, client);
    return found->second;
  };
  std::vector<bool> is_kept;
  remembered.orders.reserve(orders_.size());
  for (const auto& [slot, saved] : in_order(orders_)) {
    const auto client = places[saved->client];
    const auto user = client ? user_once(*saved, *client) : std::nullopt;
    if (user) {
      remembered.orders.emplace_back(slot, *saved);
      remembered.orders.back().second.client = *client;
      DOJIMA_ASSERT(*user < users.size() && users.size() <= k_users_max, "a user's place fits an order's record", *user,
                    users.size());
      remembered.orders.back().second.user = static_cast<std::uint16_t>(*user);
      if (is_kept.size() <= slot) is_kept.resize(slot + 1);
      is_kept[slot] = true;
    } else if (is_open(saved->state)) {
      return fail(ErrorCode::missing, 0, 0, slot, "the client and venue user of every open order");
    }
  }
  remembered.requests.reserve(requests_.size());
  for (const auto& [number, saved] : in_order(requests_)) {
    const bool is_of_order = saved->order < is_kept.size() && is_kept[saved->order];
    if (!places[saved->client] || !is_of_order) continue;
    remembered.requests.push_back(*saved);
    remembered.requests.back().client = static_cast<std::uint16_t>(*places[saved->client]);
  }
  remembered.past_ids.reserve(past_ids_.size());
  for (const bool is_older : {true, false})
    for (const PastId& id : past_ids_) {
      if (id.is_older != is_older || id.is_moved || !places[id.key.client]) continue;
      remembered.past_ids.emplace_back(id.key, id.target);
      remembered.past_ids.back().first.client = *places[id.key.client];
    }
  return remembered;
}

}  // namespace dojima::gateway
