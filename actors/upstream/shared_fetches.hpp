#pragma once
/// Fetches of lists that instances of a fleet share: performs what `list_share` decides, which may
/// be that nobody needs to ask the upstream. Part of UPSTREAM; idle without a store, and for an
/// upstream whose lists are not shared.
#include <optional>

#include "actors/upstream/context.hpp"
#include "actors/upstream/list_share.hpp"

namespace gate::upstream {

class shared_fetches {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  class doors {
   public:
    virtual ~doors() = default;
    virtual void ask(store_request what) = 0;
    /// To `again`, after `limits::store_list_look`.
    virtual void look_later(std::uint64_t number) = 0;
    /// The upstream is to be asked: to the guards.
    virtual void enter(fetch_list& m) = 0;
    /// A list that is there passes no guard: the upstream is not asked.
    virtual void pass_on(fetch_list& m) = 0;
    virtual void changed(list_changed m) = 0;
  };

  shared_fetches(const context& of, doors& to);

  /// Where the others are heard; null: nothing is shared.
  const std::string* channel() const { return share_ ? &share_->channel() : nullptr; }
  /// What was asked and has not been answered, taken out.
  std::vector<fetch_list> take_all();

  void fetch(fetch_list& m, time_point now);
  void again(std::uint64_t number, time_point now);
  /// A fetch that was to be kept for the others has ended, or will not begin.
  void on(const list_read& m);
  void on(const list_heard& m, time_point now);
  void on(const store_told& m, time_point now);
  void on(const store_heard& m, time_point now);
  void on(const store_turned& m, time_point now);

 private:
  void ask(std::optional<store_request> what);

  std::size_t index_;
  doors& to_;
  std::optional<list_share> share_;
};

}  // namespace gate::upstream
