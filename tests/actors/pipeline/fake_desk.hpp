#pragma once
/// What steps of the pipeline ask for, without a ROUTER. What a test does not expect to be used
/// fails it: it overrides what its step needs.
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "actors/pipeline/desk.hpp"

namespace gate::sim {

/// Endings of calls, in order.
struct fake_exit_door : pipeline::exit_door {
  void leave(pipeline::journal&&, pipeline::ending&& e) noexcept override {
    endings.push_back(std::move(e));
  }
  std::shared_ptr<passage> lend(const pipeline::journal&, pipeline::ending) override {
    return nullptr;
  }
  std::vector<pipeline::ending> endings;
};

template <class T>
T unexpected() {
  ADD_FAILURE() << "the step asks for what it does not need";
  throw std::logic_error("not expected");
}

using host_fact = pipeline::fact<pipeline::stage::host>;
using limited_fact = pipeline::fact<pipeline::stage::rate_limit>;
using guarded_fact = pipeline::fact<pipeline::stage::guard>;

struct fake_entrance : pipeline::entrance_desk {
  http::allowlist allowed{{"gate.test"}};
  const http::allowlist& hosts() const override { return allowed; }
  identity::gatekeeper& keeper() override { return unexpected<identity::gatekeeper&>(); }
  oauth::wall_time wall_now() const override { return {}; }
  void count_ambiguous() override { unexpected<void>(); }
  bool await_keys(host_fact&, std::size_t) override { return unexpected<bool>(); }
  void await_body(host_fact) override { unexpected<void>(); }
  bool meter(pipeline::fact<pipeline::stage::authenticate>&, const rate_scopes_ptr&) override {
    return unexpected<bool>();
  }
};

struct fake_sessions : pipeline::session_desk {
  sessions::session_ptr find(std::string_view, const identity::access_ptr&) override {
    return unexpected<sessions::session_ptr>();
  }
  search seek(limited_fact&) override { return unexpected<search>(); }
  bool share(guarded_fact&) override { return unexpected<bool>(); }
  sessions::session_ptr open(const identity::access_ptr&, std::string_view) override {
    return unexpected<sessions::session_ptr>();
  }
  sessions::session_ptr visit(const identity::access_ptr&, const mcp::stateless::known_envelope&,
                              std::string_view) override {
    return unexpected<sessions::session_ptr>();
  }
  void subscribe(const sessions::session_ptr&,
                 const std::vector<std::pair<std::string, std::size_t>>&) override {
    unexpected<void>();
  }
  void end(const sessions::session_ptr&) override { unexpected<void>(); }
  void set_level(sessions::client_session&, std::string_view) override { unexpected<void>(); }
  void tell_upstreams(sessions::client_session&, std::string_view) override { unexpected<void>(); }
  bool end_by(guarded_fact&) override { return unexpected<bool>(); }
  bool hand_over(guarded_fact&) override { return unexpected<bool>(); }
  bool cancel(sessions::client_session&, std::string_view, std::string_view) override {
    return unexpected<bool>();
  }
};

struct fake_introductions : pipeline::introduction_desk {
  std::optional<pipeline::federation_abilities> abilities(pipeline::call&) override {
    return unexpected<std::optional<pipeline::federation_abilities>>();
  }
  void wait(guarded_fact) override { unexpected<void>(); }
};

struct fake_streams : pipeline::stream_desk {
  void listen(const sessions::session_ptr&, exchange_ptr) override { unexpected<void>(); }
  resumed resume(const sessions::session_ptr&, std::string_view, exchange_ptr) override {
    return unexpected<resumed>();
  }
  pipeline::session_desk::search seek(guarded_fact&) override {
    return unexpected<pipeline::session_desk::search>();
  }
  void finish(pipeline::call&, std::string_view) override { unexpected<void>(); }
};

struct fake_requests : pipeline::request_desk {
  std::optional<answered_request> answer(sessions::client_session&, const jsonrpc::message&,
                                         std::shared_ptr<const void>) override {
    return unexpected<std::optional<answered_request>>();
  }
  bool pass_progress(sessions::client_session&, const jsonrpc::message&) override {
    return unexpected<bool>();
  }
};

struct fake_suspensions : pipeline::suspension_desk {
  outcome go_on(guarded_fact&) override { return unexpected<outcome>(); }
};

struct fake_lists : pipeline::list_desk {
  mcp::cursor_key key{};
  pipeline::list_outcome list(pipeline::call&) override {
    return unexpected<pipeline::list_outcome>();
  }
  void wait(guarded_fact) override { unexpected<void>(); }
  pipeline::owner_outcome owner(pipeline::call&) override {
    return unexpected<pipeline::owner_outcome>();
  }
  void wait_for_owner(limited_fact, mcp::list_kind) override { unexpected<void>(); }
  pipeline::tool_outcome tool(pipeline::call&, bool) override {
    return unexpected<pipeline::tool_outcome>();
  }
  void wait_for_tool(guarded_fact) override { unexpected<void>(); }
  const mcp::cursor_key& cursor_key() const override { return key; }
};

struct fake_tasks : pipeline::task_desk {
  void find(limited_fact) override { unexpected<void>(); }
  void gather(guarded_fact) override { unexpected<void>(); }
  void pin(const pipeline::call&, std::string_view) override { unexpected<void>(); }
  bool hand_over(guarded_fact&) override { return false; }
};

struct fake_upstreams : pipeline::upstream_desk {
  allowances_ptr price(pipeline::call&) override { return unexpected<allowances_ptr>(); }
  bool crowded(std::size_t) override { return unexpected<bool>(); }
  std::uint64_t park(guarded_fact) override { return unexpected<std::uint64_t>(); }
  void ask(std::size_t, invoke) override { unexpected<void>(); }
  void note_result(pipeline::call&) override { unexpected<void>(); }
};

struct fake_exit : pipeline::exit_desk {
  fake_exit_door exits;
  pipeline::exit_door& door() override { return exits; }
  void forget(pipeline::call&) override { unexpected<void>(); }
  void take_in_element(exchange_ptr, bool) override { unexpected<void>(); }
};

struct fake_inquiries : pipeline::inquiry_desk {
  void answer(limited_fact) override { unexpected<void>(); }
  void explain(pipeline::fact<pipeline::stage::authorize>) override { unexpected<void>(); }
  bool explain(pipeline::refused&) override { return unexpected<bool>(); }
};

/// All of them. A test that brings one of its own makes a `pipeline::desk` of that and these.
struct fake_desk {
  fake_entrance entrance;
  fake_sessions sessions;
  fake_introductions introductions;
  fake_streams streams;
  fake_requests requests;
  fake_suspensions suspensions;
  fake_lists lists;
  fake_tasks tasks;
  fake_upstreams upstreams;
  fake_exit exit;
  fake_inquiries inquiries;

  pipeline::desk desk{entrance, sessions, introductions, streams, requests, suspensions,
                      lists,    tasks,    upstreams,     exit,    inquiries};
};

}  // namespace gate::sim
