#pragma once
/// A carrier of no generation of the protocol in particular, which carries what it is told to.
#include <string>
#include <vector>

#include "actors/upstream/carrier.hpp"

namespace gate::upstream::testing {

struct fake_carrier final : carrier {
  bool ready = true, place = false, lost = false, elsewhere = false, renewable = false;
  std::uint64_t next = 1;
  int opened = 0, settled = 0;
  std::vector<std::string> introduced, checks;
  std::vector<std::string> cancelled;  ///< reasons

  bool takes_work() const override { return ready; }
  void open() override { ++opened; }
  bool takes_place() const override { return place; }
  std::uint32_t epoch() const override { return 1; }
  bool offers(mcp::list_kind k) const override { return k != mcp::list_kind::prompts; }
  std::optional<std::string> own;
  std::optional<std::string> own_answer(const work&) override { return own; }
  bool makes_tasks() const override { return false; }
  bool goes_on(job&, const jsonrpc::message&) override { return false; }
  std::shared_ptr<const refusal> refusal_of_own;
  std::shared_ptr<const refusal> own_refusal(const work&) const override { return refusal_of_own; }
  mcp::era era() const override { return mcp::era::session; }
  std::uint64_t carry(work&) override { return next++; }
  bool tell_cancelled(std::uint64_t, const pending&, std::string_view reason) override {
    cancelled.emplace_back(reason);
    return true;
  }
  bool says_lost(const pending&, const fetched&) override { return lost; }
  bool endpoint_lost(const pending&, fetch_end) override { return elsewhere; }
  bool lacks_tools(const work&, const jsonrpc::message& m) const override {
    return m.error.find("-32020") != m.error.npos;
  }
  bool renew_credential(int status, std::uint32_t) override { return renewable && status == 401; }
  bool asks_client(job&, const jsonrpc::message&) override { return false; }
  void answered(work&, const jsonrpc::message&) override {}
  void introduce(bool reached, bool missed) override {
    introduced.emplace_back(std::string(reached ? "reached" : "not reached") +
                            (missed ? ", missed" : ""));
  }
  void check_over(std::string_view why) override { checks.emplace_back(why); }
  void settle() override { ++settled; }
};

}  // namespace gate::upstream::testing
