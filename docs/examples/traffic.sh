#!/usr/bin/env bash
#
# Visitors who notice nothing, through the API, with curl and jq: two machines behind a load balancer and a gateway route,
# of which one is stopped and started while requests go on; then a rollout to a version that does not work and goes back
# by itself. Deletes everything, until the quota is as it was.
#
#   NEPHELE=http://localhost:3000 EMAIL=owner@demo.nephele.local PASSWORD=… docs/examples/traffic.sh
#
# Run it on the platform's own host, where the gateway listens at 127.0.0.1, or set GATEWAY to its address.
set -euo pipefail

source "$(dirname "$0")/api.bash"

GATEWAY=${GATEWAY:-127.0.0.1}
DOMAIN=${GATEWAY_DOMAIN:-apps.localhost}

# The quota that this script uses, and the load balancers, which count against none.
used() {
  api GET /tenant/quota | grep --only-matching --extended-regexp '"(vcpus|ram_gb|instances|api_gateways)":\{[^}]*\}'
  api GET /lbaas/loadbalancers | jq --raw-output '"load balancers: \(length)"'
}

# visit [CURL_OPTION…]: one request through the gateway. `--connect-to` spares curl the lookup of the route's host.
visit() { curl --silent --max-time 15 --connect-to "::$GATEWAY:" "$@" "$URL"; }

# Two visitors who send one request after the other, each over a connection of its own, and note the status.
start_visitors() {
  touch "$WORK/visiting"
  : > "$WORK/statuses"
  for _ in 1 2; do
    while [ -e "$WORK/visiting" ]; do
      visit --output /dev/null --write-out '%{http_code}\n' || true
    done >> "$WORK/statuses" &
  done
}

stop_visitors() {
  rm "$WORK/visiting"
  wait
}

sent() { wc --lines < "$WORK/statuses"; }
answered() { grep --count "^$1\$" "$WORK/statuses" || true; }

# ── Sign in ──────────────────────────────────────────────────────────────────────────────────────────────────────────

step 'Sign in'
sign_in
SLUG=$(api GET /auth/me | jq --raw-output .project.project_slug)
BEFORE=$(used)
echo "Project $SLUG"

# ── Two machines ─────────────────────────────────────────────────────────────────────────────────────────────────────

step 'Create two instances of nephele-tiny'
IMAGE=$(api GET '/images/images?name=nephele-tiny' | jq --raw-output '.[0].id')
FLAVOR=$(api GET /compute/flavors | jq --raw-output '.[] | select(.name == "nano").id')
NETWORK=$(api GET /network/networks | jq --raw-output '.[] | select(.is_default).id')

# A security group of its own, so that the rule touches nothing else. Only the network itself may ask for the page: that
# is where the load balancer asks from.
GROUP=$(create /network/security-groups "{\"name\": \"example-$$\", \"description\": \"Of docs/examples/traffic.sh\"}")
CIDR=$(api GET "/network/networks/$NETWORK" | jq --raw-output '.cidr')
create "/network/security-groups/$GROUP/rules" \
  "{\"direction\": \"ingress\", \"protocol\": \"tcp\", \"port_range_min\": 80, \"cidr\": \"$CIDR\"}" > /dev/null

machine() {
  create /compute/instances "$(jq --null-input --arg name "$1" --arg image "$IMAGE" --arg flavor "$FLAVOR" \
    --arg network "$NETWORK" --arg group "$GROUP" '{
      $name, image_id: $image, flavor_id: $flavor, network_id: $network, security_group_ids: [$group]
    }')"
}
FIRST=$(machine example-1)
SECOND=$(machine example-2)
for instance in "$FIRST" "$SECOND"; do
  wait_for "/compute/instances/$instance" '.status == "active" and .task == null'
  api GET "/compute/instances/$instance" | jq --compact-output '{name, status, ip: .addresses[0].ip}'
done

# ── A load balancer in front ─────────────────────────────────────────────────────────────────────────────────────────
# Two listeners: `web` at port 80 for the machines' page, and `next` at port 8080 for a version of it that does not work:
# nothing listens at the port of its members, so the load balancer answers 503.

