#pragma once
/// RECYCLED: memory for objects of which each call makes one and which are too large for the
/// allocator's own quick lists (1,032 bytes in glibc). A class has it by two members:
///
///     static void* operator new(std::size_t) { return recycled<call>::take(); }
///     static void operator delete(void* p) { recycled<call>::give(p); }
///
/// Each thread keeps at most `kept` places for each class, until the process ends. Under a
/// sanitizer none is kept, so that it sees who uses what is gone. Not for classes that others
/// derive from.
#include <array>
#include <cstddef>
#include <new>

// GCC says which sanitizer there is by macros, Clang by a feature.
#if defined(__has_feature)
#define GATE_CLANG_SANITIZES __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#else
#define GATE_CLANG_SANITIZES 0
#endif

namespace gate {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || GATE_CLANG_SANITIZES
inline constexpr bool memory_is_recycled = false;
#else
inline constexpr bool memory_is_recycled = true;
#endif
#undef GATE_CLANG_SANITIZES

template <class T>
class recycled {
 public:
  static constexpr std::size_t kept = memory_is_recycled ? 64 : 0;

  static void* take() {
    auto& s = here;
    return s.count > 0 ? s.places[--s.count] : ::operator new(sizeof(T));
  }
  static void give(void* p) noexcept {
    auto& s = here;
    if (s.count < kept)
      s.places[s.count++] = p;
    else
      ::operator delete(p);
  }
  /// Of this thread.
  static std::size_t size() noexcept { return here.count; }

 private:
  /// Nothing of it is destroyed: objects may go when their thread's other variables are gone.
  struct store {
    std::array<void*, kept + 1> places;
    std::size_t count;
  };
  static inline thread_local constinit store here{};
};

}  // namespace gate
