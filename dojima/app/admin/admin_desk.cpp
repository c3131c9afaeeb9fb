#include "dojima/app/admin/admin_desk.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fmt/core.h>
#include <thread>
#include <utility>

#include "dojima/app/admin/process_figures.hpp"
#include "dojima/app/listen_error.hpp"
#include "dojima/net/address.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::app {
namespace {

constexpr std::chrono::milliseconds k_desk_look{100}, k_port_again{10};
constexpr std::chrono::seconds k_stuck{2};
constexpr const char* k_json = "application/json";

web::HttpResponse text_page(unsigned status, std::string text) {
  return {.status = status, .body = std::move(text) + "\n"};
}

web::HttpResponse answer_page(unsigned status, const AdminAnswer& answer) {
  return {.status = status, .content_type = k_json, .body = json_of(answer)};
}

AdminAnswer table_of(std::span<const AdminVerb> verbs) {
  AdminAnswer answer;
  answer.columns = {"verb", "words", "meaning"};
  for (const AdminVerb& verb : verbs)
    answer.rows.push_back({std::string(verb.name), std::string(verb.usage), std::string(verb.meaning)});
  return answer;
}

std::string names_of(std::span<const AdminVerb> verbs) {
  std::string names;
  for (const AdminVerb& verb : verbs) names += (names.empty() ? "" : ", ") + std::string(verb.name);
  return names;
}

bool is_change(const AdminVerb& verb, std::span<const std::string> words) {
  const auto has_value = [](const std::string& word) { return word.find('=') != std::string::npos; };
  return verb.changes && (!verb.only_with_values || std::ranges::any_of(words, has_value));
}

/// Without what would break a line of a log.
std::string printable(std::string text) {
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, '.');
  return text;
}

}  // namespace

AdminDesk::AdminDesk(const AdminConfig& config, AdminTarget& target, const measure::GaugeBoard& board,
                     sched::Scheduler& scheduler, Log log, bool is_virtual)
    : config_(config),
      target_(target),
      board_(board),
      log_(std::move(log)),
      is_virtual_(is_virtual),
      scheduler_(scheduler),
      look_(scheduler, *this),
      server_({.host = config.host, .port = static_cast<std::uint16_t>(config.port)}, *this) {}

AdminDesk::~AdminDesk() {
  stop();
}

std::expected<link::Address, std::string> AdminDesk::start(std::function<void()> wake, time::Duration patience) {
  wake_ = std::move(wake);
  on_look(scheduler_.now());
  const auto begun = std::chrono::steady_clock::now();
  auto where = server_.start();
  while (!where && where.error().got == EADDRINUSE && std::chrono::steady_clock::now() - begun < patience) {
    std::this_thread::sleep_for(k_port_again);
    where = server_.start();
  }
  if (!where)
    return std::unexpected("admin: " + describe_listen_error({config_.host, static_cast<std::uint16_t>(config_.port)},
                                                             "admin.port", where.error()));
  std::vector<OperatorConfig> wanted{{.name = {}, .token_file = config_.token_file}};
  wanted.insert(wanted.end(), config_.operators.begin(), config_.operators.end());
  std::vector<Operator> operators;
  for (const OperatorConfig& each : wanted) {
    auto token = AdminToken::make(each.token_file, where->port);
    if (!token) {
      stop();
      return std::unexpected("admin: " + std::move(token.error()));
    }
    const auto same =
        std::ranges::find(operators, token->text(), [](const Operator& other) { return other.token.text(); });
    if (same != operators.end()) {
      stop();
      return std::unexpected(fmt::format("admin: {} and {} hold the same token", same->token.file(), each.token_file));
    }
    operators.push_back({.name = each.name, .token = std::move(*token), .only_looks = each.only_looks});
  }
  const std::scoped_lock lock(mutex_);
  operators_ = std::move(operators);
  return *where;
}

void AdminDesk::stop() {
  server_.stop();
  const std::scoped_lock lock(mutex_);
  waiting_.clear();
}

std::string AdminDesk::describe(const link::Address& where) const {
  return fmt::format("admin and metrics http://{}, token in {}", net::text_of(where), operators_.front().token.file());
}

std::size_t AdminDesk::deliver(time::Time now) {
  if (!has_command_.load(std::memory_order_acquire)) return 0;
  std::deque<Waiting> commands;
  {
    const std::scoped_lock lock(mutex_);
    commands.swap(waiting_);
    has_command_.store(false, std::memory_order_relaxed);
  }
  for (Waiting& command : commands) {
    ++commands_;
    const AdminAnswer answer = carry_out(command, now);
    command.reply.send(answer_page(answer.is_done ? 200 : 409, answer));
  }
  return commands.size();
}

