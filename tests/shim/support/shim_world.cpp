#include "tests/shim/support/shim_world.hpp"

#include <random>

#include "transport/log.hpp"

namespace gate::sim {
namespace {

std::vector<std::string>& log_lines() {
  static std::vector<std::string> lines;
  return lines;
}

/// To the fake INGRESS: its last connection is gone.
struct emptied {};

}  // namespace
}  // namespace gate::sim

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gate::sim::emptied)

namespace gate::sim {

class shim_world::fake_ingress final
    : public ingress_handle::extend<caf::reacts_to<emptied>>::base {
 public:
  fake_ingress(caf::actor_config& cfg, std::shared_ptr<ingress_state> s)
      : ingress_handle::extend<caf::reacts_to<emptied>>::base(cfg), state_(std::move(s)) {}
  behavior_type make_behavior() override {
    return {
        [this](serve& m) { state_->router = std::move(m.router); },
        [](adopt&) {},
        [this](drain) -> caf::result<gate::drained> {
          auto promise = make_response_promise<gate::drained>();
          state_->draining = promise;
          return promise;
        },
        [this](cut) { state_->cut = true; },
        [this](emptied) {
          if (state_->draining) state_->draining->deliver(gate::drained{});
          state_->draining.reset();
        },
    };
  }
  void on_exit() override {
    state_->router = nullptr;
    state_->draining.reset();
  }

 private:
  std::shared_ptr<ingress_state> state_;
};

class shim_world::child_mouth final : public child_handle::base {
 public:
  child_mouth(caf::actor_config& cfg, fake_child_ptr c)
      : child_handle::base(cfg), it_(std::move(c)) {}
  behavior_type make_behavior() override {
    return {
        [this](child_line& m) {
          if (it_->input_closed) it_->misuse.push_back("a line after its input was closed");
          if (!m.text.ends_with('\n')) it_->misuse.push_back("a line without LF");
          it_->heard.push_back(m.text.substr(0, m.text.size() - 1));
        },
        [this](child_read_on) {
          if (it_->reading) it_->misuse.push_back("read on, while it is read");
          it_->reading = true;
        },
        [this](close_child_input) { it_->input_closed = true; },
        [this](const signal_child& m) {
          ++(m.what == signal_child::how::kill ? it_->killed : it_->terminated);
        },
    };
  }

 private:
  fake_child_ptr it_;
};

class shim_world::fake_children final : public children_handle::base {
 public:
  fake_children(caf::actor_config& cfg, std::shared_ptr<std::vector<fake_child_ptr>> all)
      : children_handle::base(cfg), all_(std::move(all)) {}
  behavior_type make_behavior() override {
    return {[this](start_child& m) -> child_made {
      auto c = std::make_shared<fake_child>();
      c->label = std::move(m.label);
      c->user = std::move(m.user);
      c->handle = spawn<child_mouth>(c);
      all_->push_back(c);
      return {c->handle};
    }};
  }

