#include "simulations/stories/fleet.hpp"

#include <algorithm>

#include "simulations/stories/documents.hpp"

namespace gate::churn {

using namespace sim;
using namespace std::chrono_literals;

namespace {

/// What a sick server may do wrong, each with everything that a client of it may ask.
constexpr std::array methods{"initialize",
                             "notifications/initialized",
                             "tools/call",
                             "tools/list",
                             "prompts/list",
                             "resources/list",
                             "resources/read",
                             "resources/subscribe",
                             "resources/templates/list",
                             "ping",
                             "GET",
                             "DELETE"};

reply call_result(const std::string& host, const sight& s) {
  const auto number = number_in(s.param("name"));
  return reply::result(result_of(number), delay_of(host, number));
}

/// The n-th that a server says within a call, with the call's own number.
std::string notice_of(std::uint32_t call, std::size_t n) {
  return R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":)"
         R"({"call":)" +
         std::to_string(call) + R"(,"n":)" + std::to_string(n) + "}}}";
}

constexpr std::string_view some_progress =
    R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}})";
constexpr std::string_view changed =
    R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
constexpr std::string_view updated =
    R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://good"}})";
constexpr std::string_view question =
    R"({"jsonrpc":"2.0","id":"q1","method":"sampling/createMessage","params":{"messages":[]}})";
constexpr std::string_view finished = R"({"jsonrpc":"2.0","id":$id,"result":{"content":[]}})";

reply streamed_reply(std::vector<std::string_view> first, std::size_t times, bool open) {
  reply r;
  for (std::size_t i = 0; i < times; ++i)
    r.events.insert(r.events.end(), first.begin(), first.end());
  r.open = open;
  if (!open) r.events.emplace_back(finished);
  return r;
}

/// Behind fifty notices, of which every other one is numbered; every third call is answered two
/// times, and of every third the stream ends without an answer.
reply talkative(const sight& s, bool swapped) {
  constexpr std::size_t notices = 25;
  reply r;
  const auto call = number_in(s.param("name"));
  for (std::size_t n = 0; n < notices; ++n) {
    r.events.emplace_back(changed);
    r.events.push_back(notice_of(call, swapped && n > 0 && n < 3 ? 3 - n : n));
  }
  for (auto answers = 1 + s.what->id % 3; answers > 0 && answers < 3; --answers)
    r.events.emplace_back(finished);
  return r;
}

reply garbage(const sight& s) {
  switch (s.what->id % 8) {
    case 0:
      return reply::http(200, "<html>");
    case 1:
      return reply::http(200, R"({"jsonrpc":"2.0","id":987654321,"result":{}})");
    case 2:
      return reply::http(200, R"({"jsonrpc":"2.0","id":$id,"result":{})");
    case 3:
      return reply::http(200, "[]");
    case 4:
      return reply::http(202);
    case 5:
      return reply::http(200, R"({"jsonrpc":"2.0","id":$id,"result":{},"error":{"code":1}})");
    case 6:
      return {.status = 200, .events = {"not JSON", R"({"jsonrpc":"2.0","id":null})"}};
    default:
      return reply::http(301);
  }
}

/// The sicknesses that only calls notice.
std::optional<reply> sick_call(std::uint32_t sickness, const sight& s) {
  switch (sickness) {
    case 0:
      return reply::silence();
    case 1:
      return garbage(s);
    case 2:  // sometimes too slow
      return reply::result("{}", s.what->id % 2 ? request_timeout - 100ms : request_timeout + 1ms);
    case 3:
      return talkative(s, false);
    case 4:
      return streamed_reply({some_progress}, 1, true);
    case 5:
      return reply::failure(fetch_end::broken, s.what->id % 2 == 0);
    case 6:
      return reply::http(404);
    case 7:
      return reply::error(R"({"code":-32000,"message":"no"})");
    case 8:
      return streamed_reply({question}, 3, false);
    case 9:
      return reply::http(401);
    case 10:
      return reply::failure(fetch_end::too_large);
    case 11:
      return reply::failure(fetch_end::malformed);
    case 12:
      return reply::failure(fetch_end::redirected);
    case 13:
      return reply::failure(fetch_end::overloaded, true);
    default:
      return {};
  }
}
constexpr std::uint32_t call_sicknesses = 14, talks = 3;

/// Those that everything notices.
reply sick_host(std::uint32_t sickness, const sight& s) {
  switch (sickness) {
    case 0:
      return reply::silence();
    case 1:
      return reply::failure(fetch_end::connect_failed);
    case 2:
      return {.after = connect_timeout, .end = fetch_end::connect_timeout, .status = 0};
    case 3:
      return reply::http(500);
    case 4:
      return garbage(s);
    default:
      return reply::failure(fetch_end::broken, s.what->id % 3 == 0);
  }
}
constexpr std::uint32_t host_sicknesses = 6;
static_assert(call_sicknesses + host_sicknesses == sicknesses);

}  // namespace

bool keeps_time(std::string_view upstream) {
  return upstream == "good" || upstream == "lim" || upstream == "pen";
}

std::chrono::milliseconds delay_of(std::string_view upstream, std::uint32_t call) {
  if (!keeps_time(upstream)) return 0ms;
  constexpr std::array ms{0, 0, 40, 0, 700, 0, 1'500};
  return std::chrono::milliseconds(ms[call % ms.size()]);
}

std::string arguments_of(std::uint32_t call) {
  // As nobody would write it who writes it anew.
  return R"({ "mark":"mark-)" + std::to_string(call) + R"(." , "odd":[1.0e2,"\u00e9\/"],"odd":{}})";
}

std::string result_of(std::uint32_t call) {
  const auto number = std::to_string(call);
  return R"({"content":[ ],"name":"t)" + number + R"(", "odd":-0.0,"mark":"mark-)" + number +
         R"(."})";
}

