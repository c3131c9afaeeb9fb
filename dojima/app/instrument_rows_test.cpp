// Instruments in a file: read, every problem reported at once, part of a venue's configuration.

#include "dojima/app/configuration/instrument_rows.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"

namespace dojima::app {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view k_header = "id,symbol,ticks,highest,reference,maximum_quantity\n";

std::string row_of(int id, const std::string& symbol) {
  return std::to_string(id) + "," + symbol + ",0.5,2000,980,100000\n";
}

TEST(InstrumentRows, has_what_each_row_says) {
  const InstrumentRows read = parse_instruments(
      "symbol,id,partition,segment,ticks,highest,reference,maximum_quantity,name,isin,sedol,currency,lot,first_day,"
      "last_day\r\n"
      "KAGA,1001,2,RICE,0.01:0.01 10:0.05,2000,9.99,100000,\"Rice, of \"\"Kaga\"\"\",GB0002634946,0263494,JPY,100,"
      "2026-11-23,2027-03-31\r\n"
      "\r\n"
      "HIGO,1002,,,0.5,2000,980,7,,,,,,,\n",
      "rice.csv");
  ASSERT_TRUE(read.problems.empty()) << read.problems.front();
  ASSERT_EQ(read.instruments.size(), 2u);
  const simulate::InstrumentConfig& kaga = read.instruments[0];
  EXPECT_EQ(kaga.id, 1001u);
  EXPECT_EQ(kaga.symbol, "KAGA");
  EXPECT_EQ(kaga.partition, 2);
  EXPECT_EQ(kaga.segment, "RICE");
  ASSERT_EQ(kaga.ticks.size(), 2u);
  EXPECT_EQ(kaga.ticks[1].from.units, 1'000'000'000);
  EXPECT_EQ(kaga.ticks[1].tick.units, 5'000'000);
  EXPECT_EQ(kaga.name, "Rice, of \"Kaga\"");
  EXPECT_EQ(kaga.isin, "GB0002634946");
  EXPECT_EQ(kaga.sedol, "0263494");
  EXPECT_EQ(kaga.currency, "JPY");
  EXPECT_EQ(kaga.lot, 100u);
  EXPECT_EQ(kaga.first_day, std::chrono::sys_days{std::chrono::year{2026} / 11 / 23});
  EXPECT_EQ(kaga.last_day, std::chrono::sys_days{std::chrono::year{2027} / 3 / 31});
  EXPECT_EQ(kaga.file_line, 2u);
  EXPECT_EQ(read.instruments[1].partition, 1);
  EXPECT_EQ(read.instruments[1].lot, 1u);
  EXPECT_EQ(read.instruments[1].maximum_quantity.lots, 7);
  EXPECT_FALSE(read.instruments[1].last_day);
}

TEST(InstrumentRows, reports_all_wrong_rows_at_once) {
  const InstrumentRows read = parse_instruments(
      "id,symbol,ticks,highest,reference,maximum_quantity,isin,sedol,currency,first_day,last_day\n"
      "0,A,0.5,2000,980,1,,,,,\n"
      "2,,0.5,2000,980,1,,,,,\n"
      "3,C,half,2000,980,1,,,,,\n"
      "4,D,0.5,2000,980.3,1,,,,,\n"
      "5,E,0.5,2000,980,0,,,,,\n"
      "6,F,0.5,2000,980,1,GB0002634947,0263495,yen,,\n"
      "7,G,0.5,2000,980,1,,,,2026-02-30,\n"
      "8,H,0.5,2000,980,1,,,,2026-03-02,2026-03-01\n"
      "9,I,0.5,2000,980\n"
      "10,\"J,0.5,2000,980,1,,,,,\n"
      "11,K,0.5,2000,980,1,,,,,\n"
      "11,K,0.5,2000,980,1,,,,,\n",
      "rice.csv");
  EXPECT_EQ(read.problems, (std::vector<std::string>{
                               "rice.csv:2: id: \"0\" is no whole number of 1 to 2147483647",
                               "rice.csv:3: symbol: an instrument needs a symbol",
                               "rice.csv:4: ticks: \"half\" is neither a tick (0.5) nor bands (0.01:0.01 10:0.05)",
                               "rice.csv:5: reference: the reference price is not a price of the tick table",
                               "rice.csv:6: maximum_quantity: \"0\" is no whole number of 1 to 2147483647",
                               "rice.csv:7: isin: \"GB0002634947\" is no ISIN: its check digit would be 6",
                               "rice.csv:7: sedol: \"0263495\" is no SEDOL: its check digit would be 4",
                               "rice.csv:7: currency: \"yen\" is no currency of three capital letters",
                               "rice.csv:8: first_day: \"2026-02-30\" is no date such as 2026-11-23",
                               "rice.csv:9: last_day: 2026-03-01 is before the first day, 2026-03-02",
                               "rice.csv:10: 5 cells, where the first row names 11 columns",
                               "rice.csv:11: a quotation mark is not closed, or something follows it",
                               "rice.csv:13: id: 11 is in line 12, too", "rice.csv:13: symbol: K is in line 12, too"}));
  ASSERT_EQ(read.instruments.size(), 1u);
  EXPECT_EQ(read.instruments[0].id, 11u);
}

TEST(InstrumentRows, names_columns_that_it_does_not_know_or_misses) {
  const InstrumentRows read = parse_instruments("id,simbol,ticks,highest,reference,id\n1,A,1,1,1,1\n", "rice.csv");
  EXPECT_TRUE(read.instruments.empty());
  EXPECT_EQ(read.problems,
            (std::vector<std::string>{"rice.csv:1: there is no column \"simbol\"; did you mean \"symbol\"?",
                                      "rice.csv:1: the column \"id\" is there twice",
                                      "rice.csv:1: the column \"symbol\" is missing",
                                      "rice.csv:1: the column \"maximum_quantity\" is missing"}));
  EXPECT_EQ(parse_instruments("", "empty.csv").problems.size(), 1u);
}

TEST(InstrumentRows, counts_problems_that_nobody_would_read) {
  std::string text(k_header);
  for (int row = 0; row < 250; ++row) text += row_of(0, "S" + std::to_string(row));
  const InstrumentRows read = parse_instruments(text, "rice.csv");
  ASSERT_EQ(read.problems.size(), 201u);
  EXPECT_EQ(read.problems.back(), "rice.csv: and 50 more");
}

TEST(InstrumentRows, knows_check_digits) {
  for (const char* const isin : {"US0378331005", "JP3633400001", "DE0007164600", "GB0002634946"})
    EXPECT_EQ(complaint_of_isin(isin), "") << isin;
  EXPECT_NE(complaint_of_isin("US0378331006"), "");
  EXPECT_NE(complaint_of_isin("us0378331005"), "");
  EXPECT_NE(complaint_of_isin("US037833100"), "");
  for (const char* const sedol : {"0263494", "B0WNLY7", "7108899"}) EXPECT_EQ(complaint_of_sedol(sedol), "") << sedol;
  EXPECT_NE(complaint_of_sedol("0263493"), "");
  EXPECT_NE(complaint_of_sedol("B0ANLY7"), "") << "a vowel";
}

/// A file that goes with the test.
class InstrumentFileTest : public ::testing::Test {
 protected:
  InstrumentFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "dojima-instruments-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~InstrumentFileTest() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string write(const std::string& text) const {
    const std::string path = (folder_ / "rice.csv").string();
    std::ofstream(path) << text;
    return path;
  }
  [[nodiscard]] static Loaded<VenueConfig> with(const std::string& path) {
    const std::vector<Override> overrides{{"reference.instruments", path}};
    return parse_venue(text_of(default_venue()), "venue.toml", overrides);
  }
  std::filesystem::path folder_;
};

TEST_F(InstrumentFileTest, stands_behind_the_instruments_of_the_configuration) {
  const std::string path = write(std::string(k_header) + row_of(5001, "SAKE") + row_of(5002, "MISO"));
  const auto config = with(path);
  ASSERT_TRUE(config) << config.error();
  const std::size_t own = default_venue().instruments.size();
  ASSERT_EQ(config->instruments.size(), own + 2);
  EXPECT_EQ(config->instruments[own].symbol, "SAKE");
  // What is printed names the file, and reads back to the same.
  EXPECT_EQ(text_of(*config).find("SAKE"), std::string::npos);
  const auto again = parse_venue(text_of(*config), "venue.toml");
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(*again, *config);
}

TEST_F(InstrumentFileTest, may_be_all_that_there_is) {
  const std::string path = write(std::string(k_header) + row_of(1, "SAKE"));
  const auto config = parse_venue(
      "[reference]\ninstruments = \"" + path + "\"\n[[user]]\nname = \"A\"\npassword = \"b\"\n", "venue.toml");
  ASSERT_TRUE(config) << config.error();
  EXPECT_EQ(config->instruments.size(), 1u);
}

TEST_F(InstrumentFileTest, serves_a_gateway_as_well) {
  const std::string path = write(
      "id,symbol,ticks,highest,reference,maximum_quantity,name,isin,sedol,currency,lot\n"
      "5001,SAKE,0.5,2000,980,100000,Rice wine,GB0002634946,0263494,JPY,100\n");
  const std::vector<Override> overrides{{"reference.instruments", path}};
  const auto config = parse_gateway(text_of(default_gateway()), "gateway.toml", overrides);
  ASSERT_TRUE(config) << config.error();
  ASSERT_EQ(config->gateway.symbols.size(), default_gateway().gateway.symbols.size() + 1);
  const gateway::SymbolConfig& sake = config->gateway.symbols.back();
  EXPECT_EQ(sake, (gateway::SymbolConfig{.symbol = "SAKE",
                                         .instrument = 5001,
                                         .reference = {980 * market::k_price_scale},
                                         .name = "Rice wine",
                                         .isin = "GB0002634946",
                                         .sedol = "0263494",
                                         .currency = "JPY",
                                         .lot = 100,
                                         .file_line = 2}));
  EXPECT_EQ(text_of(*config).find("SAKE"), std::string::npos);
  const auto again = parse_gateway(text_of(*config), "gateway.toml");
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(*again, *config);
  const std::vector<Override> wrong{{"symbol.0.isin", "GB0002634947"}};
  const auto refused = parse_gateway(text_of(default_gateway()), "gateway.toml", wrong);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("its check digit would be 6"), std::string::npos) << refused.error();
  const std::vector<Override> missing{{"reference.instruments", (folder_ / "nothing.csv").string()}};
  const auto none = parse_gateway(text_of(default_gateway()), "gateway.toml", missing);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().find("nothing.csv: cannot be read"), std::string::npos) << none.error();
}

