#!/bin/sh
# Plants stages and looks at what tools/stages.sh measures: processor time of children counts, waiting does not, -e holds inside
# a stage, and a stage without a budget is refused. Under sh and under bash, since both read that file.
set -eu
root=$1
cd "$root"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf 'burns 0\nroomy 60\nwaits 0\nfails 60\n' >"$folder/budgets.txt"

cat >"$folder/plant" <<'EOF'
. tools/stages.sh
folder=$1
# More than half a second of the processor, which counts as one, in a child of the stage's shell.
burns() { python3 -c 'import time
while time.process_time() < 0.8: pass'; }
fails() { false; : >"$folder/went_on"; }
look() { # STAGE FUNCTION EXIT-STATUS OVER
  run_stage "$1" "$folder/log" "$2"
  [ "$stage_status" = "$3" ] && [ "$stage_over" = "$4" ] || {
    echo "stage $1: exit status $stage_status, over budget '$stage_over' with $stage_processor s of $stage_budget s"
    exit 1
  }
}
waits() { sleep 1; }
set -e
look burns burns 0 yes
look roomy burns 0 ''
look waits waits 0 ''
look fails fails 1 ''
[ ! -e "$folder/went_on" ] || { echo "a stage went on after a command that failed"; exit 1; }
! (run_stage unknown - true) 2>"$folder/log" && grep -q 'no budget for the stage unknown' "$folder/log"
EOF

for shell in sh bash; do
  DOJIMA_BUDGETS=$folder/budgets.txt "$shell" "$folder/plant" "$folder" || { echo "wrong under $shell"; exit 1; }
done
# Every stage that there is has a budget.
for stage in setup test $(sed -n "s/^stages='\(.*\)'/\1/p" dev); do
  grep -q "^$stage  *[0-9][0-9]*\$" tools/budgets.txt || { echo "tools/budgets.txt has no line for $stage"; exit 1; }
done
echo 'stages over their budget are found, others are not'