std::uint32_t number_in(std::string_view raw_name) {
  std::uint32_t n = 0;
  for (const char c : raw_name)
    if (c >= '0' && c <= '9') n = n * 10 + static_cast<std::uint32_t>(c - '0');
  return n;
}

std::vector<std::string> fleet::more_hosts() const {
  std::vector<std::string> out{"registry"};
  out.insert(out.end(), replicas.begin(), replicas.end());
  out.insert(out.end(), discoverable.begin(), discoverable.end());
  return out;
}

std::vector<std::string> fleet::all() const {
  std::vector<std::string> out;
  for (const auto& id : scenario_.upstreams)
    if (id != "trio") out.push_back(id);
  if (scenario_.has("trio")) out.insert(out.end(), replicas.begin(), replicas.end());
  if (scenario_.discovery) out.insert(out.end(), discoverable.begin(), discoverable.end());
  return out;
}

std::vector<std::string> fleet::weak() const {
  std::vector<std::string> out{"sick"};
  if (scenario_.has("ill")) out.emplace_back("ill");
  if (scenario_.discovery) out.insert(out.end(), discoverable.begin(), discoverable.end());
  if (scenario_.has("trio") && !scenario_.steady) out.emplace_back("t2");
  return out;
}

void fleet::prepare(fake_network& net) {
  net_ = &net;
  for (const auto& name : all()) {
    auto& h = host(name);
    h.capabilities = R"({"tools":{"listChanged":true},"prompts":{},)"
                     R"("resources":{"subscribe":true},"logging":{}})";
    h.resources = {R"({"uri":"x://)" + name + R"(","name":"one"})"};
    h.tools.emplace_back(R"({"name":"hidden","inputSchema":{"type":"object"}})");
    if (name == "new") {
      h.stateless = true;
      h.greets = scenario_.bird == canary::wrong_revision;
      h.capabilities = R"({"tools":{"listChanged":true},"resources":{}})";
    }
    be_well(name);
  }
  publish(full_registry_answer);
}

void fleet::be_well(const std::string& name) {
  auto& h = host(name);
  for (const auto* m : methods) h.behave(m);
  h.always("tools/call", [bird = scenario_.bird, name, last = 0U](const sight& s) mutable {
    auto r = call_result(name, s);
    const auto before = std::exchange(last, number_in(s.param("name")));
    if (name == "new")
      r.body.replace(r.body.find(R"({"content")"), 1, R"({"resultType":"complete",)");
    if (name != "good") return r;
    if (bird == canary::slow_good) r.after += 10ms;
    if (bird == canary::wrong_answer) r = reply::result(R"({"content":[],"name":"t9999"})");
    if (bird == canary::crossed_marks)
      r.body.replace(r.body.find("mark-"),
                     std::string("mark-").size() + std::to_string(last).size(),
                     "mark-" + std::to_string(before));
    if (bird == canary::respaced) r.body.replace(r.body.find("[ ]"), 3, "[]");
    return r;
  });
}

void fleet::fail_good_once() {
  host("good").next("tools/call", reply::failure(fetch_end::broken));
}

void fleet::sicken(const std::string& name, std::uint32_t sickness) {
  excused_.insert(name);
  be_well(name);
  auto& h = host(name);
  sickness %= sicknesses;
  if (sickness == talks && scenario_.bird == canary::swapped_notices)
    return h.always("tools/call", [](const sight& s) { return talkative(s, true); });
  if (sickness < call_sicknesses)
    return h.always("tools/call", [sickness](const sight& s) { return *sick_call(sickness, s); });
  sickness -= call_sicknesses;
  for (const auto* m : methods)
    h.always(m, [sickness](const sight& s) { return sick_host(sickness, s); });
}

void fleet::cure(const std::string& name) {
  be_well(name);
}

void fleet::forget(const std::string& name) {
  excused_.insert(name);
  host(name).forget_sessions();
}

void fleet::announce(const std::string& name, std::uint32_t lines, bool wide) {
  if (wide) {
    const auto text = R"({"jsonrpc":"2.0","method":"notifications/message","params":)"
                      R"({"level":"error","data":")" +
                      std::string(wide_notice_bytes, 'w') + "\"}}";
    for (std::uint32_t i = 0; i < lines; ++i) host(name).announce(text);
    return;
  }
  constexpr std::array texts{changed, updated, some_progress};
  for (std::uint32_t i = 0; i < lines; ++i)
    host(name).announce(std::string(texts[(i + lines) % texts.size()]));
}

void fleet::take_down(std::uint32_t replica, std::uint32_t how) {
  const auto* name = scenario_.steady ? replicas[1 + replica % 2] : replicas[replica % 3];
  excused_.insert(name);
  // A restart forgets; what is down can not be connected to.
  if (how % 4 == 0) host(name).forget_sessions();
  const std::uint32_t sickness = scenario_.steady ? 1 : how % 3;
  for (const auto* m : methods)
    host(name).always(m, [sickness](const sight& s) { return sick_host(sickness, s); });
}

void fleet::bring_up(std::uint32_t replica) {
  be_well(replicas[replica % 3]);
}

void fleet::publish(std::uint32_t which) {
  auto& r = host("registry");
  which %= registry_answers;
  switch (which) {
    case 7:
      return r.always("GET", reply::http(500));
    case 8:
      return r.always("GET", reply::silence());
    case 9:
      return r.always("GET", reply::failure(fetch_end::connect_failed));
    default:
      return r.always("GET", reply::http(200, registry_document(which)));
  }
}

void fleet::heal() {
  for (const auto& name : all())
    if (scenario_.bird != canary::stays_sick || name != "sick") be_well(name);
  publish(full_registry_answer);
}

}  // namespace gate::churn
