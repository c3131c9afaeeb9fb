#include <gtest/gtest.h>
#include <iostream>
#include <sstream>
#include <string>

#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/servers_test_support.hpp"
#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

/// What the program reads from standard input meanwhile.
class Typed {
 public:
  explicit Typed(const std::string& text) : text_(text), before_(std::cin.rdbuf(text_.rdbuf())) { std::cin.clear(); }
  ~Typed() { std::cin.rdbuf(before_); }
  Typed(const Typed&) = delete;
  Typed& operator=(const Typed&) = delete;

 private:
  std::istringstream text_;
  std::streambuf* before_;
};

TEST(Admin, passes_a_reason_on_and_reads_what_is_kept_of_a_password) {
  const TemporaryFolder folder;
  app::VenueConfig config = app::testing::Market::venue_config();
  config.admin.port = 0;
  config.spare_users = 1;
  config.password_file = folder / "passwords";
  const app::testing::Market market(config);
  std::string where;
  for (const std::string& line : market.description())
    if (const std::string begin = "admin and metrics http://"; line.starts_with(begin))
      where = line.substr(begin.size(), line.find(',') - begin.size());
  const Outcome drained = call({"admin", "--connect", where, "drain", "--", "limit", "breach", "--json"});
  EXPECT_EQ(drained.status, 0) << drained.err;
  const std::string kept = app::scrypt_text("Rice#2026", {.ln = 10, .r = 1, .p = 1});
  {
    const Typed typed(kept + "\n");
    const Outcome added = call({"admin", "--connect", where, "user", "add", "SUMITOMO", "-", "--", "joins"});
    EXPECT_EQ(added.status, 0) << added.err;
  }
  const Outcome audit = call({"admin", "--connect", where, "audit"});
  EXPECT_TRUE(contains(audit.out, "limit breach --json")) << audit.out;
  EXPECT_TRUE(contains(audit.out, "user add SUMITOMO $scrypt$...")) << audit.out;
  EXPECT_FALSE(contains(audit.out, kept)) << audit.out;
}

TEST(Admin, shows_no_password_among_its_words_wherever_it_was_written) {
  const auto shown = [](const std::vector<std::string>& words) {
    static_cast<void>(call(words));
    return std::vector<std::string>(command_line().begin() + 1, command_line().end());
  };
  using Shown = std::vector<std::string>;
  const std::string nobody = "127.0.0.1:1";
  EXPECT_EQ(shown({"admin", "--connect", nobody, "user", "ad", "ANN", "Rice#2026"}),
            (Shown{"admin", "--connect", nobody, "user", "ad", "***", "***"}));
  EXPECT_EQ(shown({"admin", "users", "add", "ANN", "Rice#2026", "--connect=" + nobody, "--", "joins"}),
            (Shown{"admin", "users", "***", "***", "***", "--connect=" + nobody, "--", "***"}));
  EXPECT_EQ(shown({"admin", "--connect", nobody, "usr", "Rice#2026"}),
            (Shown{"admin", "--connect", nobody, "usr", "***"}));
  const Shown plain{"admin", "--connect", nobody, "limits", "ANN", "max_rate=10", "--", "why", "--json"};
  EXPECT_EQ(shown(plain), plain);
}

TEST(Admin, says_what_is_missing_before_a_reason_and_on_standard_input) {
  const Outcome none = call({"admin", "--", "limit", "breach"});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(contains(none.err, "no verb stands before --")) << none.err;
  const Typed typed("");
  const Outcome empty = call({"admin", "user", "add", "SUMITOMO", "-"});
  EXPECT_EQ(empty.status, 2);
  EXPECT_TRUE(contains(empty.err, "standard input has no first line")) << empty.err;
}

}  // namespace
}  // namespace dojima::cli
