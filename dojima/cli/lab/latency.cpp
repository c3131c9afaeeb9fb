// dojima lab latency

#include "dojima/backtest/latency.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <fmt/core.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/trade/latency_probe.hpp"
#include "dojima/app/venue_server.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/cli/trading/password_option.hpp"
#include "dojima/measure/histogram.hpp"
#include "dojima/mit/describe.hpp"
#include "dojima/net/address.hpp"

namespace dojima::cli {
namespace {

struct LatencyOptions {
  InstrumentOptions instrument;
  std::string venue;  // empty: one of our own, in this process
  std::string user, dialect{"LSE-21.2"}, feed, interface{"127.0.0.1"};
  PasswordOption password{"--password"};
  std::size_t number = 0;  // of the traded instrument
  std::string price, gap{"1ms"}, idle{"block"}, out;
  std::size_t rounds = 1000;
  bool trades = false, halves = false;
};

/// A venue in a thread of its own, until its end.
class OwnVenue {
 public:
  /// Its line A goes to `feed`. Throws std::runtime_error with the line for the user.
  OwnVenue(const link::Address& feed, net::IdlePolicy idle) {
    app::VenueConfig config = app::default_venue();
    config.listen.port = 0;
    config.idle = idle;
    config.feed.line_a = net::text_of(feed);
    auto made = app::VenueServer::make(config);
    if (!made) throw std::runtime_error(made.error());
    server_ = *std::move(made);
    const auto where = server_->start();
    if (!where) throw std::runtime_error(where.error());
    address_ = *where;
    thread_ = std::jthread([this] { server_->run([this] { return is_over_.load(); }); });
  }
  ~OwnVenue() { is_over_ = true; }
  OwnVenue(const OwnVenue&) = delete;
  OwnVenue& operator=(const OwnVenue&) = delete;
  [[nodiscard]] const link::Address& address() const noexcept { return address_; }

