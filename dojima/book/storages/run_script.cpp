// Scripts on the book of any storage.

#include "dojima/book/script/scripted_book.hpp"
#include "dojima/book/storages.hpp"

namespace dojima::book {

ScriptResult run_script(std::string_view text, Storage storage) {
  switch (storage) {
    case Storage::intrusive:
      return run_script_on(text, make_scripted_book<IntrusiveBook>);
    case Storage::pooled:
      return run_script_on(text, make_scripted_book<PooledBook>);
    case Storage::map:
      return run_script_on(text, make_scripted_book<MapBook>);
    case Storage::ladder:
      break;
  }
  return run_script(text);
}

}  // namespace dojima::book
