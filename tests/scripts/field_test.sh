# What people asked about in public threads (tests/field/cases.tsv): the answer that each gets is the one that was found to be right.
. "$(dirname "$0")/common.sh"
python3 "$source_dir/tests/scripts/field.py" "$warplens" "$source_dir/tests/field" >stdout 2>stderr || fail "a verdict is not as it should be"
