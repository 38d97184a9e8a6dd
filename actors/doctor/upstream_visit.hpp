#pragma once
/// UPSTREAM VISIT: one address of an upstream, met as the gateway would meet it: the handshake of
/// the generation that the document says, its tools and resources, and the end of the session. An
/// EXAMINATION: events in, questions out.
///
///   look -> [discover ->] [initialize -> initialized ->] tools... -> resources... -> [end] -> done
///
/// Wherever it fails, a session that was opened is ended.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/doctor/examination.hpp"
#include "actors/upstream/handshake.hpp"
#include "config/document.hpp"
#include "protocol/limits/doctor.hpp"
#include "protocol/mcp/list_kinds.hpp"
#include "transport/clock.hpp"

namespace gate::doctor {

struct upstream_question {
  std::string pointer;  ///< to its URL
  std::string id;       ///< of the upstream
  http::url where;
  config::protocol_choice protocol = config::protocol_choice::session;
  config::credential_source credential = config::credential_source::nothing;
  std::string secret_name;      ///< of a credential from the environment
  std::string credential_line;  ///< with its CRLF; empty: it is asked without one
  std::string prefix;           ///< namespace and separator
  std::size_t max_bytes = limits::doctor_answer_bytes;  ///< of an answer
  bool replica = false;                                 ///< its lists are those of another address
  wall_clock wall;
};

class upstream_visit final : public examination {
 public:
  explicit upstream_visit(upstream_question q);

  action begin() override;
  action seen(const inspected& m) override;
  action heard(const reply& r) override;
  action late(std::string_view opened) override;

  const upstream_visit* of_upstream() const override { return this; }
  const upstream_question& asked() const { return q_; }
  /// What it lists, for comparing it with others.
  const std::vector<std::string>& uris() const { return uris_; }

 private:
  enum class state : std::uint8_t {
    looking,
    discovering,
    initializing,
    noting,
    tools,
    resources,
    ending,
  };

  action initialize();
  action discovered(const reply& r);
  action initialized(const reply& r);
  action agreed(upstream::handshake what, const reply& r, std::string_view raw_result);
  action list(mcp::list_kind kind);
  action listed_page(const reply& r);
  action list_ended(std::string_view left_out);
  /// Ends its session, if there is one.
  action leave();
  /// That resources are not listed is no error.
  action fail(check what, std::string seen, std::string advice);
  /// Not an answer at all, or a refusal of whoever asks; nothing: it is an answer.
  std::optional<action> no_answer(const reply& r, check what, std::string_view method);
  action refused(const reply& r, check what, std::string_view method);
  void take_session(std::string_view id);
  request ask(std::string_view method, std::string params);

  upstream_question q_;
  state state_ = state::looking;
  mcp::era era_ = mcp::era::session;
  upstream::handshake agreed_;
  std::string session_;
  std::uint64_t next_id_ = 1;
  mcp::list_kind listing_ = mcp::list_kind::none;
  std::string cursor_;  ///< raw; of the page that is asked for
  std::size_t pages_ = 0, skipped_ = 0;
  std::chrono::microseconds list_took_{};
  std::vector<std::string> tools_, uris_;
};

/// Visits to all that an upstream has: its addresses, its token endpoint. `pointer`: to a field of
/// it. Secrets that are not set, or of no use, are told elsewhere: it is asked without.
void visit_upstream(const config::upstream& u, std::string_view separator,
                    const std::function<std::string(std::string_view field)>& pointer,
                    const secret_source& secrets, const wall_clock& wall, examinations& to);

/// One URI at two upstreams: what to say to the later one. `of` in the document's order; those that
/// were found out about come behind whoever found them.
findings compare_lists(const examinations& of);

/// What clients make of names of tools, as they are shown to them.
void judge_tool_names(const std::vector<std::string>& names, notes& say);

}  // namespace gate::doctor
