#include "transport/scheduler/taking.hpp"

#include <caf/detail/default_invoke_result_visitor.hpp>
#include <caf/scheduled_actor.hpp>

namespace gate::taking {
namespace {

/// Messages of one queue before the other has its turn: as many as CAF lets pass.
constexpr std::size_t quantum = 3;

/// What a handler returns to nobody. Most return nothing; of the others CAF takes care.
class unanswered final : public caf::detail::invoke_result_visitor {
 public:
  explicit unanswered(caf::scheduled_actor& self) : self_(self) {}
  void operator()() override {}
  void operator()(caf::error& x) override { usual(x); }
  void operator()(caf::message& x) override {
    if (!x.empty()) usual(x);
  }
  void operator()(const caf::none_t& x) override { usual(x); }

 private:
  template <class T>
  void usual(T& x) {
    caf::detail::default_invoke_result_visitor<caf::scheduled_actor> visitor{&self_};
    visitor(x);
  }

  caf::scheduled_actor& self_;
};

/// One value of a type that CAF does not know: none of its own messages is such a one.
struct ours {};
bool is_ours(const caf::mailbox_element& x) {
  return x.content().type_token() == caf::make_type_token<ours>();
}

/// Does the behaviour get it as it is? Not if another message is waited for.
bool is_plain(caf::scheduled_actor& self, const caf::mailbox_element& x) {
  return x.mid.is_async() && is_ours(x) && self.has_behavior() &&
         &self.current_behavior() == &self.bhvr_stack().back() &&
         !self.getf(caf::abstract_actor::has_timeout_flag);
}

}  // namespace

caf::resumable::resume_result resume(caf::scheduled_actor& self, caf::execution_unit* unit,
                                     std::size_t most) {
  if (!self.activate(unit)) return caf::resumable::done;
  auto& mailbox = self.mailbox();
  std::size_t handled = 0;
  caf::scheduled_actor::mailbox_visitor take{&self, handled, most};
  for (;;) {
    const auto before = handled;
    mailbox.fetch_more();
    self.get_urgent_queue().new_round(quantum, take);
    self.get_normal_queue().new_round(quantum, take);
    if (self.finalize()) return caf::resumable::done;
    if (handled > before) self.set_receive_timeout();
    if (mailbox.try_block()) return caf::resumable::awaiting_message;
    if (handled >= most) return caf::resumable::resume_later;
    // What is left is in no queue of ours, or has come this moment.
    if (handled == before) return self.caf::scheduled_actor::resume(unit, most - handled);
  }
}

caf::invoke_message_result consume(caf::scheduled_actor& self, caf::mailbox_element& x) {
  if (!is_plain(self, x)) return self.caf::scheduled_actor::consume(x);
  self.current_mailbox_element(&x);
  unanswered visitor{self};
  switch (self.bhvr_stack().back()(visitor, x.content())) {
    case caf::match_case::match:
      return caf::invoke_message_result::consumed;
    case caf::match_case::skip:
      return caf::invoke_message_result::skipped;
    case caf::match_case::no_match:
      break;
  }
  return self.caf::scheduled_actor::consume(x);
}

}  // namespace gate::taking
