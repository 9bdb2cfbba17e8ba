# doctor says what is there, tries it, and says what is missing for what.
. "$(dirname "$0")/common.sh"
run "$warplens" doctor --json
cp stdout whole.json
expect_json whole.json 'r["tool"]["name"]' warplens
of() { json whole.json "[row[\"$2\"] for row in r[\"rows\"] if row[\"name\"] == \"$1\"][0]"; }
[ "$(of clang health)" = ok ] || skip "clang is not installed: $(of clang found)"
of clang found | grep -q 'a kernel was compiled and ran' || fail "clang was not tried: $(of clang found)"
expect_code 0

# Libraries that CUDA's are computed with are no must: what is missing comes with its package.
for row in BLAS LAPACK 'FFTW, float' 'FFTW, double'; do
  case "$(of "$row" health) $(of "$row" help)" in
  'ok ' | 'missing apt-get install lib'*) ;;
  *) fail "$row: $(of "$row" health), $(of "$row" help)" ;;
  esac
done

# Without any compiler: broken, with the command that installs one. PATH has what a shell needs.
mkdir empty
run env PATH="$scratch/empty" WARPLENS_CLANG=/none WARPLENS_NVCC=/none CUDA_HOME=/none CUDA_PATH=/none "$warplens" doctor
expect_code 1
expect_in stdout '^broken +clang +not found'
expect_in stdout 'help: apt-get install clang-19'
expect_in stdout 'keeps? WarpLens from working'

# A compiler that does not work is broken, whatever it says of itself.
printf '#!/bin/sh\ncase "$*" in *--version*) echo "clang version 19.1.7" ;; *) echo "error: no such header" >&2; exit 1 ;; esac\n' >empty/clang
chmod +x empty/clang
run env WARPLENS_CLANG="$scratch/empty/clang" "$warplens" doctor
expect_code 1
expect_in stdout '^broken +clang '
expect_in stdout 'no such header'

# Files that cannot go anywhere, and a limit.
run env TMPDIR=/proc/nowhere "$warplens" doctor
expect_code 1
expect_in stdout '^broken +temporary files '
(ulimit -f 1000 && "$warplens" doctor >limited || true)
expect_in limited '^missing +size of files +limited to 0 MiB'
run env WARPLENS_CACHE_SIZE=0 "$warplens" doctor
expect_in stdout '^missing +cache +switched off'
