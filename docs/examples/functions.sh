#!/usr/bin/env bash
#
# From a few lines of Python to an address that answers, through the API, with curl and jq: a layer built from requirements, a
# function that uses it, an error with its stack, the way back to the version before, events that are queued, logs, an
# address with a token, and a bill that counts each start once. Deletes everything, until the quota is as it was.
#
#   NEPHELE=http://localhost:3000 EMAIL=owner@demo.nephele.local PASSWORD=… docs/examples/functions.sh
#
# Run it on the platform's own host, where the gateway listens at 127.0.0.1, or set GATEWAY to its address. The first run
# fetches Python and the packages of the layer.
set -euo pipefail

source "$(dirname "$0")/api.bash"

GATEWAY=${GATEWAY:-127.0.0.1}

used() { api GET /tenant/quota | grep --only-matching '"serverless_functions":{[^}]*}'; }

# invoke PAYLOAD: runs the function for one event, and prints what came of it.
invoke() { api POST "/functions/$FUNCTION/invoke" "{\"payload\": $1}"; }

# function_body FILE: the function as a whole, with the code of a file.
function_body() {
  jq --null-input --rawfile code "$1" --arg name "example-$$" --arg layer "$LAYER_VERSION" '{
    $name, template_id: "python3.11", $code, layer_version_ids: [$layer], url: {auth: "api_token"}
  }'
}

# starts: how many starts of the function are on the bill of this month. Their unit is 100,000.
starts() {
  api GET "/billing/usage?metric=function_invocations" |
    jq --arg id "$FUNCTION" '[.[] | select(.resource.id == $id).quantity | tonumber] | add // 0 | . * 100000 | round'
}

step 'Sign in'
sign_in
BEFORE=$(used)
echo "$BEFORE"

# ── A layer ──────────────────────────────────────────────────────────────────────────────────────────────────────────
# Its packages are fetched and built in a sandbox that reaches the index alone. The same requirements give the same version.

step 'Build a layer from requirements'
LAYER=$(create /layers "{\"name\": \"example-$$\"}")
LAYER_VERSION=$(create "/layers/$LAYER/versions" '{"requirements": ["humanize==4.9.0"], "runtime": "python3.11"}')
wait_for "/layers/$LAYER/versions" '.[0].status == "ready"'
api GET "/layers/$LAYER/versions" | jq --compact-output '.[0] | {version, status, size_bytes}'

# ── A function ───────────────────────────────────────────────────────────────────────────────────────────────────────

step 'Deploy a function that uses it'
cat > "$WORK/good.py" << 'PYTHON'
import json
import humanize

def handler(event, context):
    asked = json.loads(event["body"]) if "body" in event else event
    print("counting", asked["bytes"])
    return {"size": humanize.naturalsize(asked["bytes"]), "version": context.function_version}
PYTHON
FUNCTION=$(create /functions "$(function_body "$WORK/good.py")")
wait_for "/functions/$FUNCTION" '.status == "active"'
invoke '{"bytes": 3000000}' | jq --compact-output '{status, result}'

# ── It breaks ────────────────────────────────────────────────────────────────────────────────────────────────────────
# A failure of the code is no HTTP error: the answer has its type, message and stack.

step 'Deploy a version that fails, and read its stack'
sed 's/print("counting", asked\["bytes"\])/print(asked["octets"])/' "$WORK/good.py" > "$WORK/bad.py"
api PUT "/functions/$FUNCTION" "$(function_body "$WORK/bad.py" | jq 'del(.name)')" > /dev/null
wait_for "/functions/$FUNCTION" '.status == "active" and .version == 2'
invoke '{"bytes": 3000000}' | jq --raw-output '.status, .error.type, .error.stack'

step 'Go back to the version before'
api POST "/functions/$FUNCTION/rollback" '{"version": 1}' > /dev/null
wait_for "/functions/$FUNCTION" '.status == "active" and .version == 3'
invoke '{"bytes": 1000}' | jq --compact-output '{status, result}'

# ── Queued events ────────────────────────────────────────────────────────────────────────────────────────────────────
# They run at least once, whatever happens to the platform. The same Idempotency-Key queues one event, however often it is sent.

step 'Queue an event, twice with the same key'
queue() {
  curl --silent --show-error --fail-with-body "$API/functions/$FUNCTION/invoke" \
    --header "Authorization: Bearer $TOKEN" --header 'Content-Type: application/json' \
    --header "Idempotency-Key: example-$$-event" --data '{"mode": "async", "payload": {"bytes": 2500}}' |
    jq --raw-output .invocation_id
}
EVENT=$(queue)
[ "$EVENT" = "$(queue)" ] && echo 'one event'
wait_for "/functions/$FUNCTION/invocations/$EVENT" '.status == "succeeded"'
api GET "/functions/$FUNCTION/invocations/$EVENT" | jq --compact-output '{status, mode, attempts, result}'

# ── Its log ──────────────────────────────────────────────────────────────────────────────────────────────────────────

step 'Read the log of that event'
curl --silent --show-error --fail-with-body "$API/functions/$FUNCTION/logs?invocation_id=$EVENT" \
  --header "Authorization: Bearer $TOKEN" --header 'Accept: application/json' | jq --raw-output '.[] | .stream + ": " + .message'

# ── An address of its own ────────────────────────────────────────────────────────────────────────────────────────────
# The gateway asks for a token of the project, unless the function's address is open to everyone. `--insecure`: on a domain without a
# public certificate, the gateway has one of the platform's own.

step 'Ask its address, without and with a token'
URL=$(api GET "/functions/$FUNCTION" | jq --raw-output .url)
ask() { curl --silent --insecure --max-time 15 --connect-to "::$GATEWAY:" "$@" "$URL"; }
for _ in $(seq 60); do [ "$(ask --output /dev/null --write-out '%{http_code}')" = 401 ] && break || sleep 1; done
ask --output /dev/null --write-out '%{http_code}\n'
ask --header "Authorization: Bearer $TOKEN" --header 'Content-Type: application/json' --data '{"bytes": 42}' | jq --compact-output .

# ── The bill ─────────────────────────────────────────────────────────────────────────────────────────────────────────
# Each start of the handler is counted once, failed ones too; calls beyond the concurrency are refused, and are not.

step 'Call it 60 times, 15 at the same time, and look at the bill'
sleep 2
COUNTED=$(starts)
call_once() {
  curl --silent --output /dev/null --write-out '%{http_code}\n' "$API/functions/$FUNCTION/invoke" \
    --header "Authorization: Bearer $TOKEN" --header 'Content-Type: application/json' --data '{"payload": {"bytes": 1}}'
}
export -f call_once
export API FUNCTION TOKEN
seq 60 | xargs --max-procs 15 --replace bash -c call_once > "$WORK/statuses"
STARTED=$(grep --count '^200$' "$WORK/statuses")
for _ in $(seq 10); do
  BILLED=$(($(starts) - COUNTED))
  [ "$BILLED" = "$STARTED" ] && break || sleep 1
done
echo "$STARTED answered, $(grep --count '^429$' "$WORK/statuses" || true) refused, $BILLED billed"
[ "$BILLED" = "$STARTED" ]

# ── Clean up ─────────────────────────────────────────────────────────────────────────────────────────────────────────

step 'Delete everything'
api DELETE "/functions/$FUNCTION" > /dev/null
wait_until_gone "/functions/$FUNCTION"
api DELETE "/layers/$LAYER" > /dev/null
wait_until_gone "/layers/$LAYER"

step 'And the quota is as it was'
used
[ "$(used)" = "$BEFORE" ]
