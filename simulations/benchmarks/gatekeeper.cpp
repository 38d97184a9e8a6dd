/// bench_gatekeeper: what a request costs whose caller is known already: a token that is
/// remembered, a list that its view has been served before; and beside them what it costs when they
/// are new. One JSON line a result.
#include <openssl/ec.h>
#include <openssl/pem.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "actors/federation/catalogue.hpp"
#include "actors/identity/gatekeeper.hpp"
#include "config/validate.hpp"
#include "protocol/oauth/signer.hpp"
#include "simulations/benchmarks/stopwatch.hpp"

namespace {

using namespace gate;
using namespace gate::bench;
using state = identity::gatekeeper::answer::state;

constexpr std::size_t rules = 20;
constexpr std::size_t tools = 1'000;
const oauth::wall_time now{std::chrono::seconds(1'800'000'000)};

/// A key that lives as long as the process.
std::string new_pem() {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), BIO_free);
  require(key && PEM_write_bio_PKCS8PrivateKey(text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                               nullptr) == 1,
          "no key can be made");
  char* at = nullptr;
  const auto size = BIO_get_mem_data(text.get(), &at);
  return {at, static_cast<std::size_t>(size)};
}

/// Callers must show tokens, and twenty rules with a glob each say what they may call.
std::shared_ptr<const config::snapshot> compiled() {
  std::string all;
  for (std::size_t i = 0; i < rules; ++i) {
    const auto n = std::to_string(i);
    all += (i ? "," : "") + (R"({"id":"rule-)" + n) +
           R"(","subjects":{"groups":["Engineering"]},"allow":[{"server":"docs",)" +
           R"("methods":["tools/call"],"names":["area)" + n + R"(_get_*"]}]})";
  }
  auto parsed = config::load(R"({"upstreams":[{"id":"docs","url":"http://127.0.0.1:1/mcp",
      "namespace":"docs"}],"auth":{"mode":"required","resource":"https://gate.example/mcp",
      "issuers":[{"issuer":"https://idp.example.com/oauth2/default"}]},
      "policy":{"rules":[)" + all +
                             "]}}");
  for (const auto& p : parsed.problems) require(false, config::to_line(p).c_str());
  return config::compile(std::move(parsed.doc));
}

/// As issuers make them: 800 bytes when it is signed.
std::string claims_of(std::size_t caller) {
  const auto n = std::to_string(caller);
  return R"({"iss":"https://idp.example.com/oauth2/default","sub":"00u1a2b3c4d5e6f7g8h-)" + n +
         R"(","aud":["https://gate.example/mcp"],"iat":1800000000,"exp":1800003600,"jti":)" +
         R"("AT.0123456789abcdefghijklmnopqrstuvwxyzABCDEFG","cid":"0oa1b2c3d4e5f6g7h8i9","scp":)" +
         R"(["openid","profile","email"],"email":"someone-)" + n + R"(@example.com","name":)" +
         R"("Someone of the )" + n + R"(th","auth_time":1800000000,"sid":)" +
         R"("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH",)" +
         R"("groups":["Everyone","Engineering","On call"]})";
}

// --- tokens --------------------------------------------------------------------------------------

/// By none of them another is recognised: each token is hashed anew.
http::head_ptr head_with(const std::string& token) {
  auto out = std::make_shared<http::received_head>();
  out->block = "Bearer " + token;
  out->headers.push_back({"Authorization", out->block});
  out->look_up(false);
  return out;
}

/// Tokens of as many callers, and a gatekeeper that trusts their issuer.
class callers {
 public:
  explicit callers(std::size_t count) : snapshot_(compiled()) {
    const auto issuer = oauth::signer::from_pem(new_pem()).value();
    for (std::size_t i = 0; i < count; ++i)
      heads_.push_back(head_with(issuer.sign("at+jwt", claims_of(i))));
    keeper_ = std::make_unique<identity::gatekeeper>(
        identity::make_authority(snapshot_->doc, {}).value());
    keeper_->take_keys(0, issuer.keys());
  }

  std::size_t count() const { return heads_.size(); }
  std::size_t remembered() const { return keeper_->remembered(); }
  std::size_t bytes() const { return heads_.front()->shown.token.size(); }
  identity::access_ptr show(std::size_t i) {
    auto answer = keeper_->identify(heads_[i], snapshot_, now, true);
    require(answer.what == state::known, answer.why.c_str());
    return std::move(answer.access);
  }

 private:
  std::shared_ptr<const config::snapshot> snapshot_;
  std::vector<http::head_ptr> heads_;
  std::unique_ptr<identity::gatekeeper> keeper_;
};

