#include "simulations/world/guarded_world.hpp"

namespace gate::sim {

std::string guarded(std::string_view upstreams, std::string_view more) {
  std::string out = R"({"upstreams":)" + std::string(upstreams) + "," + std::string(required_auth);
  if (!more.empty()) out.append(",").append(more);
  return out + "}";
}

std::string published_keys() {
  return oauth::jwk_set({oauth::jwk("p256")});
}

world_options guarded_world(std::string config) {
  world_options o;
  o.config = std::move(config);
  o.hosts = {"idp"};
  o.prepare = [](fake_network& net) {
    net.at("idp")->always("GET", reply::http(200, published_keys()));
  };
  return o;
}

std::int64_t world_start() {
  return 1'795'253'400;
}

std::string token_for(std::string_view sub, std::string_view more) {
  std::string claims = R"({"iss":"https://idp.test","aud":"https://gate.test/mcp","sub":")";
  claims += sub;
  claims += R"(","exp":)" + std::to_string(world_start() + 600);
  if (!more.empty()) claims.append(",").append(more);
  return token_with(claims + "}");
}

std::string token_with(std::string_view claims, std::string_view header) {
  return header.empty() ? oauth::token_of(claims, "ES256", "p256")
                        : oauth::token_of(header, claims, "ES256", "p256");
}

}  // namespace gate::sim
