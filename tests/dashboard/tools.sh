#!/bin/sh
# Puts what the dashboard's browser test needs besides Debian's chromium into build/dashboard_tools: Playwright's driver (PyPI) and
# axe-core (npm, MPL-2.0, for tests only). No browser is downloaded.
set -eu
cd "$(dirname -- "$0")/../.."
folder=build/dashboard_tools
axe_sum=e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745
mkdir -p "$folder"
[ -x "$folder/venv/bin/python" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q 'playwright==1.65.2'
if [ ! -f "$folder/axe.min.js" ]; then
  (cd "$folder" && npm pack --silent axe-core@4.14.1 >/dev/null && echo "$axe_sum  axe-core-4.14.1.tgz" | sha256sum --quiet -c)
  tar xzf "$folder/axe-core-4.14.1.tgz" -C "$folder" --strip-components=1 package/axe.min.js
fi
command -v chromium >/dev/null || echo "the test needs a browser as well: apt-get install chromium"
