#pragma once
/// The CARRIER of the session generation of the protocol: work goes over the one session that there
/// is, which is opened for it. Part of UPSTREAM SESSION.
#include "actors/upstream/carrier.hpp"
#include "actors/upstream/session_rules.hpp"

namespace gate::upstream {

class session_carrier final : public carrier {
 public:
  session_carrier(session_state& s, session_rules& r) : s_(s), r_(r) {}

  bool takes_work() const override { return s_.takes_work(); }
  void open() override;
  bool takes_place() const override {
    return s_.now_is == session_state::phase::ready && !s_.talk.id().empty();
  }
  std::uint32_t epoch() const override { return s_.talk.epoch(); }
  bool offers(mcp::list_kind k) const override { return s_.talk.agreed().offers(k); }
  std::optional<std::string> own_answer(const work& w) override;
  std::shared_ptr<const refusal> own_refusal(const work& w) const override;
  mcp::era era() const override { return s_.talk.agreed().era; }
  bool makes_tasks() const override {
    return s_.talk.agreed().features.has(mcp::feature::task_calls);
  }
  std::uint64_t carry(work& w) override {
    s_.carried = w.request();
    const auto id = send(w);
    s_.carried = 0;
    return id;
  }
  bool tell_cancelled(std::uint64_t fetch, const pending& p, std::string_view reason) override;
  bool says_lost(const pending& p, const fetched& f) override;
  bool endpoint_lost(const pending& p, fetch_end how) override;
  bool renew_credential(int status, std::uint32_t shown) override;
  bool asks_client(job& w, const jsonrpc::message& m) override;
  bool goes_on(job& w, const jsonrpc::message& m) override;
  bool lacks_tools(const work& w, const jsonrpc::message& m) const override;
  void answered(work& w, const jsonrpc::message& m) override;
  void introduce(bool reached, bool missed) override;
  void check_over(std::string_view why) override;
  void settle() override;

 private:
  std::uint64_t send(work& w);

  session_state& s_;
  session_rules& r_;
};

}  // namespace gate::upstream
