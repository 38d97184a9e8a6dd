#pragma once
/// What the progress tokens of our requests to one upstream session mean. Each is made here, so
/// that a server which several clients share can not take one client's call for another's. Pure;
/// made by UPSTREAM SESSION with its first call that has a token.
///
///   a token            while its request runs   behind its answer             behind its task's
///   end of a call          the call's               nobody's                      - of a task's
///   call   the call's               the client's, by the task     nobody's
///
/// Tokens of tasks are bounded (`limits::task_tokens`): the oldest is nobody's then.
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace gate::upstream {

class progress_tokens {
 public:
  /// Sessions with different seeds hardly ever choose the same tokens.
  explicit progress_tokens(std::uint64_t seed) : state_(seed) {}

  struct meaning {
    std::uint64_t request = 0;  ///< id of the request; 0: it was answered with a task
    std::string theirs;         ///< the client's token, raw
  };
  using number = std::uint64_t;

  /// A token for this request.
  number make(std::uint64_t request, std::string_view theirs);
  /// As it is written: of the JSON type of the client's.
  static std::string raw(number n, std::string_view theirs);
  /// What a token (raw) of the server means; null: nothing.
  const meaning* find(std::string_view raw) const;
  void forget(number n);
  /// Its request was answered with this task, which goes on to use the token.
  void keep_for_task(number n, std::string_view task);
  void end_task(std::string_view task);
  std::size_t size() const { return all_.size(); }

 private:
  struct task_token {
    number it;
    std::string task;
  };
  std::uint64_t state_;
  std::unordered_map<number, meaning> all_;
  std::list<task_token> of_tasks_;  ///< oldest first
};

/// A request's token: forgotten with the request, however that ends.
class progress_ticket {
 public:
  progress_ticket() = default;
  progress_ticket(std::shared_ptr<progress_tokens> of, std::uint64_t request,
                  std::string_view theirs)
      : of_(std::move(of)), it_(of_->make(request, theirs)) {}
  ~progress_ticket() { drop(); }
  progress_ticket(const progress_ticket&) = delete;
  progress_ticket& operator=(const progress_ticket&) = delete;
  progress_ticket& operator=(progress_ticket&& other) noexcept {
    if (this == &other) return *this;
    drop();
    of_ = std::move(other.of_);
    it_ = other.it_;
    return *this;
  }

  explicit operator bool() const { return of_ != nullptr; }
  progress_tokens::number number() const { return it_; }
  void keep_for_task(std::string_view task) {
    if (auto of = std::move(of_)) of->keep_for_task(it_, task);
  }

 private:
  void drop() {
    if (auto of = std::move(of_)) of->forget(it_);
  }

  std::shared_ptr<progress_tokens> of_;
  progress_tokens::number it_ = 0;
};

}  // namespace gate::upstream
