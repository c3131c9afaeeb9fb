#include "dojima/cli/journal/store_tables.hpp"

#include <array>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <string>

#include "dojima/base/error.hpp"
#include "dojima/fix/store_record.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::cli {
namespace {

/// What tools keep of a session: the record's texts do not live.
struct Known {
  std::array<std::string, 4> names;
  std::uint64_t outgoing = 1, incoming = 1;
  std::optional<time::Time> begun{};
};

void apply(const fix::StoreRecord& record, Known& session) {
  if (record.kind == fix::StoreRecordKind::session)
    session.names = {std::string(record.name.begin_string), std::string(record.name.sender_comp_id),
                     std::string(record.name.target_comp_id), std::string(record.name.qualifier)};
  if (record.kind != fix::StoreRecordKind::incoming) session.outgoing = record.next_outgoing.value;
  session.incoming = record.next_incoming.value;
  if (record.kind == fix::StoreRecordKind::session || record.kind == fix::StoreRecordKind::reset)
    session.begun = record.numbers_begun;
}

std::string text_of(std::optional<time::Time> time) {
  if (!time) return {};
  std::array<char, time::k_timestamp_max> text{};
  return std::string(time::format_timestamp(*time, 3, text));
}

}  // namespace

evidence::Table sessions_table() {
  return {"sessions",
          "FIX sessions and the numbers that come next",
          {{"journal"},
           {"session"},
           {"begin_string"},
           {"sender"},
           {"target"},
           {"qualifier"},
           {"next_outgoing"},
           {"next_incoming"},
           {"numbers_begun"}}};
}

evidence::Table store_records_table() {
  return {"store_records",
          "what FIX sessions sent and counted",
          {{"journal"}, {"record"}, {"session"}, {"what"}, {"number"}, {"time"}, {"type"}, {"details"}}};
}

bool add_sessions(const JournalFolder& folder, const journal::Survey& found, evidence::Table& table) {
  std::map<std::uint32_t, Known> sessions;
  const auto reader = journal::read_directory(*folder.disk, found, {found.first.value - 1});
  if (!reader) return found.last.value == 0;
  bool is_good = true;
  while (true) {
    const auto record = (*reader)->next();
    is_good = record.has_value();
    if (!record || !*record) break;
    if (const auto read = fix::read_store_record((*record)->kind, (*record)->bytes))
      apply(*read, sessions[read->session]);
  }
  for (const auto& [number, session] : sessions)
    table.add_row({folder.name, number, session.names[0], session.names[1], session.names[2], session.names[3],
                   session.outgoing, session.incoming, text_of(session.begun)});
  return is_good;
}

bool add_store_records(const JournalFolder& folder, journal::Reader& reader, std::uint64_t last, std::size_t most,
                       evidence::Table& table) {
  while (true) {
    const auto record = reader.next();
    if (!record || !*record || (*record)->sequence.value > last) return false;
    if (table.rows.size() >= most) return true;
    const auto read = fix::read_store_record((*record)->kind, (*record)->bytes);
    if (!read) {
      std::array<char, 200> text{};
      table.add_row({folder.name, (*record)->sequence.value, "", "no record of a store", "", "", "",
                     std::string(describe(read.error(), text))});
      continue;
    }
    evidence::Cell number = "", time = "", type = "";
    if (read->kind == fix::StoreRecordKind::message) {
      std::array<char, time::k_timestamp_max> text{};
      number = read->message.sequence.value;
      time = std::string(time::format_timestamp(read->message.sending_time, 9, text));
      type = std::string(fix::text_of(read->message.type).view());
    }
    table.add_row({folder.name, (*record)->sequence.value, read->session, std::string(name_of(read->kind)),
                   std::move(number), std::move(time), std::move(type), describe(*read)});
  }
}

}  // namespace dojima::cli
