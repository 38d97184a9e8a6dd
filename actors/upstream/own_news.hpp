#pragma once
/// Has a client's session been told of changed lists that nobody else was told of? Then the server
/// keeps something in it that would end with it. A server that tells all its sessions alike tells
/// the root session in the same moment. Pure; time is a parameter; part of UPSTREAM SESSION.
///
///   announced                               is it kept for this client alone?
///   as soon as the session is opened        no: the server says so to each, and would say it again
///   a moment ago                            yes, until it is known what the root session hears
///   before, when the root session was told  no
///   before, and it was not                  yes, as long as the session lives
#include <chrono>
#include <deque>
#include <optional>

#include "protocol/limits.hpp"

namespace gate::upstream {

/// When root sessions of one upstream were told of changed lists: what is told in a row is one
/// time, from the first to the last of it; the latest `limits::news_times` are kept.
class news_times {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  void announced(time_point now) {
    if (!all_.empty() && now <= all_.back().last + limits::list_changed_most) {
      all_.back().last = now;
      return;
    }
    if (all_.size() == limits::news_times) all_.pop_front();
    all_.push_back({now, now});
  }
  /// Was there one in the same moment as `t`? Of what is too old to be known: yes.
  bool around(time_point t) const {
    if (all_.size() == limits::news_times && t < all_.front().first) return true;
    for (const auto& n : all_)
      if (t + limits::list_changed_most >= n.first && t <= n.last + limits::list_changed_most)
        return true;
    return false;
  }

 private:
  struct news {
    time_point first, last;
  };
  std::deque<news> all_;
};

class own_news {
 public:
  using time_point = news_times::time_point;

  /// A session was opened: what an earlier one was told of ended with it.
  void opened(time_point now) {
    *this = {};
    opened_ = now;
  }
  /// A change was announced in the session.
  void announced(time_point now, const news_times& root) {
    if (opened_ && now <= *opened_ + limits::list_changed_most) return;
    if (!latest_ || now > *latest_ + limits::list_changed_most) settle(now, root);
    latest_ = now;
  }
  /// Is something kept for this client alone?
  bool any(time_point now, const news_times& root) {
    settle(now, root);
    return own_ || latest_;
  }

 private:
  void settle(time_point now, const news_times& root) {
    if (!latest_ || now <= *latest_ + limits::list_changed_most) return;
    own_ |= !root.around(*latest_);
    latest_.reset();
  }

  std::optional<time_point> opened_;
  std::optional<time_point> latest_;  ///< that is not explained yet
  bool own_ = false;
};

}  // namespace gate::upstream
