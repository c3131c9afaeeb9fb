// Drop copies: a reader gets the execution reports of all users of its firm and of nobody else, each once and in order,
// from the beginning of the day on or behind what it has, and nobody waits for it.

#include "dojima/venue/recovery/copy_front.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/journal/simulated_disk.hpp"
#include "dojima/mit/copy_client.hpp"
#include "dojima/venue/front/front_test_support.hpp"
#include "dojima/venue/recovery/journal_directory_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using mit::Recovery;

/// What of a report its copy has to say.
struct CopiedReport {
  std::uint8_t partition = 0;
  std::uint64_t number = 0, order = 0, execution = 0, trade = 0;
  std::int64_t price = 0, quantity = 0, leaves = 0;
  int kind = 0;
  std::string owner;
  friend bool operator==(const CopiedReport&, const CopiedReport&) = default;
};

CopiedReport copied(const OwnerReport& report, std::string owner) {
  return {.partition = report.partition,
          .number = report.sequence.value,
          .order = report.order.value,
          .execution = report.execution,
          .trade = report.trade,
          .price = report.price.units,
          .quantity = report.quantity.lots,
          .leaves = report.leaves.lots,
          .kind = static_cast<int>(report.kind),
          .owner = std::move(owner)};
}

class CopyFollower final : public mit::CopyClientHandler {
 public:
  CopyFollower(sched::Scheduler& scheduler, std::string_view name, std::string_view password = "copies")
      : client({.user = std::string(name), .password = std::string(password)}, mit::lse_21_2::k_dialect, scheduler,
               *this) {
    client.follow(1);
    client.follow(2);
  }
  void on_copies_logged_on(mit::CopyClient&, const mit::VenueDay& said, Time) override {
    is_on = true;
    day = said;
  }
  void on_copy(mit::CopyClient&, const OwnerReport& report, std::int32_t, Time) override {
    copies.push_back(copied(report, std::string(report.counterparty.view())));
  }
  void on_copies_complete(mit::CopyClient&, Time) override {
    ++completions;
    at_completion = copies.size();
  }
  void on_copies_refused(mit::CopyClient&, std::uint8_t partition, Recovery why, Time) override {
    refusals.emplace_back(partition, why);
  }
  void on_copies_end(mit::CopyClient&, const mit::CopyOutcome& outcome, Time) override {
    is_on = false;
    ++ends;
    last = outcome;
    text = outcome.text;
  }

  mit::CopyClient client;
  std::vector<CopiedReport> copies;
  std::vector<std::pair<std::uint8_t, Recovery>> refusals;
  mit::VenueDay day;
  mit::CopyOutcome last;
  std::string text;
  std::size_t at_completion = 0;  // copies
  int completions = 0, ends = 0;
  bool is_on = false;
};

/// All that was reported to owners, from the logs, whether copied or not.
class CopyWitness {
 public:
  explicit CopyWitness(std::vector<Partition*> partitions) : partitions_(std::move(partitions)) {
    cursors_.resize(partitions_.size());
  }
  void look() {
    for (std::size_t at = 0; at < partitions_.size(); ++at)
      for (auto batch = partitions_[at]->reports().read(cursors_[at], {~std::uint64_t{0}}); !batch.reports.empty();
           batch = partitions_[at]->reports().read(cursors_[at], {~std::uint64_t{0}}))
        all_.insert(all_.end(), batch.reports.begin(), batch.reports.end());
  }
  /// Those of a partition that are execution reports of these users.
  [[nodiscard]] std::vector<CopiedReport> of(std::uint8_t partition,
                                             const std::map<std::uint16_t, std::string>& users) const {
    static const std::set<OwnerReportKind> k_answers = {
        OwnerReportKind::request_rejected, OwnerReportKind::business_rejected, OwnerReportKind::mass_cancelled};
    std::vector<CopiedReport> wanted;
    for (const OwnerReport& report : all_) {
      const auto user = users.find(report.user);
      if (report.partition != partition || user == users.end() || report.sequence.value == 0) continue;
      if (!k_answers.contains(report.kind)) wanted.push_back(copied(report, user->second));
    }
    return wanted;
  }

