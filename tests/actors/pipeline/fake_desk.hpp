#pragma once
/// What steps of the pipeline ask for, without a ROUTER. What a test does not expect to be used
/// fails it.
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

#include "actors/pipeline/desk.hpp"

namespace gate::testing {

/// Endings of calls, in order.
struct fake_exit_door : pipeline::exit_door {
  void leave(pipeline::journal&&, pipeline::ending&& e) noexcept override {
    endings.push_back(std::move(e));
  }
  std::vector<pipeline::ending> endings;
};

class fake_desk : public pipeline::desk {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using host_fact = pipeline::fact<pipeline::stage::host>;
  using limited_fact = pipeline::fact<pipeline::stage::rate_limit>;
  using guarded_fact = pipeline::fact<pipeline::stage::guard>;

  http::allowlist allowed{{"gate.test"}};
  fake_exit_door exits;

  const http::allowlist& hosts() const override { return allowed; }
  pipeline::exit_door& door() override { return exits; }
  time_point now() const override { return {}; }
  oauth::wall_time wall_now() const override { return {}; }

  std::uint64_t park(guarded_fact) override { return unexpected<std::uint64_t>(); }
  void await_body(host_fact) override { unexpected<void>(); }
  void forget(pipeline::call&) override { unexpected<void>(); }
  identity::gatekeeper& keeper() override { return unexpected<identity::gatekeeper&>(); }
  void count_ambiguous() override { unexpected<void>(); }
  bool await_keys(host_fact&, std::size_t) override { return unexpected<bool>(); }
  bool meter(pipeline::fact<pipeline::stage::authenticate>&, const rate_scopes_ptr&) override {
    return unexpected<bool>();
  }
  allowances_ptr price(pipeline::call&) override { return unexpected<allowances_ptr>(); }
  bool crowded(std::size_t) override { return unexpected<bool>(); }
  sessions::session_ptr find_session(std::string_view, const identity::access_ptr&) override {
    return unexpected<sessions::session_ptr>();
  }
  sessions::session_ptr open_session(const identity::access_ptr&, std::string_view) override {
    return unexpected<sessions::session_ptr>();
  }
  void ask(std::size_t, invoke) override { unexpected<void>(); }
  pipeline::list_outcome list(pipeline::call&) override {
    return unexpected<pipeline::list_outcome>();
  }
  pipeline::owner_outcome owner(pipeline::call&) override {
    return unexpected<pipeline::owner_outcome>();
  }
  void park_for_owner(limited_fact, mcp::list_kind) override { unexpected<void>(); }
  void find_task(limited_fact) override { unexpected<void>(); }
  void pin_task(const pipeline::call&, std::string_view) override { unexpected<void>(); }
  void note_result(pipeline::call&) override { unexpected<void>(); }
  void gather_tasks(guarded_fact) override { unexpected<void>(); }
  std::optional<pipeline::federation_abilities> abilities(pipeline::call&) override {
    return unexpected<std::optional<pipeline::federation_abilities>>();
  }
  void park_for_abilities(guarded_fact) override { unexpected<void>(); }
  void set_level(sessions::client_session&, std::string_view) override { unexpected<void>(); }
  void listen(const sessions::session_ptr&, exchange_ptr) override { unexpected<void>(); }
  resumed resume(const sessions::session_ptr&, std::string_view, exchange_ptr) override {
    return unexpected<resumed>();
  }
  void finish_stream(pipeline::call&, std::string_view) override { unexpected<void>(); }
  void pass_progress(sessions::client_session&, const jsonrpc::message&) override {
    unexpected<void>();
  }
  void tell_upstreams(sessions::client_session&, std::string_view) override { unexpected<void>(); }
  std::optional<answered_question> answer_question(sessions::client_session&,
                                                   const jsonrpc::message&,
                                                   std::shared_ptr<const void>) override {
    return unexpected<std::optional<answered_question>>();
  }
  void cancel(sessions::client_session&, std::string_view, std::string_view) override {
    unexpected<void>();
  }
  void end_session(const sessions::session_ptr&) override { unexpected<void>(); }
  void take_in_element(exchange_ptr, bool) override { unexpected<void>(); }

 private:
  template <class T>
  static T unexpected() {
    ADD_FAILURE() << "the step asks for what it does not need";
    throw std::logic_error("not expected");
  }
};

}  // namespace gate::testing
