// dojima queue erlang-b, erlang-c

#include "dojima/queueing/formulas/erlang.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "dojima/cli/command.hpp"
#include "dojima/cli/queue/queue.hpp"

namespace dojima::cli {
namespace {

using queueing::Answer;

struct ErlangOptions {
  QueueOptions shared;
  std::optional<double> offered;
  std::optional<int> servers;
  std::optional<double> share;
};

/// Two of offered load, servers and share are given; the third is the answer.
Answer<bool> fill_erlang(const ErlangOptions& options, bool is_loss, evidence::Artefact& artefact) {
  const char* const name = is_loss ? "loss" : "delayed";
  evidence::Table table{
      .name = "erlang",
      .title = is_loss ? "Erlang B: requests that find all servers busy are lost"
                       : "Erlang C: requests that find all servers busy wait",
      .columns = {{.name = "servers"}, {.name = "offered", .decimals = 9}, {.name = name, .decimals = 12}}};
  if (options.servers && *options.servers < 1) return std::unexpected(queueing::impossible("at least one server"));
  const auto servers = static_cast<std::uint32_t>(options.servers.value_or(0));
  if (options.servers && options.offered && !options.share) {
    if (!queueing::is_positive(*options.offered) || servers > queueing::k_most_servers)
      return std::unexpected(queueing::impossible("an offered load above 0, and at most 1000000 servers"));
    if (!is_loss && *options.offered >= servers) return std::unexpected(queueing::unstable(*options.offered, servers));
    table.add_row(
        {servers, *options.offered,
         is_loss ? queueing::erlang_b(servers, *options.offered) : queueing::erlang_c(servers, *options.offered)});
  } else if (options.servers && options.share && !options.offered) {
    const auto offered = is_loss ? queueing::offered_for_loss(servers, *options.share)
                                 : queueing::offered_for_delay(servers, *options.share);
    if (!offered) return std::unexpected(offered.error());
    table.add_row({servers, *offered, *options.share});
  } else if (options.offered && options.share && !options.servers) {
    const auto needed = is_loss ? queueing::servers_for_loss(*options.offered, *options.share)
                                : queueing::servers_for_delay(*options.offered, *options.share);
    if (!needed) return std::unexpected(needed.error());
    table.add_row(
        {*needed, *options.offered,
         is_loss ? queueing::erlang_b(*needed, *options.offered) : queueing::erlang_c(*needed, *options.offered)});
  } else {
    return std::unexpected(queueing::impossible(std::string("two of --servers, --offered and --") + name +
                                                " are needed; the third is the answer"));
  }
  artefact.add_table(std::move(table));
  return true;
}

}  // namespace

void add_queue_erlang(Command queue, int& status) {
  for (const bool is_loss : {true, false}) {
    const std::string name = is_loss ? "erlang-b" : "erlang-c";
    Command command =
        queue.add_command(name, is_loss ? "Requests lost by so many servers without a line, and the inverse"
                                        : "Requests that wait for so many servers, and the inverse");
    auto options = std::make_shared<ErlangOptions>();
    command.add_option("--servers", options->servers, "How many serve");
    command.add_option("--offered", options->offered, "Offered load: arrival rate times mean service");
    command.add_option(is_loss ? "--loss" : "--delayed", options->share,
                       is_loss ? "Share of the requests that is lost" : "Share of the requests that waits");
    options->shared.jobs = 0;
    options->shared.instrument.add_to(command);
    command.footer(is_loss ? "example: dojima queue erlang-b --servers 10 --loss 0.01"
                           : "example: dojima queue erlang-c --offered 8 --delayed 0.2");
    command.on_run([=, &status] {
      status = show_queue(name, options->shared,
                          [&](evidence::Artefact& artefact) { return fill_erlang(*options, is_loss, artefact); });
    });
  }
}

}  // namespace dojima::cli
