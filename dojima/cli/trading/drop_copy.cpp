// dojima drop-copy

#include <array>
#include <chrono>
#include <cstdio>
#include <fmt/core.h>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/copy_session.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/stop_signal.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/journal/day_files.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/cli/trading/password_option.hpp"
#include "dojima/cli/trading/venue_file.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/table.hpp"
#include "dojima/mit/describe.hpp"
#include "dojima/net/address.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::cli {
namespace {

struct DropCopyOptions {
  VenueFile venue;
  std::string connect;
  std::string user;
  PasswordOption password;
  std::string dialect;
  bool is_until_now = false;
  double seconds = 0;
  JsonOption json;
};

constexpr const char* k_copy_columns =
    "partition,number,time,user,event,status,order,client_order_id,instrument,side,price,quantity,leaves,execution,"
    "trade,liquidity,code,reference";

std::string_view event_name(market::OwnerReportKind kind) {
  switch (kind) {
    case market::OwnerReportKind::accepted:
      return "accepted";
    case market::OwnerReportKind::traded:
      return "traded";
    case market::OwnerReportKind::cancelled:
      return "cancelled";
    case market::OwnerReportKind::replaced:
      return "replaced";
    case market::OwnerReportKind::expired:
      return "expired";
    case market::OwnerReportKind::rejected:
      return "rejected";
    case market::OwnerReportKind::suspended:
      return "suspended";
    case market::OwnerReportKind::restated:
      return "restated";
    case market::OwnerReportKind::trade_cancelled:
      return "trade_cancelled";
    case market::OwnerReportKind::trade_corrected:
    case market::OwnerReportKind::none:
    case market::OwnerReportKind::request_rejected:
    case market::OwnerReportKind::business_rejected:
    case market::OwnerReportKind::mass_cancelled:
      break;
  }
  return "other";
}

std::string_view status_name(market::OrderStatus status) {
  switch (status) {
    case market::OrderStatus::new_order:
      return "new";
    case market::OrderStatus::partially_filled:
      return "partially_filled";
    case market::OrderStatus::filled:
      return "filled";
    case market::OrderStatus::cancelled:
      return "cancelled";
    case market::OrderStatus::expired:
      return "expired";
    case market::OrderStatus::rejected:
      return "rejected";
    case market::OrderStatus::suspended:
      return "suspended";
  }
  return "other";
}

std::string copy_price_text(market::Price price) {
  std::array<char, market::k_price_text_max> text{};
  return price.units == 0 ? std::string() : std::string(market::format_price(price, text));
}

std::string copy_time_text(time::Time time) {
  constexpr unsigned k_decimals = 9;
  std::array<char, time::k_timestamp_max> text{};
  return std::string(time::format_timestamp(time, k_decimals, text));
}

/// Rows as they come: orders, prices and trades as the files of a day have them.
class CopyRows final : public app::CopySessionHandler {
 public:
  CopyRows(std::map<std::uint32_t, std::string> names, bool is_silent)
      : names_(std::move(names)), is_silent_(is_silent) {
    if (!is_silent_) print(k_copy_columns);
  }

  void on_copy(const market::OwnerReport& report, std::int32_t code) override {
    ++counts_[std::string(report.counterparty.view())];
    const auto name = names_.find(report.instrument);
    const std::string id = report.reference == 0 ? "" : fmt::format("{:016x}", report.reference);
    if (is_silent_) return;
    print(fmt::format(
        "{},{},{},{},{},{},{:016x},{},{},{},{},{},{},{:016x},{},{},{},{}", report.partition, report.sequence.value,
        copy_time_text(report.time), csv_text(report.counterparty.view()), event_name(report.kind),
        status_name(report.status), report.order.value, csv_text(report.client_order_id.view()),
        name != names_.end() ? csv_text(name->second) : std::to_string(report.instrument),
        report.side == market::Side::buy ? "buy" : "sell", copy_price_text(report.price), report.quantity.lots,
        report.leaves.lots, report.execution, report.trade == 0 ? "" : std::to_string(report.trade),
        report.liquidity == '\0' ? "" : std::string(1, report.liquidity), code, id));
  }
  void on_copy_note(const std::string& line) override { complain(line); }

  [[nodiscard]] const std::map<std::string, std::int64_t>& counts() const noexcept { return counts_; }

 private:
  static void print(std::string_view line) { fmt::print("{}\n", line); }

