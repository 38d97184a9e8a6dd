// What a client sees does not depend on the generation of the server behind the gateway: the same
// script, played by a server with sessions and by one without, is the same sequence of messages to
// a client. Scripts are made by seeds; a failure names its seed.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "protocol/jsonrpc/message.hpp"
#include "protocol/limits.hpp"
#include "simulations/world/stateless_client.hpp"
#include "tests/support/client_view.hpp"

namespace gate {
namespace {

using namespace sim;
using namespace std::chrono_literals;

constexpr int seeds = 200;

// --- scripts -------------------------------------------------------------------------------------

struct question {
  std::string method, params;  ///< raw; params may be empty
  std::string answer;          ///< the client's, raw
};
struct step {
  enum class kind { progress, log, round } what;
  std::string text;                 ///< of progress and log: what the params say beside the token
  std::vector<question> questions;  ///< of a round
};
struct script {
  std::vector<step> steps;
  enum class kind { result, tool_error, error } end = kind::result;
  std::string ending;  ///< raw members of the result, or the raw error
  /// The client cancels behind so many steps; before it has answered, if the last was a round.
  std::size_t cancelled = std::string::npos;
};

class author {
 public:
  explicit author(int seed) : dice_(static_cast<std::uint32_t>(seed)) {}

  script write() {
    script s;
    const auto rounds = upto(3);
    for (int round = 0; round <= rounds; ++round) {
      for (int n = upto(3); n > 0; --n) s.steps.push_back(upto(1) ? progress() : log());
      if (round < rounds) s.steps.push_back(this->round());
    }
    s.end = static_cast<script::kind>(upto(2));
    const auto n = std::to_string(upto(9));
    if (s.end == script::kind::error)
      s.ending = R"({"code":)" + std::to_string(4711 + upto(1)) + R"(,"message":"m )" + n +
                 R"(","data":{"n":)" + n + ".0}}";
    else
      s.ending = R"("content":[{"type":"text","text":")" + n + R"("}],"n":)" + n + "e0" +
                 (s.end == script::kind::tool_error ? R"(,"isError":true)" : "") +
                 (upto(1) ? R"(,"_meta":{"x/y":[1.0]})" : "");
    if (upto(4) == 0)
      s.cancelled = static_cast<std::size_t>(upto(static_cast<int>(s.steps.size())));
    return s;
  }

 private:
  int upto(int most) { return std::uniform_int_distribution<int>(0, most)(dice_); }
  step progress() {
    done_ += 1 + upto(2);
    auto text = R"("progress":)" + std::to_string(done_) + (upto(1) ? ".0" : "");
    if (upto(1)) text += R"(,"total":100)";
    if (upto(1)) text += R"(,"message":"at )" + std::to_string(done_) + '"';
    return {step::kind::progress, text, {}};
  }
  step log() {
    static constexpr const char* levels[] = {"debug", "info", "warning", "error"};
    return {step::kind::log,
            R"("level":")" + std::string(levels[upto(3)]) + R"(","logger":"x","data":{"n":)" +
                std::to_string(upto(9)) + ".0}",
            {}};
  }
  step round() {
    step out{step::kind::round, {}, {}};
    for (int n = 1 + upto(2); n > 0; --n) out.questions.push_back(ask());
    return out;
  }
  question ask() {
    const auto n = std::to_string(upto(99));
    switch (upto(2)) {
      case 0: {
        static constexpr const char* actions[] = {R"({"action":"accept","content":{"a":1.0}})",
                                                  R"({"action":"decline"})",
                                                  R"({"action":"cancel"})"};
        return {"elicitation/create",
                R"({"message":"Who )" + n + R"(?","requestedSchema":{"type":"object"}})",
                actions[upto(2)]};
      }
      case 1:
        return {
            "sampling/createMessage", R"({"messages":[],"maxTokens":)" + n + "}",
            R"({"role":"assistant","model":"m","content":{"type":"text","text":")" + n + "\"}}"};
      default:
        return {"roots/list", {}, R"({"roots":[{"uri":"file:///)" + n + "\"}]}"};
    }
  }

  std::mt19937 dice_;
  int done_ = 0;
};

// --- the stage -----------------------------------------------------------------------------------

/// What a client has seen, and what its server has heard of its answers: one line each, without ids
/// and tokens.
struct transcript {
  std::vector<std::string> seen, heard;
  bool operator==(const transcript&) const = default;
};