TEST_F(InstrumentFileTest, that_is_wrong_is_reported_with_all_other_mistakes) {
  const std::string path = write(std::string(k_header) + row_of(0, "SAKE") + row_of(2, "KAGA"));
  const auto config = with(path);
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().find("rice.csv:2: id: \"0\""), std::string::npos) << config.error();
  const auto missing = with((folder_ / "nothing.csv").string());
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().find("nothing.csv: cannot be read"), std::string::npos) << missing.error();
}

TEST_F(InstrumentFileTest, that_clashes_with_the_configuration_is_called_by_its_line) {
  VenueConfig venue = default_venue();
  venue.segments.push_back(example_segment());
  venue.instruments[0].segment = example_segment().name;
  const std::string header = "id,symbol,ticks,highest,reference,maximum_quantity,segment\n";
  const std::string path =
      write(header + "5001,SAKE,0.5,2000,980,1,\n1002,MISO,0.5,2000,980,1,\n5003,KAGA,0.5,2000,980,1,SALT\n");
  const std::vector<Override> overrides{{"reference.instruments", path}};
  const auto config = parse_venue(text_of(venue), "venue.toml", overrides);
  ASSERT_FALSE(config);
  const std::string place = "--set reference.instruments: " + path;
  EXPECT_EQ(config.error(), place + ":4: segment: there is no [[segment]] SALT\n" + place +
                                ":3: id: 1002 is in [[instrument]], too\n" + place +
                                ":4: symbol: KAGA is in [[instrument]], too");
  const auto gateway = parse_gateway(text_of(default_gateway()), "gateway.toml", overrides);
  ASSERT_FALSE(gateway);
  EXPECT_EQ(gateway.error(),
            place + ":4: symbol: KAGA is in [[symbol]], too\n" + place + ":3: id: 1002 is in [[symbol]], too");
}

}  // namespace
}  // namespace dojima::app
