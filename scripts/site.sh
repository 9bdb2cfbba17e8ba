#!/bin/sh
# The documents as a static site in build/site: search, light and dark, no network. Needs Debian's mkdocs and mkdocs-material.
# The material theme's Python package is not in Debian, only its files, which is all that is used.
set -eu
cd "$(dirname "$0")/.."
command -v mkdocs >/dev/null || { echo "install mkdocs and mkdocs-material"; exit 2; }
mkdocs build --quiet --strict --config-file scripts/site.yml
echo "the site is in build/site: open build/site/index.html"