class cell {
 public:
  cell(bool client_sessions, bool server_sessions)
      : client_sessions_(client_sessions), server_sessions_(server_sessions) {
    constexpr auto able = R"({"elicitation":{},"sampling":{},"roots":{}})";
    modern_.capabilities = able;
    modern_.more_meta = R"(,"progressToken":"mine","io.modelcontextprotocol/logLevel":"info")";
    const auto r = old_.request(
        "0", "initialize",
        R"({"protocolVersion":"2025-11-25","capabilities":)" + std::string(able) + "}");
    old_.session = r->header("mcp-session-id");
    if (client_sessions_) old_.request("1", "logging/setLevel", R"({"level":"info"})");
    a_.always("tools/call", {.open = true});
  }

  transcript play(const script& s) {
    said_ = {};
    call_ = "";
    receipts_ = {invoke()};
    leg_ = a_.last("tools/call");
    for (std::size_t i = 0; i <= s.steps.size(); ++i) {
      if (s.cancelled == i) return cancel();
      if (i == s.steps.size()) break;
      const auto& step = s.steps[i];
      if (step.what == step::kind::round)
        ask(step.questions);
      else
        say(step);
      if (step.what == step::kind::round && s.cancelled == i + 1) return cancel();
      if (step.what == step::kind::round) answer(step.questions);
    }
    end(s);
    EXPECT_EQ(receipts_.back()->endings, 1);
    return result();
  }
  const std::vector<std::string>& wrongs() const { return a_.wrongs; }

 private:
  receipt_ptr invoke(const std::string& more = {}) {
    call_ = std::to_string(++number_ + 100);
    const auto all = R"("name":"x","arguments":{"v":1.0})" + more;
    if (!client_sessions_) return modern_.request(call_, "tools/call", all);
    return old_.request(call_, "tools/call", "{" + all + R"(,"_meta":{"progressToken":"mine"}})");
  }

  // The server.
  void push(std::string text) {
    fake_upstream::push(leg_, std::move(text));
    w_.settle();
  }
  void say(const step& s) {
    if (s.what == step::kind::log)
      return push(jsonrpc::request({}, "notifications/message", "{" + s.text + "}"));
    push(jsonrpc::request(
        {}, "notifications/progress",
        R"({"progressToken":)" + at(leg_->param("_meta"), "progressToken") + "," + s.text + "}"));
  }
  void ask(const std::vector<question>& all) {
    if (server_sessions_) {
      for (std::size_t i = 0; i < all.size(); ++i)
        fake_upstream::push(
            leg_, jsonrpc::request(std::to_string(++asked_) + "00", all[i].method, all[i].params));
      w_.settle();
      return w_.advance(limits::question_gather + 10ms);
    }
    std::string requests;
    for (std::size_t i = 0; i < all.size(); ++i)
      requests += (i ? ",\"k" : "\"k") + std::to_string(i) + R"(":{"method":")" + all[i].method +
                  '"' + (all[i].params.empty() ? "" : R"(,"params":)" + all[i].params) + "}";
    push(jsonrpc::result_head(leg_->id) + R"({"resultType":"input_required","inputRequests":{)" +
         requests + R"(},"requestState":"s)" + std::to_string(number_) + "\"}}");
    fake_upstream::close(leg_);
    w_.settle();
  }
  void end(const script& s) {
    if (s.end == script::kind::error)
      push(jsonrpc::error_head(leg_->id) + s.ending + "}");
    else
      push(jsonrpc::result_head(leg_->id) + "{" +
           (server_sessions_ ? "" : R"("resultType":"complete",)") + s.ending + "}}");
    fake_upstream::close(leg_);
    w_.settle();
  }
  /// What it was answered, by what it had asked.
  void hear(const std::vector<question>& all, std::size_t responses) {
    if (!server_sessions_) {
      leg_ = a_.last("tools/call");
      for (std::size_t i = 0; i < all.size(); ++i)
        said_.heard.push_back(at(leg_->param("inputResponses"), "k" + std::to_string(i)));
      return;
    }
    auto seen = a_.seen("response");
    ASSERT_EQ(seen.size(), responses + all.size());
    std::sort(seen.begin() + static_cast<std::ptrdiff_t>(responses), seen.end(),
              [](const auto& x, const auto& y) {
                return std::stoi(at(x->body, "id")) < std::stoi(at(y->body, "id"));
              });
    for (auto i = responses; i < seen.size(); ++i)
      said_.heard.push_back(at(seen[i]->body, "result"));
  }