  std::map<std::uint32_t, std::string> names_;
  bool is_silent_;
  std::map<std::string, std::int64_t> counts_;  // by whose they are
};

/// What the venue's file says goes for what the options do not say. False: complained.
bool fill_in(DropCopyOptions& options, std::string& password, std::map<std::uint32_t, std::string>& names) {
  const auto read = options.venue.read("drop_copy.port=9003");
  if (!read) {
    complain(read.error());
    return false;
  }
  if (!*read) return true;
  const app::VenueConfig& venue = **read;
  for (const simulate::InstrumentConfig& each : venue.instruments) names.emplace(each.id, each.symbol);
  if (options.dialect.empty()) options.dialect = venue.dialect->name;
  if (options.connect.empty() && venue.copies_port > 0)
    options.connect = net::text_of({venue.listen.host, static_cast<std::uint16_t>(venue.copies_port)});
  for (const simulate::CopyReaderConfig& reader : venue.copies.readers) {
    if (!options.user.empty() && reader.name != options.user) continue;
    options.user = reader.name;
    if (password.empty()) password = reader.password;
  }
  if (!app::is_scrypt_text(password)) return true;
  complain(fmt::format(
      "of reader {} the venue's file has a password_hash, which nobody can log on with: say --password-file FILE",
      options.user));
  return false;
}

std::string drop_copy_json(const DropCopyOptions& options, const app::CopySession& session, const CopyRows& rows,
                           bool is_done) {
  evidence::Artefact artefact("dojima drop-copy");
  artefact.set_parameter("connect", options.connect).set_parameter("user", options.user);
  artefact.add_check("followed to its end", is_done, fmt::format("{} copies", session.copies()));
  evidence::Table users{
      .name = "copies", .title = "execution reports by their users", .columns = {{.name = "user"}, {.name = "count"}}};
  for (const auto& [user, count] : rows.counts()) users.add_row({user, count});
  artefact.add_table(std::move(users));
  return artefact.text();
}

int run_drop_copy(DropCopyOptions options) {
  auto password = options.password.read();
  std::map<std::uint32_t, std::string> names;
  if (!password || !fill_in(options, *password, names)) return k_usage;
  if (options.connect.empty()) options.connect = "127.0.0.1:9003";
  if (options.dialect.empty()) options.dialect = mit::lse_21_2::k_dialect.name;
  const auto where = net::parse_address(options.connect);
  if (!where || where->port == 0) {
    complain(fmt::format("--connect {}: write HOST:PORT, such as 127.0.0.1:9003", options.connect));
    return k_usage;
  }
  const mit::Dialect* const dialect = mit::find_dialect(options.dialect);
  if (dialect == nullptr) {
    complain(fmt::format("--dialect {}: LSE-21.2, BIT-9.4 or LSE-11.8.5", options.dialect));
    return k_usage;
  }
  if (!options.json.can_write()) return k_environment;
  CopyRows rows(std::move(names), options.json.is_on_stdout());
  std::optional<app::CopySession> session;
  try {
    session.emplace(app::CopySessionOptions{.where = *where,
                                            .user = options.user,
                                            .password = *password,
                                            .dialect = dialect,
                                            .ends_when_complete = options.is_until_now},
                    rows);
  } catch (const std::invalid_argument& wrong) {
    complain(fmt::format("say a reader of the venue with --user and its --password-file: {}", wrong.what()));
    return k_usage;
  }
  const app::StopSignal stop;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.seconds);
  const app::CopySessionEnd how = session->run([&] {
    std::fflush(stdout);  // what a turn of the loop has brought
    return !stop.is_raised() && (options.seconds == 0 || std::chrono::steady_clock::now() < end);
  });
  const bool is_done = how == app::CopySessionEnd::done;
  if (options.json.is_wanted() && !options.json.write(drop_copy_json(options, *session, rows, is_done)))
    return k_environment;
  return is_done ? k_success : how == app::CopySessionEnd::refused ? k_failed : k_environment;
}

}  // namespace

void add_drop_copy(Command program, int& status) {
  auto options = std::make_shared<DropCopyOptions>();
  Command command = program.add_command("drop-copy", "Follow the execution reports of all users of a firm at a venue");
  options->venue.add_to(command, "The venue's file: port, dialect, a reader, names of instruments");
  command.add_option("--connect", options->connect, "Where the venue serves drop copies; 127.0.0.1:9003 unless said")
      .type_name("HOST:PORT");
  command.add_option("--user", options->user, "Name of the reader").type_name("NAME");
  options->password.add_to(command, "Its password");
  command.add_option("--dialect", options->dialect, "Of MIT203, that of the venue: LSE-21.2, BIT-9.4, LSE-11.8.5")
      .type_name("NAME");
  command.add_flag("--until-now", options->is_until_now, "Ends when all has come that the venue has by now");
  command.add_option("--seconds", options->seconds, "Ends after so long; 0: by Ctrl-C")
      .between(0.0, 1e9)
      .show_default();
  options->json.add_to(command);
  command.footer(
      "Prints comma-separated values, a row for each report, from the first of the venue's day on; connects again and "
      "goes on where it was. Orders, prices and trades are written as in the files of a day. Exit status 1: the venue "
      "refuses the reader, or has not what comes first; 3: nobody listens there.\n"
      "example: dojima venue --config venue.toml --set drop_copy.port=9003\n"
      "         dojima drop-copy --config venue.toml --set drop_copy.port=9003 --until-now");
  command.on_run([options, &status] { status = run_drop_copy(*options); });
}

}  // namespace dojima::cli