AdminAnswer AdminDesk::carry_out(const Waiting& command, time::Time now) {
  const auto words = admin_words(command.line);
  if (!words) return AdminAnswer::refusal("a quotation mark is not closed");
  if (words->empty()) return AdminAnswer::refusal("there is no verb; known are " + names_of(target_.verbs()));
  const auto verb = std::ranges::find(target_.verbs(), words->front(), &AdminVerb::name);
  AdminAnswer answer =
      verb == target_.verbs().end()
          ? AdminAnswer::refusal(fmt::format("there is no verb {}; known are {}",
                                             without_secrets(*words, false).front(), names_of(target_.verbs())))
      : command.only_looks && is_change(*verb, *words)
          ? AdminAnswer::refusal("the token is of an operator who only looks")
          : target_.on_command(*words, command.from, now);
  if (!answer.is_done || verb->changes)
    log_(printable(fmt::format(
        "admin {}: {}: {}", command.from, admin_line(without_secrets(*words, verb != target_.verbs().end())),
        answer.is_done ? (answer.text.empty() ? "done" : answer.text) : "refused: " + answer.text)));
  return answer;
}

void AdminDesk::on_look(time::Time now) {
  const time::Time looked = time::SystemClock().now();
  if (due_ != time::Time{} && !is_virtual_) {
    const std::int64_t late = (looked - due_).count();
    lags_[looks_++ % lags_.size()].store(std::max<std::int64_t>(late, 0), std::memory_order_relaxed);
  }
  due_ = now + k_desk_look;
  look_.arm(due_);
  target_.publish(now);
  last_look_.store(looked.time_since_epoch().count(), std::memory_order_relaxed);
  if (std::string text = target_.waits_for(); text != waits_for_) {
    const std::scoped_lock lock(mutex_);
    waits_for_ = std::move(text);
  }
}

void AdminDesk::on_request(const web::HttpRequest& request, web::HttpReply reply) {
  if (request.path == "/command") return on_command(request, std::move(reply));
  if (request.method == web::Method::post) return reply.send(text_page(405, "only /command takes a POST"));
  reply.send(page(request));
}

time::Duration AdminDesk::loop_lag() const {
  std::int64_t most = 0;
  for (const auto& lag : lags_) most = std::max(most, lag.load(std::memory_order_relaxed));
  // A loop that does not look at all is late by that, too.
  const std::int64_t last = last_look_.load(std::memory_order_relaxed);
  const std::int64_t now = time::SystemClock().now().time_since_epoch().count();
  const std::int64_t silence = now - last - time::Duration(k_desk_look).count();
  return time::Duration{last == 0 ? most : std::max(most, silence)};
}

web::HttpResponse AdminDesk::page(const web::HttpRequest& request) {
  if (request.path == "/metrics")
    return {.content_type = std::string(measure::GaugeBoard::k_content_type),
            .body = board_.prometheus() + process_figures(loop_lag())};
  if (request.path == "/verbs") return answer_page(200, table_of(target_.verbs()));
  if (request.path == "/live") {
    const time::Duration silence =
        time::SystemClock().now() - time::Time{time::Duration{last_look_.load(std::memory_order_relaxed)}};
    if (silence < k_stuck) return text_page(200, "live");
    return text_page(503, fmt::format("the loop has not turned for {} s",
                                      std::chrono::duration_cast<std::chrono::seconds>(silence).count()));
  }
  if (request.path == "/ready") {
    const std::scoped_lock lock(mutex_);
    return waits_for_.empty() ? text_page(200, "ready") : text_page(503, waits_for_);
  }
  if (request.path == "/")
    return text_page(200, "GET /metrics, /live, /ready, /verbs; POST /command, which dojima admin does");
  return text_page(404, "there is /metrics, /live, /ready, /verbs and /command");
}

void AdminDesk::on_command(const web::HttpRequest& request, web::HttpReply reply) {
  if (request.method != web::Method::post) return reply.send(text_page(405, "a command is a POST"));
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find_if(
        operators_, [&](const Operator& each) { return web::is_same_secret(request.token, each.token.text()); });
    if (found == operators_.end()) {
      const std::string where = operators_.empty() ? "no file yet" : operators_.front().token.file();
      return reply.send(answer_page(401, AdminAnswer::refusal("wrong or missing token; it is in " + where)));
    }
    const std::string address = net::text_of(request.peer);
    waiting_.push_back({.line = request.body,
                        .from = found->name.empty() ? address : fmt::format("{} at {}", found->name, address),
                        .only_looks = found->only_looks,
                        .reply = std::move(reply)});
    has_command_.store(true, std::memory_order_release);
  }
  wake_();
}

}  // namespace dojima::app