 private:
  std::vector<Partition*> partitions_;
  std::vector<Cursor> cursors_;
  std::vector<OwnerReport> all_;
};

std::vector<CopiedReport> of_partition(const std::vector<CopiedReport>& copies, std::uint8_t partition) {
  std::vector<CopiedReport> some;
  std::ranges::copy_if(copies, std::back_inserter(some),
                       [=](const CopiedReport& of) { return of.partition == partition; });
  return some;
}

/// Anna and Bert are a firm, Carl is nobody's.
CopyFrontConfig of_firm() {
  return {.readers = {{.name = "FIRM-COPY", .password = "copies", .users = {1, 1, 0}},
                      {.name = "CARL-COPY", .password = "copies", .users = {0, 0, 1}}},
          .sessions = 3};
}
const std::map<std::uint16_t, std::string> k_firm = {{0, "ANNA"}, {1, "BERT"}};
const std::map<std::uint16_t, std::string> k_carl = {{2, "CARL"}};

class CopyingVenue : public Venue {
 public:
  explicit CopyingVenue(CopyFrontConfig config = of_firm(), const FrontConfig& front_config = make_front_config(),
                        const VenueLimits& limits = {.orders = 64, .levels = 32, .reports = 4096},
                        const link::SimulatedNetworkOptions& options = {})
      : Venue(front_config, options, limits),
        copies(std::move(config), scheduler, front, std::vector<Partition*>{&partition_one, &partition_two}),
        witness({&partition_one, &partition_two}) {
    EXPECT_TRUE(network.listen(port, copies).has_value());
  }
  void run(time::Duration duration) {
    link::run_instants(scheduler, duration, [this](Time now) {
      front.settle();
      witness.look();
      front.finish(now);
      while (copies.finish(now) != 0) network.finish(now);
      network.finish(now);
    });
  }
  template <class Command>
  void send(Member& member, const Command& command) {
    EXPECT_TRUE(member.session.send(command).has_value());
    run(1ms);
  }
  std::unique_ptr<Member> log_on(std::string_view user) {
    auto member = std::make_unique<Member>(scheduler, user);
    network.connect(address, member->session);
    run(1ms);
    EXPECT_TRUE(member->is_on);
    return member;
  }
  std::unique_ptr<CopyFollower> read(std::string_view name, std::string_view password = "copies") {
    auto reader = std::make_unique<CopyFollower>(scheduler, name, password);
    network.connect(port, reader->client);
    run(10ms);
    return reader;
  }
  /// Some trades between all three, in both partitions.
  void trade(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      Member* const members[] = {anna.get(), bert.get(), carl.get()};
      const std::uint32_t instrument = round % 2 == 0 ? k_rice : k_silk;
      const std::string id = std::to_string(number_++);
      send(*members[round % 3],
           valid_order({.side = Side::buy, .lots = 5, .ticks = 100, .id = "b" + id, .instrument = instrument}));
      send(*members[(round + 1) % 3],
           valid_order(
               {.side = Side::sell, .lots = 2 + round % 3, .ticks = 100, .id = "s" + id, .instrument = instrument}));
    }
  }
  void log_all_on() {
    anna = log_on("ANNA");
    bert = log_on("BERT");
    carl = log_on("CARL");
  }
  void expect_equal(const CopyFollower& reader, const std::map<std::uint16_t, std::string>& users) {
    for (const std::uint8_t partition : {std::uint8_t{1}, std::uint8_t{2}}) {
      const auto wanted = witness.of(partition, users);
      EXPECT_EQ(of_partition(reader.copies, partition), wanted) << "partition " << int{partition};
      EXPECT_FALSE(wanted.empty());
    }
  }

  std::unique_ptr<Member> anna, bert, carl;
  link::Address port{"copies", 1};
  CopyFront copies;
  CopyWitness witness;

 private:
  int number_ = 0;
};

