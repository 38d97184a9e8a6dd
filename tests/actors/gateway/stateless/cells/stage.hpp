#pragma once
/// One cell: a client of one generation before a server of one, and what is the same in all four.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "simulations/world/stateless_client.hpp"
#include "tests/actors/gateway/stateless/cells/table.hpp"
#include "tests/support/client_view.hpp"

namespace gate::cell_table {

using namespace sim;
using namespace std::chrono_literals;

inline constexpr auto accepted = R"({"action":"accept","content":{"a":1.0}})";

/// What a method's requests go through; each kind of request has a scene of its own.
class scene {
 public:
  virtual ~scene() { EXPECT_EQ(a.wrongs, std::vector<std::string>{}); }
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;

  void play(event e) {
    switch (e) {
      case event::plain:
        return plain();
      case event::progress:
        return progress();
      case event::input_once:
        return input(1);
      case event::input_twice:
        return input(2);
      case event::cancel:
        return cancel();
      case event::error:
        return error();
      case event::lost:
        return lost();
      case event::expiry:
        return expiry();
      case event::tampering:
        return tampering();
      case event::restart:
        return restart();
      case event::restart_while_asking:
        return restart_while_asking();
    }
  }
  /// All that its client has been told since the scene was set.
  std::vector<std::string> seen() const {
    std::vector<std::string> out;
    const auto& all = w.receipts();
    for (auto i = set_; i < all.size(); ++i) note_seen(all[i], out);
    return out;
  }

 protected:
  /// `page`: so many items stand on a page of a list.
  scene(const mcp::method& m, cell of, bool tasks = false, int page = 100)
      : method(m), is(of), tasks_(tasks), page_(page) {
    modern.capabilities = tasks ? R"({"elicitation":{},"extensions":)"
                                  R"({"io.modelcontextprotocol/tasks":{}}})"
                                : R"({"elicitation":{}})";
    const auto r = old.request("0", "initialize",
                               R"({"protocolVersion":"2025-11-25","capabilities":{)"
                               R"("elicitation":{})" +
                                   std::string(tasks ? R"(,"tasks":{})" : "") + "}}");
    old.session = r->header("mcp-session-id");
  }

  virtual void plain() { missing(); }
  virtual void progress() { missing(); }
  virtual void input(int) { missing(); }
  virtual void cancel() { missing(); }
  virtual void error() { missing(); }
  virtual void lost() { missing(); }
  virtual void expiry() { missing(); }
  virtual void tampering() { missing(); }
  virtual void restart() { missing(); }
  virtual void restart_while_asking() { missing(); }

  const mcp::method& method;
  const cell is;
  bool tasks_;
  int page_;
  world w{{.config = R"({"routing":{"pageSize":)" + std::to_string(page_) + R"(},"upstreams":[
             {"id":"a","url":"http://a.test/mcp","namespace":"a","protocol":"auto"},
             {"id":"b","url":"http://b.test/mcp","namespace":"b"}]})",
           .met = false,
           .prepare = [this](fake_network& net) { prepare(*net.at("a")); }}};
  fake_upstream& a = w.upstream("a");
  client old{w};
  stateless_client modern{w};
  int number = 0;

  /// From here on what the client sees counts.
  void set() { set_ = w.receipts().size(); }
  std::string id() const { return std::to_string(100 + number); }
  std::string code(const char* of_sessions, const char* of_stateless) const {
    return is.client_sessions ? of_sessions : of_stateless;
  }
  /// As its generation does it. `params`: raw members.
  receipt_ptr request(std::string_view name, const std::string& params = {}) {
    ++number;
    if (!is.client_sessions) return modern.request(id(), name, params);
    return old.request(id(), name, "{" + params + "}");
  }
  /// Its client does not want it any more.
  void give_up(const receipt_ptr& r) {
    if (is.client_sessions)
      old.cancel(id());
    else
      w.vanish(r);
    w.settle();
  }
  /// As a server of its generation says it. `members`: raw.
  reply result(const std::string& members) const {
    return reply::result(std::string(is.server_sessions ? "{" : R"({"resultType":"complete")") +
                         (is.server_sessions || members.empty() ? "" : ",") + members + "}");
  }
  /// The server is another process now, which knows of nobody.
  void server_restarts() {
    for (const auto& s : a.seen())
      if (!s->finished && !s->abandoned) fake_upstream::close(s, fetch_end::broken);
    a.forget_sessions();
    w.settle();
  }

 private:
  static void missing() { ADD_FAILURE() << "nobody has written this scene"; }
  void prepare(fake_upstream& at) const {
    at.stateless = !is.server_sessions;
    at.version = "2025-11-25";
    at.capabilities =
        R"({"tools":{"listChanged":true},"prompts":{},"completions":{},)"
        R"("resources":{"subscribe":true},"logging":{})" +
        std::string(!tasks_              ? ""
                    : is.server_sessions ? R"(,"tasks":{"list":{},"cancel":{},)"
                                           R"("requests":{"tools":{"call":{}}}})"
                                         : R"(,"extensions":)"
                                           R"({"io.modelcontextprotocol/tasks":{}})") +
        "}";
    at.tools = {tasks_ && is.server_sessions
                    ? R"({"name":"x","n":1e0,"execution":{"taskSupport":"required"}})"
                    : R"({"name":"x","n":1e0})"};
    at.prompts = {R"({"name":"p","n":1e0})"};
    at.resources = {R"({"uri":"x://1","name":"n"})"};
    at.templates = {R"({"uriTemplate":"x://{a}","name":"n"})"};
  }

  std::size_t set_ = 0;
};
using scene_ptr = std::unique_ptr<scene>;

scene_ptr invocation(const mcp::method& m, cell of);
scene_ptr listed(const mcp::method& m, cell of, int page);
scene_ptr tasks_listed(const mcp::method& m, cell of, int page);
scene_ptr heard(const mcp::method& m, cell of);
scene_ptr level(const mcp::method& m, cell of);
scene_ptr about_a_task(const mcp::method& m, cell of);

}  // namespace gate::cell_table
