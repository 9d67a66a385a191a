import type { ProjectCall } from '@/lib/core/api/endpoint';
import { conflict, notFound } from '@/lib/core/api/errors';
import { contains, equals, listOf, ofProject } from '@/lib/core/api/list';
import type { Prisma } from '@/lib/core/db/generated/client';
import { newId } from '@/lib/core/db/id';
import { queryOne } from '@/lib/core/db/pool';
import { insert, raw, sql } from '@/lib/core/db/sql';
import { commit, ifAdmitted } from '@/lib/core/quota/commit';
import { hasTags } from '@/lib/core/tags/filter';
import { egressToAnywhere, ensureProjectNetworking, ruleInsert } from './project-networking';
import {
  type CreateSecurityGroup,
  type CreateSecurityGroupRule,
  type SecurityGroup,
  type SecurityGroupRule,
  securityGroupQuery,
} from './schema';
import { reviseRouter } from './service';

/** So many a project may have: a bound on what one tenant can make a host carry. */
const MOST_GROUPS = 100;
const MOST_RULES = 200;

type Row = Omit<SecurityGroup, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const columns = raw(`g.id, g.name, g.description, g.is_default, g.created_at, g.updated_at,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'security_group_id', g.id, 'direction', u.direction,
     'protocol', u.protocol, 'port_range_min', u.port_range_min, 'port_range_max', u.port_range_max, 'cidr', text(u.cidr),
     'created_at', ${time('u.created_at')}, 'updated_at', ${time('u.updated_at')}) ORDER BY u.id), '[]')
   FROM security_group_rules u WHERE u.security_group_id = g.id) AS rules,
  (SELECT count(*)::int FROM port_security_groups c WHERE c.security_group_id = g.id) AS port_count`);

