import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { getDomain } from 'tldts';
import { z } from 'zod';

/** A 32-byte key from the environment; tokens and envelopes contain its `id`. */
type KeySetting = { id: string; secret: Uint8Array };

const list = (value: string) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

const whole = (most: number, error = `a whole number from 1 to ${most}`) =>
  z.coerce.number(error).int(error).min(1, error).max(most, error);

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'a URL such as https://cloud.example.org' })
  .transform((url) => url.replace(/\/+$/, ''));

const address = z.union([z.ipv4(), z.ipv6(), z.literal('localhost')], 'an IP address to listen on');
const listenAddress = z.string().transform((value, context) => {
  const [, name = '', digits = ''] = /^\[?([^\]]+)\]?:(\d+)$/.exec(value) ?? [];
  const host = address.safeParse(name);
  const port = Number(digits);
  if (host.success && port >= 1 && port <= 65_535) return { host: host.data, port };
  context.addIssue({ code: 'custom', message: 'an IP address and a port such as 127.0.0.1:3001' });
  return z.NEVER;
});

const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'a connection string such as postgresql://user:password@host:5432/database',
});

const flag = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['true', '1', 'yes', 'on', 'false', '0', 'no', 'off'], 'true or false'))
  .transform((value) => ['true', '1', 'yes', 'on'].includes(value));

const isNetwork = (entry: string) => ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry);
const networks = z
  .string()
  .transform(list)
  .refine((entries) => entries.every(isNetwork), 'IP addresses or CIDR ranges, separated by commas: 10.0.0.0/8,::1');

const hostPattern = /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
const networksOrHosts = z
  .string()
  .transform(list)
  .refine(
    (entries) => entries.every((entry) => isNetwork(entry) || hostPattern.test(entry)),
    'host names, IP addresses or CIDR ranges, separated by commas: hooks.corp.example,10.0.0.0/8',
  );

const keyFormat = 'id:secret pairs separated by commas, the current one first; a secret is 32 bytes in base64url';
const keys = z.string().transform((value, context): [KeySetting, ...KeySetting[]] => {
  const parsed = list(value).map((entry) => {
    const colon = entry.indexOf(':');
    return { id: entry.slice(0, colon), secret: new Uint8Array(Buffer.from(entry.slice(colon + 1), 'base64url')) };
  });
  const [current, ...older] = parsed;
  const wellFormed = parsed.every(({ id, secret }) => /^[A-Za-z0-9_-]{1,64}$/.test(id) && secret.length === 32);
  const unique = new Set(parsed.map(({ id }) => id)).size === parsed.length;
  if (!current || !wellFormed || !unique) {
    context.addIssue({ code: 'custom', message: unique ? keyFormat : `${keyFormat}; each id once` });
    return z.NEVER;
  }
  return [current, ...older];
});

const smtpUrl = z.url({
  protocol: /^smtps?$/,
  error: 'a URL such as smtps://user:password@mail.example.org (smtps: implicit TLS; smtp: STARTTLS)',
});
const mailAddress = z
  .string()
  .regex(/^([^<>\r\n]+ )?<?[^\s<>@]+@[^\s<>@]+>?$/, 'an address such as Cloud <cloud@example.org>');

const firstPassword = z.string().min(8, 'at least 8 characters').max(1024, 'at most 1024 characters');

