#!/usr/bin/env bash
# Fails when no offer of SPEC costs at most MAX_PRICE, or MODEL does not fit on SPEC, and says so on the page of the job.
set -uo pipefail

read -ra offer_arguments <<< "${OFFER_ARGUMENTS:-}"
read -ra fit_arguments <<< "${FIT_ARGUMENTS:-}"
if [[ -n ${MAX_PRICE:-} ]]; then
  offer_arguments+=("--max-price=$MAX_PRICE")
fi
# A word that is no flag of ours must not become one.
spec=${SPEC:?the hardware, such as H100:x8}
answers=$(mktemp -d)
trap 'rm -rf "$answers"' EXIT

# What a marketplace calls its machines must not be read as a command to the runner.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')

# Runs a command, shows what it prints, and keeps it for the page of the job. The worst exit code counts.
worst=0
report() {
  local code=0
  "$@" > "$answers/page" 2> "$answers/talk" || code=$?
  echo "::stop-commands::$token"
  cat "$answers/page" "$answers/talk"
  echo "::$token::"
  {
    echo "\`$(printf '%q ' "$@" | tr -d '`')\` ended with $code"
    echo
    # Indented, it is text: nothing in it ends the block.
    sed 's/^/    /' "$answers/page" "$answers/talk"
    echo
  } >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
  if ((code > worst)); then
    worst=$code
  fi
  return "$code"
}

if report sky-accel resolve "${offer_arguments[@]}" -- "$spec"; then
  sky-accel resolve "${offer_arguments[@]}" --limit 1 --output json --quiet -- "$spec" |
    jq --raw-output '.results[0] |
      "provider=\(.provider | gsub("[[:cntrl:]]"; " "))",
      "instance-type=\(.instance_type | gsub("[[:cntrl:]]"; " "))",
      "usd-per-hour=\(.on_demand.usd_per_hour // .spot.usd_per_hour // "")"' >> "${GITHUB_OUTPUT:-/dev/null}"
else
  echo "::error title=sky-accel::no offer of this spec is as asked: the log says why"
fi
if [[ -n ${MODEL:-} ]] && ! report sky-accel fit "${fit_arguments[@]}" -- "$spec" "$MODEL"; then
  echo "::error title=sky-accel::the model does not fit on this spec: the log says why"
fi
exit "$worst"