/// Shows all once, then those from `first` on in turn, again and again. Whoever was remembered gets
/// the same answer, not an equal one.
void measure_tokens(const char* name, callers& all, std::size_t first, std::size_t rounds) {
  constexpr std::size_t of_round = 100;
  std::vector<identity::access_ptr> known(all.count());
  for (std::size_t i = 0; i < all.count(); ++i) known[i] = all.show(i);
  const auto remembered = all.remembered();
  const auto after = [&](std::size_t i) { return i + 1 == all.count() ? first : i + 1; };
  std::vector<double> times;
  std::size_t hits = 0, shown = first, compared = first;
  for (std::size_t r = 0; r < rounds; ++r) {
    std::vector<identity::access_ptr> answers(of_round);
    times.push_back(nanoseconds([&] {
      for (auto& a : answers) {
        a = all.show(shown);
        shown = after(shown);
      }
    }));
    for (auto& a : answers) {
      hits += known[compared] == a;
      known[compared] = std::move(a);
      compared = after(compared);
    }
  }
  const auto share = static_cast<double>(hits) / static_cast<double>(rounds * of_round);
  std::printf(R"({"name":"%s","ns":%.0f,"hits":%.4f,"tokens":%zu,"remembered":%zu,"bytes":%zu})"
              "\n",
              name, median(std::move(times)) / static_cast<double>(of_round), share,
              all.count() - first, remembered, all.bytes());
}

void measure_tokens() {
  callers one(1), most(limits::verified_tokens);
  measure_tokens("token_known", one, 0, 1'001);
  // Of a full memory, the half that it keeps in whatever order they come.
  measure_tokens("token_known_10000_in_turn", most, most.count() / 2, 1'001);
  // As many as it holds at most, in the order that suits it least.
  measure_tokens("token_20000_in_turn", most, 0, 201);
}

void measure_new_token() {
  callers all(2'000);
  std::size_t next = 0;
  const auto took = median_of(all.count(), [&] { (void)all.show(next++); });
  std::printf(R"({"name":"token_new","ns":%.0f})"
              "\n",
              took);
}

// --- lists ---------------------------------------------------------------------------------------

/// A catalogue with the thousand tools of one upstream.
struct filled_catalogue {
  std::shared_ptr<const config::snapshot> snapshot = compiled();
  federation::catalogue lists{mcp::list_kind::tools, snapshot};
  federation::time_point t{std::chrono::hours(1)};
  std::vector<federation::wanted> fetch;
  oauth::principal who;
  std::uint64_t next_view = 1;

  filled_catalogue() {
    who.issuer = "https://idp.example.com/oauth2/default";
    who.subject = "00u-subject";
    who.groups = {"Everyone", "Engineering"};
    who.claims = "{}";
    auto items = std::make_shared<mcp::item_list>();
    for (std::size_t i = 0; i < tools; ++i) {
      const auto name = "docs__area" + std::to_string(i % 40) + "_get_issue_" + std::to_string(i);
      items->push_back({name, R"({"name":")" + name +
                                  R"(","description":"Says what an issue is about.",)" +
                                  R"("inputSchema":{"type":"object"}})"});
    }
    lists.prepare(new_view(), t, fetch);
    auto& cache = lists.sources().cache();
    require(cache.filled(0, cache.fill_of(0), items, t, std::chrono::hours(1)) ==
                federation::list_cache::taken::yes,
            "the catalogue takes no list");
    fetch.clear();
  }
  config::view_ptr new_view() { return snapshot->policy.make_view(&who, nullptr, next_view++); }
  federation::page first_page(const config::view_ptr& view) {
    require(lists.prepare(view, t, fetch) && fetch.empty(), "the list is not there");
    return lists.list(view).at(0).value();
  }
};

/// `made`: how often a page was made although there was one.
void measure_lists() {
  filled_catalogue all;
  const auto view = all.new_view();
  const auto page = all.first_page(view);
  constexpr int calls = 1'000;
  std::size_t made = 0;
  const auto known = median_of(1'001, [&] {
    for (int i = 0; i < calls; ++i) made += all.first_page(view).head != page.head;
  });
  std::printf(R"({"name":"list_known_view","ns":%.0f,"made":%zu,"tools":%zu,"page":%llu})"
              "\n",
              known / calls, made, tools, static_cast<unsigned long long>(page.count));
  const auto fresh = median_of(1'001, [&] { (void)all.first_page(all.new_view()); });
  std::printf(R"({"name":"list_new_view","ns":%.0f})"
              "\n",
              fresh);
}

}  // namespace

int main() {
  measure_tokens();
  measure_new_token();
  measure_lists();
}
