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

/// The same for who makes objects by an allocator: `std::allocate_shared`, the nodes of a map. What
/// is no single object is allocated.
template <class T>
struct recycling {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  using value_type = T;

  recycling() = default;
  template <class U>
  recycling(const recycling<U>&) noexcept {}
  T* allocate(std::size_t n) {
    if (n == 1) return static_cast<T*>(recycled<T>::take());
    return static_cast<T*>(::operator new(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t n) noexcept {
    if (n == 1)
      recycled<T>::give(p);
    else
      ::operator delete(p);
  }
  template <class U>
  bool operator==(const recycling<U>&) const noexcept {
    return true;
  }
};

}  // namespace gate
