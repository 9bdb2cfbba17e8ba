// What the page is told: the numbers are those of explain, every lesson can be opened, and nothing that is asked is too wrong.
#include "explain/model/cases.h"
#include "playground/answer.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace warplens::playground {
namespace {

Json asked(const Json& question) { return Json::parse(answer(question.dump())); }

TEST(Answer, IsWhatExplainCounts) {
  const Json said =
      asked({{"do", "explain"}, {"access", "A[stride*threadIdx.x]"}, {"set", {"stride=2"}}, {"block", "64"}});
  EXPECT_EQ(said["warp_cost"], Json({256, 128, 8, 0.5})) << said;
  EXPECT_EQ(said["block_cost"], Json({512, 256, 16, 0.5}));
  EXPECT_FALSE(said["verdict"]["fine"]);
  EXPECT_EQ(said["lanes"].size(), 32u);
  EXPECT_EQ(said["lanes"][0], Json({32, 1, 0, 1}));
  EXPECT_EQ(said["lanes"][31][0], 256);
  ASSERT_FALSE(said["fixes"].empty());
  EXPECT_EQ(said["fixes"][0]["after_cost"][0], 256);
  EXPECT_EQ(said["instructions"][0]["picture"]["rows"].size(), 2u);
  for (const Json& row : said["all"])
    if (row["sm"] == 10) {
      EXPECT_EQ(row["cost"][2], 64) << "each lane of the first architectures for itself";
    }
}

TEST(Answer, DrawsAsManyLanesAsAreAskedFor) {
  const Json said = asked({{"access", "A[threadIdx.x]"}, {"lanes", 3}});
  EXPECT_EQ(said["instructions"][0]["picture"]["active"], 7);
  EXPECT_EQ(said["warp_cost"][0], 128) << "the costs are the warp's";
  EXPECT_EQ(asked({{"access", "A[threadIdx.x]"}, {"lanes", 0}})["instructions"][0]["picture"]["rows"].size(),
            0u);
}

TEST(Answer, OfACurveIsThatOfEachOfItsPoints) {
  Json question{{"do", "curve"},       {"access", "A[stride*threadIdx.x]"},
                {"set", {"stride=1"}}, {"vary", "stride"},
                {"from", 0},           {"to", 40},
                {"sms", {90, 13, 10}}};
  const Json curve = asked(question);
  ASSERT_EQ(curve["x"].size(), 41u);
  for (std::size_t i = 0; i < 41; i += 8) {
    question["do"] = "explain";
    question["set"] = {"stride=" + std::to_string(i)};
    const Json said = asked(question);
    for (const Json& row : curve["rows"]) {
      Json point = row["points"][i];
      point.erase(4); // instructions
      for (const Json& one : said["all"])
        if (one["sm"] == row["sm"]) {
          EXPECT_EQ(point, one["cost"]) << row["sm"] << ", stride " << i;
        }
    }
  }
}

TEST(Answer, OfACurveHasGapsWhereItCannotRun) {
  const Json curve = asked({{"do", "curve"},
                            {"access", "A[threadIdx.x]"},
                            {"vary", "@block.x"},
                            {"from", 0},
                            {"to", 2},
                            {"sms", {90}}});
  EXPECT_TRUE(curve["rows"][0]["points"][0].is_null()) << curve;
  EXPECT_FALSE(curve["rows"][0]["points"][1].is_null());
}

TEST(Answer, OpensEveryLesson) {
  const Json list = asked({{"do", "cases"}})["cases"];
  EXPECT_GT(list.size(), 20u);
  for (const Json& entry : list) {
    const Json lesson = asked({{"do", "case"}, {"name", entry["name"]}});
    ASSERT_FALSE(lesson["shots"].empty()) << entry;
    const explain::Case* found = explain::find_case(entry["name"].get<std::string>());
    const std::vector<explain::Frame> frames = found->shots();
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const Json said = asked(lesson["shots"][i]["asks"]);
      ASSERT_FALSE(said.contains("error")) << said["error"];
      EXPECT_EQ(said["warp"]["requests"], frames[i].explanation.warp.requests) << entry << ' ' << i;
      EXPECT_EQ(said["block_total"]["threads"], frames[i].explanation.block.threads) << entry << ' ' << i;
    }
    if (const std::string vary = lesson["vary"]; !vary.empty() && vary[0] != '@') {
      EXPECT_NE(lesson["shots"][0]["asks"]["set"].dump().find('"' + vary + '='), std::string::npos) << entry;
    }
  }
}

TEST(Answer, JudgesPtx) {
  const char* ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry f(.param .u64 f_param_0) {\n.reg .u32 %r<3>; .reg .u64 %d<4>; .reg .f32 %f<2>;\n"
      "ld.param.u64 %d1, [f_param_0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 64;\n"
      "add.u64 %d3, %d1, %d2;\nld.global.f32 %f1, [%d3];\nret;\n}\n";
  const Json said = asked({{"do", "check"}, {"ptx", ptx}, {"block", "32"}});
  ASSERT_EQ(said["accesses"].size(), 1u) << said;
  EXPECT_EQ(said["accesses"][0]["verdict"], "uncoalesced");
  EXPECT_EQ(said["accesses"][0]["cost"], "32 sectors");
  EXPECT_FALSE(said["accesses"][0]["fine"]);
  const Json wrong = asked({{"do", "check"}, {"ptx", "ld.global"}});
  EXPECT_EQ(wrong["error"]["line"], 1) << wrong;
  EXPECT_TRUE(asked({{"do", "check"}, {"ptx", ptx}, {"block", "0"}}).contains("error"));
}

TEST(Answer, NothingIsTooWrong) {
  for (const char* question :
       {"", "{", "[]", "null", "{}", "{\"do\":3}", "{\"do\":\"x\"}", "{\"access\":7}", "{\"access\":\"A[\"}",
        "{\"access\":\"A[0]\",\"set\":{}}", "{\"access\":\"A[0]\",\"set\":[1,[]]}",
        "{\"access\":\"A[0]\",\"sm\":-1}", "{\"access\":\"A[0]\",\"block\":\"0\"}",
        "{\"access\":\"A[0]\",\"warp\":18446744073709551615}",
        "{\"do\":\"curve\",\"access\":\"A[0]\",\"to\":18446744073709551615,\"sms\":[90,\"x\",-1,7]}",
        "{\"do\":\"type\",\"type\":\"struct{\"}", "{\"do\":\"pool\",\"pool\":\"\"}",
        "{\"do\":\"case\",\"name\":\"gather-shuffled\"}"}) {
    const Json said = Json::parse(answer(question), nullptr, false);
    EXPECT_TRUE(said.is_object()) << question;
  }
  EXPECT_EQ(asked({{"access", "A[y1]"}})["error"]["kind"], "explain-unknown-name");
  EXPECT_EQ(asked({{"access", "A[y1]"}})["error"]["column"], 3);
}

} // namespace
} // namespace warplens::playground