/// What sessions sent in the instant of a reader's logon is done when that is answered.
TEST(CopyFront, is_asked_in_the_instants_in_which_orders_come) {
  CopyingVenue venue;
  const auto anna = venue.log_on("ANNA");
  OrderInEveryInstant orders(*anna, venue.scheduler);
  const auto reader = venue.read("FIRM-COPY");
  orders.stop();
  venue.run(10ms);
  EXPECT_TRUE(reader->is_on);
  EXPECT_GT(orders.sent, 5);
  EXPECT_EQ(std::ranges::count(anna->reports, OwnerReportKind::accepted, &OwnerReport::kind), orders.sent);
}

TEST(CopyFront, gives_all_reports_of_the_users_of_a_firm_and_of_nobody_else_as_they_come) {
  CopyingVenue venue;
  venue.log_all_on();
  const auto firm = venue.read("FIRM-COPY"), carl = venue.read("CARL-COPY");
  ASSERT_TRUE(firm->is_on && carl->is_on);
  EXPECT_EQ(firm->completions, 1) << "there is nothing yet";
  venue.trade(12);
  venue.expect_equal(*firm, k_firm);
  venue.expect_equal(*carl, k_carl);
  EXPECT_EQ(firm->completions, 1);
  EXPECT_EQ(venue.copies.logged_on(), 2u);
  EXPECT_EQ(venue.copies.counters().reports_sent, firm->copies.size() + carl->copies.size());
}

TEST(CopyFront, gives_the_day_from_its_beginning_to_who_comes_late_and_what_is_missing_to_who_comes_back) {
  CopyingVenue venue;
  venue.log_all_on();
  venue.trade(9);
  const auto firm = venue.read("FIRM-COPY");
  venue.expect_equal(*firm, k_firm);
  EXPECT_EQ(firm->completions, 1);
  firm->client.logout("lunch");
  venue.run(5s);
  ASSERT_FALSE(firm->is_on);
  venue.trade(7);
  venue.network.connect(venue.port, firm->client);
  venue.run(10ms);
  ASSERT_TRUE(firm->is_on);
  venue.trade(3);
  venue.expect_equal(*firm, k_firm);
  EXPECT_EQ(firm->completions, 2);
  EXPECT_TRUE(firm->refusals.empty());
}

TEST(CopyFront, waits_until_a_report_is_durable) {
  CopyingVenue venue;
  venue.log_all_on();
  const auto firm = venue.read("FIRM-COPY");
  venue.journal_one.lag();
  EXPECT_TRUE(venue.anna->session.send(valid_order({.lots = 1, .ticks = 90, .id = "a"})).has_value());
  venue.run(1s);
  EXPECT_TRUE(firm->copies.empty());
  venue.journal_one.is_lagging = false;
  venue.run(10ms);
  EXPECT_EQ(firm->copies.size(), 1u);
}

TEST(CopyFront, leaves_out_answers_to_requests_that_changed_nothing) {
  CopyingVenue venue;
  venue.log_all_on();
  const auto firm = venue.read("FIRM-COPY");
  market::Cancel cancel;
  cancel.header.instrument = k_rice;
  cancel.client_order_id = Text<20>::cut("c");
  cancel.original_client_order_id = Text<20>::cut("nobody's");
  cancel.side = Side::buy;
  venue.send(*venue.anna, cancel);
  EXPECT_TRUE(firm->copies.empty());
  venue.send(*venue.anna, valid_order({.lots = 1, .ticks = 90, .id = "a"}));
  ASSERT_EQ(firm->copies.size(), 1u);
  EXPECT_GT(firm->copies[0].number, 1u);
}

