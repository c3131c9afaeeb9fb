// dojima feed

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/app/dashboard/feed_watch.hpp"
#include "dojima/app/dashboard/pace_desk.hpp"
#include "dojima/app/feed/feed_session.hpp"
#include "dojima/app/feed/recorded_feed.hpp"
#include "dojima/app/stop_signal.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/dashboard_option.hpp"
#include "dojima/cli/live_lines.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/cli/trading/feed_request.hpp"
#include "dojima/cli/trading/feed_view.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/table.hpp"

namespace dojima::cli {
namespace {

/// The books that are shown, of all groups.
template <class Visit>
void each_shown(const mitch::FeedClient& client, const FeedRequest& request, Visit visit) {
  for (const char group : client.groups())
    client.books(group)->each_book([&](const mitch::BookView& book) {
      if (request.shown.empty() || std::ranges::find(request.shown, book.instrument()) != request.shown.end())
        visit(book);
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
void draw(const app::FeedSession& session, const FeedView& view, const FeedRequest& request, const FeedOptions& options,
          const app::FeedWatch* watch) {
  std::string page = "\x1b[H\x1b[2J" + view.summary(session.client()) + "\n";
  if (watch != nullptr) page += watch->describe() + "\n";
  if (request.session.drop_ppm != 0) page += comparison_text(session) + "\n";
  constexpr std::size_t k_books = 4;  // that a page holds
  std::size_t count = 0;
  each_shown(session.client(), request, [&](const mitch::BookView& book) {
    if (++count > k_books) return;
    page += "\n";
    for (const std::string& line : view.ladder(session.client(), book, options.depth)) page += line + "\n";
  });
  if (count > k_books) page += fmt::format("\n{} further instruments: --instrument chooses\n", count - k_books);
  page += "\n";
  for (const std::string& line : view.kept()) page += line + "\n";
  if (!can_print()) return;  // a terminal that is stopped: the next picture has it
  std::fputs(page.c_str(), stdout);
  std::fflush(stdout);
}

/// Nothing is missing, no book is suspect or still asked for, and no segment is lacking.
[[nodiscard]] bool is_whole(const mitch::FeedClient& client) {
  const std::string groups = client.groups();
  return !groups.empty() && std::ranges::all_of(groups, [&](char group) { return client.is_live(group); });
}

/// `session`: null where a file was read.
std::string feed_json(const mitch::FeedClient& client, const app::FeedSession* session, const FeedView& view,
                      const FeedRequest& request, const FeedOptions& options) {
  const mitch::FeedClientCounts& counts = client.counts();
  evidence::Artefact artefact("dojima feed");
  if (session != nullptr) {
    artefact.set_parameter("line_a", options.line_a).set_parameter("line_b", options.line_b);
    artefact.set_parameter("drop_ppm", std::to_string(request.session.drop_ppm));
  } else {
    artefact.set_parameter("file", options.file);
  }
  artefact.add_check("nothing is missing and no book is suspect", is_whole(client), view.summary(client));
  if (request.session.drop_ppm != 0)
    artefact.add_check("equal to a reader that gets all", session->comparison().different == 0,
                       comparison_text(*session));
  evidence::Table sums{.name = "counts", .title = "what came", .columns = {{.name = "what"}, {.name = "count"}}};
  const auto row = [&sums](const char* what, std::uint64_t count) {
    sums.add_row({std::string(what), static_cast<std::int64_t>(count)});
  };
  row("units", counts.units);
  row("messages", counts.messages);
  row("duplicates", counts.duplicates);
  row("trades", view.trades());
  row("dropped", session != nullptr ? session->dropped() : 0);
  row("gaps", counts.gaps);
  row("missing", counts.missing);
  row("replayed", counts.replayed);
  row("skipped", counts.skipped);
  row("snapshots", counts.snapshots);
  row("refused", counts.refused);
  row("misfits", counts.misfits);
  row("restarts", counts.restarts);
  row("comparisons", session != nullptr ? session->comparison().compared : 0);
  artefact.add_table(std::move(sums));
  evidence::Table books{
      .name = "levels",
      .title = "the books at the end",
      .columns = {
          {.name = "instrument"}, {.name = "side"}, {.name = "price"}, {.name = "quantity"}, {.name = "orders"}}};
  each_shown(client, request, [&](const mitch::BookView& book) {
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

void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

/// The screens; null: none were asked for.
std::unique_ptr<app::FeedWatch> make_watch(const FeedRequest& request, FeedView& view, std::string name,
                                           std::function<bool(std::string_view)> on_pace = {}) {
  if (request.dashboard.port < 0) return nullptr;
  return std::make_unique<app::FeedWatch>(
      app::FeedWatchOptions{.name = std::move(name),
                            .dashboard = request.dashboard,
                            .names = request.names,
                            .next = &view,
                            .words = [&view](const mitch::FeedNotice& notice) { return view.text_of(notice); },
                            .orders = request.session.client.books.orders * 2,
                            .on_pace = std::move(on_pace)});
}

/// False: they cannot be had, which has been reported.
bool start_watch(app::FeedWatch* watch, const mitch::FeedClient& client, const FeedOptions& options) {
  if (watch == nullptr) return true;
  watch->look_at(client);
  if (const auto screens = watch->start(); !screens) {
    complain(screens.error());
    return false;
  }
  fmt::print(options.json.is_on_stdout() ? stderr : stdout, "{}\n", watch->describe());
  std::fflush(stdout);
  return true;
}

void print_books(const mitch::FeedClient& client, const FeedView& view, const FeedRequest& request,
                 const FeedOptions& options) {
  each_shown(client, request, [&](const mitch::BookView& book) {
    for (const std::string& line : view.ladder(client, book, options.depth)) print_line(line);
  });
}

/// Units that a venue has written into a file.
int run_file(const FeedOptions& options, const FeedRequest& request) {
  std::error_code ignored;
  std::ifstream in;
  if (!std::filesystem::is_directory(options.file, ignored)) in.open(options.file, std::ios::binary);
  const std::string bytes = in.is_open() ? std::string(std::istreambuf_iterator<char>(in), {}) : std::string();
  if (!in.is_open() || in.bad()) {
    complain(fmt::format("{} cannot be read", options.file));
    return k_usage;
  }
  FeedView view(request.names, options.has_tape);
  view.print_to(options.json.is_on_stdout() ? FeedView::Line([](const std::string&) {}) : print_live);
  app::PaceDesk desk;
  const auto watch = make_watch(request, view, std::filesystem::path(options.file).filename().string(),
                                [&desk](std::string_view words) { return desk.on_words(words); });
  mitch::FeedHandler& handler = watch != nullptr ? static_cast<mitch::FeedHandler&>(*watch) : view;
  app::RecordedFeed feed(as_bytes(bytes), request.session.client, handler);
  view.look_at(feed.client());
  if (!start_watch(watch.get(), feed.client(), options)) return k_environment;
  const app::StopSignal stop;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  const auto goes_on = [&] {
    return !stop.is_raised() && (options.seconds == 0 || std::chrono::steady_clock::now() < end);
  };
  bool was_over = false;
  feed.run({.speed = request.speed, .desk = &desk, .stays = watch != nullptr}, goes_on,
           [&](const app::RecordedFeed::Now& now) {
             if (watch == nullptr) return;
             if (now.is_over && !std::exchange(was_over, true))
               complain("the file is over; the dashboard stays until Ctrl-C, and the result follows");
             watch->look(now.time);
             web::PaceFact pace{.speed = now.speed, .progress = now.progress};
             pace.is_paused = now.is_paused ? 1 : 0;
             pace.is_over = now.is_over ? 1 : 0;
             watch->publish_pace(pace, now.time);
           });
  const mitch::FeedClient& client = feed.client();
  if (options.json.is_wanted() && !options.json.write(feed_json(client, nullptr, view, request, options)))
    return k_environment;
  if (!options.json.is_on_stdout()) {
    print_books(client, view, request, options);
    print_line(view.summary(client));
  }
  if (!feed.units().trouble().empty()) complain(options.file + " " + feed.units().trouble());
  return is_whole(client) && feed.units().trouble().empty() ? k_success : k_failed;
}

int run_feed(FeedOptions options) {
  const auto password = options.password_option.read();
  if (!password) return k_usage;
  options.password = *password;
  const auto request = read_request(options);
  if (!request) {
    complain(request.error());
    return k_usage;
  }
  if (!options.json.can_write()) return k_environment;
  if (!options.file.empty()) return run_file(options, *request);
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1 && !options.json.is_on_stdout();
  FeedView view(request->names, options.has_tape || is_terminal);
  if (!is_terminal) view.print_to(options.json.is_on_stdout() ? FeedView::Line([](const std::string&) {}) : print_live);
  std::optional<app::FeedSession> session;
  const auto watch = make_watch(*request, view, "feed");
  mitch::FeedHandler& handler = watch != nullptr ? static_cast<mitch::FeedHandler&>(*watch) : view;
  try {
    session.emplace(request->session, handler);
  } catch (const std::invalid_argument& wrong) {
    complain(wrong.what());
    return k_usage;
  }
  view.look_at(session->client());
  if (!start_watch(watch.get(), session->client(), options)) return k_environment;
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
  session->run(goes_on, interval, [&](time::Time now) {
    if (watch != nullptr) watch->look(now);
    if (is_terminal) return draw(*session, view, *request, options, watch.get());
    if (options.json.is_on_stdout()) return;
    print_live(view.summary(session->client()));
    if (request->session.drop_ppm != 0) print_live(comparison_text(*session));
  });
  static_cast<void>(session->compare());
  const mitch::FeedClient& client = session->client();
  if (options.json.is_wanted() && !options.json.write(feed_json(client, &*session, view, *request, options)))
    return k_environment;
  if (!options.json.is_on_stdout()) {
    if (!is_terminal) print_books(client, view, *request, options);
    print_line(view.summary(client));
    if (request->session.drop_ppm != 0) print_line(comparison_text(*session));
  }
  return is_whole(client) && session->comparison().different == 0 ? k_success : k_failed;
}

}  // namespace

void add_feed(Command program, int& status) {
  auto options = std::make_shared<FeedOptions>();
  Command command =
      program.add_command("feed", "Follow a venue's market data, live or of a file: ladder, trades, gaps");
  command.add_option("FILE", options->file, "Units that dojima venue --feed FILE has written, in place of lines");
  command.add_option("--speed", options->speed,
                     "Of FILE: max, the default, or times the clock's speed, 0.1 to 10000; with --dashboard 1");
  options->venue.add_to(command, "The venue's file: lines, channels, a reader, names of instruments");
  command.add_option("--line-a", options->line_a, "A multicast group, or an address of this machine")
      .type_name("HOST:PORT");
  command.add_option("--line-b", options->line_b, "The same units by another way").type_name("HOST:PORT");
  command.add_option("--interface", options->interface, "By which multicast comes; 127.0.0.1 unless said otherwise")
      .type_name("ADDRESS");
  command.add_option("--replay", options->replay, "The replay channel").type_name("HOST:PORT");
  command.add_option("--recovery", options->recovery, "The recovery channel").type_name("HOST:PORT");
  command.add_option("--user", options->user, "Name at both channels").type_name("NAME");
  options->password_option.add_to(command, "Its password");
  command
      .add_option("--instrument", options->instruments,
                  "Shown, and asked for when it joins late: ID, ID@GROUP, or a symbol of --config; may be repeated")
      .type_name("WHICH")
      .one_value_per_use();
  command
      .add_option("--segment", options->segments,
                  "Asked for when it joins late; one of --config, where that is given; may be repeated")
      .type_name("NAME")
      .one_value_per_use();
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
  add_dashboard_option(command, options->has_dashboard, options->dashboard,
                       "Show the books, trades and gaps to browsers, by default at 127.0.0.1:9300");
  options->json.add_to(command);
  command.footer(
      "Draws on a terminal; else prints lines. Exit status 1: at the end something is missing, a book is suspect, a "
      "segment is lacking, or the books of --drop differ.\n"
      "example: dojima venue --config venue.toml --set feed.line_a=239.255.77.1:14301\n"
      "         dojima feed --config venue.toml --set feed.line_a=239.255.77.1:14301 --tape\n"
      "         dojima feed day.mitch --speed 60 --dashboard");
  command.on_run([options, &status] { status = run_feed(*options); });
}

}  // namespace dojima::cli
