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

std::string filled(const Template& around, std::string_view title, std::string_view json) {
  std::string out(around.head);
  out += escaped(title);
  out += around.middle;
  out += without_markup(json);
  return out += around.tail;
}

} // namespace

std::string page(const summary::Model& model, const SourceText& source, std::string_view version,
                 const About& about) {
  const Json data = report_data(model, source, version, about);
  return filled(report_template(), data["title"].get<std::string>(),
                data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string diff_page(std::string_view json, std::string_view title) {
  return filled(diff_template(), title, json);
}

std::string compare_page(std::string_view json, std::string_view title) {
  return filled(compare_template(), title, json);
}

} // namespace warplens::html
