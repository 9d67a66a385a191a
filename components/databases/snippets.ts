import type { DatabaseEngine } from '@/lib/domains/databases/engines';
import type { Cluster } from './types';

/** What programs need to connect. */
export interface Target {
  engine: DatabaseEngine;
  /** Of the cluster: it names the file of the CA. */
  name: string;
  host: string;
  port: number;
  uri: string;
  username: string | null;
  database: string | null;
}

export interface Snippet {
  name: 'cli' | 'uri' | 'node' | 'python';
  label: string;
  /** What it needs, such as a package. */
  needs: string;
  code: string;
}

/** Where a cluster is reached: on its network, or from the internet. */
export function targetOf(cluster: Cluster, from: 'network' | 'internet'): Target | undefined {
  const { engine, name, endpoint, floating_ip, username, database } = cluster;
  if (!endpoint) return undefined;
  const host = from === 'internet' && floating_ip !== null ? floating_ip : endpoint.host;
  return {
    engine,
    name,
    host,
    port: endpoint.port,
    uri: endpoint.uri.replace(endpoint.host, host),
    username,
    database,
  };
}

/** The file under which the CA is downloaded. */
export const caFile = ({ name }: { name: string }): string => `${name}-ca.pem`;

/** Ready to paste. Passwords are read from the environment or asked for: none stands in a command. */
export function snippetsOf(target: Target): Snippet[] {
  const { cli, node, python } = writers[target.engine];
  return [
    { name: 'cli', ...cli(target) },
    { name: 'uri', label: 'URI', needs: 'Without the password.', code: target.uri },
    { name: 'node', label: 'Node.js', ...node(target) },
    { name: 'python', label: 'Python', ...python(target) },
  ];
}

type Text = Pick<Snippet, 'needs' | 'code'>;

interface Writers {
  cli: (target: Target) => Text & Pick<Snippet, 'label'>;
  node: (target: Target) => Text;
  python: (target: Target) => Text;
}

const PASSWORD = 'Reads the password from $DB_PASSWORD.';
const lines = (...text: readonly string[]): string => text.join('\n');
const user = ({ username }: Target): string => username ?? 'default';

