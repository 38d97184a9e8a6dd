/// Whom an upstream is visited at.
#include <algorithm>
#include <memory>
#include <utility>

#include "actors/doctor/service_visits.hpp"
#include "actors/doctor/upstream_visit.hpp"
#include "actors/upstream/credential_slot.hpp"
#include "config/strategies.hpp"

namespace gate::doctor {

void visit_upstream(const config::upstream& u, std::string_view separator,
                    const std::function<std::string(std::string_view field)>& pointer,
                    const secret_source& secrets, const wall_clock& wall, examinations& to) {
  upstream_question q;
  q.id = u.id;
  q.protocol = u.protocol;
  q.credential = config::row(u.auth.strategy).from;
  q.wall = wall;
  q.max_bytes = std::min(q.max_bytes, static_cast<std::size_t>(u.max_response_bytes));
  if (u.space) q.prefix = *u.space + std::string(separator);
  if (q.credential == config::credential_source::environment && u.auth.secret_ref) {
    q.secret_name = *u.auth.secret_ref;
    const auto secret = secrets(q.secret_name);
    const auto line = secret ? upstream::fixed_credential(u.auth, *secret) : std::nullopt;
    q.credential_line = line.value_or("");
  }
  const auto visit = [&](std::string_view field, const std::string& url) {
    q.pointer = pointer(field);
    q.where = http::parse_url(url).value();
    to.push_back(std::make_unique<upstream_visit>(q));
    q.replica = true;
  };
  if (u.url) visit("/url", *u.url);
  for (std::size_t i = 0; u.urls && i < u.urls->size(); ++i)
    visit("/urls/" + std::to_string(i), (*u.urls)[i]);
  if (u.auth.token_endpoint)
    to.push_back(
        std::make_unique<reach_visit>(pointer("/auth/tokenEndpoint"), u.id, check::token_endpoint,
                                      http::parse_url(*u.auth.token_endpoint).value(), wall));
}

}  // namespace gate::doctor
