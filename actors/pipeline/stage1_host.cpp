#include "actors/pipeline/steps.hpp"

namespace gate::pipeline {
namespace {

/// Flaws of the head itself: there may be no Host to check.
bool head_is_broken(http::defect d) {
  return d != http::defect::none && d != http::defect::body_too_large && d != http::defect::crowded;
}

template <class Held>
refused as_flawed(Held c) {
  using enum http::defect;
  const auto flaw = c->request().flaw;
  auto why = reason::bad_request;
  std::string message(http::describe(flaw)), headers;
  if (flaw == timeout) why = reason::timeout;
  if (flaw == body_too_large) {
    why = reason::body_too_large;
    message = "the request body exceeds server.maxBodyBytes";
  }
  if (flaw == crowded) {
    why = reason::overloaded;
    headers = "Retry-After: 1\r\n";
  }
  return {std::move(c), {why, std::move(message), {}, -1}, std::move(headers)};
}

}  // namespace

refused flawed(arrived c) {
  return as_flawed(std::move(c));
}
refused flawed(fact<stage::host> c) {
  return as_flawed(std::move(c));
}

step_result<fact<stage::host>> host_step::run(arrived call, desk& d) {
  const auto& request = call->request();
  const auto flaw = request.flaw;
  if (head_is_broken(flaw)) return flawed(std::move(call));
  if (!d.entrance.hosts().host(request.header("host")))
    return refuse(std::move(call), reason::forbidden_host,
                  "this Host is not on the allowlist (server.allowedHosts)");
  if (!request.head->plain)
    for (const auto& h : request.headers())
      if (http::same_name(h.name, "origin") && !d.entrance.hosts().origin(h.value))
        return refuse(std::move(call), reason::forbidden_origin,
                      "this Origin is not on the allowlist (server.allowedHosts)");
  if (flaw != http::defect::none) return flawed(std::move(call));
  return fact<stage::host>(std::move(call));
}

}  // namespace gate::pipeline
