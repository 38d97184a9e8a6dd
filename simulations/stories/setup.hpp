#pragma once
/// Pieces of a sentence that says under which conditions a story is told; and simpler conditions. A
/// kind of stories has `setup_of` and `simpler_ones` of its scenario.
#include <string>
#include <string_view>
#include <vector>

namespace gate::stories {

class setup_text {
 public:
  setup_text& add(std::string_view what) {
    if (!text_.empty()) text_ += ", ";
    text_ += what;
    return *this;
  }
  setup_text& add_if(bool so, std::string_view what) { return so ? add(what) : *this; }
  std::string take() { return text_.empty() ? "as simple as can be" : std::move(text_); }

 private:
  std::string text_;
};

/// Copies of `from` in each of which one thing is simpler.
template <class Scenario>
class simpler_than {
 public:
  explicit simpler_than(const Scenario& from) : from_(from) {}
  /// `member` as `value`, unless it is so already.
  template <class T>
  simpler_than& with(T Scenario::*member, T value) {
    if (from_.*member == value) return *this;
    auto next = from_;
    next.*member = std::move(value);
    all_.push_back(std::move(next));
    return *this;
  }
  std::vector<Scenario> take() { return std::move(all_); }

 private:
  const Scenario& from_;
  std::vector<Scenario> all_;
};

}  // namespace gate::stories