/** All settings by environment variable. `.env.example` documents them for operators. */
const environment = z.object({
  NODE_ENV: z.enum(['production', 'development', 'test']).default('production'),
  HOST: address.default('127.0.0.1'),
  PORT: whole(65_535, 'a port from 1 to 65535').default(3000),
  BASE_URL: httpUrl.optional(),
  BACKOFFICE_URL: httpUrl.optional(),
  BACKOFFICE_LISTEN: listenAddress.optional(),
  DATA_DIR: z.string().optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_LISTEN_URL: postgresUrl.optional(),
  DATABASE_POOL_SIZE: whole(1000).default(20),
  DATABASE_RESERVE_MB: whole(1_000_000).default(256),
  BOOTSTRAP_ADMIN_PASSWORD: firstPassword.optional(),
  BOOTSTRAP_TENANT_PASSWORD: firstPassword.optional(),
  JWT_KEYS: keys.optional(),
  ENCRYPTION_KEYS: keys.optional(),
  TRUSTED_PROXIES: networks.default([]),
  METRICS_TOKEN: z.string().min(16, 'a secret of at least 16 characters').optional(),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'fatal, error, warn, info, debug, trace or silent',
    )
    .default('info'),
  RATE_LIMIT_PER_MINUTE: whole(1_000_000_000).default(6000),
  RATE_LIMIT_BURST: whole(1_000_000_000).default(1000),
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: whole(1_000_000_000).default(600),
  CONNECTIONS_PER_ADDRESS: whole(1_000_000).default(500),
  RATE_LIMIT_PROJECT_WRITES_PER_MINUTE: whole(1_000_000_000).default(6000),
  RATE_LIMIT_PROJECT_WRITES_BURST: whole(1_000_000_000).default(1000),
  RATE_LIMIT_PROJECT_HEAVY_PER_MINUTE: whole(1_000_000_000).default(600),
  RATE_LIMIT_PROJECT_HEAVY_BURST: whole(1_000_000_000).default(200),
  ADMIN_REQUIRE_TOTP: flag.default(false),
  ALLOW_PRIVATE_URLS: networksOrHosts.default([]),
  FLOATING_IP_CIDR: z
    .cidrv4('an IPv4 range of /29 or wider: 203.0.113.0/24')
    .refine((cidr) => Number(cidr.split('/')[1]) <= 29, 'an IPv4 range of /29 or wider: 203.0.113.0/24')
    .optional(),
  GUESTS_MAY_REACH: networks
    .refine(
      (entries) => entries.every((entry) => !entry.includes(':')),
      'IPv4 addresses or ranges, separated by commas',
    )
    .default([]),
  PROGRAM_MIRROR: z
    .string()
    .regex(/^(https?:\/\/|\/)/, 'an absolute folder or a URL: https://mirror.example.com/programs')
    .optional(),
  DISK_FLOOR_GB: whole(100_000).default(2),
  METRICS_SAMPLE_HOURS: whole(24 * 90).default(48),
  METRICS_FIVE_MINUTE_DAYS: whole(3650).default(30),
  METRICS_HOUR_DAYS: whole(36_500).default(400),
  PROMETHEUS_URL: httpUrl.optional(),
  IMAGE_MAX_BYTES: whole(2 ** 43).default(20_000_000_000),
  IMAGES_PER_PROJECT: whole(100_000).default(50),
  SNAPSHOTS_PER_PROJECT: whole(100_000).default(200),
  SECRETS_PER_PROJECT: whole(100_000).default(1000),
  LOAD_BALANCERS_PER_PROJECT: whole(1000).default(10),
  DATABASE_CLUSTER_VCPUS: whole(1024).default(8),
  DATABASE_CLUSTER_RAM_GB: whole(16_384).default(32),
  DATABASE_CLUSTER_STORAGE_GB: whole(1_000_000).default(500),
  DATABASE_CLUSTER_INSTANCES: whole(5).default(5),
  DATABASE_BACKUP_DAYS: whole(365).default(7),
  QDRANT_CLUSTERS_PER_PROJECT: whole(1000).default(5),
  LAYERS_PER_PROJECT: whole(100_000).default(50),
  LAYER_INDEX_HOSTS: networksOrHosts.default([]),
  VERSIONS_PER_LAYER: whole(100_000).default(100),
  FUNCTION_MEMORY_MB_PER_PROJECT: whole(1_000_000).default(4096),
  FUNCTION_HISTORY_DAYS: whole(365).default(7),
  FUNCTION_URL_RATE_PER_MINUTE: whole(1_000_000).default(600),
  CERTIFICATES_PER_PROJECT: whole(100_000).default(50),
  ACME_DIRECTORY_URL: httpUrl.default('https://acme-v02.api.letsencrypt.org/directory'),
  ACME_EMAIL: z.email('an e-mail address').optional(),
  ACME_EAB_KEY_ID: z.string().max(500, 'at most 500 characters').optional(),
  ACME_EAB_HMAC_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]+=*$/, 'a key in base64url')
    .optional(),
  ACME_CA_FILE: z.string().regex(/^\//, 'an absolute path').optional(),
  ACME_ORDERS_PER_DAY: whole(100_000).default(20),
  GATEWAY_DOMAIN: z
    .string()
    .toLowerCase()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'a domain such as apps.example.net')
    .default('apps.localhost'),
  GATEWAY_HOST: address.optional(),
  GATEWAY_HTTP_PORT: whole(65_535, 'a port from 1 to 65535').optional(),
  GATEWAY_HTTPS_PORT: whole(65_535, 'a port from 1 to 65535').optional(),
  GATEWAY_TLS_CERT: z.string().regex(/^\//, 'an absolute path').optional(),
  ALLOW_UNVERIFIED_HOSTS: flag.default(false),
  GATEWAY_SAME_SITE: flag.default(false),
  S3_ENGINE: z.enum(['local', 'external'], 'local or external').default('local'),
  S3_EXTERNAL_URL: z.url({ protocol: /^https?$/, error: 'a URL such as https://rgw.example.net' }).optional(),
  S3_ADMIN_ACCESS_KEY: z.string().max(128, 'at most 128 characters').optional(),
  S3_ADMIN_SECRET_KEY: z.string().max(128, 'at most 128 characters').optional(),
  S3_PORT: whole(65_535, 'a port from 1 to 65535').default(9000),
  S3_HOST: address.optional(),
  S3_PUBLIC_URL: httpUrl.optional(),
  S3_DOMAIN: z
    .string()
    .toLowerCase()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'a domain such as s3.example.net')
    .default('s3.localhost'),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,63}$/, 'up to 63 lowercase letters, digits and dashes')
    .default('us-east-1'),
  BUCKETS_PER_PROJECT: whole(100_000).default(100),
  S3_KEYS_PER_PROJECT: whole(100_000).default(100),
  TOKENS_PER_USER: whole(100_000).default(100),
  SSO_CLIENTS_PER_PROJECT: whole(100_000).default(20),
  USERS_PER_PROJECT: whole(100_000).default(500),
  INVITATIONS_PER_PROJECT: whole(100_000).default(100),
  LOG_RETENTION_DAYS: whole(3650).default(30),
  LOG_LINES_PER_SECOND: whole(1_000_000).default(5000),
  LOG_GB_PER_PROJECT: whole(100_000).default(10),
  LOKI_URL: httpUrl.optional(),
  LOKI_TENANT: z
    .string()
    .regex(/^[A-Za-z0-9!._*'()-]{1,150}$/, "up to 150 letters, digits and !-_.*'()")
    .optional(),
  KEY_PAIRS_PER_PROJECT: whole(100_000).default(100),
  CONSOLES_PER_INSTANCE: whole(1000).default(8),
  CONSOLES_PER_CALLER: whole(1000).default(16),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailAddress.optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_/, 'a Stripe secret key or restricted key (sk_… or rk_…)')
    .optional(),
  STRIPE_WEBHOOK_SECRET: z.string().startsWith('whsec_', 'the signing secret of the webhook (whsec_…)').optional(),
  STRIPE_PUBLISHABLE_KEY: z.string().startsWith('pk_', 'a Stripe publishable key (pk_…)').optional(),
  STRIPE_API_URL: httpUrl.optional(),
  PAYMENT_SANDBOX: flag.optional(),
  SELLER_NAME: z.string().max(100, 'at most 100 characters').default('Nephele'),
  SELLER_ADDRESS: z.string().max(500, 'at most 500 characters').default(''),
  COMPONENT_GALLERY: flag.default(false),
  REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,63}$/, 'up to 63 lowercase letters, digits and dashes')
    .default('local'),
  HOST_ID: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,64}$/, 'up to 64 letters, digits, dots, dashes, underscores')
    .optional(),
});

