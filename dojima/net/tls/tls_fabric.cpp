#include "dojima/net/tls_fabric.hpp"

#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/link/host_shares.hpp"
#include "dojima/net/tls/context.hpp"
#include "dojima/net/tls/endpoint.hpp"

namespace dojima::net {

using link::CloseReason;

class TlsFabric::Impl final : public TlsOwner {
 public:
  Impl(link::Fabric& below, sched::Scheduler& its_scheduler, TlsContext its_context,
       const TlsFabricOptions& its_options, TlsHandler* its_handler)
      : TlsOwner(its_scheduler, its_options, its_handler),
        context(std::move(its_context)),
        below_(below),
        shares_(its_options.max_connections),
        failure_timer_(its_scheduler, *this) {
    endpoints_.reserve(options.max_connections);
    shaking_hands_.reserve(options.max_connections);
    free_.reserve(options.max_connections);
    for (std::size_t index = 0; index < options.max_connections; ++index) {
      endpoints_.push_back(std::make_unique<TlsEndpoint>(*this));
      free_.push_back(endpoints_.back().get());
    }
  }

  Result<link::Address> listen(const link::Address& address, link::Acceptor& acceptor) {
    DOJIMA_ASSERT(context.role() == TlsRole::server, "who listens has a server's settings");
    ports_.push_back(std::make_unique<Port>(*this, acceptor));
    auto where = below_.listen(address, *ports_.back());
    if (!where) ports_.pop_back();
    return where;
  }

  void connect(const link::Address& address, link::Connection& session) {
    DOJIMA_ASSERT(context.role() == TlsRole::client, "who connects has a client's settings");
    TlsEndpoint* endpoint = take();
    if (endpoint == nullptr) {
      failures_.push_back(&session);
      failure_timer_.arm(scheduler.now());
      return;
    }
    endpoint->begin_client(address, session);
    below_.connect(address, *endpoint);
  }

  void release(TlsEndpoint& endpoint) override { free_.push_back(&endpoint); }

  [[nodiscard]] SslPtr make_ssl(TlsRole role, const link::Address& address, Time now) override {
    const TlsContext::Parts& parts = *context.parts_;
    return net::make_ssl(*parts.context, role, parts.server_name, address.host, now);
  }

  TlsContext context;  // of connections that begin now

 private:
  /// What listens below, for one acceptor.
  struct Port final : link::Acceptor {
    Port(Impl& its_owner, link::Acceptor& its_acceptor) : owner(its_owner), acceptor(its_acceptor) {}
    link::Connection* on_accept(const link::Address& peer) override {
      TlsEndpoint* endpoint = owner.take();
      if (endpoint == nullptr) {
        on_turned_away(peer);
      } else {
        endpoint->begin_server(peer, acceptor);
        if (owner.free_.empty()) owner.give_up_a_handshake_for(peer, endpoint);
      }
      return endpoint;
    }
    void on_turned_away(const link::Address& peer) override {
      ++owner.counts.refused;
      acceptor.on_turned_away(peer);
      owner.give_up_a_handshake_for(peer, nullptr);
    }
    Impl& owner;
    link::Acceptor& acceptor;
  };

  [[nodiscard]] TlsEndpoint* take() noexcept {
    if (free_.empty()) return nullptr;
    TlsEndpoint* endpoint = free_.back();
    free_.pop_back();
    return endpoint;
  }

  /// Peers that connect and say nothing, or too little, do not keep others out, nor does a host that begins many.
  void give_up_a_handshake_for(const link::Address& peer, const TlsEndpoint* newest) {
    shares_.begin();
    shaking_hands_.clear();
    for (const auto& endpoint : endpoints_) {
      if (endpoint.get() == newest || !endpoint->is_shaking_hands()) continue;
      shares_.add(endpoint->host(), endpoint->number());
      shaking_hands_.push_back(endpoint.get());
    }
    if (const auto chosen = shares_.choose(peer.host)) shaking_hands_[*chosen]->give_up_handshake(scheduler.now());
  }

  /// No endpoint was free: nobody is called back before connect() returns.
  void report_failures(Time now) {
    std::swap(reporting_, failures_);
    for (link::Connection* session : reporting_) session->on_closed(CloseReason::failed, now);
    reporting_.clear();
  }

  link::Fabric& below_;
  std::vector<std::unique_ptr<TlsEndpoint>> endpoints_;
  std::vector<TlsEndpoint*> free_;
  link::HostShares shares_;
  std::vector<TlsEndpoint*> shaking_hands_;  // in hand
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<link::Connection*> failures_, reporting_;
  sched::TimerOf<&Impl::report_failures> failure_timer_;
};

TlsFabric::TlsFabric(link::Fabric& below, sched::Scheduler& scheduler, TlsContext context,
                     const TlsFabricOptions& options, TlsHandler* handler)
    : impl_(std::make_unique<Impl>(below, scheduler, std::move(context), options, handler)) {}
TlsFabric::~TlsFabric() = default;

Result<link::Address> TlsFabric::listen(const link::Address& address, link::Acceptor& acceptor) {
  return impl_->listen(address, acceptor);
}
void TlsFabric::connect(const link::Address& address, link::Connection& connection) {
  impl_->connect(address, connection);
}
void TlsFabric::use(TlsContext context) {
  DOJIMA_ASSERT(context.role() == impl_->context.role(), "settings of the same role");
  impl_->context = std::move(context);
}
const TlsCounts& TlsFabric::counts() const noexcept {
  return impl_->counts;
}

}  // namespace dojima::net