function view(row: Row): SecurityGroup {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

const list = listOf({
  query: securityGroupQuery,
  columns,
  from: raw('security_groups g'),
  id: 'g.id',
  where: ofProject('g'),
  filters: { name: equals('g.name'), search: contains('g.name'), tag: hasTags('g') },
  sort: { name: 'g.name' },
  view,
});

/** The project's security groups with their rules. */
export const listSecurityGroups: typeof list = async (call, query) => {
  await ensureProjectNetworking(call.project_id);
  return list(call, query);
};

/** One security group. @throws ApiError 404 */
export async function readSecurityGroup(call: ProjectCall, id: string): Promise<SecurityGroup> {
  await ensureProjectNetworking(call.project_id);
  const row = await queryOne<Row>(
    sql`SELECT ${columns} FROM security_groups g WHERE g.project_id = ${call.project_id}::uuid AND g.id = ${id}::uuid`,
  );
  if (!row) throw notFound('The security group');
  return view(row);
}

/** Makes a group that lets everything out and nothing in, until rules say more. */
export async function createSecurityGroup(call: ProjectCall, input: CreateSecurityGroup): Promise<SecurityGroup> {
  await ensureProjectNetworking(call.project_id);
  const held = await queryOne<{ count: number }>(
    sql`SELECT count(*)::int FROM security_groups WHERE project_id = ${call.project_id}::uuid`,
  );
  if (held && held.count >= MOST_GROUPS) {
    throw conflict(`The project has reached its limit of ${MOST_GROUPS} security groups; delete one first.`);
  }
  const times = { created_at: call.at, updated_at: call.at };
  const group = { id: newId(), name: input.name, description: input.description, is_default: false, ...times };
  const egress = { id: newId(), security_group_id: group.id, ...egressToAnywhere, ...times };
  const created = view({ ...group, rules: [ruleView(egress)], port_count: 0 });
  await commit(call, {
    resource: { type: 'security_group', id: group.id, name: group.name },
    rows: {
      security_group: insert<Prisma.SecurityGroupUncheckedCreateInput>(
        'security_groups',
        { project_id: call.project_id, ...group },
        ifAdmitted,
      ),
      egress: ruleInsert({ project_id: call.project_id, ...egress }, ifAdmitted),
    },
    answer: { status: 201, body: created },
  });
  return created;
}

/** Deletes a group that no port carries. @throws ApiError 404, 409 while it is carried, or for the default group */
export async function deleteSecurityGroup(call: ProjectCall, id: string): Promise<void> {
  const { name, is_default } = await readSecurityGroup(call, id);
  if (is_default) throw conflict('The default security group cannot be deleted.');
  const inUse = `Security group ${name} is in use: remove it from its ports first.`;
  await commit(call, {
    resource: { type: 'security_group', id, name },
    target: sql`SELECT NOT EXISTS (SELECT FROM port_security_groups c WHERE c.security_group_id = g.id) AS allowed, NULL::text AS state
      FROM k JOIN security_groups g ON g.project_id = k.project_id AND g.id = ${id}::uuid FOR UPDATE OF g`,
    forbidden: () => inUse,
    in_use: inUse,
    rows: {
      gone: sql`DELETE FROM security_groups USING verdict WHERE verdict.ok AND security_groups.id = ${id}::uuid`,
    },
  });
}

type RuleRow = Omit<SecurityGroupRule, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

function ruleView(row: RuleRow): SecurityGroupRule {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

/**
 * Adds a rule, in force on running guests at once.
 * @throws ApiError 404, 409 where the group has it already
 */
export async function createRule(
  call: ProjectCall,
  groupId: string,
  input: CreateSecurityGroupRule,
): Promise<SecurityGroupRule> {
  const { name, rules } = await readSecurityGroup(call, groupId);
  if (rules.length >= MOST_RULES)
    throw conflict(`Security group ${name} has reached its limit of ${MOST_RULES} rules; remove one first.`);
  const { direction, protocol, cidr } = input;
  const port_range_min = input.port_range_min ?? null;
  const port_range_max = input.port_range_max ?? port_range_min;
  const times = { created_at: call.at, updated_at: call.at };
  const facts = { direction, protocol, port_range_min, port_range_max, cidr };
  const row = { id: newId(), security_group_id: groupId, ...facts, ...times };
  const created = ruleView(row);
  await commit(call, {
    resource: { type: 'security_group', id: groupId, name },
    taken: {
      when: sql`EXISTS (SELECT FROM security_group_rules u WHERE u.security_group_id = ${groupId}::uuid
        AND u.direction = ${direction}::text AND u.protocol = ${protocol}::text AND u.cidr = ${cidr}::inet
        AND u.port_range_min IS NOT DISTINCT FROM ${port_range_min}::int
        AND u.port_range_max IS NOT DISTINCT FROM ${port_range_max}::int)`,
      message: `Security group ${name} already has this rule.`,
    },
    rows: {
      rule: ruleInsert({ project_id: call.project_id, ...row }, ifAdmitted),
      revised: reviseRouter(call.project_id),
    },
    details: { rule_id: row.id, ...facts },
    answer: { status: 201, body: created },
  });
  return created;
}

/** Takes a rule away; what it let pass is cut off at once. @throws ApiError 404 */
export async function deleteRule(call: ProjectCall, ruleId: string): Promise<void> {
  const found = await queryOne<{ group_id: string; name: string } & Omit<RuleRow, 'id'>>(sql`
    SELECT g.id AS group_id, g.name, u.direction, u.protocol, u.port_range_min, u.port_range_max, text(u.cidr) AS cidr
    FROM security_group_rules u JOIN security_groups g ON g.id = u.security_group_id
    WHERE u.project_id = ${call.project_id}::uuid AND u.id = ${ruleId}::uuid`);
  if (!found) throw notFound('The rule');
  const { group_id, name, ...facts } = found;
  await commit(call, {
    resource: { type: 'security_group', id: group_id, name },
    target: sql`SELECT true AS allowed, NULL::text AS state FROM k JOIN security_group_rules u
      ON u.project_id = k.project_id AND u.id = ${ruleId}::uuid FOR UPDATE OF u`,
    rows: {
      gone: sql`DELETE FROM security_group_rules USING verdict WHERE verdict.ok AND security_group_rules.id = ${ruleId}::uuid`,
      revised: reviseRouter(call.project_id),
    },
    details: { rule_id: ruleId, ...facts },
  });
}
