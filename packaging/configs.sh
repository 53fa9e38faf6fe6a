#!/bin/sh
# Downloads the config.json of every model of the catalog with a hub id, for `cargo xtask models`:
#
#   packaging/configs.sh PROGRAM FOLDER
#
# Models that the hub does not have, or shows only to accounts, are skipped.
set -eu
program=$1 folder=$2
hub=${HF_ENDPOINT:-https://huggingface.co}

"$program" --no-config models -o json | jq -r '.results[].names[] | select(test("^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$"))' |
while read -r id; do
  mkdir -p "$folder/$id"
  curl --fail --silent --show-error --location --max-time 20 --max-filesize 1000000 \
    --output "$folder/$id/config.json" "$hub/$id/raw/main/config.json" || rm -rf "${folder:?}/$id"
done
