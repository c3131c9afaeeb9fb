#include "bench/budget/orders.hpp"

#include <cstdio>

#include "dojima/simulate/clients.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::bench {
namespace {

constexpr char k_end = '\x01';

void put(std::string& fields, std::string_view tag, std::string_view value) {
  fields.append(tag).append("=").append(value).push_back(k_end);
}

std::string timestamp(time::Time now) {
  std::array<char, time::k_timestamp_max> text{};
  return std::string(time::format_timestamp(now, 3, text));
}

std::string price_text(std::int64_t hundredths) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%lld.%02lld", static_cast<long long>(hundredths / 100),
                static_cast<long long>(hundredths % 100));
  return text.data();
}

}  // namespace

app::demo::Settings road_settings() {
  return {.clients = k_clients, .topology = app::demo::Topology::three, .idle = net::IdlePolicy::block};
}

app::VenueConfig road_venue() {
  app::VenueConfig config = app::demo::venue_config(road_settings());
  config.keep_journal = true;
  config.journal_megabytes = 64;
  return config;
}

app::GatewayConfig road_gateway() {
  return app::demo::gateway_config(road_settings());
}

OrderScript::OrderScript() : gateway_(road_gateway().gateway.comp_id) {
  for (std::size_t client = 0; client < k_clients; ++client)
    names_[client] = simulate::client_name(static_cast<std::uint32_t>(client));
  for (const simulate::InstrumentConfig& instrument : road_venue().instruments)
    instruments_.push_back({instrument.symbol, instrument.reference.units * 100 / market::k_price_scale});
}

std::string OrderScript::logon(std::size_t client, time::Time now) {
  std::string fields;
  put(fields, "98", "0");
  put(fields, "108", "30");
  put(fields, "141", "Y");
  return message(client, 'A', now, fields);
}

Request OrderScript::next(time::Time now) {
  return requests_ < resting() ? resting_order(now) : step_of_round(now);
}

/// Far from where the rounds trade.
Request OrderScript::resting_order(time::Time now) {
  const std::uint64_t number = requests_++;
  const Instrument& of = instruments_[number % instruments_.size()];
  const std::uint64_t place = number / instruments_.size();
  const bool is_buy = place % 2 == 0;
  const auto away = static_cast<std::int64_t>(10 + place / 2);
  return {.client = number % k_clients,
          .bytes = order(number % k_clients, now, "R" + std::to_string(number), of, is_buy ? '1' : '2',
                         of.reference + (is_buy ? -away : away), 100),
          .reports = 1};
}

Request OrderScript::step_of_round(time::Time now) {
  const std::uint64_t number = requests_++ - resting();
  const std::uint64_t round = number / k_round;
  const Instrument& of = instruments_[round % instruments_.size()];
  const std::string id = std::to_string(round);
  const std::int64_t above = of.reference + 1;
  const std::int64_t below = of.reference - 1;
  switch (number % k_round) {
    case 0:
      return {0, order(0, now, "S" + id, of, '2', above, 100), 1};
    case 1:
      return {1, order(1, now, "B" + id, of, '1', below, 100), 1};
    case 2:
      return {1, order(1, now, "P" + id, of, '1', above, 60), 3};
    case 3:
      return {1, order(1, now, "G" + id, of, '1', below, 80, "B" + id), 1};
    case 4: {
      std::string fields;
      put(fields, "11", "F" + id);
      put(fields, "41", "G" + id);
      put(fields, "55", of.symbol);
      put(fields, "54", "1");
      put(fields, "60", timestamp(now));
      return {1, message(1, 'F', now, fields), 1};
    }
    default:
      return {1, order(1, now, "Q" + id, of, '1', above, 40), 3};
  }
}

std::string OrderScript::order(std::size_t client, time::Time now, std::string_view id, const Instrument& of, char side,
                               std::int64_t hundredths, int quantity, std::string_view original) {
  std::string fields;
  put(fields, "11", id);
  if (!original.empty()) put(fields, "41", original);
  put(fields, "55", of.symbol);
  put(fields, "54", {&side, 1});
  put(fields, "60", timestamp(now));
  put(fields, "38", std::to_string(quantity));
  put(fields, "40", "2");
  put(fields, "44", price_text(hundredths));
  put(fields, "59", "0");
  return message(client, original.empty() ? 'D' : 'G', now, fields);
}

std::string OrderScript::message(std::size_t client, char type, time::Time now, std::string_view fields) {
  std::string body;
  put(body, "35", {&type, 1});
  put(body, "49", names_[client]);
  put(body, "56", gateway_);
  put(body, "34", std::to_string(++sent_[client]));
  put(body, "52", timestamp(now));
  body += fields;
  std::string text;
  put(text, "8", "FIX.4.4");
  put(text, "9", std::to_string(body.size()));
  text += body;
  unsigned sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  std::array<char, 8> check{};
  std::snprintf(check.data(), check.size(), "%03u", sum % 256);
  put(text, "10", check.data());
  return text;
}

void AnswerCounter::take(std::string_view bytes) {
  constexpr std::string_view k_check =
      "\x01"
      "10=";
  constexpr std::size_t k_check_size = 8;  // with its digits and the last separator
  rest_ += bytes;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t check = rest_.find(k_check, begin);
    if (check == std::string::npos || rest_.size() < check + k_check_size) break;
    note(std::string_view(rest_).substr(begin, check + k_check_size - begin));
    begin = check + k_check_size;
  }
  rest_.erase(0, begin);
}

void AnswerCounter::note(std::string_view message) {
  const std::size_t type = message.find(
      "\x01"
      "35=");
  const char kind = type == std::string_view::npos ? '?' : message[type + 4];
  if (kind == '8') {
    ++reports_;
  } else if (kind == 'A') {
    is_logged_on_ = true;
  } else if (surprise_.empty()) {
    surprise_ = message;
    for (char& c : surprise_) {
      if (c == k_end) c = '|';
    }
  }
}

}  // namespace dojima::bench
