#pragma once
/// The steps of stages 1 to 8, one file each (stage1_host.cpp …). A step takes the fact that the
/// stage before it proved and returns its own, or a refusal, or `settled` when the call has ended
/// or waits. Stage 9 is in stage9_audit.hpp.
#include "actors/pipeline/desk.hpp"
#include "actors/pipeline/fact.hpp"

namespace gate::pipeline {

/// Stage 1. Host and Origin against the allowlist, then what the strict request gate found wrong.
struct host_step {
  static constexpr stage id = stage::host;
  using in = arrived;
  using out = fact<stage::host>;
  static step_result<out> run(in call, desk& d);
};

/// The refusal of a request with which INGRESS has found something wrong.
refused flawed(fact<stage::host> c);

/// Stage 2. Who is calling. Whoever comes this far may send a body: none is read on behalf of
/// others.
struct authenticate_step {
  static constexpr stage id = stage::authenticate;
  using in = fact<stage::host>;
  using out = fact<stage::authenticate>;
  /// Again, for a call that has waited: when the keys have come that it asked for, or not; and when
  /// the body is there, or will not come.
  static step_result<out> run(in call, desk& d);
};

/// Stage 3. The global, tenant and principal rate limits.
struct rate_limit_step {
  static constexpr stage id = stage::rate_limit;
  using in = fact<stage::authenticate>;
  using out = fact<stage::rate_limit>;
  static step_result<out> run(in call, desk& d);
  /// RATE LIMITER has spoken about a parked call.
  static step_result<out> resume(in call, const admitted& m);
};

/// Stage 4. Transport rules of MCP, session, envelope, method, and where the call goes. The body is
/// parsed here and nowhere else.
struct route_step {
  static constexpr stage id = stage::route;
  using in = fact<stage::rate_limit>;
  using out = fact<stage::route>;
  static step_result<out> run(in call, desk& d);
  /// The lists that a parked call waited for have come; or its session has, or will not.
  static step_result<out> resume(in call, desk& d);

 private:
  static step_result<out> take(std::variant<in, refused, settled> r);
};

/// Stage 5. Policy.
struct authorize_step {
  static constexpr stage id = stage::authorize;
  using in = fact<stage::route>;
  using out = fact<stage::authorize>;
  static step_result<out> run(in call, desk& d);
};

/// Stage 6. What the call costs, and whether there is room for it. Its upstream's own limit,
/// breaker and budget are asked by UPSTREAM (actors/upstream/), which all that is asked of an
/// upstream passes, lists included; what they refuse comes back as the call's answer.
struct guard_step {
  static constexpr stage id = stage::guard;
  using in = fact<stage::authorize>;
  using out = fact<stage::guard>;
  static step_result<out> run(in call, desk& d);

 private:
  static step_result<out> pass(in call, desk& d);
};

/// Stage 7. The gateway's own answer, a list, or the question to an upstream; and whatever clients
/// send besides requests.
struct proxy_step {
  static constexpr stage id = stage::proxy;
  using in = fact<stage::guard>;
  using out = fact<stage::proxy>;
  static step_result<out> run(in call, desk& d);
  /// The upstream answered a parked call.
  static step_result<out> resume(in call, const answered& m, desk& d);
  /// It is known, or no longer waited for, what the upstreams can do.
  static step_result<out> resume_open(in call, desk& d);
  /// A parked list call can be served now, or can not wait any longer.
  static step_result<out> resume_list(in call, list_outcome outcome);
  /// The tool that it calls is known, or no longer waited for.
  static step_result<out> resume_ask(in call, desk& d) { return ask(std::move(call), d); }

 private:
  static step_result<out> open(in call, desk& d);
  static step_result<out> ask(in call, desk& d);
  static step_result<out> look_up(in call, desk& d);
};

/// Stage 8. What the client may see of the answer.
struct egress_step {
  static constexpr stage id = stage::egress;
  using in = fact<stage::proxy>;
  using out = fact<stage::egress>;
  static step_result<out> run(in call, desk& d);
};

}  // namespace gate::pipeline
