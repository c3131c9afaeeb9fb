#pragma once

// How a program speaks to a running server: `dojima admin`. Blocks for at most ten seconds. Errors are text for a
// person: what, where, and what to do.

#include <expected>
#include <span>
#include <string>

#include "dojima/app/admin_answer.hpp"
#include "dojima/link/connection.hpp"

namespace dojima::app {

struct AdminServer {
  link::Address address;
  std::string token_file;  ///< empty: where a server at this port of this machine leaves it
};

/// A verb and its words, carried out or refused.
[[nodiscard]] std::expected<AdminAnswer, std::string> command(const AdminServer& server,
                                                              std::span<const std::string> words);
/// The verbs that it knows, as a table.
[[nodiscard]] std::expected<AdminAnswer, std::string> verbs_of(const AdminServer& server);

/// One of the pages that need no token: "/metrics", "/live", "/ready".
struct AdminPage {
  bool is_good = false;  ///< its status was 200
  std::string text;
};
[[nodiscard]] std::expected<AdminPage, std::string> page_of(const AdminServer& server, const std::string& path);

}  // namespace dojima::app
