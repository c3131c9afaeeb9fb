#include "dojima/app/admin_client.hpp"

#include <fmt/core.h>
#include <utility>

#include "dojima/app/admin/admin_token.hpp"
#include "dojima/net/address.hpp"
#include "dojima/web/http_client.hpp"

namespace dojima::app {
namespace {

std::expected<web::HttpResponse, std::string> call(const AdminServer& server, web::HttpCall call) {
  call.host = server.address.host;
  call.port = server.address.port;
  auto answer = web::call(call);
  if (answer) return answer;
  return std::unexpected(
      fmt::format("{}\nis a server running there with admin.port = {}?", answer.error(), server.address.port));
}

std::expected<AdminAnswer, std::string> parsed(const AdminServer& server, const web::HttpResponse& response) {
  auto answer = parse_admin_answer(response.body);
  if (answer) return *std::move(answer);
  return std::unexpected(fmt::format("{} is no server of ours: it answered with status {}",
                                     net::text_of(server.address), response.status));
}

}  // namespace

std::expected<AdminAnswer, std::string> command(const AdminServer& server, std::span<const std::string> words) {
  const std::string file =
      server.token_file.empty() ? AdminToken::default_file(server.address.port) : server.token_file;
  auto token = AdminToken::read(file);
  if (!token)
    return std::unexpected(
        fmt::format("{}\nthe server's start-up lines name its token file; give it with --token-file", token.error()));
  const auto response =
      call(server,
           {.method = web::Method::post, .target = "/command", .token = *std::move(token), .body = admin_line(words)});
  if (!response) return std::unexpected(response.error());
  auto answer = parsed(server, *response);
  if (answer && response->status == 401)
    return std::unexpected(fmt::format("{} does not know the token in {}", net::text_of(server.address), file));
  return answer;
}

std::expected<AdminAnswer, std::string> verbs_of(const AdminServer& server) {
  const auto response = call(server, {.target = "/verbs"});
  if (!response) return std::unexpected(response.error());
  return parsed(server, *response);
}

std::expected<AdminPage, std::string> page_of(const AdminServer& server, const std::string& path) {
  auto response = call(server, {.target = path});
  if (!response) return std::unexpected(std::move(response.error()));
  return AdminPage{.is_good = response->status == 200, .text = std::move(response->body)};
}

}  // namespace dojima::app
