#pragma once
/// HANDLER MEMORY: room for one operation of Asio that its owner has under way again and again: the
/// read of a connection, the end of a turn. Without it each is allocated anew, as Asio's own cache
/// (whose size is part of the layout of its classes, and so must be the same in a whole program)
/// has two places for operations of all sizes.
///
///     socket.async_read_some(buffer, asio::bind_allocator(memory_.allocator(), handler));
///
/// The memory lives at least as long as the handler: it belongs to what the handler keeps alive.
/// One thread. A second operation at the same time, or a large one, is allocated. Under a sanitizer
/// all are, so that it sees who uses what is gone.
#include <cstddef>
#include <new>

#include "protocol/recycled.hpp"

namespace gate::scheduler {

class handler_memory {
 public:
  template <class T>
  struct allocator_of {
    using value_type = T;
    explicit allocator_of(handler_memory& m) noexcept : memory(&m) {}
    template <class U>
    allocator_of(const allocator_of<U>& other) noexcept : memory(other.memory) {}
    T* allocate(std::size_t n) { return static_cast<T*>(memory->take(n * sizeof(T))); }
    void deallocate(T* p, std::size_t) noexcept { memory->give(p); }
    template <class U>
    bool operator==(const allocator_of<U>& other) const noexcept {
      return memory == other.memory;
    }
    handler_memory* memory;
  };

  handler_memory() = default;
  handler_memory(const handler_memory&) = delete;
  handler_memory& operator=(const handler_memory&) = delete;

  allocator_of<std::byte> allocator() noexcept { return allocator_of<std::byte>(*this); }

 private:
  static constexpr std::size_t room = 256;

  void* take(std::size_t n) {
    if (!memory_is_recycled || taken_ || n > room) return ::operator new(n);
    taken_ = true;
    return place_;
  }
  void give(void* p) noexcept {
    if (p == place_)
      taken_ = false;
    else
      ::operator delete(p);
  }

  alignas(std::max_align_t) std::byte place_[room];
  bool taken_ = false;
};

}  // namespace gate::scheduler
