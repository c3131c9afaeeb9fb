#pragma once

// The book over the storages that the ladder is measured against and tested with, in an archive of their own: link
// dojima::book_storages. All of them have the members of Book and give the same reports for the same commands:
//
//   MapBook book(instrument, orders, reports, {.levels = 100});
//
// LadderBook is Book under the name that it has among them.
//
//   storage        levels                          orders of a level        memory
//   LadderBook     window of ticks, tree behind    linked through the table the table's pool, at construction
//   IntrusiveBook  std::map                        linked through the table a pool, at construction
//   PooledBook     std::map                        std::list                a pool that grows and keeps
//   MapBook        std::map                        std::list                the heap, at every order

#include <string_view>

#include "dojima/book/book.hpp"
#include "dojima/book/script.hpp"
#include "dojima/book/storages/intrusive_queue.hpp"
#include "dojima/book/storages/list_map_queue.hpp"

namespace dojima::book {

using MapBook = BasicBook<MapQueue>;
using PooledBook = BasicBook<PooledQueue>;
using IntrusiveBook = BasicBook<IntrusiveQueue>;
using LadderBook = Book;

// Compiled in matching/ladder_book.cpp and storages/*.cpp, with all their parts: a caller that has the bodies for its
// own storage does not compile these again, with other options.
#define DOJIMA_EXTERN_BOOK(Queue)               \
  extern template class BookData<Queue>;        \
  extern template class BookChecks<Queue>;      \
  extern template class BookPlaces<Queue>;      \
  extern template class BookAuctions<Queue>;    \
  extern template class BookMatching<Queue>;    \
  extern template class BookWaiting<Queue>;     \
  extern template class BookGeneralPath<Queue>; \
  extern template class BookFastPath<Queue>;    \
  extern template class BookMirror<Queue>;      \
  extern template class BasicBook<Queue>
DOJIMA_EXTERN_BOOK(LadderQueue);
DOJIMA_EXTERN_BOOK(MapQueue);
DOJIMA_EXTERN_BOOK(PooledQueue);
DOJIMA_EXTERN_BOOK(IntrusiveQueue);
#undef DOJIMA_EXTERN_BOOK

enum class Storage : unsigned char { ladder, intrusive, pooled, map };

/// The script on a book of that storage: run_script(text) of script.hpp is the ladder's.
[[nodiscard]] ScriptResult run_script(std::string_view text, Storage storage);

}  // namespace dojima::book
