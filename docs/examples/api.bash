# What the examples share: signing in, asking the API, waiting. Each of them reads this file first.
#
#   NEPHELE   the platform's address, http://localhost:3000 by default
#   EMAIL     the e-mail address of a member of a project
#   PASSWORD  that account's password

NEPHELE=${NEPHELE:-http://localhost:3000}
API=$NEPHELE/api/v1
: "${EMAIL:?the e-mail address of a member of a project}" "${PASSWORD:?that account’s password}"

WORK=$(mktemp -d)
trap 'rm -r "$WORK"' EXIT

step() { printf '\n── %s\n' "$*"; }

# sign_in: the token holds for an hour. For scripts that stay, make an API token in the portal: it can be limited and revoked.
sign_in() {
  TOKEN=$(curl --silent --show-error --fail-with-body "$API/auth/login" --header 'Content-Type: application/json' \
    --data "$(jq --null-input --arg email "$EMAIL" --arg password "$PASSWORD" '{$email, $password}')" |
    jq --raw-output .access_token)
}

# api METHOD PATH [BODY]: prints the answer; an error is shown as the API says it, and ends the script.
api() {
  local body
  body=$(curl --silent --show-error --fail-with-body --request "$1" "$API$2" \
    --header "Authorization: Bearer $TOKEN" --header 'Content-Type: application/json' \
    ${3:+--data "$3"}) || { echo "$1 $2: $body" >&2; return 1; }
  printf '%s' "$body"
}

# create PATH BODY: prints the new thing's id. Under an Idempotency-Key a create that is sent twice happens once.
create() {
  curl --silent --show-error --fail-with-body --retry 3 "$API$1" \
    --header "Authorization: Bearer $TOKEN" --header 'Content-Type: application/json' \
    --header "Idempotency-Key: example-$$-$RANDOM$RANDOM" --data "$2" | jq --raw-output '.id // error(tostring)'
}

# wait_for PATH JQ_CONDITION: asks until the condition holds. What has failed says why in `status_reason`.
wait_for() {
  local answer
  for _ in $(seq 300); do
    answer=$(api GET "$1")
    if jq --exit-status "$2" <<< "$answer" > /dev/null; then return; fi
    if jq --exit-status '.status? == "error"' <<< "$answer" > /dev/null; then break; fi
    sleep 1
  done
  echo "$1 did not become $2: $answer" >&2
  return 1
}

# wait_until_gone PATH: a delete is accepted at once; the thing is gone when its address answers 404.
wait_until_gone() {
  for _ in $(seq 120); do
    if [ "$(curl --silent --output /dev/null --write-out '%{http_code}' "$API$1" --header "Authorization: Bearer $TOKEN")" = 404 ]; then
      return
    fi
    sleep 1
  done
  echo "$1 is still there." >&2
  return 1
}
