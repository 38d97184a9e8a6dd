#pragma once
/// EXAMINATION: what is asked of one peer, one question after the other, and what is to be said of
/// it. A question is an answer's consequence: pure cores that DOCTOR asks what is next. One for
/// each address of the document.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/doctor/finding.hpp"
#include "protocol/limits/doctor.hpp"
#include "transport/inspection.hpp"
#include "transport/interfaces.hpp"

namespace gate::doctor {

/// A request over EGRESS. DOCTOR numbers it.
struct request {
  std::shared_ptr<fetch> what;
  /// Of an event stream, the event that answers is the response with this id; empty: an event
  /// stream is no answer.
  std::string answered_by{};
};
/// What came of it.
struct reply {
  fetch_end end = fetch_end::complete;
  int status = 0;
  std::string text;  ///< the body, or the event that answers
  std::string session_id;
  std::string why;  ///< it did not end as it should
  std::chrono::microseconds took{};
};

/// Connect, and look.
struct look {
  http::url where;
  bool get = false;
};
struct look_at_store {
  resp::store_url where;
};
/// Nothing is left to ask.
struct done {};
using action = std::variant<done, look, look_at_store, request>;

class upstream_visit;

class examination {
 public:
  examination(std::string pointer, std::string subject)
      : notes_(std::move(pointer), std::move(subject)) {}
  virtual ~examination() = default;
  examination(const examination&) = delete;
  examination& operator=(const examination&) = delete;

  virtual action begin() = 0;
  virtual action seen(const inspected&) { return done{}; }
  virtual action seen(const store_inspected&) { return done{}; }
  virtual action heard(const reply&) { return done{}; }
  /// The time is over; what still comes is not heard any more, but for what is asked now.
  /// `opened`: the session that has begun with an answer which did not come; empty: none.
  virtual action late(std::string_view opened) = 0;
  /// Before anything: what must not be quoted.
  void hide(const discretion& secrets) { notes_.hide(secrets); }
  /// It was not begun: there were too many before it.
  void unchecked();

  /// Peers that it found out about, to be examined when it is done.
  const std::vector<std::unique_ptr<examination>>& further() const { return further_; }
  /// Secrets that those are asked with.
  const std::vector<std::string>& further_secrets() const { return further_secrets_; }
  /// It, if it is a visit to an upstream.
  virtual const upstream_visit* of_upstream() const { return nullptr; }

  const findings& found() const { return notes_.all(); }
  const notes& said() const { return notes_; }

 protected:
  /// Notes what a look at `where` found; false: there is no way to it. `lead`: what it is for.
  bool reachable(const inspected& m, const http::url& where,
                 std::chrono::system_clock::time_point now);
  notes& say() { return notes_; }
  void go_on_with(std::vector<std::unique_ptr<examination>> peers,
                  std::vector<std::string> secrets) {
    further_ = std::move(peers);
    further_secrets_ = std::move(secrets);
  }

 private:
  notes notes_;
  std::vector<std::unique_ptr<examination>> further_;
  std::vector<std::string> further_secrets_;
};
using examination_ptr = std::unique_ptr<examination>;
using examinations = std::vector<examination_ptr>;

/// A request with what all have in common: no redirect but within the origin if `redirects`.
request make_request(const http::url& to, verb method, std::string headers, std::string body,
                     bool redirects = false, std::size_t max_bytes = limits::doctor_answer_bytes);
/// Why an answer did not come, as a sentence.
std::string failure_of(const reply& r);

}  // namespace gate::doctor