  // The client.
  void answer(const std::vector<question>& all) {
    const auto responses = a_.count("response");
    if (client_sessions_) {
      const auto events = receipts_.back()->events();
      ASSERT_GE(events.size(), all.size());
      // (The last question first.)
      for (std::size_t i = 0; i < all.size(); ++i)
        old_.post(R"({"jsonrpc":"2.0","id":)" + at(events[events.size() - 1 - i], "id") +
                  R"(,"result":)" + all[all.size() - 1 - i].answer + "}");
    } else {
      const auto asked = at(receipts_.back()->last(), "result");
      std::string answers;
      std::size_t i = 0;
      each_entry(at(asked, "inputRequests"), [&](std::string_view key, std::string_view) {
        if (i >= all.size()) return;
        answers.append(i ? "," : "").append(key).append(":").append(all[i].answer);
        ++i;
      });
      receipts_.push_back(invoke(R"(,"inputResponses":{)" + answers + R"(},"requestState":)" +
                                 at(asked, "requestState")));
    }
    w_.settle();
    hear(all, responses);
  }
  transcript cancel() {
    const auto told = a_.count("notifications/cancelled");
    const bool open = !leg_->finished;
    if (client_sessions_)
      old_.cancel(call_);
    else
      w_.vanish(receipts_.back());
    w_.settle();
    // One that is being asked by a result is cancelled when its client does not come back.
    const bool asked = !client_sessions_ && receipts_.back()->endings > 0;
    if (!asked && open) {
      EXPECT_TRUE(leg_->abandoned);
    }
    if (!asked && server_sessions_) {
      EXPECT_EQ(a_.count("notifications/cancelled"), told + 1);
    }
    push(jsonrpc::request({}, "notifications/message", R"({"level":"error","data":"late"})"));
    script late;
    late.ending = R"("late":1)";
    end(late);
    if (client_sessions_) {
      EXPECT_EQ(receipts_.back()->last().find("late"), std::string::npos);
    }
    auto out = result();
    out.seen.emplace_back("cancelled");
    return out;
  }

  // What it has seen.
  transcript result() {
    for (const auto& r : receipts_) note_seen(r, said_.seen);
    return said_;
  }

  bool client_sessions_, server_sessions_;
  world w_{{.config = R"({"upstreams":[{"id":"a","url":"http://a.test/mcp","protocol":"auto"}]})",
            .prepare = [this](fake_network& net) {
              auto& a = *net.at("a");
              a.stateless = !server_sessions_;
              a.version = "2025-11-25";
              a.capabilities = R"({"tools":{},"logging":{}})";
              a.tools = {R"({"name":"x"})"};
            }}};
  fake_upstream& a_ = w_.upstream("a");
  client old_{w_};
  stateless_client modern_{w_};
  int number_ = 0, asked_ = 0;
  std::string call_;
  sight_ptr leg_;  ///< the latest exchange of the call at the server
  std::vector<receipt_ptr> receipts_;
  transcript said_;
};

std::vector<transcript> all_by(bool client_sessions, bool server_sessions) {
  cell it(client_sessions, server_sessions);
  std::vector<transcript> out;
  for (int seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    out.push_back(it.play(author(seed).write()));
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_EQ(it.wrongs(), std::vector<std::string>{});
  return out;
}

void expect_equal(bool client_sessions) {
  const auto of_sessions = all_by(client_sessions, true);
  const auto of_stateless = all_by(client_sessions, false);
  ASSERT_EQ(of_sessions.size(), of_stateless.size());
  for (std::size_t seed = 0; seed < of_sessions.size(); ++seed) {
    EXPECT_EQ(of_sessions[seed].seen, of_stateless[seed].seen) << "seed " << seed;
    EXPECT_EQ(of_sessions[seed].heard, of_stateless[seed].heard) << "seed " << seed;
  }
}

TEST(cells_equal, a_client_with_a_session_sees_the_same_of_both_generations) {
  expect_equal(true);
}

TEST(cells_equal, a_client_without_a_session_sees_the_same_of_both_generations) {
  expect_equal(false);
}

/// The scripts are worth playing.
TEST(cells_equal, scripts_have_all_that_servers_do) {
  int progress = 0, logs = 0, rounds = 0, several = 0, cancelled = 0, ends[3] = {};
  for (int seed = 0; seed < seeds; ++seed) {
    const auto s = author(seed).write();
    for (const auto& step : s.steps) {
      progress += step.what == step::kind::progress;
      logs += step.what == step::kind::log;
      rounds += step.what == step::kind::round;
      several += step.questions.size() > 1;
    }
    cancelled += s.cancelled != std::string::npos;
    ++ends[static_cast<int>(s.end)];
  }
  for (const auto n : {progress, logs, rounds, several, cancelled, ends[0], ends[1], ends[2]})
    EXPECT_GT(n, 20);
}

}  // namespace
}  // namespace gate
