#!/bin/sh
# One event from the embedded log through every table that it belongs to, in a folder of its own.
# Needs `weir` on the path, or in WEIR.
set -eu
weir=${WEIR:-weir}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cp "$here/local.yaml" "$here/shop_event.yaml" "$folder"
"$weir" produce -c "$folder/local.yaml" < "$here/one_event.ndjson"
"$weir" run -c "$folder/local.yaml" --once
"$weir" verify -c "$folder/local.yaml"
