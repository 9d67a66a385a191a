import type pg from 'pg';

/** A bug in an SQL metering function: `right` is replaced by `wrong`. */
export type MeteringFault = { function: string; right: string; wrong: string };

const fault = (name: string, right: string, wrong: string): MeteringFault => ({ function: name, right, wrong });

/** Bugs in the size of resources, and in what is billed of it. */
export const rowFaults: readonly MeteringFault[] = [
  fault('size(instances)', `'block_storage', f.disk_gb`, `'block_storage', f.vcpus`),
  fault('size(instances)', `'compute_memory', f.ram_gb`, `'compute_memory', f.vcpus`),
  fault('size(instances)', `'compute_vcpu', f.vcpus`, `'compute_vcpu', f.ram_gb`),
  fault('size(instances)', `'gpu_slice', f.gpu_slices`, `'gpu_slice', 0`),
  fault('billed(instances)', `'block_storage', f.disk_gb`, `'block_storage', f.vcpus`),
  fault('billed(instances)', `'compute_memory', f.ram_gb`, `'compute_memory', f.vcpus`),
  fault('billed(instances)', `'compute_vcpu', f.vcpus`, `'compute_vcpu', f.ram_gb`),
  fault('billed(instances)', `, 'gpu_slice', f.gpu_slices`, ''),
  fault('billed(instances)', `i.launched_at IS NOT NULL AND`, ''),
  fault('billed(instances)', `AND i.status <> 'deleting'`, ''),
  ...['active', 'paused', 'rebooting', 'rebuilding'].map((status) =>
    fault('billed(instances)', `'${status}'`, `'none'`),
  ),
  ...['provisioning', 'stopped', 'error', 'deleting'].map((status) =>
    fault('billed(instances)', `'active',`, `'active', '${status}',`),
  ),
  fault('size(volumes)', 'v.size_gb', 'v.size_gb + 1'),
  ...['creating', 'deleting', 'error'].map((status) => fault('billed(volumes)', `'${status}'`, `'none'`)),
  ...['attaching', 'in_use', 'detaching'].map((status) =>
    fault('billed(volumes)', `'creating',`, `'creating', '${status}',`),
  ),
  // Two outcomes instead of three: an unchanged value becomes nothing, or the new one.
  fault('billed(volumes)', `CASE WHEN v.status <> 'resizing' THEN v.size_gb END`, 'v.size_gb'),
  fault('billed(volumes)', `THEN v.size_gb END`, `THEN v.size_gb ELSE 0 END`),
  fault('size(snapshots)', 's.size_gb', 's.size_gb + 1'),
  fault('billed(snapshots)', 's.size_gb', 's.size_gb + 1'),
  fault('billed(snapshots)', `'available'`, `'creating'`),
  fault('billed(snapshots)', `CASE s.status WHEN 'available'`, `CASE WHEN s.status <> 'creating'`),
  fault('size(images)', 'i.size_bytes', 'i.size_bytes / 2'),
  fault('billed(images)', 'i.size_bytes', 'i.size_bytes / 2'),
  fault('billed(images)', `'active'`, `'importing'`),
  fault('billed(images)', `CASE i.status WHEN 'active'`, `CASE WHEN i.status <> 'importing'`),
  fault('size(buckets)', 'b.used_bytes', 'b.used_bytes / 2'),
  fault('billed(buckets)', 'b.used_bytes', 'b.objects'),
];

/** Bugs in the trigger itself. */
export const triggerFaults: readonly MeteringFault[] = [
  fault(
    'resource_moved()',
    'lost := NEW.lost_at IS DISTINCT FROM OLD.lost_at AND NEW.lost_at IS NOT NULL;',
    'lost := false;',
  ),
  fault('resource_moved()', 'NEW.id, NEW.lost_at, at);', 'NEW.id, at, at);'),
  fault('resource_moved()', `'lost', '{}', NEW.lost_at)`, `'lost', '{}', at)`),
  fault(
    'resource_moved()',
    `ELSIF (OLD.status, size(OLD), billed(OLD)) IS NOT DISTINCT FROM (NEW.status, size(NEW), billed(NEW)) THEN`,
    'ELSIF false THEN',
  ),
  fault(
    'resource_moved()',
    '(OLD.status, size(OLD), billed(OLD)) IS NOT DISTINCT FROM (NEW.status, size(NEW), billed(NEW))',
    'OLD.status = NEW.status',
  ),
  fault('resource_moved()', `'gone', size(OLD)`, `OLD.status, size(OLD)`),
  fault('resource_moved()', 'PERFORM meter(OLD.project_id', 'PERFORM OLD.id; CONTINUE; PERFORM meter(OLD.project_id'),
  fault('resource_moved()', 'FULL JOIN', 'LEFT JOIN'),
  fault('resource_moved()', '(part.metric IS NULL OR part.quantity IS NOT NULL)', 'true'),
  fault('resource_moved()', `present = '{}'`, 'true'),
  fault('resource_moved()', 'part.quantity::numeric, 0) <>', 'part.quantity::numeric, 0) >'),
];

/** Plants a fault. @returns a function that removes it */
export async function plant(
  client: pg.Client,
  { function: name, right, wrong }: MeteringFault,
): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ text: string }>('SELECT pg_get_functiondef($1::regprocedure) AS text', [name]);
  const text = rows[0]?.text ?? '';
  if (!text.includes(right)) throw new Error(`${name} has no ${right}`);
  await client.query(text.replace(right, wrong));
  return async () => {
    await client.query(text);
  };
}
