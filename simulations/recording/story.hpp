#pragma once
/// From the events of a recording to what happened: one call for each request of a client, with
/// what it was told, which upstreams were asked for it, and what the audit trail says of it. Pure.
///
/// All that belongs to a request has its number. Its audit event comes last, but for streams, which
/// go on behind it, and batches, of which each element has one.
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/recording/event.hpp"
#include "simulations/recording/answers.hpp"
#include "simulations/recording/upstream_names.hpp"

namespace gate::recording {

struct call {
  std::uint64_t at = 0, unit = 0, number = 0;  ///< of its request
  std::string client;                          ///< its address
  std::string principal, session, method, name;
  std::vector<std::string> upstreams;
  std::string outcome;
  std::optional<std::uint64_t> took;  ///< µs; nothing: it never ended
  std::uint64_t status = 0;           ///< HTTP; 0: there was no answer
  std::string rule, tenant, error;    ///< of its audit event
  bool audited = false;
  bool batch = false;  ///< of several messages
  /// A reload, a document or the end of the gateway; `method` says which.
  bool operation = false;
};

struct story_counts {
  std::uint64_t calls = 0, fetches = 0, audits = 0, strange_audits = 0;
  std::map<std::string, std::uint64_t> outcomes;
  std::uint64_t last_at = 0;
};

class story {
 public:
  /// `tell` is called for each call once all is known of it, which for calls that overlap is not
  /// the order of their requests.
  explicit story(std::function<void(call&&)> tell);
  ~story();
  story(const story&) = delete;
  story& operator=(const story&) = delete;

  void begin(const preamble& first);
  void take(const event& e);
  /// For longer than an audit event takes nothing has come: what has ended is told without one.
  void wait_no_longer();
  /// The recording is over: what is open is told as it is.
  void finish();

  const story_counts& counts() const { return counts_; }

 private:
  using key = std::pair<std::uint64_t, std::uint64_t>;  ///< unit and number
  struct stream;
  struct open_call {
    recording::call call;
    recording::said said;
    std::shared_ptr<recording::story::stream> stream;
  };

  void arrived(const event& e);
  void has_body(open_call& c, const event& e);
  void became(const event& e);
  void sent(open_call& c, const event& e);
  void fetch(const event& e);
  void audit(const event& e);
  void operated(const event& e);
  void end(std::map<key, open_call>::iterator c, std::uint64_t at, std::string outcome);
  void tell(call&& c);
  void tell_ended(std::list<call>::iterator c);
  void give_up(std::uint64_t now);

  std::function<void(call&&)> tell_;
  upstream_names upstreams_;
  std::map<key, open_call> open_;
  std::list<call> ended_;  ///< whose audit event may still come
  std::map<key, std::list<call>::iterator> ended_by_number_;
  story_counts counts_;
};

}  // namespace gate::recording
