#pragma once

// Objects of different types side by side in one aligned buffer, found by a key: the object of a key lies at its number
// times the stride, and what all share is a base class. The number comes from a perfect hash that the compiler searched
// (key_lookup.hpp), so finding costs one look-up and no pointer is followed; the virtual call that comes next is the
// only indirection. No allocation. The objects live as long as the tuple, which stays where it was made.
//
//   using Pages = fsm::UnorderedTuple<Page, fsm::Keyed<'D', OrderPage>, fsm::Keyed<'F', CancelPage>>;
//   Pages pages(printer);                                     // each object is made with these arguments
//   if (Page* page = pages.find(type)) page->print(message);
//   pages.get<'D'>().set_width(80);                           // of its own type

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fsm/key_lookup.hpp"

namespace dojima::fsm {

/// One object of the tuple and the key that finds it.
template <auto Key, class Type>
struct Keyed {
  static constexpr auto key = Key;
  using type = Type;
};

/// `Base` is the first base of all types, so that its part begins where the object begins; keys are of one type. A key
/// that occurs twice does not compile.
template <class Base, class... Elements>
class UnorderedTuple {
 public:
  static_assert(sizeof...(Elements) > 0, "a tuple holds something");
  static_assert((std::is_base_of_v<Base, typename Elements::type> && ...), "the base is what all elements share");

  struct KeySet {
    static constexpr std::array keys{Elements::key...};
  };
  using Key = typename decltype(KeySet::keys)::value_type;
  using Lookup = KeyLookup<KeySet>;

  static constexpr std::size_t k_size = sizeof...(Elements);
  /// From one object to the next: a power of two, so that an address is a shift and an addition.
  static constexpr std::size_t k_stride = std::bit_ceil(std::max({sizeof(typename Elements::type)...}));

  /// Makes each object with these arguments, in the order of the elements. What a constructor throws is thrown on; the
  /// objects made before are gone then.
  template <class... Arguments>
  explicit UnorderedTuple(Arguments&&... arguments) {  // not moved from: every object gets them
    try {
      (make<typename Elements::type>(arguments...), ...);
    } catch (...) {
      clear();
      throw;
    }
  }
  ~UnorderedTuple() { clear(); }
  UnorderedTuple(const UnorderedTuple&) = delete;
  UnorderedTuple& operator=(const UnorderedTuple&) = delete;

  /// The object of this key; null when there is none. O(1).
  [[nodiscard]] Base* find(Key key) noexcept {
    const std::size_t number = Lookup::index(key);
    return number == Lookup::k_miss ? nullptr : &at(number);
  }
  [[nodiscard]] const Base* find(Key key) const noexcept {
    const std::size_t number = Lookup::index(key);
    return number == Lookup::k_miss ? nullptr : &at(number);
  }

  /// The object of a key that is known when the program is compiled, as what it is.
  template <Key Wanted>
  [[nodiscard]] auto& get() noexcept {
    constexpr std::size_t number = Lookup::index(Wanted);
    static_assert(number < k_size, "no element has this key");
    using Type = typename std::tuple_element_t<number, std::tuple<Elements...>>::type;
    return static_cast<Type&>(at(number));
  }

  /// Every object, in the order of the elements.
  template <class Visit>
  void each(Visit visit) {
    for (std::size_t number = 0; number < made_; ++number) visit(at(number));
  }

 private:
  template <class Type, class... Arguments>
  void make(Arguments&... arguments) {
    auto* const made = ::new (static_cast<void*>(buffer_ + made_ * k_stride)) Type(arguments...);
    DOJIMA_ASSERT(static_cast<void*>(static_cast<Base*>(made)) == static_cast<void*>(made),
                  "the base's part begins where the object begins", made_);
    destroy_[made_] = [](Base& object) noexcept { std::destroy_at(static_cast<Type*>(&object)); };
    ++made_;
  }
  void clear() noexcept {
    while (made_ > 0) {
      --made_;
      destroy_[made_](at(made_));
    }
  }
  [[nodiscard]] Base& at(std::size_t number) noexcept {
    return *std::launder(reinterpret_cast<Base*>(buffer_ + number * k_stride));
  }
  [[nodiscard]] const Base& at(std::size_t number) const noexcept {
    return *std::launder(reinterpret_cast<const Base*>(buffer_ + number * k_stride));
  }

  alignas(std::max({std::size_t{64}, alignof(typename Elements::type)...})) std::byte buffer_[k_size * k_stride];
  std::array<void (*)(Base&) noexcept, k_size> destroy_{};
  std::size_t made_ = 0;
};

}  // namespace dojima::fsm
