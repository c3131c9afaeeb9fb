#pragma once

// What a rival's entry hands to its callback: the user pointer that was given with it, or nothing, which takes no room.

namespace dojima::sched::containers {

template <bool HasUser>
class EntryUser {
 public:
  EntryUser() = default;
  explicit EntryUser(void*) noexcept {}
  [[nodiscard]] static void* get() noexcept { return nullptr; }
};

template <>
class EntryUser<true> {
 public:
  EntryUser() = default;
  explicit EntryUser(void* user) noexcept : user_(user) {}
  [[nodiscard]] void* get() const noexcept { return user_; }

 private:
  void* user_ = nullptr;
};

}  // namespace dojima::sched::containers
