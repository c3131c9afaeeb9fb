// memcpy and memmove for dojima-budget-copies: they copy, and call a function of no content for every power of two in
// the size, so that the profile's counts of calls say how many bytes were copied, and for whom. Copies that the
// compiler makes in place, of a few known bytes, call nobody and are not seen.

#include <cstddef>

// NOLINTBEGIN: the names are the library's.
#define DOJIMA_COPIED(BIT)                                  \
  extern "C" [[gnu::noinline]] void dojima_copied_##BIT() { \
    asm volatile("");                                       \
  }
DOJIMA_COPIED(1)
DOJIMA_COPIED(2)
DOJIMA_COPIED(4)
DOJIMA_COPIED(8)
DOJIMA_COPIED(16)
DOJIMA_COPIED(32)
DOJIMA_COPIED(64)
DOJIMA_COPIED(128)
DOJIMA_COPIED(256)
DOJIMA_COPIED(512)
DOJIMA_COPIED(1024)
DOJIMA_COPIED(2048)
DOJIMA_COPIED(4096)
DOJIMA_COPIED(8192)
DOJIMA_COPIED(16384)
DOJIMA_COPIED(32768)

namespace {

void count(std::size_t size) {
#define DOJIMA_COUNT(BIT) \
  if ((size & BIT) != 0) dojima_copied_##BIT();
  DOJIMA_COUNT(1)
  DOJIMA_COUNT(2)
  DOJIMA_COUNT(4)
  DOJIMA_COUNT(8)
  DOJIMA_COUNT(16)
  DOJIMA_COUNT(32)
  DOJIMA_COUNT(64)
  DOJIMA_COUNT(128)
  DOJIMA_COUNT(256)
  DOJIMA_COUNT(512)
  DOJIMA_COUNT(1024)
  DOJIMA_COUNT(2048)
  DOJIMA_COUNT(4096)
  DOJIMA_COUNT(8192)
  DOJIMA_COUNT(16384)
  for (std::size_t more = size >> 15; more != 0; --more) dojima_copied_32768();
}

}  // namespace

extern "C" {

void* memcpy(void* to, const void* from, std::size_t size) {
  count(size);
  void* out = to;
  asm volatile("rep movsb" : "+D"(out), "+S"(from), "+c"(size) : : "memory");
  return to;
}

void* memmove(void* to, const void* from, std::size_t size) {
  const auto* source = static_cast<const char*>(from);
  auto* target = static_cast<char*>(to);
  if (target <= source || target >= source + size) return memcpy(to, from, size);
  count(size);
  for (std::size_t at = size; at-- > 0;) {
    target[at] = source[at];
    asm volatile("" : : : "memory");
  }
  return to;
}

}  // extern "C"
// NOLINTEND
