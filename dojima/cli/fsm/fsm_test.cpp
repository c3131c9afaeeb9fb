#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

TEST(CliFsm, lists_and_draws_machines) {
  EXPECT_TRUE(contains(call({"fsm", "list"}).out, "gateway-client-to-exchange"));
  const Outcome mermaid = call({"fsm", "print", "fix-session", "--as", "mermaid"});
  EXPECT_EQ(mermaid.status, k_success);
  EXPECT_TRUE(mermaid.out.starts_with("stateDiagram-v2\n")) << mermaid.out;
  EXPECT_TRUE(contains(call({"fsm", "print", "fix-session", "--as", "hash"}).out, "strategy     "));
  EXPECT_TRUE(call({"fsm", "print", "fix-session", "--as", "dot"}).out.starts_with("digraph"));
  EXPECT_TRUE(call({"fsm", "print", "fix-session", "--as", "plantuml"}).out.starts_with("@startuml"));
}

TEST(CliFsm, says_what_may_have_been_meant) {
  const Outcome wrong = call({"fsm", "print", "fix-sesion"});
  EXPECT_EQ(wrong.status, k_usage);
  EXPECT_TRUE(contains(wrong.err, "did you mean fix-session?")) << wrong.err;
  EXPECT_EQ(call({"fsm", "print", "fix-session", "--as", "oil"}).status, k_usage);
}

TEST(CliFsm, gives_machines_as_one_object_that_verifies) {
  const Outcome list = call({"fsm", "list", "--json"});
  EXPECT_TRUE(list.out.starts_with("{")) << list.out;
  EXPECT_TRUE(contains(list.out, "\"venue-order\""));
  const TemporaryFolder folder;
  const std::string file = folder / "machine.json";
  const Outcome print = call({"fsm", "print", "fix-session", "--as", "hash", "--json", file});
  EXPECT_TRUE(contains(print.out, "strategy     ")) << "the text goes to stdout all the same";
  EXPECT_EQ(call({"lab", "verify", file}).status, k_success);
}

TEST(CliFsm, searches_and_writes_a_header) {
  const TemporaryFolder folder;
  const std::string keys = folder.write("keys.txt", "0\n3\n5\n8\n9\nB\nj\n");
  const Outcome facts = call({"fsm", "search", "--keys", keys});
  EXPECT_EQ(facts.status, k_success) << facts.err;
  EXPECT_TRUE(contains(facts.out, "seed         47\ndenominator  7\n")) << facts.out;
  const Outcome header = call({"fsm", "search", "--keys", keys, "--emit", "header", "--name", "mit_types"});
  EXPECT_TRUE(contains(header.out, "using MitTypesLookup")) << header.out;
  EXPECT_TRUE(contains(header.out, "XorModuloOf<47U, 7U>")) << header.out;
  EXPECT_EQ(call({"fsm", "search", "--keys", keys, "--emit", "header", "--name", "Mit Types"}).status, k_usage);
}

TEST(CliFsm, keeps_its_position_and_goes_on_from_it) {
  const TemporaryFolder folder;
  const std::string keys = folder.write("keys.txt", "D\nF\nG\nq\n");
  const std::string position = folder / "position";
  EXPECT_EQ(call({"fsm", "search", "--keys", keys, "--checkpoint", position}).status, k_success);
  EXPECT_TRUE(std::filesystem::exists(position));
  EXPECT_TRUE(contains(call({"fsm", "search", "--keys", keys, "--checkpoint", position}).out, "denominator  4\n"));
  const std::string other = folder.write("other.txt", "D\nF\n");
  const Outcome refused = call({"fsm", "search", "--keys", other, "--checkpoint", position});
  EXPECT_EQ(refused.status, k_usage);
  EXPECT_TRUE(contains(refused.err, "remove the file to begin anew")) << refused.err;
}

TEST(CliFsm, says_where_a_key_file_is_wrong_and_when_nothing_was_found) {
  const TemporaryFolder folder;
  const Outcome wrong = call({"fsm", "search", "--keys", folder.write("wrong.txt", "D\n12x\n")});
  EXPECT_EQ(wrong.status, k_usage);
  EXPECT_TRUE(contains(wrong.err, "wrong.txt:2:")) << wrong.err;
  const Outcome twice = call({"fsm", "search", "--keys", folder.write("twice.txt", "D\n\nF\n D # again\n")});
  EXPECT_EQ(twice.status, k_usage);
  EXPECT_TRUE(contains(twice.err, "twice.txt:4: duplicate: D is in a line before this one, expected each key once\n"))
      << twice.err;
  const std::string keys = folder.write("keys.txt", "0\n5\nA\nM\n");
  EXPECT_EQ(call({"fsm", "search", "--keys", keys, "--last-denominator", "4"}).status, k_failed);
}

}  // namespace
}  // namespace dojima::cli
