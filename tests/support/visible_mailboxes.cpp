/// Only in builds with ThreadSanitizer. Debian's CAF is not instrumented: that a message was put
/// into a mailbox before it was taken out, that an actor's turn was over before its next began
/// elsewhere, that others had let go of an actor before it was destroyed, are atomic operations
/// inside the library. The sanitizer does not see them, and whatever goes from thread to thread
/// would look like a race. The functions around them are wrapped here, to tell it of that order and
/// of no other.
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <caf/actor_control_block.hpp>
#include <caf/detail/sync_request_bouncer.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/scheduled_actor.hpp>
#include <cstdlib>
#include <utility>

namespace caf {
namespace {

/// The library's own function, by its mangled name.
template <class F>
F library(const char* name) {
  void* found = ::dlsym(RTLD_NEXT, name);
  if (!found) std::abort();
  return reinterpret_cast<F>(found);
}

/// Whose mailbox this thread closes: what comes into it until that moment is bounced in the same
/// turn, with no further `reactivate`.
thread_local void* closing = nullptr;

/// The head of the list of new messages is the first member of a mailbox: what the sanitizer knows
/// of this address is what an instrumented `fetch_more` asks for.
void* order_of(scheduled_actor& self) {
  return &self.mailbox();
}

/// Who lets go last destroys it, after all that the others did with it.
void let_go(actor_control_block* x) {
  __tsan_release(x);
  __tsan_acquire(x);
}

}  // namespace

void scheduled_actor::enqueue(mailbox_element_ptr x, execution_unit* unit) {
  using function = void (*)(scheduled_actor*, mailbox_element_ptr, execution_unit*);
  static const auto original = library<function>(
      "_ZN3caf15scheduled_actor7enqueueESt10unique_ptrINS_15mailbox_elementENS_"
      "6detail8disposerEEPNS_14execution_unitE");
  __tsan_release(order_of(*this));
  original(this, std::move(x), unit);
}

/// A turn begins.
bool scheduled_actor::activate(execution_unit* unit) {
  using function = bool (*)(scheduled_actor*, execution_unit*);
  static const auto original =
      library<function>("_ZN3caf15scheduled_actor8activateEPNS_14execution_unitE");
  __tsan_acquire(order_of(*this));
  const bool goes_on = original(this, unit);
  __tsan_release(order_of(*this));
  return goes_on;
}

/// A message of the turn.
scheduled_actor::activation_result scheduled_actor::reactivate(mailbox_element& x) {
  using function = scheduled_actor::activation_result (*)(scheduled_actor*, mailbox_element&);
  static const auto original =
      library<function>("_ZN3caf15scheduled_actor10reactivateERNS_15mailbox_elementE");
  __tsan_acquire(order_of(*this));
  const auto result = original(this, x);
  __tsan_release(order_of(*this));
  return result;
}

/// The last turn ends: the mailbox is closed and what is in it goes back to its senders.
bool scheduled_actor::cleanup(error&& reason, execution_unit* unit) {
  using function = bool (*)(scheduled_actor*, error&&, execution_unit*);
  static const auto original =
      library<function>("_ZN3caf15scheduled_actor7cleanupEONS_5errorEPNS_14execution_unitE");
  const auto outer = std::exchange(closing, order_of(*this));
  const bool done = original(this, std::move(reason), unit);
  closing = outer;
  return done;
}

/// A message of a mailbox that was closed before.
void detail::sync_request_bouncer::operator()(const mailbox_element& x) const {
  using function = void (*)(const sync_request_bouncer*, const mailbox_element&);
  static const auto original =
      library<function>("_ZNK3caf6detail20sync_request_bouncerclERKNS_15mailbox_elementE");
  if (closing) __tsan_acquire(closing);
  original(this, x);
}

/// The scheduler's own hold on an actor, at the end of a turn.
void scheduled_actor::intrusive_ptr_release_impl() {
  intrusive_ptr_release(ctrl());
}

void intrusive_ptr_release(actor_control_block* x) {
  using function = void (*)(actor_control_block*);
  static const auto original =
      library<function>("_ZN3caf21intrusive_ptr_releaseEPNS_19actor_control_blockE");
  let_go(x);
  original(x);
}

void intrusive_ptr_release_weak(actor_control_block* x) {
  using function = void (*)(actor_control_block*);
  static const auto original =
      library<function>("_ZN3caf26intrusive_ptr_release_weakEPNS_19actor_control_blockE");
  let_go(x);
  original(x);
}

}  // namespace caf
