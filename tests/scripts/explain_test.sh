# warplens explain, as a user types it: answers, drawings, exit codes, bad input.
. "$(dirname "$0")/common.sh"

run "$warplens" explain --sm 70 --block 32,8 --set n=1024 'A[threadIdx.y*n + threadIdx.x]'
expect_code 0
expect_empty stderr
expect_in stdout 'yes: \(term independent of threadIdx.x\) \+ threadIdx.x'
expect_in stdout 'this warp +1 +1 +4 x 32 B +128 +128 +100%'
LC_ALL=C grep -q '[^ -~]' stdout && fail "a C locale is shown more than ASCII"

run env LC_ALL=C.UTF-8 "$warplens" explain 'A[threadIdx.x]'
expect_in stdout '4 × 32 B'
expect_not_in stdout "$(printf '\033')"

run "$warplens" explain --json --type 'struct{float x,y,z;}' 'p[threadIdx.x].y' --svg drawing.svg
expect_code 0
expect_json stdout 'r["warp"]["sectors"]' 12
expect_json stdout '[f["after"] for f in r["fixes"] if f["rule"] == "uncoalesced-load" and f["title"].startswith("One array")]' '[32]'
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("drawing.svg")' || fail "the drawing is not XML"

run "$warplens" explain --case
expect_code 0
for name in $(sed -n 's/^  \([a-z][a-z0-9.-]*\) .*/\1/p' stdout); do
  "$warplens" explain --case "$name" --svg case.svg >/dev/null || fail "case $name"
  python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("case.svg")' || fail "the drawing of $name is not XML"
  "$warplens" explain --case "$name" --json | python3 -c 'import json,sys; json.load(sys.stdin)' || fail "the JSON of $name"
done

# Bursts of device memory stand for transactions; other architectures have nothing to do with them.
run "$warplens" explain --burst 64 'A[2*threadIdx.x]'
expect_code 0
expect_in stdout '4 bursts of 64 bytes = 256 moved, 128 asked for: 50%'
expect_not_in stdout 'on each architecture'
run "$warplens" explain --burst 128 'A[threadIdx.x]'
expect_not_in stdout 'lost to where they start'
for wrong in "--burst 3" "--burst 64 --space shared"; do
  run "$warplens" explain $wrong 'A[threadIdx.x]'
  expect_code 2
  expect_in stderr 'power of two'
done

# A built-in case as a page.
run "$warplens" explain --case matmul-b --html case.html
expect_code 0
expect_in case.html '<svg'
expect_in case.html 'Matrix multiply'

# What a profiler's counter means, and a value of it.
run "$warplens" explain --counter smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio 9.1
expect_code 0
expect_in stdout 'value: 28.44% of what is moved was asked for'
expect_in stdout 'in WarpLens: bytes_used / sectors'
run "$warplens" explain --counter 'sectors per request'
expect_code 2
expect_in stderr "did you mean 'l1tex__average_t_sectors_per_request'"
run "$warplens" explain 'img[3*i+c]' # a letter is no mistyped other letter
expect_in stderr 'give it one: --set c=1024'
run "$warplens" explain --counter "Uncoalesced Global Accesses" --json
expect_json stdout 'r["warplens"]' 'sectors - ideal_sectors'
# Our own numbers, too: all that the page of metrics names.
for name in excess $(sed -n '/^| count/,/^$/s/^| \(`.*`\) |.*/\1/p' "$source_dir/docs/look-up/metrics.md" | cut -d'|' -f1 | tr -d '`,'); do
  run "$warplens" explain --counter "$name"
  expect_code 0
done
run "$warplens" explain --counter excess
expect_in stdout 'DRAM'
run "$warplens" explain --counter gld_efficency
expect_code 2
expect_in stderr "did you mean 'gld_efficiency'"
run "$warplens" explain --counter gld_efficiency much
expect_code 2
expect_in stderr 'not a number'

# The layout that is advised, in JSON too.
run "$warplens" explain --json --pool 'float a[100]; char flags[30]; double b[10]'
expect_json stdout '[a["segment_offset"] for a in r["arrays"]]' '[0, 512, 640]'

run "$warplens" explain --pool 'float a[101]; double b[10]'
expect_code 1
expect_in stdout '4 past a multiple of 8: start at 408'

run "$warplens" explain --base 2 'A[threadIdx.x]'
expect_code 1
expect_in stderr 'cudaErrorMisalignedAddress'

