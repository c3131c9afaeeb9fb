// What a user of the room `web` alone builds.

#include "dojima/web/dashboard/dashboard.hpp"
#include "dojima/web/http_client.hpp"
#include "dojima/web/http_server.hpp"

namespace {
class Pages final : public dojima::web::HttpHandler {
  void on_request(const dojima::web::HttpRequest& request, dojima::web::HttpReply reply) override {
    reply.send({.body = request.path});
  }
};
}  // namespace

int main() {
  Pages pages;
  dojima::web::HttpServer server({}, pages);
  const auto where = server.start();
  if (!where) return 1;
  const auto answer = dojima::web::call({.port = where->port, .target = "/here"});
  if (!answer || answer->body != "/here") return 1;
  dojima::web::FactChannel channel({.bytes = 4096, .orders = 64});
  dojima::web::Dashboard dashboard({.picture = {.name = "a market", .instruments = {{.id = 1, .symbol = "RICE"}}}},
                                   {&channel});
  const auto screens = dashboard.start();
  return screens && dojima::web::call({.port = screens->port})->status == 200 ? 0 : 1;
}
