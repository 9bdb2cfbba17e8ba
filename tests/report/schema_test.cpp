// The published schema against the golden document, by a validator of the keywords that the schema uses.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace warplens::report {
namespace {

using nlohmann::json;

json read(const std::string& path) {
  std::ifstream in(path);
  return json::parse(in);
}

bool has_type(const json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  return type == (value.is_number() ? "number" : value.type_name());
}

struct Validator {
  const json& root;
  std::vector<std::string> errors;

  void check(const json& value, const json& schema, const std::string& path) {
    if (schema.contains("$ref"))
      return check(value, root.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1))), path);
    if (schema.contains("type")) {
      json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
      if (std::none_of(types.begin(), types.end(), [&](const json& t) { return has_type(value, t); }))
        errors.push_back(path + ": type");
    }
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      errors.push_back(path + ": not in enum");
    if (schema.contains("minimum") && value.is_number() &&
        value.get<double>() < schema["minimum"].get<double>())
      errors.push_back(path + ": minimum");
    if (value.is_object()) check_object(value, schema, path);
    if (value.is_array()) check_array(value, schema, path);
  }
  void check_object(const json& value, const json& schema, const std::string& path) {
    for (const json& key : schema.value("required", json::array()))
      if (!value.contains(key.get<std::string>()))
        errors.push_back(path + ": lacks " + key.get<std::string>());
    json properties = schema.value("properties", json::object());
    for (const auto& [key, member] : value.items()) {
      if (properties.contains(key))
        check(member, properties[key], path + '/' + key);
      else if (schema.contains("additionalProperties"))
        check(member, schema["additionalProperties"], path + '/' + key);
      else if (schema.contains("properties"))
        errors.push_back(path + ": " + key + " is not in the schema"); // stricter than readers are
    }
  }
  void check_array(const json& value, const json& schema, const std::string& path) {
    if (value.size() < schema.value("minItems", 0u) || value.size() > schema.value("maxItems", ~0u))
      errors.push_back(path + ": length");
    for (std::size_t i = 0; schema.contains("items") && i < value.size(); ++i)
      check(value[i], schema["items"], path + '/' + std::to_string(i));
  }
};

std::vector<std::string> validate(const json& document) {
  json schema = read(WARPLENS_SOURCE_DIR "/docs/schema/run-1.schema.json");
  Validator validator{schema, {}};
  validator.check(document, schema, "");
  return validator.errors;
}

TEST(Schema, TheGoldenDocumentFollowsIt) {
  for (const std::string& error : validate(read(WARPLENS_TEST_DATA "/run.json"))) ADD_FAILURE() << error;
}

TEST(Schema, BrokenDocumentsDoNot) {
  json good = read(WARPLENS_TEST_DATA "/run.json");
  auto broken = [&](const char* pointer, json value) {
    json document = good;
    document[json::json_pointer(pointer)] = std::move(value);
    EXPECT_FALSE(validate(document).empty()) << pointer;
  };
  broken("/schema", 2);
  broken("/launches/0/status", "fine");
  broken("/launches/0/grid", {1, 2});
  broken("/launches/0/sites/0/sectors", "many");
  broken("/launches/0/sites/0/by_sm/20/tags", -1);
  broken("/kernels/0/accesses/0/advice", 3);
}

} // namespace
} // namespace warplens::report