TEST(CopyFront, answers_who_may_not_log_on) {
  FrontConfig front = make_front_config();
  CopyFrontConfig config = of_firm();
  config.readers[1].host = "10.0.0.0/8";
  CopyingVenue venue(config, front);
  EXPECT_EQ(venue.read("ANNA", "Secret#2026")->last.logon_code, mit::code::k_user_not_found);
  EXPECT_EQ(venue.read("FIRM-COPY", "wrong")->last.logon_code, mit::code::k_invalid_credentials);
  EXPECT_EQ(venue.read("CARL-COPY")->last.logon_code, mit::code::k_unauthorised_front_end);
  const auto first = venue.read("FIRM-COPY");
  EXPECT_TRUE(first->is_on);
  EXPECT_EQ(venue.read("FIRM-COPY")->last.logon_code, mit::code::k_already_logged_in);
  EXPECT_TRUE(first->is_on);
  EXPECT_EQ(venue.copies.counters().logons_refused, 4u);
  EXPECT_EQ(venue.copies.counters().logons, 1u);
}

/// Answers at the third time of asking: which password was meant is what its hash begins with.
struct CopyHasher final : PasswordHasher {
  std::optional<PasswordAnswer> find(const PasswordAsker& asker, const PasswordQuestion& question) override {
    askers.emplace(asker.connection, asker.user);
    ++asked;
    if (is_busy) return PasswordAnswer{.is_busy = true};
    if (asked % 3 != 0) return std::nullopt;
    return PasswordAnswer{.is_right = question.kept == hash_of(question.password)};
  }
  static std::string hash_of(std::string_view password) { return std::string(password) + std::string(30, '.'); }
  std::set<std::pair<std::uint32_t, std::uint16_t>> askers;
  int asked = 0;
  bool is_busy = false;
};

TEST(CopyFront, compares_passwords_of_which_a_hash_is_kept_while_nobody_else_waits) {
  CopyHasher hasher;
  CopyFrontConfig config = of_firm();
  config.readers[0].password = CopyHasher::hash_of("copies");
  config.hasher = &hasher;
  CopyingVenue venue(config);
  const auto firm = venue.read("FIRM-COPY");
  EXPECT_FALSE(firm->is_on) << "it is being compared";
  EXPECT_TRUE(venue.read("CARL-COPY")->is_on) << "of this one it is known";
  venue.run(60ms);
  EXPECT_TRUE(firm->is_on);
  EXPECT_EQ(hasher.asked, 3);
  EXPECT_EQ(venue.read("FIRM-COPY", "wrong")->last.logon_code, mit::code::k_invalid_credentials);
  EXPECT_EQ(hasher.asked, 3) << "at once: the right one is known";
  EXPECT_EQ(venue.read("FIRM-COPY", CopyHasher::hash_of("copies").substr(0, 25))->last.logon_code,
            mit::code::k_invalid_credentials)
      << "a hash lets nobody in";
}

TEST(CopyFront, refuses_a_password_that_is_not_that_of_which_a_hash_is_kept) {
  CopyHasher hasher;
  CopyFrontConfig config = of_firm();
  config.readers[0].password = config.readers[1].password = CopyHasher::hash_of("copies");
  config.readers[1].host = "10.0.0.0/8";
  config.hasher = &hasher;
  CopyingVenue venue(config);
  const auto wrong = venue.read("FIRM-COPY", "copied");
  venue.run(60ms);
  EXPECT_EQ(wrong->last.logon_code, mit::code::k_invalid_credentials);
  EXPECT_EQ(hasher.asked, 3);
  EXPECT_EQ(venue.read("CARL-COPY")->last.logon_code, mit::code::k_invalid_credentials);
  EXPECT_EQ(hasher.asked, 3) << "nobody works for who comes from elsewhere";
  const auto right = venue.read("FIRM-COPY");
  venue.run(60ms);
  EXPECT_TRUE(right->is_on) << "a wrong one locks nobody out";
  ASSERT_EQ(hasher.askers.size(), 1u) << "one connection after the other, of one reader";
  EXPECT_GE(hasher.askers.begin()->first, 1U << 20U) << "no connection of the front's has this number";
  EXPECT_GE(hasher.askers.begin()->second, 0xc000U);
}

