#pragma once
/// JOURNAL: turns what passes a door into lines of the recording, without secrets. One for each
/// unit, shared by its RECORDERs and what they have wrapped; for one thread at a time. Does nothing
/// once the recording is over, and never throws: a recording that can not go on ends.
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "protocol/audit/event.hpp"
#include "protocol/recording/line.hpp"
#include "protocol/recording/redaction.hpp"
#include "transport/clock.hpp"
#include "transport/interfaces.hpp"
#include "transport/recording.hpp"

namespace gate::recording {

/// What all journals of a recording have in common.
struct common {
  std::shared_ptr<recording_file> file;
  std::shared_ptr<secret_register> secrets;
  monotonic_clock now = nullptr;
  std::chrono::steady_clock::time_point began;
  std::string key;                   ///< of stand-ins
  std::vector<std::string> names;    ///< --record-redact
  std::vector<std::string> headers;  ///< in which the document has credentials sent
};
using common_ptr = std::shared_ptr<const common>;

class journal {
 public:
  journal(common_ptr shared, std::uint64_t unit);

  // INGRESS. `form`: the request is one to our token endpoint.
  /// Is it?
  bool request(const exchange& e);
  void body(const exchange& e);
  void answer(std::uint64_t number, bool form, const response_head& head,
              std::initializer_list<std::string_view> body);
  void stream(std::uint64_t number, std::string_view headers);
  void sent(std::uint64_t number, std::string_view bytes);
  void moved(std::uint64_t number, std::uint8_t to);
  /// An event without members.
  void happened(kind what, std::uint64_t number = 0);

  // EGRESS. `form`: the request is one to a token endpoint.
  /// Is it?
  bool start(const fetch& f, std::uint64_t number);
  void streamed(const gate::streamed& s);
  /// `got`: it was asked for by GET. What comes whole then may be a document: of discovery.
  void fetched(const gate::fetched& f, bool form, bool got);

  // STORE.
  void asked(const store_request& r, std::uint64_t number);
  void told(const store_told& t);
  void turned(const store_turned& t);
  void heard(const store_heard& h);

  void document(std::string_view text);
  void audit(const gate::audit::event& e);

  bool over() const noexcept { return shared_->file->over(); }

 private:
  /// Of what many requests have in common: a header, or where they go.
  struct known_head {
    std::shared_ptr<const void> keep;
    std::string target;   ///< a whole URL
    std::string headers;  ///< JSON
    std::string lead;     ///< members of a client's request: method, target and headers
    std::string token;    ///< JSON; empty: none
    bool form = false;
    bool mints = false;  ///< it goes to our own token endpoint, whatever it is
  };
  /// The same of fetches: method, URL and headers, of those that have none of their own.
  struct known_fetch {
    std::shared_ptr<const destination> to;
    std::shared_ptr<const std::string> headers;
    verb method = verb::get;
    std::string lead;
    bool form = false;
  };
  /// What the latest answer without secrets said before its body: the next says it, too.
  struct known_answer {
    int status = 0;
    std::string type, headers;
    std::string lead;  ///< empty: there was none
  };
  /// The same of what came back from a server.
  struct known_result {
    fetch_end end = fetch_end::complete;
    gate::obstacle obstacle = obstacle::none;
    int status = 0;
    gate::media media = media::none;
    std::string session;
    std::string lead;
  };

  template <class F>
  void write(kind what, std::uint64_t number, F&& members) {
    if (over()) return;
    try {
      line l = begin(what, number);
      members(l);
      shared_->file->write(l.end());
    } catch (const std::exception& e) {
      give_up(what, e.what());
    }
  }
  line begin(kind what, std::uint64_t number);
  void give_up(kind what, const char* why);
  const known_head& head_of(const http::head_ptr& head);
  const known_head& lines_of(const std::shared_ptr<const std::string>& lines);
  const std::string& url_of(const std::shared_ptr<const destination>& to);
  const known_fetch& fetch_of(const fetch& f);
  const std::string& lead_of(const response_head& head);
  const std::string& lead_of(const gate::fetched& f);
  void forget_what_is_known();
  void append_lines(std::string& out, std::string_view lines);
  /// What is sent to a token endpoint, of any media type, without its secret fields.
  void append_credentials(line& l, std::string_view body);
  std::string_view text(std::string_view in);

  common_ptr shared_;
  std::uint64_t unit_;
  redactor redactor_;
  std::size_t secrets_known_ = 0, taught_ = 0;
  std::string line_, kept_, joined_;  ///< used again and again
  std::unordered_map<const void*, known_head> heads_, lines_, urls_;
  std::unordered_map<const void*, known_fetch> fetches_;  ///< by their headers
  known_answer answer_;
  known_result result_;
};
using journal_ptr = std::shared_ptr<journal>;

/// Is it sent to a token endpoint, as its header says?
bool is_form(std::string_view content_type);
/// Of a block of header lines.
std::string_view content_type_in(std::string_view lines);

}  // namespace gate::recording
