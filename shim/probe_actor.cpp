#include "shim/probe_actor.hpp"

#include "protocol/json/scan.hpp"
#include "protocol/jsonrpc/message.hpp"
#include "protocol/mcp/method_names.hpp"
#include "protocol/mcp/versions.hpp"
#include "protocol/stdio/line_reader.hpp"

namespace gate::shim {
namespace {

std::string greeting() {
  std::string params = R"({"protocolVersion":")";
  params += mcp::latest_session_version;
  params +=
      R"(","capabilities":{},"clientInfo":{"name":"gate-stdio","version":")" GATE_VERSION R"("}})";
  return stdio::to_line(jsonrpc::request("1", mcp::names::initialize, params));
}

constexpr auto ended = "it ended before it answered initialize";

/// Who the server says it is.
std::string introduction(std::string_view result) {
  const auto text = [](std::string_view raw) {
    std::string out;
    return json::unquote(raw, out) ? out : std::string{};
  };
  const auto info = json::member(result, "serverInfo");
  return text(json::member(info, "name")) + ' ' + text(json::member(info, "version")) + ", MCP " +
         text(json::member(result, "protocolVersion"));
}

}  // namespace

probe_actor::probe_actor(caf::actor_config& cfg, caf::execution_unit* unit, probe_parts parts)
    : pinned(cfg, unit), parts_(std::move(parts)), end_(this) {}

probe_actor::behavior_type probe_actor::make_behavior() {
  // CHILD tells the rest.
  request(parts_.children, caf::infinite, start_child{"probe", caf::actor_cast<child_user>(this)})
      .then([this](const child_made& m) { end_.made(m.child); },
            [this](const caf::error&) {
              tell(false, "nobody is there to start it");
              quit();
            });
  delayed_send(this, parts_.patience, last_words_over{});
  return {
      [this](child_started& m) {
        parts_.tally->spawned.add();
        end_.started(std::move(m.child));
        if (!told_) send(end_.child(), child_line{greeting()});
      },
      [this](child_failed& m) {
        if (!told_) parts_.tally->spawn_errors.add();  // or it was killed because it took too long
        tell(false, std::move(m.why));
        end_.gone();
        quit();
      },
      [this](const child_spoke& m) {
        for (const auto& line : m.lines) hear(line);
        if (!m.last && end_.child()) send(end_.child(), child_read_on{});
        if (!m.last) return;
        out_ended_ = true;
        if (exited_) return tell(false, ended);
        delayed_send(this, limits::child_last_words, last_words_over{});  // how it ends
      },
      [](child_took) {},
      [this](const child_exited& m) {
        exited_ = m;
        if (out_ended_) tell(false, ended);
        end_.exited();
      },
      [this](child_gone) {
        tell(false, ended);
        end_.gone();
        quit();
      },
      [this](const end_session&) { tell(false, "it was interrupted"); },
      [this](const patience_over& m) { end_.patience_ran_out(m); },
      [this](last_words_over) {
        tell(false, out_ended_ ? "it closed its standard output before it answered initialize"
                               : "it did not answer initialize in time");
      },
  };
}

void probe_actor::on_exit() {
  end_.forget();
  parts_.asker = nullptr;
  parts_.children = nullptr;
}

void probe_actor::hear(std::string_view line) {
  const auto m = jsonrpc::read(line, {limits::upstream_json_depth, true}, jsonrpc::sender::server);
  if (told_ || !m || m->kind != jsonrpc::kind::response || m->id != "1") return;
  if (!m->error.empty()) return tell(false, "it refused to be initialized");
  send(end_.child(), child_line{stdio::to_line(jsonrpc::request({}, mcp::names::initialized))});
  tell(true, introduction(m->result));
}

void probe_actor::tell(bool runs, std::string what) {
  if (std::exchange(told_, true)) return;
  if (exited_)
    what +=
        (exited_->by_signal ? " (signal " : " (exit code ") + std::to_string(exited_->status) + ')';
  send(parts_.asker, probed{runs, std::move(what)});
  if (!exited_) end_.begin();
}

}  // namespace gate::shim
