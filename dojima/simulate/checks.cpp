#include "dojima/simulate/checks.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <unordered_map>

namespace dojima::simulate {
namespace {

using market::Side;

/// Counts what is wrong and remembers the first case.
class Finder {
 public:
  Finder(Verdict& verdict, std::string name) : verdict_(verdict), name_(std::move(name)) {}

  void blame(const std::string& what, std::optional<Number> order = std::nullopt) {
    if (wrong_++ != 0) return;
    first_ = what;
    order_ = order;
  }
  void expect(bool is_right, const std::string& what) {
    if (!is_right) blame(what);
  }
  /// Adds the check; `detail` says what was looked at when nothing was wrong.
  void conclude(const std::string& detail) {
    const bool is_ok = wrong_ == 0;
    if (!is_ok && order_ && !verdict_.offender) verdict_.offender = order_;
    const std::string more = wrong_ > 1 ? fmt::format(" (and {} more)", wrong_ - 1) : std::string();
    verdict_.checks.push_back({name_, is_ok, is_ok ? detail : first_ + more});
  }

 private:
  Verdict& verdict_;
  std::string name_;
  std::uint64_t wrong_ = 0;
  std::string first_;
  std::optional<Number> order_;
};

bool is_accepted(const ClientOrder& order) {
  return order.phase != OrderPhase::none && order.phase != OrderPhase::pending && order.phase != OrderPhase::rejected;
}

void check_answers(const Ledger& ledger, Verdict& verdict) {
  Finder finder(verdict, "every request answered once");
  for (Number number = 0; number < ledger.end(); ++number) {
    const Request& request = ledger.request(number);
    if (request.is_sent && request.answers != 1)
      finder.blame(fmt::format("request {} of client {} has {} answers", number, request.client + 1, request.answers),
                   request.order);
  }
  const LedgerCounts& counts = ledger.counts();
  finder.expect(counts.unsent == 0, fmt::format("{} requests could not be sent", counts.unsent));
  finder.conclude(fmt::format("{} requests, {} answered", counts.sent, counts.answered));
}

void check_orders(const Ledger& ledger, Verdict& verdict) {
  Finder finder(verdict, "quantity conserved");
  std::int64_t total = 0, executed = 0, resting = 0, cancelled = 0, expired = 0;
  for (Number number = 0; number < ledger.end(); ++number) {
    const ClientOrder& order = ledger.order(number);
    if (!is_accepted(order)) continue;
    const std::int64_t sum = order.executed + order.leaves + order.cancelled + order.expired;
    if (sum != order.total || order.leaves < 0)
      finder.blame(fmt::format("order {} of {} lots has {} executed, {} resting, {} cancelled, {} expired", number,
                               order.total, order.executed, order.leaves, order.cancelled, order.expired),
                   number);
    total += order.total;
    executed += order.executed;
    resting += order.leaves;
    cancelled += order.cancelled;
    expired += order.expired;
  }
  finder.expect(total == executed + resting + cancelled + expired, "the sums over all orders do not add up");
  finder.conclude(fmt::format("{} lots submitted = {} executed + {} resting + {} cancelled + {} expired", total,
                              executed, resting, cancelled, expired));
}

/// Lots by what became of them, per client, against what the venue says of its user.
void check_totals(const Ledger& ledger, std::uint32_t clients, const VenueSnapshot& venue, Verdict& verdict) {
  Finder finder(verdict, "clients and venue agree on every total");
  std::vector<venue::UserTotals> seen(clients);
  for (Number number = 0; number < ledger.end(); ++number) {
    const ClientOrder& order = ledger.order(number);
    if (!is_accepted(order)) continue;
    const Request& entry = ledger.request(number);
    venue::UserTotals& user = seen[entry.client];
    (entry.side == Side::buy ? user.bought : user.sold) += static_cast<std::uint64_t>(order.executed);
    user.submitted += static_cast<std::uint64_t>(order.total);
    user.cancelled += static_cast<std::uint64_t>(order.cancelled);
    user.expired += static_cast<std::uint64_t>(order.expired);
  }
  for (std::uint32_t client = 0; client < clients; ++client) {
    const venue::UserTotals& mine = seen[client];
    const venue::UserTotals& theirs = venue.users[client];
    const auto compare = [&](const char* what, std::uint64_t here, std::uint64_t there) {
      if (here != there)
        finder.blame(fmt::format("client {} has {} {} lots, the venue says {}", client + 1, here, what, there));
    };
    compare("bought", mine.bought, theirs.bought);
    compare("sold", mine.sold, theirs.sold);
    compare("submitted", mine.submitted, theirs.submitted);
    compare("cancelled", mine.cancelled, theirs.cancelled);
    compare("expired", mine.expired, theirs.expired);
  }
  finder.conclude(fmt::format("bought, sold, submitted, cancelled, expired of {} clients", clients));
}

/// Order by order: what rests at the venue is what the clients believe to rest.
void check_resting(const Ledger& ledger, const VenueSnapshot& venue, Verdict& verdict) {
  Finder finder(verdict, "clients and venue agree on every resting order");
  std::unordered_map<std::uint64_t, std::int64_t> at_venue;
  for (const VenueSnapshot::Resting& order : venue.resting) at_venue.emplace(order.id.value, order.leaves);
  std::size_t count = 0;
  for (Number number = 0; number < ledger.end(); ++number) {
    const ClientOrder& order = ledger.order(number);
    if (order.phase != OrderPhase::open) continue;
    ++count;
    const auto found = at_venue.find(order.id);
    if (found == at_venue.end()) {
      finder.blame(fmt::format("order {} rests for its client and not at the venue", number), number);
    } else if (found->second != order.leaves) {
      finder.blame(fmt::format("order {} has {} lots left, the venue says {}", number, order.leaves, found->second),
                   number);
    }
  }
  if (count != venue.resting.size())
    finder.blame(fmt::format("{} orders rest for clients, {} at the venue", count, venue.resting.size()));
  finder.conclude(fmt::format("{} orders", count));
}

void check_positions(const Ledger& ledger, std::uint32_t clients, std::uint32_t instruments, Verdict& verdict) {
  Finder finder(verdict, "positions sum to zero");
  for (std::uint32_t instrument = 0; instrument < instruments; ++instrument) {
    std::int64_t sum = 0;
    for (std::uint32_t client = 0; client < clients; ++client) sum += ledger.position(client, instrument);
    if (sum != 0) finder.blame(fmt::format("instrument {}: {} lots", instrument + 1, sum));
  }
  finder.conclude(fmt::format("{} clients in {} instruments", clients, instruments));
}

void check_losses(const Ledger& ledger, const VenueSnapshot& venue, const gateway::GatewayCounters& gateway,
                  Verdict& verdict) {
  Finder finder(verdict, "no report lost on the way");
  finder.expect(venue.front.reports_missed == 0, fmt::format("{} missed at the venue", venue.front.reports_missed));
  finder.expect(venue.front.commands_refused == 0,
                fmt::format("{} commands the venue could not take", venue.front.commands_refused));
  finder.expect(gateway.strays == 0, fmt::format("{} unknown to the gateway", gateway.strays));
  finder.expect(gateway.undelivered == 0, fmt::format("{} that no client's session took", gateway.undelivered));
  finder.expect(ledger.counts().strange == 0,
                fmt::format("{} that fit nothing the client knows", ledger.counts().strange));
  finder.expect(2 * venue.trades == ledger.counts().executions,
                fmt::format("{} trades, but {} executions at the clients", venue.trades, ledger.counts().executions));
  finder.conclude(fmt::format("{} from the venue, {} executions of {} trades at the clients", venue.front.reports_sent,
                              ledger.counts().executions, venue.trades));
}

void check_books(const VenueSnapshot& venue, Verdict& verdict) {
  Finder finder(verdict, "books equal the books rebuilt from their reports");
  finder.expect(venue.mirror_mismatch.empty(), venue.mirror_mismatch);
  finder.conclude(fmt::format("{} reports", venue.book_reports));
}

}  // namespace

void add_partition(VenueSnapshot& snapshot, const venue::Partition& partition, const Tape& tape, std::size_t index) {
  for (std::size_t user = 0; user < snapshot.users.size(); ++user) {
    const venue::UserTotals& totals = partition.totals(static_cast<std::uint16_t>(user));
    venue::UserTotals& sum = snapshot.users[user];
    sum.bought += totals.bought;
    sum.sold += totals.sold;
    sum.submitted += totals.submitted;
    sum.cancelled += totals.cancelled;
    sum.expired += totals.expired;
    sum.trades += totals.trades;
  }
  for (const market::Instrument& instrument : partition.instruments()) {
    for (const Side side : {Side::buy, Side::sell}) {
      partition.book(instrument.id)->each_resting(side, [&](const book::RestingOrder& order) {
        snapshot.resting.push_back({order.id, order.leaves.lots, order.owner});
      });
    }
  }
  snapshot.trades += tape.trades();
  snapshot.volume += tape.volume();
  snapshot.trade_digest ^= tape.digest() * (2 * index + 1);
  snapshot.book_reports += tape.mirror().reports_seen();
  if (const char* wrong = tape.mirror().mismatch(partition)) snapshot.mirror_mismatch = wrong;
}

VenueSnapshot take_snapshot(const Exchange& exchange, const std::vector<std::unique_ptr<Tape>>& tapes) {
  VenueSnapshot snapshot;
  snapshot.front = exchange.front().counters();
  snapshot.users.resize(exchange.config().users.size());
  for (std::size_t index = 0; index < exchange.partitions().size(); ++index)
    add_partition(snapshot, *exchange.partitions()[index], *tapes[index], index);
  if (exchange.config().keep_journal)
    if (const char* wrong = exchange.replay_mismatch()) snapshot.replay_mismatch = wrong;
  return snapshot;
}

bool Verdict::is_ok() const noexcept {
  return std::ranges::all_of(checks, &Check::is_ok);
}

Verdict verify(const Ledger& ledger, std::uint32_t clients, std::uint32_t instruments, const VenueSnapshot& venue,
               const gateway::GatewayCounters& gateway) {
  Verdict verdict;
  check_answers(ledger, verdict);
  check_orders(ledger, verdict);
  check_totals(ledger, clients, venue, verdict);
  check_resting(ledger, venue, verdict);
  check_positions(ledger, clients, instruments, verdict);
  check_books(venue, verdict);
  check_losses(ledger, venue, gateway, verdict);
  return verdict;
}

Check verify_allocations(const std::vector<ThreadAllocations>& threads) {
  Check check{"no heap allocation in the steady state", true, ""};
  for (const ThreadAllocations& thread : threads) {
    const std::string count = thread.had_operator ? "answers to an operator"
                              : thread.is_counted ? std::to_string(thread.count)
                                                  : "not counted in this build";
    check.detail += fmt::format("{}{}: {}", check.detail.empty() ? "" : "; ", thread.thread, count);
    check.is_ok = check.is_ok && (thread.count == 0 || thread.had_operator);
  }
  return check;
}

}  // namespace dojima::simulate