const writers: Record<DatabaseEngine, Writers> = {
  postgres: {
    cli: (target) => ({
      label: 'psql',
      needs: 'Asks for the password.',
      code: `psql "host=${target.host} port=${target.port} dbname=${target.database} user=${user(target)} sslmode=verify-full sslrootcert=${caFile(target)}"`,
    }),
    node: (target) => ({
      needs: `npm install pg. ${PASSWORD}`,
      code: lines(
        "import { readFileSync } from 'node:fs';",
        "import pg from 'pg';",
        '',
        'const pool = new pg.Pool({',
        `  host: '${target.host}',`,
        `  port: ${target.port},`,
        `  user: '${user(target)}',`,
        `  database: '${target.database}',`,
        '  password: process.env.DB_PASSWORD,',
        `  ssl: { ca: readFileSync('${caFile(target)}', 'utf8') },`,
        '});',
        "console.log(await pool.query('SELECT version()'));",
      ),
    }),
    python: (target) => ({
      needs: `pip install psycopg[binary]. ${PASSWORD}`,
      code: lines(
        'import os, psycopg',
        '',
        'connection = psycopg.connect(',
        `    host="${target.host}", port=${target.port}, user="${user(target)}", dbname="${target.database}",`,
        `    password=os.environ["DB_PASSWORD"], sslmode="verify-full", sslrootcert="${caFile(target)}",`,
        ')',
        'print(connection.execute("SELECT version()").fetchone())',
      ),
    }),
  },
  mysql: {
    cli: (target) => ({
      label: 'mariadb',
      needs: 'Asks for the password.',
      code: `mariadb -h ${target.host} -P ${target.port} -u ${user(target)} -p --ssl-ca=${caFile(target)} --ssl-verify-server-cert ${target.database}`,
    }),
    node: (target) => ({
      needs: `npm install mysql2. ${PASSWORD}`,
      code: lines(
        "import { readFileSync } from 'node:fs';",
        "import mysql from 'mysql2/promise';",
        '',
        'const pool = mysql.createPool({',
        `  host: '${target.host}',`,
        `  port: ${target.port},`,
        `  user: '${user(target)}',`,
        `  database: '${target.database}',`,
        '  password: process.env.DB_PASSWORD,',
        `  ssl: { ca: readFileSync('${caFile(target)}', 'utf8') },`,
        '});',
        "console.log(await pool.query('SELECT VERSION()'));",
      ),
    }),
    python: (target) => ({
      needs: `pip install PyMySQL[rsa]. ${PASSWORD}`,
      code: lines(
        'import os, pymysql',
        '',
        'connection = pymysql.connect(',
        `    host="${target.host}", port=${target.port}, user="${user(target)}", database="${target.database}",`,
        `    password=os.environ["DB_PASSWORD"], ssl={"ca": "${caFile(target)}"},`,
        ')',
        'with connection.cursor() as cursor:',
        '    cursor.execute("SELECT VERSION()")',
        '    print(cursor.fetchone())',
      ),
    }),
  },
  valkey: {
    cli: (target) => ({
      label: 'valkey-cli',
      needs: 'Asks for the password.',
      code: `valkey-cli -h ${target.host} -p ${target.port} --tls --cacert ${caFile(target)} --user ${user(target)} --askpass`,
    }),
    node: (target) => ({
      needs: `npm install ioredis. ${PASSWORD}`,
      code: lines(
        "import { readFileSync } from 'node:fs';",
        "import { Redis } from 'ioredis';",
        '',
        'const client = new Redis({',
        `  host: '${target.host}',`,
        `  port: ${target.port},`,
        `  username: '${user(target)}',`,
        '  password: process.env.DB_PASSWORD,',
        `  tls: { ca: readFileSync('${caFile(target)}', 'utf8') },`,
        '});',
        'console.log(await client.ping());',
      ),
    }),
    python: (target) => ({
      needs: `pip install valkey. ${PASSWORD}`,
      code: lines(
        'import os, valkey',
        '',
        'client = valkey.Valkey(',
        `    host="${target.host}", port=${target.port}, username="${user(target)}",`,
        `    password=os.environ["DB_PASSWORD"], ssl=True, ssl_ca_certs="${caFile(target)}",`,
        ')',
        'print(client.ping())',
      ),
    }),
  },
  mongodb: {
    cli: (target) => ({
      label: 'mongosh',
      needs: 'Asks for the password.',
      code: `mongosh "${target.uri}" --tlsCAFile ${caFile(target)} --username ${user(target)}`,
    }),
    node: (target) => ({
      needs: `npm install mongodb. ${PASSWORD}`,
      code: lines(
        "import { MongoClient } from 'mongodb';",
        '',
        `const client = new MongoClient('${target.uri}', {`,
        `  auth: { username: '${user(target)}', password: process.env.DB_PASSWORD },`,
        `  tlsCAFile: '${caFile(target)}',`,
        '});',
        `console.log(await client.db('${target.database}').command({ ping: 1 }));`,
      ),
    }),
    python: (target) => ({
      needs: `pip install pymongo. ${PASSWORD}`,
      code: lines(
        'import os, pymongo',
        '',
        'client = pymongo.MongoClient(',
        `    "${target.uri}", username="${user(target)}",`,
        `    password=os.environ["DB_PASSWORD"], tlsCAFile="${caFile(target)}",`,
        ')',
        `print(client["${target.database}"].command("ping"))`,
      ),
    }),
  },
  qdrant: {
    cli: (target) => ({
      label: 'curl',
      needs: 'Reads the API key from $QDRANT_API_KEY.',
      code: `curl --cacert ${caFile(target)} -H "api-key: $QDRANT_API_KEY" ${target.uri}/collections`,
    }),
    node: (target) => ({
      needs: `npm install @qdrant/js-client-rest. Run it with NODE_EXTRA_CA_CERTS=${caFile(target)}.`,
      code: lines(
        "import { QdrantClient } from '@qdrant/js-client-rest';",
        '',
        `const client = new QdrantClient({ url: '${target.uri}', apiKey: process.env.QDRANT_API_KEY });`,
        'console.log(await client.getCollections());',
      ),
    }),
    python: (target) => ({
      needs: 'pip install qdrant-client. Reads the API key from $QDRANT_API_KEY.',
      code: lines(
        'import os',
        'from qdrant_client import QdrantClient',
        '',
        'client = QdrantClient(',
        `    url="${target.uri}", api_key=os.environ["QDRANT_API_KEY"], verify="${caFile(target)}",`,
        ')',
        'print(client.get_collections())',
      ),
    }),
  },
};