# What courses call the parts of an index, and how sources spell an access.
run "$warplens" explain 'A[Row*16 + Col]'
expect_in stdout 'assumed: Row = blockIdx.y\*blockDim.y \+ threadIdx.y, Col = blockIdx.x'
run "$warplens" explain --set tid=1024 'A[tid]'
expect_not_in stdout 'assumed'
sectors() { # EXPECTED, ARGUMENTS…
  expected=$1
  shift
  run "$warplens" explain --json "$@"
  expect_code 0
  expect_json stdout 'r["warp"]["sectors"]' "$expected"
}
sectors 4 '__ldg(&A[tid])'
sectors 4 '*(A + threadIdx.x)'
sectors 8 'float v = A[2*i];'
sectors 4 'C[idx] += 3'
sectors 16 '((float4*)A)[i]'
sectors 8 'reinterpret_cast<const float2*>(this->buf)[threadIdx.x].x'
sectors 16 --type half '*(uint4*)(A + (tid & 15)*16 + (tid >> 4)*8)'
sectors 32 'A[threadIdx.x * sizeof(double)]'
sectors 4 'atomicAdd(&h[static_cast<int>(threadIdx.x)], 1)'
sectors 8 'atomicAdd(&((double*)s)[lane], 1)'
sectors 8 --type cuComplex 'A[tid]'
sectors 2 --type __nv_bfloat16 'A[tid]'
run "$warplens" explain --sm 10 --block 16 --if 'threadIdx.x != 3' 'A[threadIdx.x]'
expect_in stdout '^[^ ]+ coalesced'
run "$warplens" explain --space shared 's[3*tid]'
expect_in stdout 'Do lanes want different words of one bank'
run "$warplens" explain --space shared --block 32,32 --set pad=2 'tile[threadIdx.x*(32+pad) + threadIdx.y]'
expect_in stdout 'tile\[threadIdx.y [+] threadIdx.x\*pad [+] 33\*threadIdx.x\]'
run "$warplens" explain --set width=1000 --block 32,8 'A[width*threadIdx.y + threadIdx.x]'
expect_in stdout 'from 14'

refused() { # KIND OF MESSAGE, ARGUMENTS…
  message=$1
  shift
  run "$warplens" explain "$@"
  expect_code 2
  expect_in stderr "$message"
  expect_empty stdout
}
# Every spelling that is proposed is one that is answered.
proposed() { # WORDS…
  run "$warplens" explain "$@"
  expect_code 2
  sed -n "s/^ *help: //p" stderr | grep -o -e "--set '[^']*'" -e "--set [^ ,']*=[^ ,']*" -e "'[^']*'" >spellings
  [ -s spellings ] || fail "nothing is proposed for $*"
  while read -r spelling; do
    case $spelling in
    --set*) eval "run \"\$warplens\" explain $spelling \"\$@\"" ;;
    *) eval "run \"\$warplens\" explain $spelling" ;;
    esac
    expect_code 0
  done <spellings
}
proposed 'C[i] = A[i] + B[i]'
proposed 'x = A[tid] * 0.5f + B[j[tid]]'
proposed '*p = A[i]'
proposed 'C[row] += v[col] * A[row]'
proposed 'A[m]'
proposed 'A[m + threadIdx.x]'
proposed 'kernel.ptx'
proposed 'tl.load(x + i)'
run "$warplens" explain 'const float A[threadIdx.x]'
expect_in stdout '^A\[threadIdx\.x\] +float, 4 bytes, load from global'
run "$warplens" explain '__shared__ double s[threadIdx.x]'
expect_in stdout '^s\[threadIdx\.x\] +double, 8 bytes, load from shared'
for literal in 2 10; do
  run "$warplens" explain "A[$literal^threadIdx.x]"
  expect_code 0
  expect_in stderr 'exclusive or'
done
run "$warplens" explain 'A[3^threadIdx.x]'
expect_not_in stderr 'exclusive or'
refused "there is no expression"
refused "expected ']'" 'A[threadIdx.x'
refused "'m' has no value" 'A[m]'
refused "these are two" 'C[i] = A[i]'
refused "these are several" 'C[i] = A[i] + B[i]'
refused "did you mean threadIdx" 'A[threadidx.x]'
refused "did you mean blockDim" 'A[blockIdx.x*BlockDim.x]'
refused "'1.5' is not an integer" 'A[threadIdx.x*1.5]'
refused "expected an operator before 'A'" 'banana A[i]'
refused "a file's name" kernels/matmul.ptx
refused "this is Triton's" 'tl.load(x + i, mask=i < n)'
refused "is used before it is set" --set row=tid*2 --set tid=5 'A[row]'
refused "is not known" 'p->x'
refused "'B' has no value" '((B + 1))[tid]'
refused "an array is no element" --type 'float[4]' 'A[i]'
refused "unknown type" 'A[sizeof(banana)]'
refused "expected" 'A[sizeof(int]'
refused "expected" 'A[static_cast<int>]'
refused "divides by zero" --set n=0 'A[threadIdx.x / n]'
refused "overflows int" 'A[2147483647 + 1]'
refused "unknown compute capability '42'" --sm 42 'A[0]'
refused "unknown compute capability 'banana'" --sm banana 'A[0]'
refused "cannot be launched" --block 0 'A[0]'
refused "cannot be launched" --block 1025 'A[0]'
refused "compute capability 1.0: a block has at least 1 and at most 512" --sm 10 --block 1024 'A[0]'
refused "a grid has at least 1 and at most 65535" --sm 20 --block 1024 --grid 65536 'A[0]'
refused "not a list" --block 32,x 'A[0]'
refused "unknown type" --type banana 'A[0]'
refused "no 'banana'" --space banana 'A[0]'
refused "texture, surface" --space banana 'A[0]'
refused "wt, nc, volatile" --cache banana 'A[0]'
refused "no case 'banana'" --case banana
refused "cannot write" --svg /nonexistent/drawing.svg 'A[0]'
refused "nested more than" "$(python3 -c 'print("(" * 1500)')"
refused "more than 2000" "$(python3 -c 'print("1+" * 50000 + "1")')"
