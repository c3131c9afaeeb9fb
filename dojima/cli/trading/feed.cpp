// dojima feed

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fmt/core.h>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/feed/feed_session.hpp"
#include "dojima/app/stop_signal.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/cli/trading/feed_view.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/table.hpp"
#include "dojima/net/address.hpp"

namespace dojima::cli {
namespace {

struct Options {
  std::string config;
  std::vector<std::string> sets;
  std::string line_a, line_b, interface, replay, recovery, user, password, control_user, control_password;
  std::vector<std::string> instruments;  // SYMBOL, ID or ID@GROUP
  std::vector<std::string> segments;
  std::string drop;
  std::size_t depth = 5;
  double seconds = 0;
  double every = 1;
  bool has_tape = false;
  std::size_t seed = 1;
  JsonOption json;
};

/// "5%", "0.5%", "5": parts of a million; none for anything else.
std::optional<std::uint32_t> parts_of(std::string text) {
  if (text.empty()) return 0;
  if (text.back() == '%') text.pop_back();
  double percent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !(percent >= 0 && percent <= 90))
    return std::nullopt;
  return static_cast<std::uint32_t>(std::lround(percent * 10'000));
}

std::optional<link::Address> address_of(const char* option, const std::string& text, const char* example) {
  const auto address = net::parse_address(text);
  if (!address || address->port == 0) {
    complain(fmt::format("{} {}: write HOST:PORT, such as {}", option, text, example));
    return std::nullopt;
  }
  return *address;
}

std::optional<link::Address> line_of(const char* option, const std::string& text) {
  return address_of(option, text, "239.255.77.1:14301");
}

std::optional<link::Address> channel_of(const char* option, const std::string& text) {
  return address_of(option, text, "127.0.0.1:14303");
}

/// What the venue's configuration says goes for what the options do not say.
void fill_in(Options& options, const app::VenueConfig& venue) {
  const app::FeedConfig& feed = venue.feed;
  const auto set = [](std::string& option, const std::string& value) {
    if (option.empty()) option = value;
  };
  const auto channel = [&](std::int32_t port) {
    return port > 0 ? net::text_of({venue.listen.host, static_cast<std::uint16_t>(port)}) : std::string();
  };
  set(options.line_a, feed.line_a);
  set(options.line_b, feed.line_b);
  set(options.interface, feed.interface);
  set(options.replay, channel(feed.replay_port));
  set(options.recovery, channel(feed.recovery_port));
  if (!options.user.empty() || feed.readers.empty()) return;
  options.user = feed.readers.front().name;
  set(options.password, feed.readers.front().password);
  if (feed.readers.size() == 1) return;
  options.control_user = feed.readers[1].name;
  options.control_password = feed.readers[1].password;
}

using Names = std::map<std::uint32_t, std::string>;

/// A symbol of the configuration, ID or ID@GROUP.
std::optional<mitch::FollowedInstrument> instrument_of(const std::string& word, const app::VenueConfig* venue) {
  if (venue != nullptr)
    for (const simulate::InstrumentConfig& each : venue->instruments)
      if (each.symbol == word || std::to_string(each.id) == word)
        return mitch::FollowedInstrument{static_cast<char>('0' + each.partition), each.id};
  mitch::FollowedInstrument instrument;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, instrument.id);
  const bool has_group = read.ptr + 2 == end && *read.ptr == '@';
  if (has_group) instrument.group = read.ptr[1];
  if (read.ec == std::errc() && instrument.id != 0 && (read.ptr == end || has_group)) return instrument;
  return std::nullopt;
}

struct Wanted {
  app::FeedSessionOptions session;
  Names names;
  std::vector<std::uint32_t> shown;  // empty: all
};

/// Complains and answers nothing where the options make no sense.
std::optional<Wanted> wanted_of(Options options) {
  std::optional<app::VenueConfig> venue;
  if (!options.config.empty()) {
    std::vector<app::Override> overrides;
    for (const std::string& text : options.sets) {
      auto change = app::parse_override(text);
      if (!change) {
        complain(fmt::format("--set {}: write KEY=VALUE, e.g. --set feed.line_a=239.255.77.1:14301", text));
        return std::nullopt;
      }
      overrides.push_back(*std::move(change));
    }
    auto loaded = app::load_venue(options.config, overrides);
    if (!loaded) {
      complain(loaded.error());
      return std::nullopt;
    }
    venue = *std::move(loaded);
    fill_in(options, *venue);
  }
  if (options.config.empty() && !options.sets.empty()) {
    complain("--set changes a key of the file that --config names");
    return std::nullopt;
  }
  Wanted wanted;
  if (options.line_a.empty() && options.line_b.empty()) {
    complain("no line: say --line-a HOST:PORT, or --config with the file of a venue that has [feed] line_a");
    return std::nullopt;
  }
  for (const auto& [option, line] : {std::pair{"--line-a", &options.line_a}, {"--line-b", &options.line_b}})
    if (!line->empty() && !line_of(option, *line)) return std::nullopt;
  if (!options.line_a.empty() && options.line_a == options.line_b) {
    complain("--line-b: the lines are the same; say one of them");
    return std::nullopt;
  }
  if (!options.interface.empty() && !net::is_host(options.interface)) {
    complain(fmt::format("--interface {}: write an address of this machine, such as 127.0.0.1", options.interface));
    return std::nullopt;
  }
  const auto drop = parts_of(options.drop);
  if (!drop) {
    complain(fmt::format("--drop {}: write a part of the datagrams from 0 to 90%, such as 5%", options.drop));
    return std::nullopt;
  }
  mitch::FeedClientOptions& client = wanted.session.client;
  for (auto [option, text, to] : {std::tuple{"--replay", &options.replay, &client.replay},
                                  std::tuple{"--recovery", &options.recovery, &client.recovery}}) {
    if (text->empty()) continue;
    *to = channel_of(option, *text);
    if (!*to) return std::nullopt;
  }
  if ((client.replay || client.recovery) && options.user.empty()) {
    complain("the channels want a name: say --user NAME --password PASSWORD");
    return std::nullopt;
  }
  client.user = options.user.empty() ? "-" : options.user;
  client.password = options.password;
  for (const std::string& word : options.instruments) {
    const auto instrument = instrument_of(word, venue ? &*venue : nullptr);
    if (!instrument) {
      complain(
          fmt::format("--instrument {}: write a number, a number and its group such as 1001@2, or, with --config, a "
                      "symbol of that file",
                      word));
      return std::nullopt;
    }
    client.instruments.push_back(*instrument);
    wanted.shown.push_back(instrument->id);
  }
  for (const std::string& segment : options.segments) {
    if (segment.empty() || segment.size() > 6) {
      complain(fmt::format("--segment {}: a segment's name has at most 6 characters", segment));
      return std::nullopt;
    }
    client.segments.push_back(Text<6>::cut(segment));
  }
  if (venue) {
    for (const simulate::InstrumentConfig& each : venue->instruments) {
      wanted.names[each.id] = each.symbol;
      if (options.instruments.empty() && options.segments.empty())
        client.instruments.push_back({static_cast<char>('0' + each.partition), each.id});
    }
    client.books.orders = venue->orders;
    client.books.levels = venue->levels;
    client.books.instruments = std::max<std::size_t>(client.books.instruments, venue->instruments.size());
  }
  client.books.instruments = std::max<std::size_t>(client.books.instruments, 1'024);
  wanted.session.line_a = options.line_a;
  wanted.session.line_b = options.line_b;
  if (!options.interface.empty()) wanted.session.interface = options.interface;
  wanted.session.drop_ppm = *drop;
  wanted.session.control_user = options.control_user;
  wanted.session.control_password = options.control_password;
  wanted.session.seed = options.seed;
  return wanted;
}

/// The books that are shown, of all groups.
template <class Visit>
void each_shown(const mitch::FeedClient& client, const Wanted& wanted, Visit visit) {
  for (const char group : client.groups())
    client.books(group)->each_book([&](const mitch::BookView& book) {
      if (wanted.shown.empty() || std::ranges::find(wanted.shown, book.instrument()) != wanted.shown.end()) visit(book);
    });
}

std::string comparison_text(const app::FeedSession& session) {
  const app::FeedComparison& comparison = session.comparison();
  if (comparison.compared == 0) return fmt::format("{} datagrams dropped, not compared yet", session.dropped());
  if (comparison.different == 0)
    return fmt::format("{} datagrams dropped, {} comparisons with a reader that gets all: equal", session.dropped(),
                       comparison.compared);
  return fmt::format("{} datagrams dropped, {} of {} comparisons DIFFERENT: {}", session.dropped(),
                     comparison.different, comparison.compared, comparison.first);
}

/// The whole picture at once, for a terminal.
void draw(const app::FeedSession& session, const FeedView& view, const Wanted& wanted, const Options& options) {
  std::string page = "\x1b[H\x1b[2J" + view.summary(session.client()) + "\n";
  if (wanted.session.drop_ppm != 0) page += comparison_text(session) + "\n";
  constexpr std::size_t k_books = 4;  // that a page holds
  std::size_t count = 0;
  each_shown(session.client(), wanted, [&](const mitch::BookView& book) {
    if (++count > k_books) return;
    page += "\n";
    for (const std::string& line : view.ladder(session.client(), book, options.depth)) page += line + "\n";
  });
  if (count > k_books) page += fmt::format("\n{} further instruments: --instrument chooses\n", count - k_books);
  page += "\n";
  for (const std::string& line : view.kept()) page += line + "\n";
  std::fputs(page.c_str(), stdout);
  std::fflush(stdout);
}

std::string feed_json(const app::FeedSession& session, const FeedView& view, const Wanted& wanted,
                      const Options& options) {
  const mitch::FeedClient& client = session.client();
  const mitch::FeedClientCounts& counts = client.counts();
  evidence::Artefact artefact("dojima feed");
  artefact.set_parameter("line_a", options.line_a).set_parameter("line_b", options.line_b);
  artefact.set_parameter("drop_ppm", std::to_string(wanted.session.drop_ppm));
  const bool is_live = !client.groups().empty() && client.suspects() == 0 && client.missing() == 0;
  artefact.add_check("nothing is missing and no book is suspect", is_live, view.summary(client));
  if (wanted.session.drop_ppm != 0)
    artefact.add_check("equal to a reader that gets all", session.comparison().different == 0,
                       comparison_text(session));
  evidence::Table sums{.name = "counts", .title = "what came", .columns = {{.name = "what"}, {.name = "count"}}};
  const auto row = [&sums](const char* what, std::uint64_t count) {
    sums.add_row({std::string(what), static_cast<std::int64_t>(count)});
  };
  row("units", counts.units);
  row("messages", counts.messages);
  row("duplicates", counts.duplicates);
  row("trades", view.trades());
  row("dropped", session.dropped());
  row("gaps", counts.gaps);
  row("missing", counts.missing);
  row("replayed", counts.replayed);
  row("skipped", counts.skipped);
  row("snapshots", counts.snapshots);
  row("refused", counts.refused);
  row("misfits", counts.misfits);
  row("restarts", counts.restarts);
  row("comparisons", session.comparison().compared);
  artefact.add_table(std::move(sums));
  evidence::Table books{
      .name = "levels",
      .title = "the books at the end",
      .columns = {
          {.name = "instrument"}, {.name = "side"}, {.name = "price"}, {.name = "quantity"}, {.name = "orders"}}};
  each_shown(client, wanted, [&](const mitch::BookView& book) {
    for (const market::Side side : {market::Side::buy, market::Side::sell})
      book.each_level(side, [&](const mitch::DisplayedLevel& level) {
        std::array<char, market::k_price_text_max> price{};
        books.add_row({view.name_of(book.instrument()), std::string(side == market::Side::buy ? "buy" : "sell"),
                       level.is_market ? std::string("market") : std::string(market::format_price(level.price, price)),
                       static_cast<std::int64_t>(level.quantity), static_cast<std::int64_t>(level.orders)});
      });
  });
  artefact.add_table(std::move(books));
  return artefact.text();
}

int run_feed(const Options& options) {
  const auto wanted = wanted_of(options);
  if (!wanted) return k_usage;
  if (!options.json.can_write()) return k_environment;
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1 && !options.json.is_on_stdout();
  FeedView view(wanted->names, options.has_tape || is_terminal);
  const auto print = [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
  if (!is_terminal) view.print_to(options.json.is_on_stdout() ? FeedView::Line([](const std::string&) {}) : print);
  std::optional<app::FeedSession> session;
  try {
    session.emplace(wanted->session, view);
  } catch (const std::invalid_argument& wrong) {
    complain(wrong.what());
    return k_usage;
  }
  view.look_at(session->client());
  if (const auto started = session->start(); !started) {
    complain(started.error());
    return k_environment;
  }
  const app::StopSignal stop;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  const auto goes_on = [&] {
    return !stop.is_raised() && (options.seconds == 0 || std::chrono::steady_clock::now() < end);
  };
  const auto interval = std::chrono::duration_cast<time::Duration>(std::chrono::duration<double>(options.every));
  session->run(goes_on, interval, [&](time::Time) {
    if (is_terminal) return draw(*session, view, *wanted, options);
    if (options.json.is_on_stdout()) return;
    print(view.summary(session->client()));
    if (wanted->session.drop_ppm != 0) print(comparison_text(*session));
  });
  static_cast<void>(session->compare());
  const mitch::FeedClient& client = session->client();
  if (options.json.is_wanted() && !options.json.write(feed_json(*session, view, *wanted, options)))
    return k_environment;
  if (!options.json.is_on_stdout()) {
    each_shown(client, *wanted, [&](const mitch::BookView& book) {
      if (is_terminal) return;
      for (const std::string& line : view.ladder(client, book, options.depth)) print(line);
    });
    print(view.summary(client));
    if (wanted->session.drop_ppm != 0) print(comparison_text(*session));
  }
  const bool is_whole = !client.groups().empty() && client.suspects() == 0 && client.missing() == 0;
  return is_whole && session->comparison().different == 0 ? k_success : k_failed;
}

}  // namespace

void add_feed(Command program, int& status) {
  auto options = std::make_shared<Options>();
  Command command = program.add_command("feed", "Follow a venue's live market data: ladder, trades, gaps");
  command.add_option("--config", options->config, "The venue's file: lines, channels, a reader, names of instruments")
      .type_name("FILE");
  command.add_option("--set", options->sets, "Override a key of that file, as the venue was told; may be repeated")
      .type_name("KEY=VALUE")
      .one_value_a_mention();
  command.add_option("--line-a", options->line_a, "A multicast group, or an address of this machine")
      .type_name("HOST:PORT");
  command.add_option("--line-b", options->line_b, "The same units by another way").type_name("HOST:PORT");
  command.add_option("--interface", options->interface, "By which multicast comes; 127.0.0.1 unless said otherwise")
      .type_name("ADDRESS");
  command.add_option("--replay", options->replay, "The replay channel").type_name("HOST:PORT");
  command.add_option("--recovery", options->recovery, "The recovery channel").type_name("HOST:PORT");
  command.add_option("--user", options->user, "Name at both channels").type_name("NAME");
  command.add_option("--password", options->password, "Its password").type_name("TEXT");
  command
      .add_option("--instrument", options->instruments,
                  "Shown, and asked for when it joins late: ID, ID@GROUP, or a symbol of --config; may be repeated")
      .type_name("WHICH")
      .one_value_a_mention();
  command.add_option("--segment", options->segments, "Asked for when it joins late; may be repeated")
      .type_name("NAME")
      .one_value_a_mention();
  command.add_option("--depth", options->depth, "Price levels of a ladder")
      .between<std::size_t>(1, 1'000)
      .show_default();
  command.add_flag("--tape", options->has_tape, "A line for each trade, where stdout is no terminal too");
  command.add_option("--every", options->every, "Seconds between two pictures or summaries")
      .between(0.05, 3'600.0)
      .show_default();
  command.add_option("--seconds", options->seconds, "Ends after so long; 0: by Ctrl-C")
      .between(0.0, 1e9)
      .show_default();
  command
      .add_option(
          "--drop", options->drop,
          "Drop so many of each line's datagrams, and compare with a reader that gets all of them, which logs in "
          "by the second reader of --config, if there is one")
      .type_name("PERCENT");
  command.add_option("--seed", options->seed, "Of what is dropped").show_default();
  options->json.add_to(command);
  command.footer(
      "Draws on a terminal; else prints lines. Exit status 1: at the end something is missing, a book is suspect, or "
      "the books of --drop differ.\n"
      "example: dojima venue --config venue.toml --set feed.line_a=239.255.77.1:14301\n"
      "         dojima feed --config venue.toml --set feed.line_a=239.255.77.1:14301 --tape");
  command.on_run([options, &status] { status = run_feed(*options); });
}

}  // namespace dojima::cli
