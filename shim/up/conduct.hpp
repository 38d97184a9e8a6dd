#pragma once
/// What gate-up does when: starts a gate-stdio for each server that is a command, the gateway as
/// soon as all of them listen, prints the table as soon as each has answered or failed, takes what
/// files say when they change, and ends all in order. Pure: what happens comes in, what is to be
/// done goes out by `hands`. UP is the actor around it.
///
/// | a server is | since | until |
/// |---|---|---|
/// | starting | its gate-stdio was started | that listens |
/// | awaited | its gate-stdio listens | it answers; it can not be run; its time is over |
/// | well | it has answered | its gate-stdio ends |
/// | failed | it can not be run, or was awaited in vain | it answers after all |
///
/// Its time is `limits::server_patience`, or that of one that is fetched.
///
/// One that is called by its own address is well or failed as the gateway finds it.
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/clients/plan.hpp"
#include "shim/up/gather.hpp"
#include "shim/up/last_lines.hpp"
#include "shim/up/looker.hpp"
#include "shim/up/report.hpp"

namespace gate::up {

/// The id of the gateway among those of servers: none of these has a capital letter.
inline constexpr std::string_view gateway_id = "GATE";

/// What the conductor has done.
class hands {
 public:
  virtual ~hands() = default;
  virtual void start_server(const clients::planned_server& s) = 0;
  /// With these variables; it reads the document that was kept last.
  virtual void start_gateway(const clients::named_values& secrets) = 0;
  virtual void keep_document(const std::string& text) = 0;
  virtual void reload_gateway() = 0;
  /// A server's, or the gateway's; told by `ended` with `for_good`.
  virtual void end_program(std::string_view id) = 0;
  virtual void ask_health(std::string_view id, const std::string& url) = 0;
  virtual void ask_tools(const std::string& url, std::string_view cursor) = 0;
  /// Answers of the gateway that are still to come mean nothing any more.
  virtual void forget_gateway() = 0;
  virtual void say(std::string_view text) = 0;
  /// Nothing is left. False: the gateway has never served.
  virtual void over(bool well) = 0;
};

class conduct {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  conduct(hands& does, bool verbose) : does_(does), verbose_(verbose) {}

  void begin(gathered what, time_point now);
  void listens(std::string_view id, std::string url, time_point now);
  void said(std::string_view id, const std::string& line, time_point now);
  void ended(std::string_view id, const std::string& why, bool for_good, time_point now);
  /// An answer to `ask_health`; nothing: there was none.
  void health(std::string_view id, int status, std::string_view body, time_point now);
  void tools(int status, std::string_view body, time_point now);
  /// Time has passed.
  void look(time_point now);
  /// Files have changed.
  void changed(gathered what, time_point now);
  void end();

 private:
  enum class phase { starting, awaited, well, failed };
  struct served {
    clients::planned_server server;
    phase now = phase::starting;
    time_point since;
    std::string url;      ///< where the gateway calls it
    std::string why;      ///< it failed
    std::string ailment;  ///< what its gate-stdio has said of it last
    last_lines words{};
    bool asked = false;     ///< for its health, and has not answered
    bool refused = false;   ///< it was not well when it was asked
    bool unlisted = false;  ///< it is well, and the gateway has not got its tools yet
    bool leaving = false;
    std::optional<clients::planned_server> successor{};  ///< when nothing of this is left
  };

  served* find(std::string_view id);
  void take(clients::planned_server s, time_point now);
  void replace(const std::string& id, time_point now);
  void judge(served& s, time_point now);
  /// How long the table waits for it.
  static std::chrono::seconds patience_with(const served& s);
  /// The longest with those that run and are not listed yet.
  std::chrono::seconds patience_with_unlisted() const;
  void settle(served& s, phase to, std::string why);
  void gateway_ended(const std::string& why, bool for_good);
  void start_gateway_if_ready();
  enum class written { same, anew, nothing_to_serve, refused };
  written write_document();
  void survey_if_ready();
  bool lacks(const tools_page& page);
  void stop_survey();
  void print();
  server_row row_of(std::string_view id, const served& s) const;
  server_row row_of(const clients::base_upstream& u) const;
  std::vector<std::string> tools_of(std::string_view name_space) const;
  void say_problems(const std::vector<std::string>& problems);
  void say_waiting(time_point now);
  void end_if_done();

  hands& does_;
  bool verbose_;
  std::map<std::string, served, std::less<>> servers_;
  gathered basis_;  ///< what else the files say; its servers are those above
  time_point began_;
  std::string document_;
  clients::named_values secrets_;
  std::vector<std::string> notes_;
  last_lines gateway_words_;
  std::string gateway_url_;
  std::vector<std::string> tools_;
  std::map<std::string, upstream_state> seen_by_gateway_;
  bool gateway_runs_ = false;  ///< a process of it may be there
  bool restarting_ = false;    ///< it ends, to be started with other secrets, or other servers
  bool surveying_ = false, printed_ = false, ending_ = false, served_ = false, waited_ = false;
};

}  // namespace gate::up
