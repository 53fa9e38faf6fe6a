#!/usr/bin/env bash
# Fills a template with a release: packaging/fill.sh TEMPLATE VERSION REPOSITORY SHA256SUMS. A sum that is missing is an error.
set -euo pipefail

template=$1 version=$2 repository=$3 sums=$4
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "error: '$version' is no version such as 0.1.0" >&2; exit 2; }

awk -v version="$version" -v repository="$repository" -v sums="$sums" '
  BEGIN {
    while ((getline line < sums) > 0) {
      split(line, word, /[ *]+/)
      sum[word[2]] = word[1]
    }
  }
  {
    gsub(/@VERSION@/, version)
    gsub(/@REPOSITORY@/, repository)
    gsub(/@RELEASES@/, repository "/releases/download/v" version)
    while (match($0, /@SUM:[^@]+@/)) {
      file = "sky-accel-" version "-" substr($0, RSTART + 5, RLENGTH - 6)
      if (sum[file] !~ /^[0-9a-f]+$/ || length(sum[file]) != 64) {
        print "error: " sums " has no sum of " file > "/dev/stderr"
        exit 2
      }
      $0 = substr($0, 1, RSTART - 1) sum[file] substr($0, RSTART + RLENGTH)
    }
    print
  }' "$template"
