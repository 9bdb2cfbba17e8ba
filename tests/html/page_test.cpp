// The page of a report: its data are the model's, and names and source text stay data, whatever they are.
#include "html/page.h"
#include "html/template.h"
#include "report/read.h"
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace warplens::html {
namespace {

using nlohmann::json;

std::string saved_report() {
  std::stringstream text;
  text << std::ifstream(WARPLENS_SOURCE_DIR "/tests/report/data/run.json").rdbuf();
  return text.str();
}

summary::Model model_of(const std::string& text) {
  Result<report::Saved> saved = report::read_json(text, "run.json");
  EXPECT_TRUE(saved);
  Result<summary::Model> model = report::build(*saved);
  EXPECT_TRUE(model);
  return std::move(*model);
}

std::string no_source(const std::string&) { return {}; }

json data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(open);
  EXPECT_NE(begin, page.npos);
  const std::size_t end = page.find("</script>", begin);
  return json::parse(page.substr(begin + open.size(), end - begin - open.size()));
}

u64 count(const json& data, const json& counts, const std::string& name) {
  for (std::size_t i = 0; i < data["counts"].size(); ++i)
    if (data["counts"][i] == name) return counts[i].get<u64>();
  ADD_FAILURE() << name;
  return 0;
}

TEST(Page, HoldsTheModelsNumbers) {
  const summary::Model model = model_of(saved_report());
  const json data = data_of(page(model, no_source, "9.9.9"));
  EXPECT_EQ(data["version"], "9.9.9");
  EXPECT_EQ(data["kernels"].size(), model.kernels.size());
  EXPECT_EQ(data["findings"].size(), model.findings.size());
  EXPECT_EQ(data["run"]["excess_bytes"], model.excess_bytes);
  u64 cycles = 0;
  for (const json& access : data["accesses"]) {
    EXPECT_EQ(access["n"].size(), model.input.sm.size());
    EXPECT_EQ(access["cost"].size(), model.input.sm.size());
    cycles += count(data, access["n"][0], "excess_cycles");
  }
  EXPECT_EQ(cycles, model.excess_cycles);
  for (const json& finding : data["findings"])
    for (const json& access : finding["accesses"]) EXPECT_LT(access, data["accesses"].size());
  for (const json& total : data["totals"]) EXPECT_EQ(total.size(), model.input.sm.size());
}

TEST(Page, SaysOnceWhatDevicesHaveInCommon) {
  const json data = data_of(page(model_of(saved_report()), no_source, "1"));
  u64 references = 0;
  for (const json& access : data["accesses"]) {
    ASSERT_TRUE(access["n"][0].is_array());
    ASSERT_TRUE(access["cost"][0].is_array());
    for (const json& cost : access["cost"])
      if (cost.is_number()) {
        EXPECT_TRUE(access["cost"][cost.get<std::size_t>()].is_array());
        ++references;
      }
  }
  EXPECT_GT(references, 0u); // 9.0 and 2.0 agree on some
}

TEST(Page, DrawsTheTypicalWarpAndEachFixOfIt) {
  const json data = data_of(page(model_of(saved_report()), no_source, "1"));
  u64 pictures = 0, fixes = 0;
  for (const json& access : data["accesses"]) {
    ASSERT_FALSE(access["classes"].empty());
    ASSERT_EQ(access["classes"][0].size(), 5u);
    for (const json& picture : access["classes"][0][4]) {
      EXPECT_LT(picture, data["pictures"].size());
      ++pictures;
    }
    for (const json& fix : access["fixes"])
      if (fix.contains("pic")) ++fixes;
  }
  EXPECT_GT(pictures, 0u);
  EXPECT_GT(fixes, 0u);
}

TEST(Page, SaysWhatWasNotCounted) {
  const json data = data_of(page(model_of(saved_report()), no_source, "1"));
  const std::string gaps = data["gaps"].dump();
  EXPECT_NE(gaps.find("illegal address"), gaps.npos);
  EXPECT_NE(gaps.find("cudaGraphLaunch: 3 calls"), gaps.npos);
  EXPECT_NE(gaps.find("register spills are not seen"), gaps.npos);
}

TEST(Page, ShowsAFileOnlyWhereItIsTheOneThatWasMeasured) {
  const summary::Model model = model_of(saved_report());
  auto text_of = [&](const std::string& line15) {
    std::string text(14, '\n');
    return text + "  " + line15 +
           "\ntile[threadIdx.x][threadIdx.y] += sum;\n\nC[row * n + col] = sum * scale;\n";
  };
  auto file = [&](const std::string& text) {
    return data_of(page(
        model, [&](const std::string&) { return text; }, "1"))["files"][0];
  };
  EXPECT_TRUE(file(text_of("sum += A[row * n + k] * B[k * n + col];")).contains("text"));
  const json other = file(text_of("int password = 1;"));
  EXPECT_FALSE(other.contains("text"));
  EXPECT_EQ(other["lines"][0], json::array({15, "sum += A[row * n + k] * B[k * n + col];"}));
  EXPECT_NE(other["note"].get<std::string>().find("has changed"), std::string::npos);
  EXPECT_FALSE(file("").contains("text"));
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++out;
  return out;
}

TEST(Page, KeepsNamesAndSourceAsData) {
  const std::string evil = "</script><img src=x onerror=alert(1)><!--<script>";
  const std::string quoted = json(evil).dump();
  std::string text = saved_report();
  for (const char* name : {"matmul(float const*, float const*, float*, int)", "./app", "illegal address",
                           "sum += A[row * n + k] * B[k * n + col];", "/src/matmul.cu"})
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + evil.size()))
      text.replace(at, std::string(name).size(), quoted.substr(1, quoted.size() - 2));
  const std::string plain = page(model_of(saved_report()), no_source, "1"),
                    made = page(
                        model_of(text), [&](const std::string&) { return "// " + evil; }, evil);
  for (const char* markup : {"<script", "</script", "<img", "<!--"})
    EXPECT_EQ(times(made, markup), times(plain, markup)) << markup;
  const json data = data_of(made);
  EXPECT_EQ(data["version"], evil);
  EXPECT_NE(data["kernels"].dump().find("onerror"), std::string::npos);
}

TEST(Page, ForbidsAllScriptsButItsOwn) {
  for (const Template& parts : {report_template(), diff_template()}) {
    const std::string head(parts.head);
    EXPECT_NE(head.find("default-src 'none'; script-src 'sha256-"), head.npos);
    EXPECT_EQ(head.find("unsafe"), head.npos);
  }
}

TEST(Page, OfAComparisonHoldsItsDocument) {
  const json document = {{"verdict", "</script><script>alert(1)</script>"}, {"kernels", json::array()}};
  const std::string made = diff_page(document.dump(), "<b>old</b> & new");
  EXPECT_EQ(data_of(made), document);
  EXPECT_EQ(times(made, "</script>"), 2u); // the data's and the script's
  EXPECT_NE(made.find("<title>&lt;b&gt;old&lt;/b&gt; &amp; new"), made.npos);
}

TEST(Page, OfNothingIsAPage) {
  summary::Model empty;
  const json data = data_of(page(empty, no_source, "1"));
  EXPECT_TRUE(data["accesses"].empty());
  EXPECT_TRUE(data["findings"].empty());
}

} // namespace
} // namespace warplens::html
