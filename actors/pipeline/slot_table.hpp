#pragma once
/// A table of things that wait, each under a number that is never reused: finding, adding and
/// taking out cost an array access. The number is the slot and how often the slot was used. `T` is
/// movable, and false where there is nothing.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gate {

template <class T>
class slot_table {
 public:
  std::uint64_t add(T x) {
    std::uint32_t i = 0;
    if (free_.empty()) {
      i = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      i = free_.back();
      free_.pop_back();
    }
    slots_[i].it = std::move(x);
    ++size_;
    if (++slots_[i].uses == 0) ++slots_[i].uses;  // 0 is nobody's number, also after 2^32 uses
    return (std::uint64_t{slots_[i].uses} << 32) | i;
  }

  /// Null if there is nothing (any more) under this number. Good until the next `add`.
  const T* find(std::uint64_t number) const {
    const auto i = static_cast<std::uint32_t>(number);
    const bool here = i < slots_.size() && slots_[i].uses == number >> 32 && slots_[i].it;
    return here ? &slots_[i].it : nullptr;
  }
  T* find(std::uint64_t number) { return const_cast<T*>(std::as_const(*this).find(number)); }

  /// An empty one if there is nothing (any more) under this number.
  T take(std::uint64_t number) {
    if (!find(number)) return {};
    const auto i = static_cast<std::uint32_t>(number);
    free_.push_back(i);
    --size_;
    return std::exchange(slots_[i].it, T{});
  }

  std::size_t size() const { return size_; }

  /// `f(const T&)` for each; `f` must not add or take.
  template <class F>
  void for_each(F&& f) const {
    for (auto& s : slots_)
      if (s.it) f(s.it);
  }

 private:
  struct slot {
    T it{};
    std::uint32_t uses = 0;
  };
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t size_ = 0;
};

}  // namespace gate
