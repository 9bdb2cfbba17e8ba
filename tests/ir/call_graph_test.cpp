// Who may call whom, on a module that is put together by hand: kernels k and m; k calls a, a calls b and
// itself; m calls through a pointer; the address of c is taken by an instruction of k, that of d by a
// variable; e is only declared, and f is nobody's.
#include "ir/call_graph.h"
#include <gtest/gtest.h>

namespace warplens::ir {
namespace {

enum : u32 { k, m, a, b, c, d, e, f, functions };

class Builder {
public:
  Module module;
  Builder() {
    for (const char* text : {"call", "mov.u64"}) module.forms.push_back(*parse_form(text));
    module.functions.resize(functions);
    for (u32 i = 0; i < functions; ++i) module.functions[i].name = std::string(1, "kmabcdef"[i]);
    module.functions[k].entry = module.functions[m].entry = true;
    module.functions[e].external = true;
  }
  static Operand function(u32 id) {
    Operand o;
    o.kind = Operand::Kind::function;
    o.function = FunctionId(id);
    return o;
  }
  static Operand reg() {
    Operand o;
    o.kind = Operand::Kind::reg;
    o.reg = RegisterId(u32{0});
    return o;
  }
  void call(u32 from, const std::vector<Operand>& sources) { add(from, 0, {}, sources); }
  void move(u32 in, u32 id) { add(in, 1, {reg()}, {function(id)}); }
  std::vector<u32> reach(u32 root) const {
    std::vector<u32> out;
    for (FunctionId id : reachable(module, FunctionId(root)).functions) out.push_back(id.value);
    return out;
  }

private:
  void add(u32 to, u32 form, const std::vector<Operand>& destinations, const std::vector<Operand>& sources) {
    Function& function = module.functions[to];
    Instruction& i = function.instructions.emplace_back();
    i.form = FormId(form);
    i.first_operand = static_cast<u32>(function.operands.size());
    i.destinations = static_cast<u8>(destinations.size());
    i.sources = static_cast<u8>(sources.size());
    for (const auto* list : {&destinations, &sources})
      function.operands.insert(function.operands.end(), list->begin(), list->end());
  }
};

Builder example() {
  Builder out;
  out.move(k, c);
  out.call(k, {Builder::function(a)});
  out.call(k, {Builder::function(e)});
  out.call(a, {Builder::function(b)});
  out.call(a, {Builder::function(a)});
  out.call(m, {Builder::reg()});
  Variable& table = out.module.variables.emplace_back();
  table.relocations.push_back({.function = FunctionId(u32{d})});
  table.relocations.push_back({.offset = 8, .function = FunctionId(u32{k})}); // launched, never called
  return out;
}

TEST(CallGraph, DirectCallsReachWhatTheyName) {
  Builder graph = example();
  EXPECT_EQ(graph.reach(k), (std::vector<u32>{k, a, b})) << "an address that is taken is not a call yet";
  EXPECT_EQ(graph.reach(b), (std::vector<u32>{b}));
  EXPECT_FALSE(reachable(graph.module, FunctionId(u32{k})).indirect);
  Callees calls = callees(graph.module, graph.module.functions[k]);
  EXPECT_EQ(calls.direct, (std::vector<FunctionId>{FunctionId(u32{a}), FunctionId(u32{e})}));
  EXPECT_FALSE(calls.indirect);
}

TEST(CallGraph, PointersReachEveryFunctionWhoseAddressIsTaken) {
  Builder graph = example();
  EXPECT_EQ(graph.reach(m), (std::vector<u32>{m, c, d})) << "k took the address of c, a variable that of d";
  EXPECT_TRUE(reachable(graph.module, FunctionId(u32{m})).indirect);
  graph.call(b, {Builder::reg()});
  EXPECT_EQ(graph.reach(k), (std::vector<u32>{k, a, b, c, d}))
      << "a callee of a callee goes through a pointer";
  graph.call(c, {Builder::reg(), Builder::function(f)}); // passes f on
  EXPECT_EQ(graph.reach(m), (std::vector<u32>{m, c, f, d}));
}

} // namespace
} // namespace warplens::ir
