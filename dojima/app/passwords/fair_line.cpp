#include "dojima/app/passwords/fair_line.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::app {
namespace {

/// The first one goes behind the others.
template <class Lane>
void rotate(std::deque<Lane>& lanes) {
  lanes.push_back(std::move(lanes.front()));
  lanes.pop_front();
}

}  // namespace

void FairLine::push(std::string_view host, std::uint16_t user, Ticket ticket) {
  auto lane = std::ranges::find(hosts_, host, &Host::host);
  if (lane == hosts_.end()) lane = hosts_.insert(hosts_.end(), Host{.host = std::string(host), .users = {}, .size = 0});
  auto of = std::ranges::find(lane->users, user, &User::user);
  if (of == lane->users.end()) of = lane->users.insert(lane->users.end(), User{.user = user, .tickets = {}});
  of->tickets.push_back(ticket);
  ++lane->size;
  ++size_;
}

std::optional<FairLine::Ticket> FairLine::take() {
  DOJIMA_ASSERT(!is_taken_, "one at a time is served", hosts_.size(), size_);
  if (size_ == 0) return std::nullopt;
  Host& host = hosts_.front();
  std::deque<Ticket>& tickets = host.users.front().tickets;
  const Ticket ticket = tickets.front();
  tickets.pop_front();
  --host.size;
  --size_;
  is_taken_ = true;
  return ticket;
}

void FairLine::done() {
  DOJIMA_ASSERT(is_taken_, "one is served", hosts_.size(), size_);
  is_taken_ = false;
  std::deque<User>& users = hosts_.front().users;
  if (users.front().tickets.empty())
    users.pop_front();
  else
    rotate(users);
  if (users.empty())
    hosts_.pop_front();
  else
    rotate(hosts_);
}

/// Lanes without anybody go, but not those of the one at work: when it is done they go behind others, or go then.
void FairLine::drop_empty(std::deque<Host>::iterator host, std::deque<User>::iterator user) {
  const bool is_at_work = is_in_hand(*host);
  if (user->tickets.empty() && !(is_at_work && user == host->users.begin())) host->users.erase(user);
  if (host->users.empty()) hosts_.erase(host);
}

void FairLine::erase(std::string_view host, std::uint16_t user, Ticket ticket) {
  const auto lane = std::ranges::find(hosts_, host, &Host::host);
  if (lane == hosts_.end()) return;
  const auto of = std::ranges::find(lane->users, user, &User::user);
  if (of == lane->users.end()) return;
  const std::size_t gone = std::erase(of->tickets, ticket);
  lane->size -= gone;
  size_ -= gone;
  drop_empty(lane, of);
}

std::optional<FairLine::Ticket> FairLine::turn_away() {
  if (size_ == 0) return std::nullopt;
  auto lane = hosts_.begin();
  for (auto each = hosts_.begin(); each != hosts_.end(); ++each)
    if (each->size >= lane->size) lane = each;
  auto of = lane->users.begin();
  for (auto each = of; each != lane->users.end(); ++each)
    if (each->tickets.size() >= of->tickets.size()) of = each;
  const Ticket ticket = of->tickets.back();
  of->tickets.pop_back();
  --lane->size;
  --size_;
  drop_empty(lane, of);
  return ticket;
}

}  // namespace dojima::app
