#include "protocol/resp/store_url.hpp"

#include <charconv>
#include <optional>

#include "protocol/http/ascii.hpp"
#include "protocol/http/url.hpp"

namespace gate::resp {
namespace {

constexpr std::string_view plain_port = ":6379";
/// What the system has room for (sockaddr_un), its last byte aside.
constexpr std::size_t path_bytes = 107;
constexpr std::size_t database_digits = 9;

std::optional<unsigned> digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return {};
}

/// False: a percent sign without two digits behind it.
bool decode(std::string_view text, std::string& out) {
  out.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return false;
    const auto high = digit_of(text[i + 1]), low = digit_of(text[i + 2]);
    if (!high || !low) return false;
    out += static_cast<char>(*high << 4U | *low);
    i += 2;
  }
  return true;
}

/// Takes `user:password@` off the text; what is wrong with it, or empty.
std::string_view read_credentials(std::string_view& text, store_url& u) {
  const auto end = text.rfind('@', text.find('/'));
  if (end == text.npos) return {};
  const auto who = text.substr(0, end);
  text.remove_prefix(end + 1);
  const auto colon = who.find(':');
  if (colon == who.npos) return "a user name needs a password: write user:password@, or :password@";
  if (!decode(who.substr(0, colon), u.user) || !decode(who.substr(colon + 1), u.password))
    return "a percent sign of the user name or the password is not followed by two digits (write "
           "%25 for the sign itself)";
  if (u.user.empty() && u.password.empty()) return "the password is empty";
  u.credentials = true;
  return {};
}

/// `/3`, `/` or nothing.
std::string_view read_database(std::string_view text, store_url& u) {
  if (text.size() <= 1) return {};
  text.remove_prefix(1);
  if (!http::all_digits(text) || text.size() > database_digits)
    return "after the host only a database number may follow, for example /0";
  std::from_chars(text.data(), text.data() + text.size(), u.database);
  return {};
}

std::optional<std::string> read_host(std::string_view text, store_url& u) {
  const auto slash = text.find('/');
  const auto host = text.substr(0, slash);
  const auto behind = host.starts_with('[') ? host.find(']') : 0;
  const bool has_port = behind != host.npos && host.find(':', behind) != host.npos;
  auto url = http::parse_url("http://" + std::string(host) +
                             std::string(has_port ? std::string_view{} : plain_port));
  if (!url) return url.error().what;
  // Behind a question mark or a number sign there is nothing that could be meant.
  if (url->target != "/") return "only host, port and database number are known";
  u.host = std::move(url->host);
  u.port = url->port;
  if (slash == text.npos) return {};
  if (const auto wrong = read_database(text.substr(slash), u); !wrong.empty())
    return std::string(wrong);
  return {};
}

std::string_view read_path(std::string_view text, store_url& u) {
  if (!text.starts_with('/')) return "unix:// needs an absolute path: unix:///run/redis.sock";
  if (text.find_first_of("?#") != text.npos)
    return "only the path of the socket is known (write %3F and %23 for ? and # in it)";
  if (!decode(text, u.path)) return "a percent sign of the path is not followed by two digits";
  if (u.path.size() < 2 || u.path.size() > path_bytes || u.path.find('\0') != std::string::npos)
    return "the path is none of a socket: it has 1 to 106 bytes behind the first slash";
  return {};
}

}  // namespace

std::string store_url::place() const {
  if (how == way::local) return "unix://" + path;
  std::string out = how == way::tls ? "rediss://" : "redis://";
  out += host.find(':') == host.npos ? host : '[' + host + ']';
  out += ':' + std::to_string(port);
  if (database != 0) out += '/' + std::to_string(database);
  return out;
}

result<store_url> parse_store_url(std::string_view text) {
  static constexpr std::string_view plain = "redis://", tls = "rediss://", local = "unix://";
  store_url u;
  if (text.starts_with(plain)) {
    text.remove_prefix(plain.size());
  } else if (text.starts_with(tls)) {
    u.how = store_url::way::tls;
    text.remove_prefix(tls.size());
  } else if (text.starts_with(local)) {
    u.how = store_url::way::local;
    text.remove_prefix(local.size());
  } else {
    return problem{"must begin with redis://, rediss:// or unix://"};
  }
  if (const auto wrong = read_credentials(text, u); !wrong.empty())
    return problem{std::string(wrong)};
  if (u.how == store_url::way::local) {
    if (const auto wrong = read_path(text, u); !wrong.empty()) return problem{std::string(wrong)};
    return u;
  }
  if (auto wrong = read_host(text, u)) return problem{std::move(*wrong)};
  return u;
}

}  // namespace gate::resp
