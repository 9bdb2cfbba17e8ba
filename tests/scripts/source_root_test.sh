# Source lines are quoted from the program's own folders alone: line information can name any file. --source-root allows
# more; the report says what it does not show.
. "$(dirname "$0")/common.sh"
mkdir -p project/src elsewhere
echo 'a secret line' >elsewhere/secret.txt
sed "/data\[i\] =/i #line 1 \"$scratch/elsewhere/secret.txt\"" "$source_dir/tests/scripts/programs/scale.cu" >project/src/named.cu
cp "$source_dir/tests/scripts/programs/scale.cu" project/src/plain.cu
mkdir project/build
cd project/build

run "$warplens" run --lines --compiler clang ../src/plain.cu
expect_code 0
expect_in stderr 'plain.cu:6 .*data\[i\] \* factor'
expect_not_in stderr 'source-root'

run "$warplens" run --lines --compiler clang ../src/named.cu
expect_code 0
expect_not_in stderr 'a secret line'
expect_in stderr "secret.txt' are not shown"
expect_in stderr "source-root $scratch/elsewhere"

run "$warplens" run --lines --compiler clang --source-root "$scratch/elsewhere" ../src/named.cu
expect_code 0
expect_in stderr 'a secret line'
expect_not_in stderr 'not shown'

# A saved report quotes what ran, in another tree too, whose file of that name is another.
run "$warplens" run --compiler clang --json "$scratch/saved.json" ../src/plain.cu
expect_code 0
mkdir -p "$scratch/other/src"
sed 's/factor/another/g' ../src/plain.cu >"$scratch/other/src/plain.cu"
cd "$scratch/other"
run "$warplens" report --lines "$scratch/saved.json"
expect_code 0
expect_in stdout 'plain.cu:6 .*data\[i\] \* factor'
expect_not_in stdout 'another'