step 'Put a load balancer in front'
BALANCER=$(create /lbaas/loadbalancers "$(jq --null-input --arg name "example-$$" --arg network "$NETWORK" \
  --arg first "$FIRST" --arg second "$SECOND" '
  def members($port): [{name: "example-1", instance_id: $first, $port}, {name: "example-2", instance_id: $second, $port}];
  {type: "http", path: "/", interval_s: 1, timeout_s: 1, retries: 1} as $health_check |
  {
    $name,
    network_id: $network,
    listeners: [
      {name: "web", protocol: "HTTP", port: 80, pool: {name: "web", members: members(80), $health_check}},
      {name: "next", protocol: "HTTP", port: 8080, pool: {name: "next", members: members(8081), $health_check}}
    ]
  }')")
wait_for "/lbaas/loadbalancers/$BALANCER" '.provisioning_status == "active"'

# members JQ_CONDITION: waits until it holds for the list of members of the pool `web`, and prints their status.
members() {
  local pools="/lbaas/pools?load_balancer_id=$BALANCER"
  local list='map(select(.name == "web")) | .[0].members | map({key: .name, value: .status}) | from_entries'
  wait_for "$pools" "$list | $1"
  api GET "$pools" | jq --compact-output "$list"
}
members '.["example-1"] == "up" and .["example-2"] == "up"'

# ── A route, and its page ────────────────────────────────────────────────────────────────────────────────────────────

step 'Publish it with a gateway route'
# route WEIGHTS [ROLLOUT]: a route with the same name is replaced as a whole.
route() {
  jq --null-input --arg name "example-$$" --arg host "example-$$.$SLUG.$DOMAIN" --arg balancer "$BALANCER" \
    --argjson backends "$1" --argjson rollout "${2:-null}" '{
      $name, $host,
      backends: $backends | map(. + {load_balancer_id: $balancer})
    } + if $rollout then {$rollout} else {} end'
}
ROUTE=$(create /gateway/routes "$(route '[{"name": "stable", "port": 80, "weight": 100}]')")
wait_for "/gateway/routes/$ROUTE" '.status == "active"'
URL=$(api GET "/gateway/routes/$ROUTE" | jq --raw-output .url)
echo "$URL"

# Requests take turns: both machines answer.
for _ in $(seq 20); do visit --fail; done | grep --only-matching '<h1>example-[12]</h1>' | sort --unique

# ── One machine is stopped ───────────────────────────────────────────────────────────────────────────────────────────

step 'Stop one of the machines while requests go on, and start it again'
start_visitors
api POST "/compute/instances/$FIRST/action" '{"action": "stop"}' > /dev/null
members '.["example-1"] == "down" and .["example-2"] == "up"'
wait_for "/compute/instances/$FIRST" '.status == "stopped" and .task == null'
api POST "/compute/instances/$FIRST/action" '{"action": "start"}' > /dev/null
members '.["example-1"] == "up" and .["example-2"] == "up"'
stop_visitors
echo "$(sent) requests, $(answered 200) answered with 200"
if [ "$(sent)" != "$(answered 200)" ]; then
  sort "$WORK/statuses" | uniq --count >&2
  exit 1
fi

# ── A rollout that goes back ─────────────────────────────────────────────────────────────────────────────────────────
# `next` gets 10 % of the requests for five seconds (the shortest interval), then 50 %, then all – unless more than 5 % of
# its responses are errors.

step 'Roll out a version that does not work, while requests go on'
start_visitors
api POST /gateway/routes "$(route \
  '[{"name": "stable", "port": 80, "weight": 100}, {"name": "next", "port": 8080, "weight": 0}]' \
  '{"to": "next", "steps": [10, 50, 100], "interval_s": 5, "abort_above_errors_percent": 5}')" |
  jq --compact-output '{state: .rollout.state, weights: (.backends | map({(.name): .weight}) | add)}'
wait_for "/gateway/routes/$ROUTE" '.rollout.state != "running" and .status == "active"'
stop_visitors
api GET "/gateway/routes/$ROUTE" |
  jq '{state: .rollout.state, step: .rollout.step, reason: .rollout.reason, weights: (.backends | map({(.name): .weight}) | add)}'
echo "$(sent) requests, $(answered 200) answered with 200 by stable, $(answered 503) with 503 by next"

step 'Everything is answered by the stable version again'
# The gateway has the decision a moment after the route says so.
for _ in $(seq 60); do
  [ "$(for _ in $(seq 10); do visit --output /dev/null --write-out '%{http_code}\n'; done | sort --unique)" = 200 ] && break
  sleep 0.5
done
for _ in $(seq 50); do visit --output /dev/null --write-out '%{http_code}\n'; done | sort | uniq --count

# ── Clean up ─────────────────────────────────────────────────────────────────────────────────────────────────────────

step 'Delete everything'
api DELETE "/gateway/routes/$ROUTE" > /dev/null
api DELETE "/lbaas/loadbalancers/$BALANCER" > /dev/null
wait_until_gone "/lbaas/loadbalancers/$BALANCER"
for instance in "$FIRST" "$SECOND"; do api DELETE "/compute/instances/$instance" > /dev/null; done
for instance in "$FIRST" "$SECOND"; do wait_until_gone "/compute/instances/$instance"; done
api DELETE "/network/security-groups/$GROUP"

step 'And the quota is as it was'
used
if [ "$(used)" != "$BEFORE" ]; then
  echo "It was: $BEFORE" >&2
  exit 1
fi
