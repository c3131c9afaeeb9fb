# shellcheck shell=sh disable=SC2034  # those who read this file use what it sets
# Measures stages against their budgets, for ./dev check and .ci/run, which read this file with `.` in the repository's root.

# The processor time of this shell's children so far, in hundredths of a second, from what `times` wrote.
hundredths_of_children() { # FILE
  awk '{ gsub(",", ".") } NR == 2 { split($1, user, /[ms]/); split($2, kernel, /[ms]/)
                 printf "%d\n", (60 * (user[1] + kernel[1]) + user[2] + kernel[2]) * 100 }' "$1"
}

budget_of() { # STAGE
  awk -v stage="$1" '$1 == stage { print $2; found = 1 } END { exit !found }' "${DOJIMA_BUDGETS:-tools/budgets.txt}" || {
    printf '%s has no budget for the stage %s\n' "${DOJIMA_BUDGETS:-tools/budgets.txt}" "$1" >&2
    return 1
  }
}

# Runs the command in a subshell with -e of its own, its output in LOG if that is not `-`. Afterwards stage_status is its exit
# status, stage_wall and stage_processor are seconds, stage_budget is the budget, and stage_over is `yes` or nothing.
run_stage() { # STAGE LOG COMMAND...
  stage_budget=$(budget_of "$1") || exit 1
  stage_log=$2
  shift 2
  stage_times=$(mktemp)
  stage_begin=$(date +%s)
  # A file, since in $(times) a shell would speak of the children of that subshell.
  times >"$stage_times"
  stage_before=$(hundredths_of_children "$stage_times")
  case $- in *e*) stage_exits=yes ;; *) stage_exits= ;; esac
  # `if (...)` would switch -e off inside.
  set +e
  if [ "$stage_log" = - ]; then
    (set -e; "$@") 2>&1
  else
    (set -e; "$@") >"$stage_log" 2>&1
  fi
  stage_status=$?
  [ -z "$stage_exits" ] || set -e
  times >"$stage_times"
  stage_processor=$((($(hundredths_of_children "$stage_times") - stage_before + 50) / 100))
  rm -f "$stage_times"
  stage_wall=$(($(date +%s) - stage_begin))
  stage_over=
  if [ "$stage_processor" -gt "$stage_budget" ]; then stage_over=yes; fi
}
