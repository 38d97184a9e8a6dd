#pragma once
/// What waits for the answers to numbered questions, in the order of asking. Answers come in about
/// that order, so this is a ring: adding and taking out cost an array access, and after its first
/// moments it allocates nothing. Pure.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gate::upstream {

template <class T>
class numbered_queue {
 public:
  /// How many places there are between the one that has waited longest and the latest, those that
  /// were left early included. Whoever adds bounds this.
  std::size_t length() const { return length_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// The number that the next one gets.
  std::uint64_t next() const { return first_ + length_; }

  std::uint64_t add(T x) {
    if (length_ == ring_.size()) grow();
    const auto number = next();
    ring_[place(length_)] = std::move(x);
    ++length_;
    ++size_;
    return number;
  }

  /// Nothing if it does not wait (any more).
  std::optional<T> take(std::uint64_t number) {
    if (number < first_ || number - first_ >= length_) return std::nullopt;
    auto& slot = ring_[place(number - first_)];
    if (!slot) return std::nullopt;
    std::optional<T> out = std::move(slot);
    leave(slot);
    trim();
    return out;
  }

  /// `f(number, T&)` for each, in order; `f` must not add or take.
  template <class F>
  void for_each(F&& f) {
    for (std::size_t i = 0; i < length_; ++i)
      if (auto& slot = ring_[place(i)]) f(first_ + i, *slot);
  }

  /// Drops those for which `f(T&)` is true; `f` must not add or take.
  template <class F>
  void erase_if(F&& f) {
    for (std::size_t i = 0; i < length_; ++i)
      if (auto& slot = ring_[place(i)]; slot && f(*slot)) leave(slot);
    trim();
  }

  /// Takes all, in order. What they were is not found under their numbers any more.
  std::vector<T> take_all() {
    std::vector<T> out;
    out.reserve(size_);
    for (std::size_t i = 0; i < length_; ++i)
      if (auto& slot = ring_[place(i)]) {
        out.push_back(std::move(*slot));
        leave(slot);
      }
    trim();
    return out;
  }

 private:
  std::size_t place(std::size_t i) const { return (head_ + i) & (ring_.size() - 1); }

  void leave(std::optional<T>& slot) {
    slot.reset();
    --size_;
  }
  void trim() {
    while (length_ > 0 && !ring_[head_]) {
      head_ = place(1);
      ++first_;
      --length_;
    }
  }
  void grow() {
    std::vector<std::optional<T>> wider(ring_.empty() ? 4 : ring_.size() * 2);
    for (std::size_t i = 0; i < length_; ++i) wider[i] = std::move(ring_[place(i)]);
    ring_ = std::move(wider);
    head_ = 0;
  }

  std::vector<std::optional<T>> ring_;  ///< a power of two of slots, or none
  std::size_t head_ = 0;                ///< where the one is that has waited longest
  std::size_t length_ = 0, size_ = 0;
  std::uint64_t first_ = 1;  ///< its number
};

}  // namespace gate::upstream