/** The names that `.env.example` must list, and that a clean child environment must omit. */
export const settingNames = Object.keys(environment.shape);

/** The operator's settings, validated and with defaults. */
export type Settings = ReturnType<typeof parseSettings> & { hostId: string };

/** Thrown when settings are wrong; the message has one line per setting, by its environment variable. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Validates an environment and fills in defaults; an empty value counts as unset.
 * @throws SettingsError naming every wrong setting and how to fix it
 */
export function parseSettings(env: Record<string, string | undefined>) {
  const given = Object.fromEntries(settingNames.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const result = environment.safeParse(given);
  if (!result.success) {
    const lines = result.error.issues.map(({ path: [name], message }) => `  ${String(name)}: must be ${message}`);
    throw new SettingsError(`These settings are invalid:\n${[...new Set(lines)].join('\n')}`);
  }
  const s = result.data;
  const wrong = [...paymentProblems(s), ...bindingProblems(s), ...sameSiteProblems(s), ...objectStorageProblems(s)];
  if (wrong.length > 0) throw new SettingsError(`These settings are invalid:\n${wrong.join('\n')}`);
  const own = s.BACKOFFICE_LISTEN;
  const baseUrl = s.BASE_URL ?? `http://localhost:${s.PORT}`;
  return {
    nodeEnv: s.NODE_ENV,
    host: s.HOST,
    port: s.PORT,
    /** The platform's address for browsers and scripts, without a trailing slash. */
    baseUrl,
    backofficeUrl: s.BACKOFFICE_URL ?? (own ? `http://localhost:${own.port}` : `${baseUrl}/admin`),
    /** The separate listener of the back office, which then answers nowhere else. */
    backofficeListen: own,
    /** Absolute path of keys, the embedded database, uploads and the engines' files. */
    dataDir: resolve(s.DATA_DIR ?? (process.getuid?.() === 0 ? '/var/lib/nephele' : '.data')),
    /** Undefined until the supervisor has started the embedded database and passed its address to its children. */
    databaseUrl: s.DATABASE_URL,
    /** A direct connection for LISTEN, which transaction poolers do not support. */
    databaseListenUrl: s.DATABASE_LISTEN_URL ?? s.DATABASE_URL,
    /** Connections per process. */
    databasePoolSize: s.DATABASE_POOL_SIZE,
    /** Reserve space of the embedded database for a full disk. */
    databaseReserveMb: s.DATABASE_RESERVE_MB,
    bootstrapAdminPassword: s.BOOTSTRAP_ADMIN_PASSWORD,
    bootstrapTenantPassword: s.BOOTSTRAP_TENANT_PASSWORD,
    jwtKeys: s.JWT_KEYS,
    encryptionKeys: s.ENCRYPTION_KEYS,
    /** IP addresses and CIDR ranges whose X-Forwarded-For is trusted. */
    trustedProxies: s.TRUSTED_PROXIES,
    metricsToken: s.METRICS_TOKEN,
    logLevel: s.LOG_LEVEL,
    rateLimitPerMinute: s.RATE_LIMIT_PER_MINUTE,
    rateLimitBurst: s.RATE_LIMIT_BURST,
    rateLimitAnonymousPerMinute: s.RATE_LIMIT_ANONYMOUS_PER_MINUTE,
    /** Open connections per client address and web process. */
    connectionsPerAddress: s.CONNECTIONS_PER_ADDRESS,
    /** Changes of one project's resources, for all of its callers together. */
    rateLimitProjectWritesPerMinute: s.RATE_LIMIT_PROJECT_WRITES_PER_MINUTE,
    rateLimitProjectWritesBurst: s.RATE_LIMIT_PROJECT_WRITES_BURST,
    rateLimitProjectHeavyPerMinute: s.RATE_LIMIT_PROJECT_HEAVY_PER_MINUTE,
    rateLimitProjectHeavyBurst: s.RATE_LIMIT_PROJECT_HEAVY_BURST,
    adminRequireTotp: s.ADMIN_REQUIRE_TOTP,
    /** Private hosts, addresses and ranges that URLs from tenants may name. */
    allowPrivateUrls: s.ALLOW_PRIVATE_URLS,
    /** The range of floating IPs; undefined: chosen by the engine. */
    floatingIpCidr: s.FLOATING_IP_CIDR,
    /** Private external addresses and ranges that guests may reach. */
    guestsMayReach: s.GUESTS_MAY_REACH,
    /** Folder or base URL of programs for hosts without the internet; undefined: Debian, npm and PyPI. */
    programMirror: s.PROGRAM_MIRROR,
    /** Free disk space in GB that guests never use. */
    diskFloorGb: s.DISK_FLOOR_GB,
    /** Retention of metrics at 15 s, 5 min and 1 h resolution. */
    metricsSampleHours: s.METRICS_SAMPLE_HOURS,
    metricsFiveMinuteDays: s.METRICS_FIVE_MINUTE_DAYS,
    metricsHourDays: s.METRICS_HOUR_DAYS,
    /** A Prometheus that samples are sent to and that answers PromQL, possibly with credentials; undefined: the own store answers. */
    prometheusUrl: s.PROMETHEUS_URL,
    /** The largest image that can be uploaded. */
    imageMaxBytes: s.IMAGE_MAX_BYTES,
    imagesPerProject: s.IMAGES_PER_PROJECT,
    snapshotsPerProject: s.SNAPSHOTS_PER_PROJECT,
    secretsPerProject: s.SECRETS_PER_PROJECT,
    loadBalancersPerProject: s.LOAD_BALANCERS_PER_PROJECT,
    /** The most that one database cluster may have, all members together. */
    databaseCluster: {
      vcpus: s.DATABASE_CLUSTER_VCPUS,
      ramGb: s.DATABASE_CLUSTER_RAM_GB,
      storageGb: s.DATABASE_CLUSTER_STORAGE_GB,
      instances: s.DATABASE_CLUSTER_INSTANCES,
    },
    /** How long backups of databases, and the log between them, are kept. */
    databaseBackupDays: s.DATABASE_BACKUP_DAYS,
    qdrantClustersPerProject: s.QDRANT_CLUSTERS_PER_PROJECT,
    layersPerProject: s.LAYERS_PER_PROJECT,
    /** Hosts that builders of layers may reach besides those of the package index. */
    layerIndexHosts: s.LAYER_INDEX_HOSTS,
    versionsPerLayer: s.VERSIONS_PER_LAYER,
    /** Memory of all running instances of a project’s functions. */
    functionMemoryMbPerProject: s.FUNCTION_MEMORY_MB_PER_PROJECT,
    functionHistoryDays: s.FUNCTION_HISTORY_DAYS,
    /** Calls of a function’s URL from one address. */
    functionUrlRatePerMinute: s.FUNCTION_URL_RATE_PER_MINUTE,
    certificatesPerProject: s.CERTIFICATES_PER_PROJECT,
    acme: {
      directoryUrl: s.ACME_DIRECTORY_URL,
      email: s.ACME_EMAIL,
      /** External account binding (RFC 8555, 7.3.4). */
      binding:
        s.ACME_EAB_KEY_ID && s.ACME_EAB_HMAC_KEY ? { kid: s.ACME_EAB_KEY_ID, hmacKey: s.ACME_EAB_HMAC_KEY } : undefined,
      /** A PEM file with the root certificates of a private authority. */
      caFile: s.ACME_CA_FILE,
      ordersPerDay: s.ACME_ORDERS_PER_DAY,
    },
    /** Hosts below `{slug}.{gatewayDomain}` belong to the project with that slug. */
    gatewayDomain: s.GATEWAY_DOMAIN,
    /** Settings that put pages of tenants on the site of the portal or the back office, as GATEWAY_SAME_SITE allows. */
    sharedSites: [...new Set(sharedSites(s).map(({ domain }) => domain))],
    /** The address that the gateway listens at. */
    gatewayHost: s.GATEWAY_HOST ?? s.HOST,
    gatewayHttpPort: s.GATEWAY_HTTP_PORT ?? (process.getuid?.() === 0 ? 80 : 8080),
    gatewayHttpsPort: s.GATEWAY_HTTPS_PORT ?? (process.getuid?.() === 0 ? 443 : 8443),
    /** A PEM file with certificate and key, for hosts without a certificate of their own; undefined: self-signed. */
    gatewayTlsCert: s.GATEWAY_TLS_CERT,
    /** Whether hosts outside of the gateway's domain are served without proof. */
    allowUnverifiedHosts: s.ALLOW_UNVERIFIED_HOSTS,
    s3: {
      port: s.S3_PORT,
      /** The address that the S3 endpoint listens at. */
      host: s.S3_HOST ?? s.HOST,
      /** Its address for browsers and scripts, without a trailing slash. */
      url:
        s.S3_PUBLIC_URL ??
        (s.S3_ENGINE === 'external' && s.S3_EXTERNAL_URL
          ? new URL(s.S3_EXTERNAL_URL).origin
          : `http://localhost:${s.S3_PORT}`),
      /** Hosts below it name a bucket: `BUCKET.s3.example.net`. */
      domain: s.S3_DOMAIN,
      region: s.S3_REGION,
      /** The outside store that keeps buckets in place of this host's disk. */
      external:
        s.S3_ENGINE === 'external' && s.S3_EXTERNAL_URL && s.S3_ADMIN_ACCESS_KEY && s.S3_ADMIN_SECRET_KEY
          ? {
              origin: new URL(s.S3_EXTERNAL_URL).origin,
              access_key: s.S3_ADMIN_ACCESS_KEY,
              secret: s.S3_ADMIN_SECRET_KEY,
            }
          : undefined,
    },
    bucketsPerProject: s.BUCKETS_PER_PROJECT,
    /** Valid access keys of object storage. */
    s3KeysPerProject: s.S3_KEYS_PER_PROJECT,
    /** Valid API tokens per person and project. */
    tokensPerUser: s.TOKENS_PER_USER,
    ssoClientsPerProject: s.SSO_CLIENTS_PER_PROJECT,
    /** Members and invited people together. */
    usersPerProject: s.USERS_PER_PROJECT,
    /** Unanswered invitations, a part of the above. */
    invitationsPerProject: s.INVITATIONS_PER_PROJECT,
    keyPairsPerProject: s.KEY_PAIRS_PER_PROJECT,
    /** Retention of log lines. */
    logRetentionDays: s.LOG_RETENTION_DAYS,
    /** Log lines per project and writing process; bursts of ten seconds' worth are allowed. */
    logLinesPerSecond: s.LOG_LINES_PER_SECOND,
    /** Compressed size of a project's log lines in the database. */
    logGbPerProject: s.LOG_GB_PER_PROJECT,
    /** A Loki that log lines are pushed to and that answers queries; undefined: the own store answers. */
    loki: s.LOKI_URL ? { url: s.LOKI_URL, tenant: s.LOKI_TENANT } : undefined,
    /** Open consoles per instance and kind (screen, terminal), counted per process. */
    consolesPerInstance: s.CONSOLES_PER_INSTANCE,
    consolesPerCaller: s.CONSOLES_PER_CALLER,
    /** The mail server; undefined: mail is not sent, and the portal says so. */
    smtpUrl: s.SMTP_URL,
    mailFrom: s.MAIL_FROM ?? `${s.SELLER_NAME} <noreply@${new URL(baseUrl).hostname}>`,
    stripe:
      s.STRIPE_SECRET_KEY && s.STRIPE_WEBHOOK_SECRET
        ? {
            secretKey: s.STRIPE_SECRET_KEY,
            webhookSecret: s.STRIPE_WEBHOOK_SECRET,
            /** Needed only by clients that use Stripe's own script. */
            publishableKey: s.STRIPE_PUBLISHABLE_KEY,
            /** A proxy or test server for Stripe. */
            apiUrl: s.STRIPE_API_URL,
          }
        : undefined,
    /** Whether payments can be simulated without Stripe and without money (docs/decisions/0020). */
    paymentSandbox: !s.STRIPE_SECRET_KEY && (s.PAYMENT_SANDBOX ?? onlyThisMachine(s.HOST, baseUrl, s.TRUSTED_PROXIES)),
    /** The seller on invoices; commas separate address lines. */
    seller: { name: s.SELLER_NAME, address: list(s.SELLER_ADDRESS) },
    /** Whether the gallery of components is served; always under `npm run dev`. */
    componentGallery: s.COMPONENT_GALLERY || s.NODE_ENV === 'development',
    /** The region of all resources, as the inventory names it. */
    region: s.REGION,
    /** The name of this machine in rows of resources on it; undefined: stored in its data folder, see `settings`. */
    hostId: s.HOST_ID,
  };
}

/** An outside store without its address or keys. */
function objectStorageProblems(s: z.output<typeof environment>): string[] {
  if (s.S3_ENGINE === 'local') return [];
  const needed = ['S3_EXTERNAL_URL', 'S3_ADMIN_ACCESS_KEY', 'S3_ADMIN_SECRET_KEY'] as const;
  return needed
    .filter((name) => !s[name])
    .map((name) => `  ${name}: must be set for S3_ENGINE=external; docs/operators.md shows how to make the keys`);
}

/** Payment settings that are valid separately but wrong together. */
function paymentProblems(s: z.output<typeof environment>): string[] {
  const wrong: string[] = [];
  if (s.STRIPE_SECRET_KEY && !s.STRIPE_WEBHOOK_SECRET) {
    wrong.push(
      '  STRIPE_WEBHOOK_SECRET: must be the signing secret of the webhook (whsec_…); without it, payments are not reported',
    );
  }
  if (s.STRIPE_SECRET_KEY && s.PAYMENT_SANDBOX) {
    wrong.push('  PAYMENT_SANDBOX: must be false or unset if STRIPE_SECRET_KEY is set');
  }
  return wrong;
}

function bindingProblems(s: z.output<typeof environment>): string[] {
  const { ACME_EAB_KEY_ID: id, ACME_EAB_HMAC_KEY: key } = s;
  if ((id === undefined) === (key === undefined)) return [];
  return [`  ${id ? 'ACME_EAB_HMAC_KEY' : 'ACME_EAB_KEY_ID'}: must be set too; external account binding has two parts`];
}

/** Domains of tenants' pages that are on the site of the portal or of the back office: its registrable domain. */
function sharedSites(s: z.output<typeof environment>) {
  const siteOf = (host: string) => getDomain(host, { allowPrivateDomains: true });
  return (['GATEWAY_DOMAIN', 'S3_DOMAIN'] as const).flatMap((domain) => {
    const site = siteOf(s[domain]);
    const shared = (['BASE_URL', 'BACKOFFICE_URL'] as const).filter((name) => {
      const url = s[name];
      return site !== null && url !== undefined && siteOf(new URL(url).hostname) === site;
    });
    return shared.map((name) => ({ domain, site, name }));
  });
}

/** Pages of tenants under the portal's registrable domain could set its cookies, and would get some of them. */
const sameSiteProblems = (s: z.output<typeof environment>): string[] =>
  s.GATEWAY_SAME_SITE
    ? []
    : sharedSites(s).map(
        ({ domain, site, name }) =>
          `  ${domain}: must not be below ${site} like ${name}, because pages of tenants could set its cookies; GATEWAY_SAME_SITE=true allows it`,
      );

/** Whether only people on this machine can reach the platform, according to its settings. */
function onlyThisMachine(host: string, baseUrl: string, proxies: readonly string[]): boolean {
  const isLoopback = (name: string) => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(name);
  return isLoopback(host) && isLoopback(new URL(baseUrl).hostname) && proxies.length === 0;
}

let parsed: Settings | undefined;

/** The settings of this process, read once from the environment and `.env`. */
export function settings(): Settings {
  if (!parsed) {
    loadEnvironmentFile();
    const given = parseSettings(process.env);
    parsed = { ...given, hostId: given.hostId ?? hostIdOf(given.dataDir) };
  }
  return parsed;
}

/** Makes this process read its settings again; for tests only. */
export function forgetSettings(): void {
  parsed = undefined;
}

/** The cell that this process serves: its machine, by the name in the database. */
export const ownCell = () => settings().hostId;

/** The file with the host's name in a data folder, so that machines stay this host's when it is renamed. */
export const hostIdPath = (dataDir: string) => join(dataDir, 'host-id');

/** The host's name when its data folder was created, or its current name before that. */
function hostIdOf(dataDir: string): string {
  const path = hostIdPath(dataDir);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : hostname();
}

/**
 * Adds `.env` of the checkout to the environment, which takes precedence. Not for tests, whose results must not depend
 * on an operator's settings.
 */
export function loadEnvironmentFile(): void {
  const file = join(process.cwd(), '.env');
  if (process.env.NODE_ENV !== 'test' && existsSync(file)) process.loadEnvFile(file);
}

/** The database's address. @throws SettingsError when neither the operator nor the supervisor has set one */
export function databaseUrl(): string {
  const url = settings().databaseUrl;
  if (!url) throw new SettingsError('DATABASE_URL is not set. Start the platform with `npm start`, or set it.');
  return url;
}
