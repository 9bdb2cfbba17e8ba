#include "html/page.h"
#include "html/report_data.h"
#include "html/template.h"
#include <nlohmann/json.hpp>

namespace warplens::html {
namespace {

// Inside <script>, JSON ends at no "</script>" and opens no comment: there is no '<' in it.
std::string without_markup(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 32);
  for (char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

} // namespace

std::string page(const report::Model& model, const SourceText& source, std::string_view version) {
  const Json data = report_data(model, source, version);
  const Template around = page_template();
  std::string out(around.head);
  out += escaped(data["title"].get<std::string>());
  out += around.middle;
  out += without_markup(data.dump(-1, ' ', false, Json::error_handler_t::replace));
  return out += around.tail;
}

} // namespace warplens::html
