// Conditional nodes: IF, WHILE and SWITCH over a value that a handle stands for. Kernels set it (cudaGraphSetConditional), and
// a launch of the graph, where its creator said so. The bodies are graphs that belong to the node and that the program fills.
#pragma once
#include "runtime/graphs/graph.h"

namespace warplens::runtime {

// The node's work from what the program says; tells it its graphs, as many as `size`.
Made conditional_work(cudaConditionalNodeParams*);

// Sets the values that a launch of the graph sets, those of nodes inside bodies too.
void assign_defaults(const Graph&);

// Runs the bodies as the value says. A loop whose body starts no kernel would never end: that is told of, and
// cudaErrorNotSupported.
cudaError_t perform_conditional(ConditionalWork&);

} // namespace warplens::runtime
