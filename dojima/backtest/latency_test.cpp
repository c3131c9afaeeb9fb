#include "dojima/backtest/latency.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

#include "dojima/backtest/backtest.hpp"

namespace dojima::backtest {
namespace {

using namespace std::chrono_literals;

Time instant(std::int64_t nanoseconds) {
  return time::from_nanoseconds(nanoseconds);
}

TEST(Latencies, times_are_read_with_their_unit) {
  EXPECT_EQ(*parse_duration("0"), 0ns);
  EXPECT_EQ(*parse_duration("1500ns"), 1500ns);
  EXPECT_EQ(*parse_duration("1.5us"), 1500ns);
  EXPECT_EQ(*parse_duration("0.25ms"), 250us);
  EXPECT_EQ(*parse_duration("2s"), 2s);
  for (const char* text : {"", "1", "ms", "-1ms", "1.5ns", "1 ms", ".5ms", "1.ms", "99999999999s", "1m"})
    EXPECT_FALSE(parse_duration(text)) << text;
  for (const Duration duration : std::vector<Duration>{0ns, 7ns, 1500ns, 250us, 3ms, 61s})
    EXPECT_EQ(*parse_duration(duration_text(duration)), duration);
}

TEST(Latencies, between_round_trips_they_lie_on_a_straight_line) {
  const std::vector<RoundTrip> trips{{instant(100), instant(110), instant(140)},
                                     {instant(200), instant(230), instant(240)}};
  const auto entry = interpolated_latency(trips, Direction::entry);
  EXPECT_EQ(entry->at(instant(0)), 10ns);
  EXPECT_EQ(entry->at(instant(100)), 10ns);
  EXPECT_EQ(entry->at(instant(150)), 20ns);
  EXPECT_EQ(entry->at(instant(199)), 29ns);
  EXPECT_EQ(entry->at(instant(200)), 30ns);
  EXPECT_EQ(entry->at(instant(999)), 30ns);
  const auto response = interpolated_latency(trips, Direction::response);
  EXPECT_EQ(response->at(instant(110)), 30ns);
  EXPECT_EQ(response->at(instant(170)), 20ns);
  EXPECT_EQ(response->at(instant(230)), 10ns);
}

TEST(Latencies, of_another_time_begin_with_the_first_message_and_begin_anew_behind_the_last) {
  const std::vector<RoundTrip> trips{{instant(100), instant(110), instant(140)},
                                     {instant(200), instant(230), instant(240)}};
  const auto entry = repeated_latency(trips, Direction::entry);
  EXPECT_EQ(entry->at(instant(5000)), 10ns);
  EXPECT_EQ(entry->at(instant(5050)), 20ns);
  EXPECT_EQ(entry->at(instant(5099)), 29ns);
  EXPECT_EQ(entry->at(instant(5100)), 10ns);
  EXPECT_EQ(entry->at(instant(5350)), 20ns);
  EXPECT_EQ(entry->at(instant(5350)), 20ns);
  EXPECT_EQ(entry->at(instant(5400)), 10ns);
  const auto one = repeated_latency({trips[0]}, Direction::response);
  for (const std::int64_t at : {7, 7, 8, 1'000'000}) EXPECT_EQ(one->at(instant(at)), 30ns);
}

TEST(Latencies, empirical_ones_are_drawn_from_all_samples_and_again_with_the_same_seed) {
  const std::vector<Duration> samples{1ns, 2ns, 3ns, 4ns};
  const auto a = empirical_latency(samples, 7), b = empirical_latency(samples, 7), c = empirical_latency(samples, 8);
  std::set<Duration> seen;
  bool differs = false;
  for (int draw = 0; draw < 100; ++draw) {
    const Duration latency = a->at({});
    seen.insert(latency);
    EXPECT_EQ(latency, b->at({}));
    differs |= latency != c->at({});
  }
  EXPECT_EQ(seen.size(), samples.size());
  EXPECT_TRUE(differs);
}

class LatencyFiles : public testing::Test {
 protected:
  LatencyFiles()
      : file_((std::filesystem::temp_directory_path() / ("dojima-latency-" + std::to_string(::getpid()) + "-" +
                                                         std::to_string(reinterpret_cast<std::uintptr_t>(this))))
                  .string()) {}
  ~LatencyFiles() override {
    std::filesystem::remove(file_);
    for (const std::string& name : named_) std::filesystem::remove(name);
  }
  /// With this content; its name.
  std::string file(const char* name, const std::string& text) {
    std::ofstream(named_.emplace_back(file_ + name)) << text;
    return named_.back();
  }
  std::string trouble_of(const char* kind, const char* text) {
    std::ofstream(file_) << text;
    const auto model = make_latency(kind + file_, Direction::entry, 1);
    return model ? "" : model.error().substr(model.error().find(file_) + file_.size());
  }
  std::string file_;
  std::vector<std::string> named_;
};

TEST_F(LatencyFiles, are_read_with_or_without_a_header_and_say_which_line_is_wrong) {
  EXPECT_EQ(trouble_of("triples:", "sent,exchange,received\n100,110,140\n200,230,240\n"), "");
  EXPECT_EQ(trouble_of("triples:", "100,110,140\r\n\r\n"), "");
  EXPECT_EQ(trouble_of("triples:", "100,110\n"), ": has no measured times");  // its first line may be a header
  EXPECT_EQ(trouble_of("triples:", "1,2,3\n100,110\n"),
            ": line 2: a line is sent,exchange,received, whole numbers of nanoseconds");
  EXPECT_EQ(trouble_of("triples:", "1,2,3\n100,90,140\n"), ": line 2: sent, at the exchange and received do not rise");
  EXPECT_EQ(trouble_of("triples:", "100,110,140\n100,120,140\n"), ": line 2: it is not later than the line before");
  EXPECT_EQ(trouble_of("samples:", "5\n7\n"), "");
  EXPECT_EQ(trouble_of("samples:", "5\n-7\n"), ": line 2: a latency is not below 0");
  EXPECT_EQ(trouble_of("samples:", ""), ": has no measured times");
  EXPECT_TRUE(make_latency("samples:/no/such/file", Direction::entry, 1).error().ends_with("cannot be opened"));
  EXPECT_EQ((*make_latency("constant:3us", Direction::entry, 1))->at({}), 3us);
  EXPECT_FALSE(make_latency("soon", Direction::entry, 1));
}

TEST(Latencies, grow_with_what_the_exchange_has_to_do_and_fall_again) {
  const auto at = [](std::int64_t microseconds) { return time::from_nanoseconds(1'000'000'000 + microseconds * 1000); };
  auto model = *make_latency("load:100us+10us", Direction::entry, 1);
  EXPECT_TRUE(model->follows_load());
  EXPECT_EQ(model->at(at(0)), 110us);  // nobody before it
  for (int event = 0; event < 5; ++event) model->on_work(at(1000));
  EXPECT_EQ(model->at(at(1000)), 160us);  // behind five, and its own service
  EXPECT_EQ(model->at(at(1020)), 150us);  // of 60 us of work 40 are left
  EXPECT_EQ(model->at(at(1070)), 110us);  // all is done just now
  EXPECT_EQ(model->at(at(1080)), 110us);
  EXPECT_EQ(model->at(at(9999)), 110us);
  EXPECT_FALSE((*make_latency("1ms", Direction::entry, 1))->follows_load());
  for (const char* text : {"load:", "load:1ms", "load:1ms+", "load:1ms+x", "load:+1ms", "load:-1ms+1ms"}) {
    const auto wrong = make_latency(text, Direction::entry, 1);
    ASSERT_FALSE(wrong) << text;
    EXPECT_NE(wrong.error().find("load:BASE+SERVICE takes two times"), std::string::npos) << wrong.error();
  }
}

TEST_F(LatencyFiles, of_a_lab_have_round_trips_of_every_kind) {
  const std::string lab =
      file("lab.csv",
           "kind,sent,exchange,received\nsubmit,100,110,140\nreplace,150,160,165\nsubmit,200,230,240\n"
           "trade,300,310,350\n");
  const auto at = [&](const char* kind, Direction direction, std::int64_t sent) {
    const auto model = make_latency("lab:" + lab + "#" + kind, direction, 1);
    EXPECT_TRUE(model) << model.error();
    return model ? (*model)->at(instant(sent)) : Duration{-1};
  };
  EXPECT_EQ(at("submit", Direction::entry, 0), 10ns);
  EXPECT_EQ(at("submit", Direction::response, 0), 30ns);
  EXPECT_EQ(at("replace", Direction::entry, 9), 10ns);
  EXPECT_EQ(at("trade", Direction::response, 9), 40ns);
  const auto answers = *make_latency("lab:" + lab + "#answers", Direction::response, 1);
  EXPECT_EQ(answers->at(instant(1000)), 30ns);
  EXPECT_EQ(answers->at(instant(1050)), 5ns);
  EXPECT_EQ(*kinds_in_lab_file(lab), (std::vector<std::string>{"submit", "replace", "trade"}));
  const auto texts = measured_latencies(lab, {.response = "2ms"});
  ASSERT_TRUE(texts) << texts.error();
  EXPECT_EQ(texts->feed, "recorded");
  EXPECT_EQ(texts->entry, "lab:" + lab + "#submit");
  EXPECT_EQ(texts->cancel, "");
  EXPECT_EQ(texts->replace, "lab:" + lab + "#replace");
  EXPECT_EQ(texts->response, "2ms");
  EXPECT_EQ(texts->trade, "lab:" + lab + "#trade");
  const auto error = [&](const std::string& text) {
    const auto made = make_latency(text, Direction::entry, 1);
    return made ? std::string() : made.error();
  };
  EXPECT_NE(error("lab:" + lab + "#feed").find("no measured times of the kind feed"), std::string::npos);
  EXPECT_NE(error("lab:" + lab).find("lab:FILE#KIND takes"), std::string::npos);
  EXPECT_NE(error("lab:" + lab + "#sumbit").find("lab:FILE#KIND takes"), std::string::npos);
  EXPECT_NE(error("lab:nowhere#submit").find("cannot be opened"), std::string::npos);
  for (const char* line : {"submit,1,2", "order,1,2,3", "submit,1,2,3,4", "1,2,3", "submit,1,x,3", "submit"})
    EXPECT_NE(error("lab:" + file("odd.csv", std::string(line) + "\n") + "#submit").find("line 1: a line is kind"),
              std::string::npos)
        << line;
  EXPECT_NE(error("lab:" + file("odd.csv", "submit,5,4,6\n") + "#submit").find("do not rise"), std::string::npos);
  EXPECT_NE(error("lab:" + file("odd.csv", "submit,5,6,7\nsubmit,5,7,8\n") + "#submit").find("line 2: it is not later"),
            std::string::npos);
  EXPECT_FALSE(kinds_in_lab_file(file("empty.csv", "kind,sent,exchange,received\n")));
}

}  // namespace
}  // namespace dojima::backtest