 private:
  std::shared_ptr<std::vector<fake_child_ptr>> all_;
};

shim_world::shim_world(shim_options o) {
  log_lines().clear();
  log::redirect([](std::string_view line) { log_lines().emplace_back(line); });
  shim::shim_parts parts;
  parts.rules.token = std::move(o.token);
  parts.rules.any_host = o.any_host;
  parts.max_sessions = o.max_sessions;
  const auto ingress = system().spawn<fake_ingress>(ingress_);
  ingress_actor_ = caf::actor_cast<caf::actor>(ingress);
  parts.ingress = ingress;
  children_actor_ = system().spawn<fake_children>(children_);
  parts.children = children_actor_;
  parts.metrics = metrics_;
  parts.random = [dice = std::make_shared<std::mt19937_64>(1)](std::span<std::uint8_t> out) {
    for (auto& byte : out) byte = static_cast<std::uint8_t>((*dice)());
  };
  parts.stopped = [this](bool well) { stopped_ = well; };
  shim_ = system().spawn<shim::shim_actor>(nullptr, std::move(parts));
  settle();
}

shim_world::~shim_world() {
  for (const auto& c : *children_) {
    EXPECT_EQ(c->misuse, std::vector<std::string>{}) << "child " << c->label;
    c->user = nullptr;
    c->handle = nullptr;
  }
  shim_ = nullptr;
  ingress_actor_ = nullptr;
  children_actor_ = nullptr;
  clear_stage();
  log::redirect(nullptr);
}

// --- clients -------------------------------------------------------------------------------------

receipt_ptr shim_world::arrive(http_request request) {
  auto r = std::make_shared<receipt>();
  r->number = next_number_++;
  tell(ingress_->router, arrival{std::make_shared<fake_exchange>(r, std::move(request))});
  return r;
}

void shim_world::bring_body(const receipt_ptr& r, http::defect flaw) {
  if (!r->unread || !r->body_asked) throw std::logic_error("nobody asked for this body");
  auto& request = *std::exchange(r->unread, nullptr);
  request.body = std::move(r->body_to_come);
  request.flaw = flaw;
  request.body_follows = false;
  tell(ingress_->router, body_read{r->number});
}

void shim_world::leave(const receipt_ptr& r) {
  r->alive = false;
  tell(ingress_->router, client_gone{r->number});
}

receipt_ptr shim_world::post(std::string body, const std::string& session,
                             std::vector<std::string> more) {
  std::vector<std::string> lines{"Host: localhost", "Content-Type: application/json",
                                 "Accept: application/json, text/event-stream"};
  if (!session.empty()) lines.push_back("Mcp-Session-Id: " + session);
  lines.insert(lines.end(), more.begin(), more.end());
  auto r = make_request(verb::post, "/mcp", lines, std::move(body));
  r.body_follows = header_first;
  return arrive(std::move(r));
}

receipt_ptr shim_world::get(const std::string& session, std::vector<std::string> more) {
  std::vector<std::string> lines{"Host: localhost", "Accept: text/event-stream",
                                 "Mcp-Session-Id: " + session};
  lines.insert(lines.end(), more.begin(), more.end());
  return arrive(make_request(verb::get, "/mcp", lines));
}

receipt_ptr shim_world::end(const std::string& session) {
  return arrive(make_request(verb::del, "/mcp", {"Host: localhost", "Mcp-Session-Id: " + session}));
}

receipt_ptr shim_world::fetch(std::string_view path) {
  return arrive(make_request(verb::get, path, {"Host: localhost"}));
}

std::string shim_world::open(std::string_view version) {
  const auto r = post(initialize("0", version));
  auto& c = latest();
  start(c);
  say(c, {initialized("0", version)});
  EXPECT_EQ(r->status, 200) << r->body;
  const auto id = r->header("mcp-session-id");
  EXPECT_EQ(id.size(), 34U);
  EXPECT_EQ(post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", id)->status, 202);
  c.heard.clear();
  return id;
}

// --- children ------------------------------------------------------------------------------------

void shim_world::start(fake_child& c) {
  tell(c.user, child_started{c.handle, 4711});
}

void shim_world::fail(fake_child& c, std::string why) {
  tell(c.user, child_failed{std::move(why)});
  caf::anon_send_exit(c.handle, caf::exit_reason::user_shutdown);
  settle();
}

void shim_world::say(fake_child& c, std::vector<std::string> lines) {
  if (!c.reading) ADD_FAILURE() << "nobody reads what this child says";
  c.reading = false;
  tell(c.user, child_spoke{std::move(lines), 0, false});
}

void shim_world::close_output(fake_child& c) {
  c.reading = false;
  tell(c.user, child_spoke{{}, 0, true});
}

void shim_world::exit(fake_child& c, int status, bool by_signal) {
  tell(c.user, child_exited{status, by_signal});
}

void shim_world::vanish(fake_child& c) {
  tell(c.user, child_gone{});
  caf::anon_send_exit(c.handle, caf::exit_reason::user_shutdown);
  settle();
}

void shim_world::drained() {
  caf::anon_send(ingress_actor_, emptied{});
  settle();
}

double shim_world::metric(std::string_view sample) const {
  const auto text = metrics_->expose();
  const auto begin = text.find('\n' + std::string(sample) + ' ');
  if (begin == text.npos) return -1;
  return std::strtod(text.c_str() + begin + sample.size() + 2, nullptr);
}

std::size_t shim_world::logged(std::string_view part) {
  std::size_t n = 0;
  for (const auto& line : log_lines()) n += line.find(part) != line.npos;
  return n;
}

std::string initialize(std::string_view raw_id, std::string_view version) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(raw_id) +
         R"(,"method":"initialize","params":{"protocolVersion":")" + std::string(version) +
         R"(","capabilities":{},"clientInfo":{"name":"test","version":"1"}}})";
}

std::string initialized(std::string_view raw_id, std::string_view version) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(raw_id) + R"(,"result":{"protocolVersion":")" +
         std::string(version) +
         R"(","capabilities":{},"serverInfo":{"name":"fake","version":"9"}}})";
}

}  // namespace gate::sim
