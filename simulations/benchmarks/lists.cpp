/// What it costs that all upstreams of a large federation are asked for their lists again and
/// nothing has changed: 200 upstreams with 50 tools each, seen by one kind of caller and by eight.
/// One JSON line a result: the processor's time for the whole refresh, and the longest of its
/// steps, which is what a ping has to wait for.
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "actors/federation/catalogue.hpp"
#include "config/validate.hpp"
#include "simulations/benchmarks/stopwatch.hpp"

namespace {

using namespace gate;
using namespace gate::bench;
using federation::time_point;

constexpr std::size_t upstreams = 200, tools = 50, most_views = 8;

std::shared_ptr<const config::snapshot> document() {
  std::string text = R"({"upstreams":[)", grants;
  for (std::size_t i = 0; i < upstreams; ++i) {
    const auto id = "u" + std::to_string(i);
    text += (i ? "," : "") + (R"({"id":")" + id) + R"(","url":"http://)" + id +
            R"(.test/mcp","namespace":")" + id + R"("})";
    grants += (i ? "," : "") + (R"({"server":")" + id) + R"(","methods":["tools/call"]})";
  }
  text += R"(],"policy":{"rules":[)";
  for (std::size_t i = 0; i < most_views; ++i)
    text += (i ? "," : "") + (R"({"id":"r)" + std::to_string(i)) + R"(","subjects":{"groups":["g)" +
            std::to_string(i) + R"("]},"allow":[)" + grants + "]}";
  auto parsed = config::load(text + "]}}");
  for (const auto& p : parsed.problems) require(false, config::to_line(p).c_str());
  return config::compile(std::move(parsed.doc));
}

/// What an upstream answers to `tools/list`: tools as real servers have them, 640 bytes each.
std::string answer(std::size_t upstream) {
  std::string out = R"({"tools":[)";
  for (std::size_t i = 0; i < tools; ++i) {
    if (i) out += ',';
    out += R"({"name":"tool_)" + std::to_string(upstream) + '_' + std::to_string(i) +
           R"(","description":")" + std::string(400, 'd') +
           R"(","inputSchema":{"type":"object","properties":{"path":{"type":"string",)"
           R"("description":"where it is"},"depth":{"type":"integer","minimum":0}},)"
           R"("required":["path"],"additionalProperties":false}})";
  }
  return out + "]}";
}

class federation_of_many {
 public:
  explicit federation_of_many(std::size_t views) {
    for (std::size_t i = 0; i < upstreams; ++i) answers_.push_back(answer(i));
    for (std::size_t i = 0; i < views; ++i) {
      oauth::principal who;
      who.groups = {"g" + std::to_string(i)};
      who.key = 1 + i;
      views_.push_back(snapshot_->policy.make_view(&who, nullptr, 1 + i));
    }
    std::vector<federation::wanted> fetch;
    for (const auto& v : views_) lists_.prepare(v, now_, fetch);
    deliver(fetch);
    for (const auto& v : views_)
      require(lists_.list(v).at(0)->next && lists_.list(v).missing().empty(),
              "a list is not whole");
    lists_.take_changed_views();
  }

  struct cost {
    double all = 0, longest = 0;
  };
  /// All lists have expired, and are the same as before.
  cost refresh() {
    cost out;
    now_ += std::chrono::seconds{31};
    std::vector<federation::wanted> fetch;
    step(out, [&] { lists_.prepare_all(now_, fetch, [](std::size_t) { return false; }); });
    require(fetch.size() == upstreams, "not all are asked");
    bool compare = false;
    for (const auto& w : fetch)
      step(out, [&] {
        deliver({w});
        compare |= lists_.moved();  // as ROUTER does: compared once all has come
      });
    step(out,
         [&] { require(!compare || lists_.take_changed_views().empty(), "nothing has changed"); });
    return out;
  }

 private:
  /// Of the processor: others may use the machine.
  static double spent() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
  }
  template <class F>
  static void step(cost& to, F&& work) {
    const auto before = spent();
    work();
    const auto took = spent() - before;
    to.all += took;
    to.longest = std::max(to.longest, took);
  }
  void deliver(const std::vector<federation::wanted>& fetch) {
    for (const auto& w : fetch) {
      const auto& u = *snapshot_->at(w.upstream);
      auto page =
          mcp::read_list_page(answers_[w.upstream], mcp::shape(mcp::list_kind::tools), u.prefix);
      auto items = std::make_shared<const mcp::item_list>(std::move(page->items));
      lists_.sources().cache().filled(w.upstream, w.fill, std::move(items), now_, u.cache_ttl);
    }
  }

  std::shared_ptr<const config::snapshot> snapshot_ = document();
  federation::catalogue lists_{mcp::list_kind::tools, snapshot_};
  std::vector<config::view_ptr> views_;
  std::vector<std::string> answers_;
  time_point now_{std::chrono::hours{1}};
};

void measure(std::size_t views, std::size_t rounds) {
  federation_of_many all(views);
  std::vector<double> whole, longest;
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto cost = all.refresh();
    whole.push_back(cost.all);
    longest.push_back(cost.longest);
  }
  std::printf(R"({"name":"list_refresh_%zu","views":%zu,"cpu_ms":%.2f,"longest_step_ms":%.3f})"
              "\n",
              views, views, median(whole) / 1e6, median(longest) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const auto rounds = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 21;
  measure(1, rounds);
  measure(most_views, rounds);
}
