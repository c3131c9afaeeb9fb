// Groups: what is sent to them, and what comes. Asio opens their sockets; the poller says when one has something.

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/multicast.hpp>
#include <system_error>
#include <utility>

#include "dojima/net/sockets/fabric_parts.hpp"

namespace dojima::net {
namespace {

namespace asio = boost::asio;
using asio::ip::udp;
using boost::system::error_code;

/// Of one group in one turn: what has come beyond them waits for the next.
constexpr std::size_t k_datagrams_a_turn = 256;

udp::endpoint group_endpoint(const link::Address& address, error_code& error) {
  const std::string& host = address.host.empty() || address.host == "localhost" ? "127.0.0.1" : address.host;
  return {asio::ip::make_address(host, error), address.port};
}

std::unexpected<Error> no_group(const error_code& error) {
  return fail(ErrorCode::unavailable, 0, 0, error.value(), "a group that this machine can reach");
}

}  // namespace

Result<link::DatagramSender*> AsioFabric::Impl::publish(const link::Address& group) {
  error_code error;
  const udp::endpoint endpoint = group_endpoint(group, error);
  auto publication = std::make_unique<Publication>(*this);
  DatagramSocket& socket = publication->socket;
  if (!error) socket.open(endpoint.protocol(), error);
  if (!error) keep_from_children(socket.native_handle());
  if (!error) socket.non_blocking(true, error);
  if (!error && endpoint.address().is_multicast()) {
    const auto interface = asio::ip::make_address_v4(options_.multicast_interface, error);
    if (!error) socket.set_option(asio::ip::multicast::outbound_interface(interface), error);
    if (!error) socket.set_option(asio::ip::multicast::hops(options_.multicast_hops), error);
    if (!error) socket.set_option(asio::ip::multicast::enable_loopback(true), error);
  }
  if (!error) socket.connect(endpoint, error);
  if (error) return no_group(error);
  publications_.push_back(std::move(publication));
  return publications_.back().get();
}

bool AsioFabric::Impl::send(Publication& publication, Bytes datagram) {
  error_code error;
  const asio::const_buffer bytes(datagram.data(), datagram.size());
  publication.socket.send(bytes, 0, error);
  // That nobody listened is said of the datagram before, by the call after it: this one has not been sent yet.
  if (error == asio::error::connection_refused) publication.socket.send(bytes, 0, error);
  ++(error ? counts_.datagrams_failed : counts_.datagrams_out);
  return !error;
}

Result<link::Address> AsioFabric::Impl::subscribe(const link::Address& group, link::DatagramReceiver& receiver) {
  error_code error;
  const udp::endpoint endpoint = group_endpoint(group, error);
  auto subscription = std::make_unique<Subscription>(io_);
  DatagramSocket& socket = subscription->socket;
  if (!error) socket.open(endpoint.protocol(), error);
  if (!error) keep_from_children(socket.native_handle());
  if (!error) socket.non_blocking(true, error);
  const bool is_multicast = endpoint.address().is_multicast();
  if (!error && is_multicast) socket.set_option(udp::socket::reuse_address(true), error);
  error_code ignored;  // the kernel gives as much as it allows
  if (!error)
    socket.set_option(asio::socket_base::receive_buffer_size(static_cast<int>(options_.datagram_buffer)), ignored);
  if (!error) socket.bind(endpoint, error);
  if (!error && is_multicast) {
    const auto interface = asio::ip::make_address_v4(options_.multicast_interface, error);
    if (!error) socket.set_option(asio::ip::multicast::join_group(endpoint.address().to_v4(), interface), error);
  }
  if (error) return no_group(error);
  const udp::endpoint bound = socket.local_endpoint(error);
  if (error) return no_group(error);
  const auto key = static_cast<std::uint32_t>(k_group + subscriptions_.size());
  if (!poller_.add(socket.native_handle(), key, Poller::k_input))
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(subscriptions_.size()), "fewer sockets");
  subscription->receiver = &receiver;
  subscriptions_.push_back(std::move(subscription));
  return link::Address{bound.address().to_string(), bound.port()};
}

std::size_t AsioFabric::Impl::receive_datagrams(Time now) {
  std::size_t work = 0;
  for (const auto& subscription : subscriptions_)
    if (std::exchange(subscription->is_readable, false)) work += receive(*subscription, now);
  return work;
}

std::size_t AsioFabric::Impl::receive(Subscription& subscription, Time now) {
  for (std::size_t count = 0; count < k_datagrams_a_turn; ++count) {
    error_code error;
    const std::size_t size =
        subscription.socket.receive(asio::buffer(arriving_.get(), options_.input_capacity), 0, error);
    if (error == asio::error::would_block) return count;
    if (error) continue;  // of a datagram that was sent before
    ++counts_.datagrams_in;
    subscription.receiver->on_datagram(Bytes(arriving_.get(), size), now);
  }
  return k_datagrams_a_turn;
}

}  // namespace dojima::net
