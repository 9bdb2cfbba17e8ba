// See graph.h.
#include "runtime/graphs/graph.h"
#include "runtime/capture.h"
#include <algorithm>

namespace warplens::runtime {
namespace {

// They outlive the program's atexit handlers.
std::set<const Graph*>& known_graphs() { return of_device<std::set<const Graph*>>(); }
std::set<const GraphNode*>& known_nodes() { return of_device<std::set<const GraphNode*>>(); }

} // namespace

std::map<Graph*, std::shared_ptr<Graph>>& graphs() {
  return of_device<std::map<Graph*, std::shared_ptr<Graph>>>();
}
Handles<GraphExec>& graph_execs() { return of_device<Handles<GraphExec>>(); }

bool exists(const Graph* graph) { return known_graphs().contains(graph); }
bool exists(const GraphNode* node) { return known_nodes().contains(node); }
bool exists(const GraphExec* exec) { return graph_execs().contains(exec); }

GraphNode::GraphNode(Graph* owner, Work what) : graph(owner), work(std::move(what)) {
  known_nodes().insert(this);
}
GraphNode::~GraphNode() { known_nodes().erase(this); }

Graph::Graph() {
  static u64 last_id = 0;
  id = ++last_id;
  known_graphs().insert(this);
  keep_user_objects(); // they go after graphs, which release them
}
Graph::~Graph() {
  known_graphs().erase(this);
  for (auto [object, count] : objects) release(object, count);
}

ResultOr<GraphNode*, cudaError_t> Graph::add(Work work, std::span<GraphNode* const> dependencies,
                                             const cudaGraphEdgeData* data) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    GraphNode* from = dependencies[i];
    auto is_known = [&](const Edge& edge) { return edge.from == from; };
    if (!exists(from) || from->graph != this || std::any_of(edges.begin(), edges.end(), is_known))
      return failure(cudaErrorInvalidValue);
    edges.push_back({from, data ? data[i] : cudaGraphEdgeData{}});
  }
  nodes.push_back(std::make_unique<GraphNode>(this, std::move(work)));
  nodes.back()->dependencies = std::move(edges);
  return nodes.back().get();
}

void Graph::remove(GraphNode* node) {
  for (const auto& other : nodes)
    std::erase_if(other->dependencies, [&](const Edge& edge) { return edge.from == node; });
  std::erase_if(nodes, [&](const auto& other) { return other.get() == node; });
}

std::vector<Edge> Graph::dependents(const GraphNode* node) const {
  std::vector<Edge> out;
  for (const auto& other : nodes)
    for (const Edge& edge : other->dependencies)
      if (edge.from == node) out.push_back({other.get(), edge.data});
  return out;
}

std::optional<std::vector<GraphNode*>> Graph::order() const {
  std::map<const GraphNode*, std::size_t> number, waits_for;
  std::vector<std::vector<std::size_t>> then(nodes.size());
  std::set<std::size_t> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i) number[nodes[i].get()] = i;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    waits_for[nodes[i].get()] = nodes[i]->dependencies.size();
    for (const Edge& edge : nodes[i]->dependencies) then[number[edge.from]].push_back(i);
    if (nodes[i]->dependencies.empty()) ready.insert(i);
  }
  std::vector<GraphNode*> out;
  while (!ready.empty()) {
    const std::size_t next = *ready.begin();
    ready.erase(ready.begin());
    out.push_back(nodes[next].get());
    for (std::size_t i : then[next])
      if (--waits_for[nodes[i].get()] == 0) ready.insert(i);
  }
  return out.size() == nodes.size() ? std::optional(std::move(out)) : std::nullopt;
}

std::shared_ptr<Graph> Graph::copy() const {
  auto out = std::make_shared<Graph>();
  std::map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : nodes) {
    Work work = node->work;
    for (std::shared_ptr<Graph>& inner : inner_graphs(work)) inner = inner->copy();
    out->nodes.push_back(std::make_unique<GraphNode>(out.get(), std::move(work)));
    GraphNode* copied = out->nodes.back().get();
    copied->original = node.get();
    copied->enabled = node->enabled;
    copies[node.get()] = copied;
  }
  for (const auto& node : nodes)
    for (const Edge& edge : node->dependencies)
      copies[node.get()]->dependencies.push_back({copies[edge.from], edge.data});
  for (auto [object, count] : objects) {
    retain(object, count);
    out->objects[object] = count;
  }
  return out;
}

GraphNode* Graph::copy_of(const GraphNode* original) const {
  for (const auto& node : nodes) {
    if (node->original == original) return node.get();
    for (const std::shared_ptr<Graph>& inner : inner_graphs(node->work))
      if (GraphNode* found = inner->copy_of(original)) return found;
  }
  return nullptr;
}

} // namespace warplens::runtime
