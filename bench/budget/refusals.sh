#!/bin/sh
# refusals.sh PROGRAM BASELINE: what `dojima-bench-budget` must refuse before it counts: one line on stderr with these
# words, exit status 2, nothing on stdout and no file.
set -u
program=$1
baseline=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wrong=0

refused() { # WORDS ARGUMENT...
  words=$1
  shift
  "$program" "$@" --json "$folder/result.json" --report "$folder/page.html" >"$folder/out" 2>"$folder/err"
  status=$?
  if [ "$status" -ne 2 ] || [ -s "$folder/out" ] || [ "$(wc -l <"$folder/err")" -ne 1 ] || ! grep -qF -e "$words" "$folder/err" ||
    [ -e "$folder/result.json" ] || [ -e "$folder/page.html" ]; then
    echo "not refused as it should be: $* (status $status, expected 2 and: $words)"
    cat "$folder/err"
    ls "$folder"
    wrong=1
    rm -f "$folder/result.json" "$folder/page.html"
  fi
}

sed 's/"compiler": ".*"/"compiler": "Other 1.0"/' "$baseline" >"$folder/compiler.json"
grep -v '"match":' "$baseline" >"$folder/stage.json"
echo '{' >"$folder/broken.json"
refused 'was counted with compiler "Other 1.0"' --check --baseline "$folder/compiler.json"
refused 'has no count of "match"' --check --baseline "$folder/stage.json"
refused 'is no JSON' --check --baseline "$folder/broken.json"
refused 'is no JSON' --baseline "$folder/broken.json"
refused 'cannot be read' --check --baseline "$folder/none.json"
refused '--renew writes the baseline and nothing else' --renew --baseline "$folder/new.json"
[ ! -e "$folder/new.json" ] || { echo "a baseline was written"; wrong=1; }
exit "$wrong"
