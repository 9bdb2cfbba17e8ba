// User objects: what a program keeps alive for as long as graphs refer to it.
#include "runtime/graphs/graph.h"

namespace warplens::runtime {

struct UserObject {
  void* object;
  cudaHostFn_t destroy;
  unsigned references;
};

namespace {

Handles<UserObject>& objects() { return of_device<Handles<UserObject>>(); }

template <class Body> cudaError_t on_object(cudaUserObject_t object, unsigned count, Body&& body) {
  return api([&](Runtime&) -> cudaError_t {
    return objects().contains(object) && count != 0 ? body() : cudaErrorInvalidValue;
  });
}

} // namespace

void keep_user_objects() { objects(); }

void retain(UserObject* object, unsigned count) {
  if (objects().contains(object)) object->references += count;
}

void release(UserObject* object, unsigned count) {
  auto found = objects().find(object);
  if (found == objects().end()) return;
  if (object->references > count) {
    object->references -= count;
    return;
  }
  std::unique_ptr<UserObject> last = std::move(found->second);
  objects().erase(found);
  last->destroy(last->object);
}

extern "C" {

cudaError_t cudaUserObjectCreate(cudaUserObject_t* out, void* object, cudaHostFn_t destroy,
                                 unsigned references, unsigned) {
  return api([&](Runtime&) {
    if (!out || !destroy || references == 0) return cudaErrorInvalidValue;
    *out = objects().add({object, destroy, references});
    return cudaSuccess;
  });
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return on_object(object, count, [&] {
    retain(object, count);
    return cudaSuccess;
  });
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return on_object(object, count, [&] {
    if (count > object->references) return cudaErrorInvalidValue;
    release(object, count);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return on_object(object, count, [&] {
    constexpr unsigned move = 1; // the caller's references become the graph's
    if (!exists(graph) || flags > move) return cudaErrorInvalidValue;
    if (flags != move) retain(object, count);
    graph->objects[object] += count;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return on_object(object, count, [&] {
    if (!exists(graph) || graph->objects[object] < count) return cudaErrorInvalidValue;
    if ((graph->objects[object] -= count) == 0) graph->objects.erase(object);
    release(object, count);
    return cudaSuccess;
  });
}

} // extern "C"
} // namespace warplens::runtime
