// cuSPARSE's sparse vectors: described, and taken together with dense ones. Elements that an index names twice are computed one
// after the other; on a GPU either comes out.
#include "libraries/sparse.h"
#include <fmt/format.h>

namespace warplens::runtime {
namespace {

std::vector<Operand> both(const SparseVector& x, const DenseVector& y,
                          std::initializer_list<Operand> more = {}) {
  std::vector<Operand> out = operands_of(x);
  out.push_back(operand(y));
  out.insert(out.end(), more);
  return out;
}

// What is wrong with vectors of a call, or not covered.
int check(const char* name, const SparseVector& x, const DenseVector& y) {
  if (x.size != y.size) return sparse_invalid_value;
  if (known_type(x.type) && x.type == y.type) return sparse_success;
  library_gap(fmt::format("{} of mixed or narrow types", name));
  return sparse_not_supported;
}

// Elements of any type, from the one vector to the other.
int move(const char* name, SparseHandle* h, const SparseVector* x, const DenseVector* y, bool to_sparse) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, x, y)) return bad;
  const u64 bytes = value_bytes(x->type);
  if (bytes == 0 || x->type != y->type || x->size != y->size) return sparse_invalid_value;
  return sparse_status(library_call(name, h->stream, both(*x, *y), [=, x = *x, y = *y] {
    return each_element(x, [&](i64 index, i64 i) {
      std::byte *sparse = static_cast<std::byte*>(x.values) + static_cast<u64>(i) * bytes,
                *dense = static_cast<std::byte*>(y.values) + static_cast<u64>(index) * bytes;
      std::copy_n(to_sparse ? dense : sparse, bytes, to_sparse ? sparse : dense);
    });
  }));
}

} // namespace

extern "C" {

int cusparseCreateSpVec(SparseVector** out, i64 size, i64 count, void* indices, void* values, int index_type,
                        int base, int type) {
  const bool valid = size >= 0 && count >= 0 && is_index(index_type) && (base == 0 || base == 1);
  return valid ? create(out, SparseVector{size, count, indices, values, index_type, base, type})
               : sparse_invalid_value;
}
int cusparseDestroySpVec(SparseVector* v) { return destroy(v); }
int cusparseSpVecGet(SparseVector* v, i64* size, i64* count, void** indices, void** values, int* index_type,
                     int* base, int* type) {
  if (!size || !count || !indices || !values || !index_type || !base || !type) return sparse_invalid_value;
  return with(v, [&](SparseVector& known) {
    *size = known.size, *count = known.count, *indices = known.indices, *values = known.values;
    *index_type = known.index_type, *base = known.base, *type = known.type;
  });
}
int cusparseSpVecGetIndexBase(SparseVector* v, int* base) { return get(v, &SparseVector::base, base); }
int cusparseSpVecGetValues(SparseVector* v, void** values) { return get(v, &SparseVector::values, values); }
int cusparseSpVecSetValues(SparseVector* v, void* values) { return set(v, &SparseVector::values, values); }

// y = alpha x + beta y.
int cusparseAxpby(SparseHandle* h, const void* alpha, const SparseVector* x, const void* beta,
                  const DenseVector* y) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, x, y)) return bad;
  if (!alpha || !beta) return sparse_invalid_value;
  if (int bad = check("cusparseAxpby", *x, *y)) return bad;
  return sparse_status(library_call(
      "cusparseAxpby", h->stream, both(*x, *y, {scalar(*h, alpha, x->type), scalar(*h, beta, x->type)}),
      [x = *x, y = *y, p = SparseScalar(*h, x->type, alpha), q = SparseScalar(*h, x->type, beta)] {
        return of_type(x.type, [&](auto zero) {
          using T = decltype(zero);
          const T a = p.get<T>(), b = q.get<T>();
          const T* from = static_cast<const T*>(x.values);
          T* to = static_cast<T*>(y.values);
          for (i64 i = 0; i < y.size; ++i) to[i] = b == T{} ? T{} : b * to[i];
          return each_element(x, [&](i64 index, i64 i) { to[index] += a * from[i]; });
        });
      }));
}

int cusparseGather(SparseHandle* h, const DenseVector* y, const SparseVector* x) {
  return move("cusparseGather", h, x, y, true);
}
int cusparseScatter(SparseHandle* h, const SparseVector* x, const DenseVector* y) {
  return move("cusparseScatter", h, x, y, false);
}

// x = c x + s y, y = c y - s x, where x has elements.
int cusparseRot(SparseHandle* h, const void* c, const void* s, const SparseVector* x, const DenseVector* y) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, x, y)) return bad;
  if (!c || !s) return sparse_invalid_value;
  if (int bad = check("cusparseRot", *x, *y)) return bad;
  return sparse_status(
      library_call("cusparseRot", h->stream, both(*x, *y, {scalar(*h, c, x->type), scalar(*h, s, x->type)}),
                   [x = *x, y = *y, p = SparseScalar(*h, x->type, c), q = SparseScalar(*h, x->type, s)] {
                     return of_type(x.type, [&](auto zero) {
                       using T = decltype(zero);
                       const T cosine = p.get<T>(), sine = q.get<T>();
                       return each_element(x, [&](i64 index, i64 i) {
                         T &sparse = static_cast<T*>(x.values)[i], &dense = static_cast<T*>(y.values)[index];
                         const T before = sparse;
                         sparse = cosine * before + sine * dense;
                         dense = cosine * dense - sine * before;
                       });
                     });
                   }));
}

int cusparseSpVV_bufferSize(SparseHandle*, int, const SparseVector*, const DenseVector*, const void*, int,
                            std::size_t* bytes) {
  return tell_room(bytes);
}
// The sum of the products, where the mode says.
int cusparseSpVV(SparseHandle* h, int op, const SparseVector* x, const DenseVector* y, void* result, int,
                 void*) {
  std::lock_guard lock(Runtime::get().mutex);
  if (int bad = unless_known(h, x, y)) return bad;
  if (!result || op < 0 || op > 2) return sparse_invalid_value;
  if (int bad = check("cusparseSpVV", *x, *y)) return bad;
  return sparse_status(library_call(
      "cusparseSpVV", h->stream, both(*x, *y, {scalar(*h, result, x->type)}), [=, x = *x, y = *y] {
        return of_type(x.type, [&](auto zero) {
          using T = decltype(zero);
          Wide<T> sum{};
          cudaError_t error = each_element(x, [&](i64 index, i64 i) {
            sum += turned(Wide<T>(static_cast<const T*>(x.values)[i]), op == 2) *
                   Wide<T>(static_cast<const T*>(y.values)[index]);
          });
          if (error == cudaSuccess) *static_cast<T*>(result) = T(sum);
          return error;
        });
      }));
}

} // extern "C"
} // namespace warplens::runtime