TEST(CopyFront, refuses_a_logon_while_too_many_passwords_wait_to_be_compared) {
  CopyHasher hasher;
  CopyFrontConfig config = of_firm();
  config.readers[0].password = CopyHasher::hash_of("copies");
  config.hasher = &hasher;
  CopyingVenue venue(config);
  hasher.is_busy = true;
  EXPECT_EQ(venue.read("FIRM-COPY")->last.logon_code, mit::code::k_logons_busy);
  EXPECT_TRUE(venue.read("CARL-COPY")->is_on) << "of this one it is known";
  EXPECT_EQ(venue.copies.counters().logons_refused, 1u);
  hasher.is_busy = false;
  hasher.asked = 0;
  const auto again = venue.read("FIRM-COPY");
  venue.run(60ms);
  EXPECT_TRUE(again->is_on) << "nothing was counted against it";
}

TEST(CopyFront, refuses_connections_that_it_has_no_session_for) {
  CopyFrontConfig config = of_firm();
  config.sessions = 1;
  CopyingVenue venue(config);
  const auto first = venue.read("FIRM-COPY"), second = venue.read("CARL-COPY");
  EXPECT_TRUE(first->is_on);
  EXPECT_FALSE(second->is_on);
  EXPECT_EQ(venue.copies.counters().connections_refused, 1u);
}

TEST(CopyFront, refuses_partitions_and_numbers_that_are_not_there) {
  CopyingVenue venue;
  venue.log_all_on();
  venue.trade(6);
  // Number 1 is not of Carl's, nor is one that is not reached.
  const auto first_of_firm = venue.witness.of(1, k_firm).front().number;
  const auto carls = venue.witness.of(1, k_carl).front().number;
  CopyFollower reader(venue.scheduler, "FIRM-COPY");
  reader.client.forget();
  reader.client.follow(3);
  reader.client.follow(1, {carls});
  reader.client.follow(2, {1'000'000});
  venue.network.connect(venue.port, reader.client);
  venue.run(10ms);
  ASSERT_EQ(reader.refusals.size(), 3u);
  EXPECT_EQ(reader.refusals[0], std::pair(std::uint8_t{3}, Recovery::unknown_partition));
  EXPECT_EQ(reader.refusals[1], std::pair(std::uint8_t{1}, Recovery::unavailable));
  EXPECT_EQ(reader.refusals[2], std::pair(std::uint8_t{2}, Recovery::unavailable));
  EXPECT_TRUE(reader.copies.empty());
  reader.client.logout("again");
  venue.run(5s);
  reader.client.forget();
  reader.client.follow(1, {first_of_firm});
  venue.network.connect(venue.port, reader.client);
  venue.run(10ms);
  EXPECT_EQ(reader.refusals.size(), 3u);
  const auto wanted = venue.witness.of(1, k_firm);
  EXPECT_EQ(reader.copies, std::vector<CopiedReport>(wanted.begin() + 1, wanted.end()))
      << "all behind the one that it has";
}

TEST(CopyFront, calls_users_with_long_names_by_their_numbers) {
  FrontConfig front = make_front_config();
  front.users[1].name = "BERTHOLD-OF-KYOTO";
  CopyingVenue venue(of_firm(), front);
  EXPECT_EQ(venue.copies.owner_text(0).view(), "ANNA");
  EXPECT_EQ(venue.copies.owner_text(1).view(), "#1");
}

