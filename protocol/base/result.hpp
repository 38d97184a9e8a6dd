#pragma once
/// Errors as values. Pure code never throws for bad data: it returns `result<T>`, whose error says
/// in one sentence what is wrong. Exceptions are left for bugs and for failures at boot.
#include <boost/system/result.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace gate {

/// What is wrong with some input, as a sentence for a person. Never contains secrets.
struct problem {
  std::string what;
};

[[noreturn]] inline void throw_exception_from_error(const problem& p,
                                                    const boost::source_location&) {
  throw std::runtime_error(p.what);
}

template <class T>
using result = boost::system::result<T, problem>;

}  // namespace gate
