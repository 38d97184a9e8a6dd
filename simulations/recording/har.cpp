#include "simulations/recording/har.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "protocol/base/base64.hpp"
#include "protocol/json/scan.hpp"
#include "protocol/recording/shapes.hpp"
#include "simulations/recording/moment.hpp"

namespace gate::recording {
namespace {

/// An object that grows member by member.
class har_object {
 public:
  har_object& raw(std::string_view name, std::string_view json) {
    text_ += text_.empty() ? "{" : ",";
    json::append_quoted(text_, name);
    text_.append(":").append(json);
    return *this;
  }
  har_object& text(std::string_view name, std::string_view value) {
    return raw(name, json::quoted(value));
  }
  har_object& number(std::string_view name, std::uint64_t value) {
    return raw(name, std::to_string(value));
  }
  std::string end() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

constexpr std::string_view unknown = "-1";

bool is_utf8(std::string_view bytes) {
  std::string quoted = '"' + std::string(bytes) + '"';
  for (auto c = quoted.begin() + 1; c + 1 != quoted.end(); ++c)
    if (static_cast<unsigned char>(*c) < 0x20 || *c == '"' || *c == '\\') *c = ' ';
  return json::validate(quoted) == json::fault::none;
}

std::string pairs_of(const std::vector<header>& headers) {
  std::string out = "[";
  for (const auto& h : headers) {
    if (out.size() > 1) out += ',';
    out += har_object().text("name", h.name).text("value", h.value).end();
  }
  return out + "]";
}

std::string query_of(std::string_view url) {
  std::vector<header> all;
  const auto begin = url.find('?');
  auto rest = begin == std::string_view::npos ? std::string_view() : url.substr(begin + 1);
  while (!rest.empty()) {
    const auto part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const auto equals = std::min(part.find('='), part.size());
    all.push_back({std::string(part.substr(0, equals)),
                   std::string(part.substr(std::min(equals + 1, part.size())))});
  }
  return pairs_of(all);
}

std::string milliseconds_of(std::uint64_t us) {
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%.3f", static_cast<double>(us) / 1000);
  return out.data();
}

std::string url_of(const event& asked) {
  if (asked.what == kind::fetch) return asked.url;
  const auto host = asked.header_of("host");
  return "http://" + (host.empty() ? std::string("gateway.invalid") : std::string(host)) +
         (asked.target.starts_with('/') ? asked.target : "/" + asked.target);
}

std::string_view reason_of(std::uint64_t status) {
  switch (status) {
    case 0:
      return "";
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return status < 400 ? "OK" : "Error";
  }
}

std::string request_of(const event& asked) {
  har_object r;
  r.text("method", asked.method).text("url", url_of(asked)).text("httpVersion", "HTTP/1.1");
  r.raw("cookies", "[]").raw("headers", pairs_of(asked.headers));
  r.raw("queryString", query_of(url_of(asked)));
  if (asked.body) {
    const auto type = asked.header_of("content-type");
    har_object data;
    data.text("mimeType", type.empty() ? "application/json" : type).raw("params", "[]");
    if (is_utf8(*asked.body))
      data.text("text", *asked.body);
    else
      data.text("text", base64_encode(*asked.body)).text("comment", "base64");
    r.raw("postData", data.end());
  }
  r.raw("headersSize", unknown);
  r.number("bodySize", asked.body ? asked.body->size() : 0);
  return r.end();
}

std::string type_of_media(std::string_view media) {
  if (media == "json") return "application/json";
  if (media == "events") return "text/event-stream";
  return media == "none" || media.empty() ? "x-unknown" : "application/octet-stream";
}

/// An event as it stood on the stream.
std::string text_of(const sse::event& e) {
  std::string out;
  if (!e.type.empty()) out += "event: " + e.type + "\n";
  if (e.has_id) out += "id: " + e.id + "\n";
  std::string_view rest = e.data;
  while (true) {
    const auto line = rest.substr(0, rest.find('\n'));
    out.append("data: ").append(line).append("\n");
    if (line.size() == rest.size()) break;
    rest.remove_prefix(line.size() + 1);
  }
  return out + "\n";
}

}  // namespace

void har::begin(const preamble& first) {
  first_ = first;
  upstreams_.learn(first.config);
  write_(R"({"log":{"version":"1.2","creator":)" +
         har_object().text("name", "gate-sim").text("version", GATE_VERSION).end() +
         R"(,"comment":)" + json::quoted("recorded by gate " + first.version) +
         R"(,"pages":[],"entries":[)");
}

void har::take(const event& e) {
  last_at_ = std::max(last_at_, e.at);
  if (e.what == kind::document) upstreams_.learn(e.document);
  const auto of = series_of(e.what);
  if (of == series::request) request_event(e);
  if (of == series::fetch) fetch_event(e);
}

void har::add_content(entry& to, std::string_view bytes, std::uint64_t at) {
  if (to.answered_at == 0) to.answered_at = at;
  to.size += bytes.size();
  to.content.append(bytes.substr(0, content_bytes - std::min(content_bytes, to.content.size())));
}

void har::request_event(const event& e) {
  const key id{e.unit, e.number};
  if (e.what == kind::request) {
    requests_[id].asked = e;
    return;
  }
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  auto& r = found->second;
  switch (e.what) {
    case kind::body:
      r.asked.body = e.body;
      return;
    case kind::answer:
      r.status = e.status;
      r.headers = e.headers;
      r.type = e.type;
      add_content(r, e.body ? *e.body : std::string(), e.at);
      return end(requests_, found, e.at);
    case kind::stream:
      r.status = 200;
      r.headers = e.headers;
      r.type = "text/event-stream";
      r.answered_at = e.at;
      return;
    case kind::sent:
      return add_content(r, e.data, e.at);
    case kind::ended:
      return end(requests_, found, e.at);
    case kind::dropped:
      r.error = "dropped by the gateway";
      return end(requests_, found, e.at);
    case kind::gone:
      r.error = "the client closed the connection";
      return end(requests_, found, e.at);
    case kind::moved:
      requests_.erase(found);  // it arrives anew
      return;
    default:
      return;
  }
}

void har::fetch_event(const event& e) {
  const key id{e.unit, e.number};
  if (e.what == kind::fetch) {
    fetches_[id].asked = e;
    return;
  }
  const auto found = fetches_.find(id);
  if (found == fetches_.end()) return;
  auto& f = found->second;
  if (!e.session.empty()) f.session = e.session;
  switch (e.what) {
    case kind::abandoned:
      f.error = "the gateway did not want its answer any more";
      return end(fetches_, found, e.at);
    case kind::streamed:
      f.type = "text/event-stream";
      f.status = 200;
      for (const auto& one : e.events) add_content(f, text_of(one), e.at);
      if (f.answered_at == 0) f.answered_at = e.at;
      return;
    case kind::fetched:
      if (e.status != 0) f.status = e.status;
      if (f.type.empty()) f.type = type_of_media(e.media);
      if (e.body) add_content(f, *e.body, e.at);
      if (e.end != "complete") f.error = e.end + (e.why.empty() ? "" : ": " + e.why);
      return end(fetches_, found, e.at);
    default:
      return;
  }
}

void har::end(std::map<key, entry>& of, std::map<key, entry>::iterator which, std::uint64_t at) {
  write(which->second, at);
  of.erase(which);
}

void har::write(const entry& e, std::uint64_t at) {
  auto headers = e.headers;
  const auto named = [&headers](std::string_view name) {
    return std::ranges::any_of(headers, [name](const auto& h) { return h.name == name; });
  };
  if (!e.type.empty() && e.type != "x-unknown" && !named("content-type"))
    headers.push_back({"content-type", e.type});
  if (!e.session.empty()) headers.push_back({"mcp-session-id", e.session});
  har_object content;
  content.number("size", e.size).text("mimeType", e.type.empty() ? "x-unknown" : e.type);
  if (is_utf8(e.content))
    content.text("text", e.content);
  else
    content.text("text", base64_encode(e.content)).text("encoding", "base64");
  if (e.size > e.content.size())
    content.text("comment", "the first " + std::to_string(e.content.size()) + " bytes of it");
  const bool answered = e.status != 0;
  har_object response;
  response.number("status", e.status).text("statusText", reason_of(e.status));
  response.text("httpVersion", answered ? "HTTP/1.1" : "").raw("cookies", "[]");
  response.raw("headers", pairs_of(headers)).raw("content", content.end());
  response.text("redirectURL", "").raw("headersSize", unknown);
  response.raw("bodySize", answered ? std::to_string(e.size) : std::string(unknown));
  if (!e.error.empty()) response.text("_error", e.error).text("comment", e.error);
  const auto begun = e.asked.at;
  const auto head = std::clamp(e.answered_at == 0 ? at : e.answered_at, begun, std::max(begun, at));
  const auto wait = head - begun, receive = std::max(begun, at) - head;
  const bool fetch = e.asked.what == kind::fetch;
  har_object entry;
  entry.text("startedDateTime", later(first_.started, begun));
  entry.raw("time", milliseconds_of(wait + receive));
  entry.raw("request", request_of(e.asked)).raw("response", response.end()).raw("cache", "{}");
  entry.raw("timings", har_object()
                           .raw("blocked", unknown)
                           .raw("dns", unknown)
                           .raw("connect", unknown)
                           .raw("ssl", unknown)
                           .raw("send", "0")
                           .raw("wait", milliseconds_of(wait))
                           .raw("receive", milliseconds_of(receive))
                           .end());
  entry.text("connection", (fetch ? "fetch " : "request ") + std::to_string(e.asked.unit) + "." +
                               std::to_string(e.asked.number));
  if (fetch) {
    const auto name = upstreams_.of(e.asked.url);
    entry.text("_upstream", name);
    entry.text("comment", name.empty() ? "by the gateway, to another server"
                                       : "by the gateway, to upstream " + std::string(name));
  } else {
    entry.text("_client", e.asked.peer).text("comment", "by a client, " + e.asked.peer);
  }
  write_((entries_++ == 0 ? "\n" : ",\n") + entry.end());
}

void har::finish() {
  for (auto* all : {&requests_, &fetches_}) {
    for (auto& [id, e] : *all) {
      e.error = "open when the recording ended";
      write(e, last_at_);
    }
    all->clear();
  }
  write_("\n]}}\n");
}

}  // namespace gate::recording
