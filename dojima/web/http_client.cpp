#include "dojima/web/http_client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/rate_policy.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <string_view>
#include <utility>

namespace dojima::web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Stream = beast::basic_stream<tcp, asio::io_context::executor_type, beast::unlimited_rate_policy>;

[[nodiscard]] http::request<http::string_body> request_of(const HttpCall& call) {
  http::request<http::string_body> request(call.method == Method::post ? http::verb::post : http::verb::get,
                                           call.target, 11);
  request.set(http::field::host, call.host + ':' + std::to_string(call.port));
  request.set(http::field::connection, "close");
  if (!call.token.empty()) request.set(http::field::authorization, "Bearer " + call.token);
  request.body() = call.body;
  request.prepare_payload();
  return request;
}

/// One call: connect, write, read, each when the one before it is done.
class Exchange {
 public:
  explicit Exchange(const HttpCall& call) : request_(request_of(call)), stream_(io_) {
    parser_.body_limit(call.answer_bytes);
    stream_.expires_after(call.patience);
  }

  error_code run(const tcp::endpoint& server) {
    stream_.async_connect(server, [this](const error_code& error) {
      if (is_over(error)) return;
      http::async_write(stream_, request_, [this](const error_code& unsent, std::size_t) {
        if (is_over(unsent)) return;
        http::async_read(stream_, buffer_, parser_, [this](const error_code& unread, std::size_t) { error_ = unread; });
      });
    });
    io_.run();
    return error_;
  }

  [[nodiscard]] HttpResponse answer() {
    http::response<http::string_body>& message = parser_.get();
    const auto type = message[http::field::content_type];
    return {.status = message.result_int(),
            .content_type = std::string(type.data(), type.size()),
            .body = std::move(message.body())};
  }

 private:
  bool is_over(const error_code& error) {
    error_ = error;
    return error.failed();
  }

  asio::io_context io_{1};
  http::request<http::string_body> request_;
  Stream stream_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  error_code error_;
};

}  // namespace

std::expected<HttpResponse, std::string> call(const HttpCall& call) {
  error_code error;
  const asio::ip::address address = asio::ip::make_address(call.host == "localhost" ? "127.0.0.1" : call.host, error);
  if (error) return std::unexpected("\"" + call.host + "\" is not a numeric address or localhost");
  const std::string where = call.host + ':' + std::to_string(call.port);
  Exchange exchange(call);
  error = exchange.run({address, call.port});
  if (error == beast::error::timeout)
    return std::unexpected(where + " gave no answer in " + std::to_string(call.patience.count()) + " ms");
  if (error) return std::unexpected("no answer from " + where + ": " + error.message());
  return exchange.answer();
}

}  // namespace dojima::web
