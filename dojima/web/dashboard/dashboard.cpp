#include "dojima/web/dashboard/dashboard.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <unordered_map>
#include <utility>

#include "dojima/web/dashboard/assets.hpp"
#include "dojima/web/dashboard/client_view.hpp"
#include "dojima/web/dashboard/frame.hpp"
#include "dojima/web/http_server.hpp"

namespace dojima::web {
namespace {

/// More than a ring holds: a beat empties it.
constexpr std::size_t k_facts_a_beat = std::size_t{1} << 17;
constexpr std::chrono::milliseconds k_beat{1000 / ClientView::k_frames_a_second};

[[nodiscard]] std::string new_token() {
  std::random_device random;
  std::string token;
  for (int part = 0; part < 4; ++part) {
    const std::uint32_t bits = random();
    for (int digit = 0; digit < 8; ++digit) token += "0123456789abcdef"[bits >> (4 * digit) & 15U];
  }
  return token;
}

}  // namespace

class Dashboard::Impl final : public HttpHandler, public WebSocketHandler {
 public:
  Impl(DashboardOptions options, std::vector<FactChannel*> channels)
      : on_pace_(std::move(options.on_pace)),
        channels_(std::move(channels)),
        token_(on_pace_ ? new_token() : std::string()),
        picture_(with_pace(std::move(options.picture), on_pace_ != nullptr)),
        server_({.host = std::move(options.host),
                 .port = options.port,
                 .connections = options.clients * 4,
                 .body_bytes = 1024,
                 .is_for_browsers = true},
                *this,
                {.path = "/live",
                 .protocol = std::string(k_frame_protocol),
                 .connections = options.clients,
                 .message_bytes = 256,
                 .beat = k_beat},
                *this) {}

  Result<link::Address> start() { return server_.start(); }
  void stop() { server_.stop(); }
  [[nodiscard]] const std::string& token() const noexcept { return token_; }
  [[nodiscard]] WebSocketCounts counts() const noexcept { return server_.web_socket_counts(); }
  [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }

  void on_request(const HttpRequest& request, HttpReply reply) override {
    if (request.method != Method::get) return reply.send({.status = 404, .body = "pages are only read\n"});
    const std::string_view path = request.path == "/" ? std::string_view("/index.html") : request.path;
    const auto assets = dashboard_assets();
    const auto asset = std::ranges::find(assets, path, &Asset::path);
    if (asset == assets.end()) return reply.send({.status = 404, .body = "there is no page " + request.path + "\n"});
    reply.send({.content_type = std::string(asset->type), .body = std::string(asset->bytes)});
  }

  void on_open(WebSocket& socket, const HttpRequest&) override { clients_.try_emplace(&socket); }
  void on_close(WebSocket& socket) override { clients_.erase(&socket); }

  void on_message(WebSocket& socket, std::string_view message) override {
    constexpr std::string_view k_pace = "pace ";
    if (message.starts_with(k_pace)) {
      message.remove_prefix(k_pace.size());
      const std::string_view token = message.substr(0, message.find(' '));
      if (!on_pace_ || !is_same_secret(token, token_))
        return socket.close("time is moved with the token that was printed");
      message.remove_prefix(std::min(token.size() + 1, message.size()));
      if (!on_pace_(message)) socket.close("pace TOKEN pause, resume, step, or speed X");
      return;
    }
    const auto taken = clients_.at(&socket).on_words(message, picture_);
    if (!taken) socket.close(taken.error());
  }

  void on_beat() override {
    std::uint64_t lost = 0, snapshots = 0;
    for (FactChannel* channel : channels_) {
      channel->drain(k_facts_a_beat,
                     [this](const Fact& fact, const Snapshot* snapshot) { picture_.apply(fact, snapshot); });
      lost += channel->lost();
      snapshots += channel->snapshots();
    }
    picture_.set_trouble(lost, snapshots);
    picture_.settle();
    for (auto& [socket, view] : clients_) {
      if (!socket->is_ready()) continue;
      auto frame = view.next_frame(picture_);
      if (!frame) continue;
      socket->send(std::move(*frame));
      ++frames_;
    }
    want_details();
  }

 private:
  /// What the pages show of their instruments, levels for the histories; of the rest trades and best prices are enough.
  void want_details() {
    wanted_.clear();
    for (const Picture::Instrument& each : picture_.instruments())
      wanted_.push_back(each.history != nullptr ? Detail::levels : Detail::touch);
    for (const auto& [socket, view] : clients_)
      if (const Picture::Instrument* of = picture_.find(view.instrument()); of != nullptr)
        wanted_[of->place] = std::max(wanted_[of->place], view.detail());
    for (FactChannel* channel : channels_)
      for (std::size_t place = 0; place < wanted_.size(); ++place) channel->want(place, wanted_[place]);
  }
  [[nodiscard]] static PictureConfig with_pace(PictureConfig config, bool has_pace) {
    config.has_pace = has_pace;
    return config;
  }

  std::function<bool(std::string_view)> on_pace_;
  std::vector<FactChannel*> channels_;
  std::string token_;
  Picture picture_;
  std::unordered_map<WebSocket*, ClientView> clients_;
  std::vector<Detail> wanted_;  // by the place of an instrument
  std::atomic<std::uint64_t> frames_{0};
  HttpServer server_;  // ends before what its thread uses
};

Dashboard::Dashboard(DashboardOptions options, std::vector<FactChannel*> channels)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(channels))) {}

Dashboard::~Dashboard() = default;

Result<link::Address> Dashboard::start() {
  return impl_->start();
}

void Dashboard::stop() {
  impl_->stop();
}

const std::string& Dashboard::token() const noexcept {
  return impl_->token();
}

WebSocketCounts Dashboard::counts() const noexcept {
  return impl_->counts();
}

std::uint64_t Dashboard::frames() const noexcept {
  return impl_->frames();
}

std::string dashboard_url(const link::Address& where, std::string_view token) {
  const bool is_v6 = where.host.find(':') != std::string::npos;
  std::string url = "http://" + (is_v6 ? "[" + where.host + "]" : where.host) + ':' + std::to_string(where.port) + '/';
  if (!token.empty()) url += "#token=" + std::string(token);
  return url;
}

}  // namespace dojima::web