 private:
  std::atomic<bool> is_over_ = false;
  std::unique_ptr<app::VenueServer> server_;
  link::Address address_;
  std::jthread thread_;
};

/// What is measured at the venue of our own.
void choose_own_venue(app::LatencyProbeOptions& probe) {
  const app::VenueConfig config = app::default_venue();
  const auto& user = config.users.front();
  const auto& traded = config.instruments.front();
  probe.user = user.name;
  probe.password = user.password;
  probe.feed_line = "127.0.0.1:0";
  probe.instrument = traded.id;
  probe.price = traded.reference;
  probe.trades = true;
}

/// Nothing: something makes no sense, which has been reported.
std::optional<app::LatencyProbeOptions> probe_of(LatencyOptions& options) {
  app::LatencyProbeOptions probe{.rounds = options.instrument.is_quick ? std::min<std::size_t>(options.rounds, 100)
                                                                       : options.rounds};
  probe.quantity = {1};
  const auto gap = backtest::parse_duration(options.gap);
  if (!gap) {
    complain("--gap: " + gap.error());
    return std::nullopt;
  }
  probe.gap = *gap;
  probe.idle = *net::idle_policy_of(options.idle);
  probe.halves = options.halves;
  if (options.venue.empty()) {
    const bool is_clear = options.user.empty() && !options.password.is_given() && options.feed.empty() &&
                          options.number == 0 && options.price.empty() && !options.trades && !options.halves;
    if (!is_clear) {
      complain("--user, --password, --instrument, --price, --feed, --trades and --halves are of --venue HOST:PORT");
      return std::nullopt;
    }
    choose_own_venue(probe);
    return probe;
  }
  const auto address = net::parse_address(options.venue);
  if (!address) {
    complain(fmt::format("--venue {}: expected {}", options.venue, address.error().expected));
    return std::nullopt;
  }
  probe.venue = *address;
  if (options.user.empty() || options.number == 0 || options.price.empty()) {
    complain("--venue needs --user, --instrument and --price: a bid there that nobody meets");
    return std::nullopt;
  }
  const auto password = options.password.read();
  if (!password) return std::nullopt;
  const auto price = market::parse_price(options.price);
  if (!price || price->units <= 0) {
    complain(fmt::format("--price takes a price above 0 with at most eight decimals; got \"{}\"", options.price));
    return std::nullopt;
  }
  probe.dialect = mit::find_dialect(options.dialect);
  if (probe.dialect == nullptr) {
    complain(fmt::format("--dialect {}: expected LSE-21.2, BIT-9.4 or LSE-11.8.5", options.dialect));
    return std::nullopt;
  }
  if (!options.feed.empty() && !net::parse_address(options.feed)) {
    complain(fmt::format("--feed {}: expected HOST:PORT", options.feed));
    return std::nullopt;
  }
  probe.user = options.user;
  probe.password = *password;
  probe.feed_line = options.feed;
  probe.feed_interface = options.interface;
  probe.instrument = static_cast<std::uint32_t>(options.number);
  probe.price = *price;
  probe.trades = options.trades;
  return probe;
}

evidence::Table latency_table(evidence::Artefact& artefact, const app::LatencyProbeResult& result) {
  evidence::Table table{"latency",
                        "how long messages take to the venue and back",
                        {{"kind"},
                         {"way", 0, true, "entry: to the venue; response: from there; round: both"},
                         {"messages"},
                         {"min_ns"},
                         {"p50_ns"},
                         {"p99_ns"},
                         {"p99_9_ns"},
                         {"max_ns"}}};
  enum class Way : std::uint8_t { entry, response, round };
  constexpr std::array<const char*, 3> k_ways = {"entry", "response", "round"};
  for (std::size_t place = 0; place < app::k_probe_kinds; ++place) {
    const auto kind = static_cast<app::ProbeKind>(place);
    for (const Way way : {Way::entry, Way::response, Way::round}) {
      if (kind == app::ProbeKind::feed && way != Way::response) continue;
      measure::Histogram histogram;
      std::uint64_t least = ~std::uint64_t{0};
      for (const app::ProbeTrip& trip : result.trips) {
        if (trip.kind != kind) continue;
        const time::Duration took = way == Way::entry      ? trip.at_exchange - trip.sent
                                    : way == Way::response ? trip.received - trip.at_exchange
                                                           : trip.received - trip.sent;
        histogram.record(static_cast<std::uint64_t>(took.count()));
        least = std::min(least, static_cast<std::uint64_t>(took.count()));
      }
      const measure::HistogramView view = histogram.view();
      if (view.count() == 0) continue;
      const char* const name = k_ways[static_cast<std::size_t>(way)];
      table.add_row({app::name_of(kind), name, view.count(), least, view.value_at(0.5), view.value_at(0.99),
                     view.value_at(0.999), view.max});
      artefact.begin_run({.arm = fmt::format("{} {}", app::name_of(kind), name)})
          .add_histogram({"latency", evidence::Role::total}, view);
    }
  }
  return table;
}

int measure_latency(LatencyOptions& options) try {
  const auto probe = probe_of(options);
  if (!probe) return k_usage;
  InstrumentRun run(options.instrument);
  if (!run.can_write() || (!options.out.empty() && !can_write_file(options.out))) return k_environment;
  std::optional<OwnVenue> own;
  const auto start_venue = [&](const link::Address& feed) { return own.emplace(feed, probe->idle).address(); };
  const app::LatencyProbeResult result = app::probe_latency(
      *probe, [&run] { return run.is_interrupted(); },
      [&](std::size_t done) {
        run.show("latency", static_cast<double>(done), static_cast<double>(probe->rounds), "rounds");
      },
      options.venue.empty() ? std::function<link::Address(const link::Address&)>(start_venue) : nullptr);
  own.reset();
  if (result.trips.empty() && !result.trouble.empty()) {
    complain(result.trouble);
    return k_environment;
  }
  if (!options.out.empty() && !write_file(options.out, app::latency_file_text(result.trips))) return k_environment;
  evidence::Artefact artefact("dojima lab latency");
  artefact.set_parameter("venue", options.venue.empty() ? std::string("in this process") : options.venue)
      .set_parameter("rounds", probe->rounds)
      .set_parameter("gap_ns", probe->gap.count())
      .set_parameter("idle", options.idle)
      .set_parameter("halves", probe->halves);
  artefact.add_table(latency_table(artefact, result));
  artefact.add_check("all rounds were answered", result.rounds == probe->rounds || result.was_interrupted,
                     fmt::format("{} of {}", result.rounds, probe->rounds));
  artefact.add_check("the venue's times lie between sent and received", result.trouble.empty(),
                     result.trouble.empty()
                         ? fmt::format("{} were up to {} us before, as its instant had begun", result.reached_back,
                                       app::k_probe_turn / std::chrono::microseconds{1})
                         : result.trouble);
  for (const char* column : {"messages", "min_ns", "p50_ns", "p99_ns", "p99_9_ns", "max_ns"})
    artefact.add_rule({.table = "latency", .column = column, .rule = evidence::Rule::shown});
  return run.finish(artefact, {.clock = "system clock"});
} catch (const std::invalid_argument& wrong) {
  complain(wrong.what());
  return k_usage;
} catch (const std::exception& error) {
  complain(error.what());
  return k_environment;
}

}  // namespace

void add_lab_latency(Command lab, int& status) {
  Command latency = lab.add_command("latency", "How long messages take to a venue, through it and back");
  auto options = std::make_shared<LatencyOptions>();
  latency.add_option("--venue", options->venue, "Where it takes MIT203 sessions; without it one is started here")
      .type_name("HOST:PORT");
  latency.add_option("--user", options->user, "Of the logon").type_name("TEXT");
  options->password.add_to(latency, "Of the logon");
  latency.add_option("--dialect", options->dialect, "Of MIT203: LSE-21.2, BIT-9.4 or LSE-11.8.5").show_default();
  latency.add_option("--instrument", options->number, "Its number at the venue")
      .between(std::size_t{1}, std::size_t{2'147'483'647})
      .type_name("NUMBER");
  latency.add_option("--price", options->price, "Of a bid that nobody meets").type_name("PRICE");
  latency.add_flag("--trades", options->trades, "Sell to that bid, too; both orders are ours");
  latency.add_option("--feed", options->feed, "The venue's line A; without it the feed is not measured")
      .type_name("HOST:PORT");
  latency.add_option("--interface", options->interface, "Of this machine, by which the feed comes").show_default();
  latency.add_flag("--halves", options->halves,
                   "The venue has another clock: take it to work in the middle of each round trip; no feed");
  latency.add_option("--rounds", options->rounds, "Each enters, changes and cancels an order")
      .between(std::size_t{1}, std::size_t{10'000'000})
      .show_default();
  latency.add_option("--gap", options->gap, "Between an answer and the next request").show_default();
  latency.add_option("--idle", options->idle, "What waits for messages does: spin, yield or block")
      .one_of({"spin", "yield", "block"})
      .show_default();
  latency.add_option("--out", options->out, "Write the round trips: what dojima backtest --latency reads")
      .type_name("FILE");
  options->instrument.add_to(latency);
  latency.footer(
      "Exit status 1: the venue stopped answering, or its clock is another one; 3: there is no venue.\n"
      "example: dojima lab latency --out latency.csv && dojima backtest day.events --latency latency.csv\n"
      "example: dojima lab latency --venue 127.0.0.1:9001 --user KONOIKE --password-file key --instrument 1001 --price "
      "1.00");
  latency.on_run([options, &status] { status = measure_latency(*options); });
}

}  // namespace dojima::cli
