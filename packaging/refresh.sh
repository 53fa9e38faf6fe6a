#!/bin/sh
# Refreshes a folder of catalog updates, and writes the differences in words:
#
#   packaging/refresh.sh PROGRAM FOLDER WORDS
#
# Providers that fail keep their old rows. Fails if no provider answered, or if the refreshed catalog has a fault.
set -eu
program=$1 folder=$2 words=$3

code=0
"$program" --no-config catalog update --public --from providers,gpuhunt --into "$folder" || code=$?
# 5: some providers failed.
[ "$code" -eq 0 ] || [ "$code" -eq 5 ] || exit "$code"
"$program" --no-config catalog verify "$folder"
"$program" --no-config catalog diff "$folder" > "$words"
