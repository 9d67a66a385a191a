#!/usr/bin/env bash
#
# A machine's whole life through the API, with curl and jq: sign in, boot the tiny image, read its boot log, attach a
# volume, take a snapshot, give it a public address, open its web page there, block the page by taking a rule away, and
# delete everything, until the quota says 0.0 again.
#
#   NEPHELE=http://localhost:3000 EMAIL=owner@demo.nephele.local PASSWORD=… docs/examples/machine.sh
#
# Run it on the platform's own host: without root, floating IPs are addresses of its loopback.
set -euo pipefail

source "$(dirname "$0")/api.bash"

# ── Sign in ──────────────────────────────────────────────────────────────────────────────────────────────────────────

step 'Sign in'
sign_in
api GET /auth/me | jq '{email, name}'

# ── An instance takes an image, a flavor and a network ───────────────────────────────────────────────────────────────

step 'Create an instance of nephele-tiny'
IMAGE=$(api GET '/images/images?name=nephele-tiny' | jq --raw-output '.[0].id')
FLAVOR=$(api GET /compute/flavors | jq --raw-output '.[] | select(.name == "nano").id')
NETWORK=$(api GET /network/networks | jq --raw-output '.[] | select(.is_default).id')

# A security group of its own, so that the rules below touch nothing else. A new one lets everything out and nothing in.
GROUP=$(create /network/security-groups "{\"name\": \"example-$$\", \"description\": \"Of docs/examples/machine.sh\"}")

INSTANCE=$(create /compute/instances "$(jq --null-input --arg image "$IMAGE" --arg flavor "$FLAVOR" \
  --arg network "$NETWORK" --arg group "$GROUP" '{
    name: "example",
    image_id: $image,
    flavor_id: $flavor,
    network_id: $network,
    security_group_ids: [$group]
  }')")
wait_for "/compute/instances/$INSTANCE" '.status == "active" and .task == null'
api GET "/compute/instances/$INSTANCE" | jq '{id, name, status, addresses, flavor: .flavor.name}'

step 'Its boot log'
# The guest writes it to its serial port; the console in the browser shows the same, and takes what you type.
api GET "/compute/instances/$INSTANCE/console-log?lines=5" | jq --raw-output .output

# ── Storage ──────────────────────────────────────────────────────────────────────────────────────────────────────────

step 'Attach a volume'
VOLUME=$(create /storage/volumes '{"name": "example-data", "size_gb": 1}')
wait_for "/storage/volumes/$VOLUME" '.status == "available"'
api POST "/storage/volumes/$VOLUME/attach" "{\"instance_id\": \"$INSTANCE\"}" > /dev/null
wait_for "/storage/volumes/$VOLUME" '.status == "in_use"'
api GET "/storage/volumes/$VOLUME" | jq '{name, size_gb, status, attachments}'

step 'Take a snapshot of it, while the guest goes on'
SNAPSHOT=$(create /storage/snapshots "{\"name\": \"example-before\", \"volume_id\": \"$VOLUME\"}")
wait_for '/storage/snapshots' "any(.[]; .id == \"$SNAPSHOT\" and .status == \"available\")"
api GET '/storage/snapshots' | jq ".[] | select(.id == \"$SNAPSHOT\") | {name, size_gb, status}"

# ── A public address ─────────────────────────────────────────────────────────────────────────────────────────────────

step 'Give it a floating IP'
ADDRESS=$(create /network/floating-ips '{}')
api POST "/network/floating-ips/$ADDRESS/associate" "{\"instance_id\": \"$INSTANCE\"}" | jq '{address, instance_name, fixed_ip}'

# Where its page is. Without root, some ports are reached under another number: `forwards` says which.
page() {
  api GET '/network/floating-ips' | jq --raw-output --arg id "$ADDRESS" '.[] | select(.id == $id) |
    "http://\(.address):\([.forwards[] | select(.port == 80).host_port][0] // 80)/"'
}
answers() { curl --silent --max-time 2 "$(page)"; }

step 'Open port 80, and its web page'
RULE=$(create "/network/security-groups/$GROUP/rules" \
  '{"direction": "ingress", "protocol": "tcp", "port_range_min": 80, "cidr": "0.0.0.0/0"}')
for _ in $(seq 60); do
  if answers > /dev/null; then break; fi
  sleep 1
done
page
answers | grep --max-count=1 '<h1>example</h1>'

step 'Take the rule away, and the page is out of reach'
api DELETE "/network/security-groups/rules/$RULE"
for _ in $(seq 60); do
  if ! answers > /dev/null; then break; fi
  sleep 1
done
if answers; then
  echo 'The page still answers.' >&2
  exit 1
fi
echo 'No response, as expected.'

# ── Clean up ─────────────────────────────────────────────────────────────────────────────────────────────────────────

step 'Delete everything'
api POST "/network/floating-ips/$ADDRESS/disassociate" '{}' > /dev/null
api DELETE "/network/floating-ips/$ADDRESS"
api DELETE "/compute/instances/$INSTANCE" > /dev/null
wait_until_gone "/compute/instances/$INSTANCE"
api DELETE "/storage/snapshots/$SNAPSHOT" > /dev/null
wait_for '/storage/snapshots' "all(.[]; .id != \"$SNAPSHOT\")"
api DELETE "/storage/volumes/$VOLUME" > /dev/null
wait_until_gone "/storage/volumes/$VOLUME"
api DELETE "/network/security-groups/$GROUP"

step 'And the quota is as it was'
api GET /tenant/quota | grep --only-matching --extended-regexp '"(vcpus|ram_gb|storage_tb|instances|volumes)":\{[^}]*\}'
