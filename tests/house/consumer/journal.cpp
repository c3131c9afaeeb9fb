// The journal, installed: a record is kept and read back. Exit status 0 when all came as expected.

#include <cstddef>

#include "dojima/journal/memory_journal.hpp"

int main() {
  dojima::journal::MemoryJournal journal({.keep = dojima::journal::Keep::all, .capacity = 1024});
  if (journal.prepare(8).size() < 8) return 1;
  static_cast<void>(journal.commit(8));
  dojima::journal::MemoryJournal::Cursor cursor;
  const auto record = journal.read(cursor);
  return record && record->bytes.size() == 8 ? 0 : 1;
}
