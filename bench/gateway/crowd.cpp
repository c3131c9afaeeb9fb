#include "crowd.hpp"

#include "road.hpp"

#include <algorithm>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>

namespace dojima::bench {

Crowd::Crowd(const CrowdOptions& options)
    : set_(::epoll_create1(0)),
      ready_(512),
      sent_(options.clients),
      answered_(options.clients),
      last_(options.clients) {
  for (std::size_t number = 0; number < options.clients; ++number) {
    clients_.push_back(std::make_unique<OrderClient>(
        OrderClient::Options{.port = options.port, .name = client_name(number), .is_session = options.is_session}));
    epoll_event event{.events = EPOLLIN, .data = {.u64 = number}};
    ::epoll_ctl(set_, EPOLL_CTL_ADD, clients_.back()->socket(), &event);
  }
}

Crowd::~Crowd() {
  ::close(set_);
}

Crowd::Done Crowd::send_orders(std::size_t each, std::size_t on_their_way, std::size_t first) {
  std::fill(sent_.begin(), sent_.end(), 0);
  std::fill(answered_.begin(), answered_.end(), 0);
  const SteadyClock::time_point begin = SteadyClock::now();
  // In turn, so that no client is ahead of the others by more than an order.
  for (std::size_t order = 0; order < std::min(on_their_way, each); ++order)
    for (std::size_t at = 0; at < size(); ++at) send((first + at) % size());
  for (std::size_t missing = each * size(); missing != 0;) {
    const int count = ::epoll_wait(set_, ready_.data(), static_cast<int>(ready_.size()), 0);
    for (int at = 0; at < count; ++at) missing -= hear(ready_[static_cast<std::size_t>(at)].data.u64, each);
    if (SteadyClock::now() - begin > std::chrono::seconds{60}) throw std::runtime_error("orders without an answer");
  }
  const auto [fastest, slowest] = std::minmax_element(last_.begin(), last_.end());
  const auto seconds = [&](SteadyClock::time_point at) { return std::chrono::duration<double>(at - begin).count(); };
  return {.first_s = seconds(*fastest), .last_s = seconds(*slowest)};
}

void Crowd::cancel_all() {
  for (const auto& client : clients_) client->cancel_all();
}

void Crowd::send(std::size_t client) {
  clients_[client]->send_order();
  ++sent_[client];
}

/// How many answers came; as many orders follow.
std::size_t Crowd::hear(std::size_t client, std::size_t each) {
  const std::size_t more = clients_[client]->look();
  answered_[client] += more;
  for (std::size_t answer = 0; answer < more && sent_[client] < each; ++answer) send(client);
  if (more != 0 && answered_[client] == each) last_[client] = SteadyClock::now();
  return more;
}

bool has_room_for_sockets(std::size_t sockets) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= sockets + 100;
}

}  // namespace dojima::bench