/// Who does not read is not waited for; where no journal has what went meanwhile, that is the end.
TEST(CopyFront, ends_who_does_not_read_and_holds_nobody_up) {
  CopyingVenue venue(of_firm(), make_front_config(), {.orders = 64, .levels = 32, .reports = 1024},
                     {.output_capacity = 1 << 14});
  venue.log_all_on();
  const auto firm = venue.read("FIRM-COPY");
  ASSERT_TRUE(firm->is_on);
  venue.network.pause(firm->client);
  for (int round = 0; round < 2'000 && venue.copies.counters().ended == 0; ++round) venue.trade(3);
  EXPECT_EQ(venue.copies.counters().ended, 1u);
  EXPECT_TRUE(venue.anna->is_on && venue.bert->is_on && venue.carl->is_on);
  EXPECT_EQ(venue.front.lag(0), 0u);
}

TEST(CopyFront, allocates_nothing_while_it_follows) {
  CopyingVenue venue;
  venue.log_all_on();
  const auto firm = venue.read("FIRM-COPY");
  venue.trade(6);
  firm->copies.reserve(10'000);
  const std::size_t before = firm->copies.size();
  auto order = valid_order({.lots = 1, .ticks = 90, .id = "z"});
  order.header.user = order.terms.owner = 0;
  ASSERT_TRUE(venue.partition_one.submit(order.header, venue.scheduler.now()).has_value());
  const std::uint64_t allocated = heap_allocations();
  venue.copies.finish(venue.scheduler.now());
  EXPECT_EQ(heap_allocations(), allocated);
  venue.run(1ms);
  EXPECT_EQ(firm->copies.size(), before + 1);
}

TEST(CopyFront, ends_with_the_day_and_begins_the_next_one_at_number_1) {
  CopyingVenue venue;
  venue.log_all_on();
  const auto firm = venue.read("FIRM-COPY");
  venue.trade(5);
  // What the front itself causes at the end of the day, behind everything else, is copied, too.
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.run(10s);
  EXPECT_FALSE(firm->is_on);
  EXPECT_EQ(firm->text, "end of day");
  venue.expect_equal(*firm, k_firm);
  const auto late = venue.read("CARL-COPY");
  EXPECT_TRUE(late->is_on);
  EXPECT_EQ(late->day.number, 1u);
  EXPECT_TRUE(late->copies.empty());
  // Numbers of the day before are refused.
  venue.network.connect(venue.port, firm->client);
  venue.run(10ms);
  EXPECT_EQ(firm->refusals.size(), 2u);
  firm->client.logout("anew");
  venue.run(5s);
  firm->client.forget();
  firm->client.follow(1);
  firm->client.follow(2);
  firm->copies.clear();
  for (Member* member : {venue.anna.get(), venue.bert.get(), venue.carl.get()})
    venue.network.connect(venue.address, member->session);
  venue.network.connect(venue.port, firm->client);
  venue.run(10ms);
  venue.trade(1);
  ASSERT_FALSE(firm->copies.empty());
  EXPECT_EQ(firm->copies.front().number, 1u);
}

/// Until the end of the day is durable no reader is logged out, and none logs on.
TEST(CopyFront, ends_with_the_day_when_that_is_durable) {
  CopyingVenue venue;
  venue.log_all_on();
  const auto firm = venue.read("FIRM-COPY");
  venue.trade(5);
  venue.journal_two.lag();
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.run(100ms);
  EXPECT_TRUE(firm->is_on);
  EXPECT_EQ(venue.read("CARL-COPY")->last.logon_code, mit::code::k_system_suspended);
  venue.journal_two.is_lagging = false;
  venue.run(10s);
  EXPECT_EQ(firm->text, "end of day");
  venue.expect_equal(*firm, k_firm);
}

TEST(CopyFront, ends_with_the_day_for_who_follows_nothing_yet) {
  CopyingVenue venue;
  venue.log_all_on();
  venue.trade(1);
  CopyFollower firm(venue.scheduler, "FIRM-COPY");
  firm.client.forget();
  venue.network.connect(venue.port, firm.client);
  venue.run(10ms);
  ASSERT_TRUE(firm.is_on);
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.run(10s);
  EXPECT_EQ(firm.text, "end of day");
}

TEST(CopyFront, knows_nobody_whose_connection_is_gone) {
  CopyingVenue venue;
  const auto firm = venue.read("FIRM-COPY"), carl = venue.read("CARL-COPY");
  for (const auto* const reader : {&firm, &carl}) {
    ASSERT_TRUE((*reader)->is_on);
    (*reader)->client.logout("lunch");
    venue.run(5s);
  }
  EXPECT_EQ(venue.copies.logged_on(), 0u);
  for (const auto* const reader : {&firm, &carl}) {
    venue.network.connect(venue.port, (*reader)->client);
    venue.run(10ms);
    EXPECT_TRUE((*reader)->is_on);
  }
}

TEST(CopyFront, says_when_a_day_ended_before_a_reader_had_all_of_it) {
  CopyingVenue venue(of_firm(), make_front_config(), {.orders = 64, .levels = 32, .reports = 4096},
                     {.output_capacity = 1 << 14});
  venue.log_all_on();
  const auto firm = venue.read("FIRM-COPY");
  venue.network.pause(firm->client);
  for (int round = 0; round < 500; ++round) venue.trade(1);
  ASSERT_TRUE(venue.front.end_day(venue.scheduler.now()).has_value());
  venue.run(100ms);
  EXPECT_EQ(venue.front.day_number(), 1u) << "nobody waited";
  venue.network.resume(firm->client);
  venue.run(10s);
  EXPECT_FALSE(firm->is_on);
  EXPECT_EQ(firm->text, "end of day, behind");
}

/// Whatever breaks, and whenever: at the end the reader has the copy of every report, once and in order.
TEST(CopyFront, has_every_copy_once_on_random_days_of_broken_connections_readers_that_stop_and_late_journals) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto draw = [&random](std::uint64_t below) { return random() % below; };
    CopyingVenue venue(of_firm(), make_front_config(), {.orders = 64, .levels = 32, .reports = 1 << 16},
                       {.seed = seed});
    venue.log_all_on();
    const auto firm = venue.read("FIRM-COPY");
    bool is_paused = false;
    for (int step = 0; step < 120; ++step) {
      switch (draw(8)) {
        case 0:
          if (firm->client.is_connected()) venue.network.cut(firm->client);
          is_paused = false;
          venue.run(time::Duration{1} * draw(2'000'000'000));
          break;
        case 1:
          if (!firm->client.is_connected()) venue.network.connect(venue.port, firm->client);
          venue.run(time::Duration{1} * draw(10'000'000));
          break;
        case 2:
          if (!firm->client.is_connected()) break;
          is_paused = !is_paused;
          is_paused ? venue.network.pause(firm->client) : venue.network.resume(firm->client);
          break;
        case 3:
          venue.journal_one.is_lagging ? (void)(venue.journal_one.is_lagging = false) : venue.journal_one.lag();
          break;
        default:
          venue.trade(1 + static_cast<int>(draw(4)));
      }
    }
    venue.journal_one.is_lagging = venue.journal_two.is_lagging = false;
    if (firm->client.is_connected() && is_paused) venue.network.resume(firm->client);
    venue.run(1s);
    // A session that was cut has its place at the venue until that knows.
    for (int attempt = 0; attempt < 60 && !firm->is_on; ++attempt) {
      if (!firm->client.is_connected()) venue.network.connect(venue.port, firm->client);
      venue.run(1s);
    }
    ASSERT_TRUE(firm->is_on);
    venue.run(1s);
    venue.expect_equal(*firm, k_firm);
    EXPECT_TRUE(firm->refusals.empty());
    EXPECT_EQ(venue.copies.counters().ended, 0u);
  }
}

/// The log is short and the day long: what is no longer in it comes from the journal, a part at a time.
TEST(CopyFront, gives_the_day_from_its_beginning_out_of_the_journal) {
  journal::SimulatedDisk disk;
  auto journaled = JournaledPartition::open(disk, journal_options(journal_settings(), k_start));
  ASSERT_TRUE(journaled);
  Partition& partition = (*journaled)->partition();
  ReportArchive archive(**journaled, {.most = 70, .has_thread = false});
  FrontConfig config = make_front_config();
  config.users.push_back({.name = "DORA", .password = "Secret#2026"});  // as many as the partition has
  sched::Scheduler scheduler{512, k_start};
  link::SimulatedNetwork network(scheduler, {.output_capacity = 1 << 14});
  const std::vector<Partition*> partitions{&partition};
  Front front(config, scheduler, partitions);
  CopyFront copies(of_firm(), scheduler, front, partitions, std::vector<ReportArchive*>{&archive});
  const link::Address port{"copies", 1};
  ASSERT_TRUE(network.listen(port, copies));
  const auto run = [&](time::Duration duration) {
    link::run_instants(scheduler, duration, [&](Time now) {
      (*journaled)->journal().work();
      front.finish(now);
      while (copies.finish(now) != 0) network.finish(now);
      network.finish(now);
    });
  };
  CopyWitness witness(partitions);
  const auto trade = [&](int orders) {
    for (int count = 0; count < orders; ++count) {
      auto order = make_order({.user = static_cast<std::uint16_t>(count % 3),
                               .side = count % 2 == 0 ? Side::buy : Side::sell,
                               .lots = 1,
                               .ticks = 100,
                               .instrument = k_silk});
      ASSERT_TRUE(partition.submit(order.header, scheduler.now()).has_value());
      witness.look();
      run(1us);
    }
  };
  while (partition.reports().first_kept().value < 200) trade(100);
  CopyFollower firm(scheduler, "FIRM-COPY");
  firm.client.forget();
  firm.client.follow(partition.app_id());
  network.connect(port, firm.client);
  run(1s);
  ASSERT_TRUE(firm.is_on);
  EXPECT_EQ(firm.copies, witness.of(partition.app_id(), k_firm));
  EXPECT_EQ(firm.completions, 1);
  EXPECT_EQ(firm.at_completion, firm.copies.size());
  EXPECT_GT(copies.counters().archived, 1u);
  // To whom number 1 is of somebody else.
  CopyFollower carl(scheduler, "CARL-COPY");
  carl.client.forget();
  carl.client.follow(partition.app_id());
  network.connect(port, carl.client);
  run(1s);
  EXPECT_EQ(carl.copies, witness.of(partition.app_id(), k_carl));
  EXPECT_EQ(carl.at_completion, carl.copies.size());
  carl.client.logout("enough");
  run(1s);
  // While it does not read, the log goes past it.
  network.pause(firm.client);
  const std::uint64_t asked = copies.counters().archived;
  for (int round = 0; round < 100; ++round) trade(100);
  network.resume(firm.client);
  run(1s);
  EXPECT_EQ(firm.copies, witness.of(partition.app_id(), k_firm));
  EXPECT_GT(copies.counters().archived, asked) << "it was behind the log";
  EXPECT_EQ(copies.counters().ended, 0u);
  // Of another venue, or of a day before, it has numbers that are not its own.
  const std::vector<CopiedReport> others = witness.of(partition.app_id(), k_carl);
  firm.client.logout("again");
  run(5s);
  firm.client.forget();
  firm.client.follow(partition.app_id(), {others.front().number});
  network.connect(port, firm.client);
  run(1s);
  EXPECT_FALSE(firm.is_on);
  EXPECT_EQ(firm.text, "behind what is kept");
}

TEST(CopyFront, refuses_a_configuration_that_makes_no_sense) {
  Venue venue;
  const std::vector<Partition*> partitions{&venue.partition_one, &venue.partition_two};
  const auto make = [&](CopyFrontConfig config) {
    CopyFront(std::move(config), venue.scheduler, venue.front, partitions);
  };
  CopyFrontConfig twice = of_firm(), unnamed = of_firm(), open = of_firm(), none = of_firm();
  twice.readers[1].name = twice.readers[0].name;
  unnamed.readers[0].name = "";
  open.readers[0].password = "";
  none.sessions = 0;
  for (const CopyFrontConfig& config : {twice, unnamed, open, none}) EXPECT_THROW(make(config), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::venue::testing
