// Graphs of work: nodes with dependencies, their copies that can be launched, and who owns what.
//
// A graph is what the program builds, by functions or by capturing streams; instantiating it makes a copy (GraphExec) that
// later changes to the graph do not reach. A node of a copy remembers the node that it was made of, by which the program
// names it. Work runs one piece after the other: of nodes that do not depend on each other, in the order in which they were
// made.
//
// Programs may hand over anything as a handle: those of objects that live are kept in sets. All of this is used with the
// runtime's lock held.
#pragma once
#include "runtime/work.h"
#include <memory>

namespace warplens::runtime {

struct Edge {
  GraphNode* from = nullptr;
  cudaGraphEdgeData data{};
};

struct GraphNode {
  GraphNode(Graph* owner, Work what);
  ~GraphNode();
  GraphNode(const GraphNode&) = delete;
  GraphNode& operator=(const GraphNode&) = delete;
  Graph* graph;
  Work work;
  std::vector<Edge> dependencies;
  const GraphNode* original = nullptr; // of a copy
  bool enabled = true;                 // of a copy: what is not does nothing
};

struct Graph : std::enable_shared_from_this<Graph> {
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  std::vector<std::unique_ptr<GraphNode>> nodes; // in the order in which they were made
  std::map<UserObject*, unsigned> objects;       // references that it holds
  u64 id;

  // Dependencies have to be nodes of this graph, each once; cudaErrorInvalidValue otherwise.
  ResultOr<GraphNode*, cudaError_t> add(Work, std::span<GraphNode* const> dependencies,
                                        const cudaGraphEdgeData* = nullptr);
  void remove(GraphNode*);
  std::vector<Edge> dependents(const GraphNode*) const; // `from`: the dependent node
  // Each node after what it depends on; nothing where they depend on each other in a circle.
  std::optional<std::vector<GraphNode*>> order() const;
  std::shared_ptr<Graph> copy() const;
  GraphNode* copy_of(const GraphNode* original) const; // also in child graphs; null: there is none
};

struct GraphExec {
  std::shared_ptr<Graph> graph;
  u64 flags = 0;
};

// The graph's work in order, with that of its child graphs in their place; what it allocates is free again where the launch
// says so.
void collect_work(const Graph&, bool free_first, std::vector<Work>& out);

bool exists(const Graph*);
bool exists(const GraphNode*);
bool exists(const GraphExec*);

std::map<Graph*, std::shared_ptr<Graph>>& graphs(); // that the program owns
Handles<GraphExec>& graph_execs();

// References to a user's object (user_object.cpp).
void keep_user_objects(); // those that graphs refer to live longer than they
void retain(UserObject*, unsigned count);
void release(UserObject*, unsigned count);

} // namespace warplens::runtime
