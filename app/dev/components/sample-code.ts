const handler = `import { createHash } from 'node:crypto';

/** Answers with the digest of the request's body. */
export async function handler(event, context) {
  const body = event.body ?? '';
  if (body.length > 1024 * 1024) {
    return { statusCode: 413, body: 'The body is larger than 1 MB.' };
  }
  const digest = createHash('sha256').update(body).digest('hex');
  console.log(\`request \${context.requestId}: \${digest}\`);
  return { statusCode: 200, headers: { 'content-type': 'text/plain' }, body: digest };
}
`;

const job = `import json
from datetime import datetime, timedelta

RETENTION = timedelta(days=30)


def handler(event, context):
    """Deletes backups that are older than the retention."""
    now = datetime.utcnow()
    old = [backup for backup in event["backups"] if now - parse(backup["created_at"]) > RETENTION]
    return {"deleted": len(old), "names": json.dumps([backup["name"] for backup in old])}
`;

const report = `-- Spend of the current month by resource
SELECT resource_id, category, round(sum(amount_usd), 2) AS spent_usd
FROM usage_lines
WHERE month = '2026-11' AND amount_usd > 0
GROUP BY resource_id, category
ORDER BY spent_usd DESC
LIMIT 20;
`;

const policy = `{
  "Version": "2012-10-17",
  "Statement": [
    { "Effect": "Allow", "Action": ["s3:GetObject"], "Resource": ["arn:aws:s3:::assets/*"] }
  ]
}
`;

/** Sample files, by name. */
export const samples = { 'handler.ts': handler, 'cleanup.py': job, 'report.sql': report, 'policy.json': policy };

/** A modified version of the handler. */
export const changedHandler = handler
  .replace("createHash('sha256')", "createHash('sha512')")
  .replace('    return { statusCode: 413,', "    console.warn('The body was refused.');\n    return { statusCode: 413,")
  .replace(/\n {2}console\.log.*/, '');

export const cloudInit = `#cloud-config
hostname: web-1
users:
  - name: deploy
    sudo: ALL=(ALL) NOPASSWD:ALL
    ssh_authorized_keys:
      - ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI deploy@example.org
packages: [nginx, curl]
runcmd:
  - systemctl enable --now nginx
`;

export const brokenCloudInit = `#cloud-config
hostname: web-1
packages: [nginx, curl
runcmd:
  - systemctl enable --now nginx
hostname: web-2
`;
