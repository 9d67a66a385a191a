import type { MethodResponse } from 'openapi-fetch';
import type { CodeLanguage } from '@/components/kit/code/languages';
import type { ApiClient } from '@/lib/client/api';
import type { Row } from '@/lib/client/list';
import type { components } from '@/lib/client/schema';

export type CloudFunction = Row<'/api/v1/functions'>;
export type FunctionVersion = Row<'/api/v1/functions/{id}/versions'>;
export type InvocationSummary = Row<'/api/v1/functions/{id}/invocations'>;
export type Template = Row<'/api/v1/functions/templates'>;
export type Invocation = MethodResponse<ApiClient, 'get', '/api/v1/functions/{id}/invocations/{invocation_id}'>;
export type ReplaceBody = components['schemas']['ReplaceFunction'];

/**
 * The request that leaves a function as it is, for changes of a part of it: without code, the code stays, and null keeps the
 * value of a variable.
 */
export function bodyOf(of: CloudFunction): ReplaceBody {
  return {
    template_id: of.template_id,
    handler: of.handler,
    memory_mb: of.memory_mb,
    timeout_s: of.timeout_s,
    concurrency: of.concurrency,
    network: of.network,
    layer_version_ids: of.layer_version_ids,
    env: Object.fromEntries(of.env.map(({ name, secret_id }) => [name, secret_id === null ? null : { secret_id }])),
    ...(of.network_id === null ? {} : { network_id: of.network_id, security_group_ids: of.security_group_ids }),
    ...(of.schedule === null ? {} : { schedule: of.schedule }),
    ...(of.url_auth === null ? {} : { url: { auth: of.url_auth } }),
  };
}

const languages: Readonly<Record<string, CodeLanguage>> = {
  'python3.11': 'python',
  nodejs24: 'javascript',
  nodejs20: 'javascript',
  deno2: 'typescript',
};

/** The language of a template's code. */
export const languageOf = (templateId: string): CodeLanguage => languages[templateId] ?? 'text';

export const triggerNames = { api: 'API', url: 'URL', route: 'Gateway route', schedule: 'Schedule' } as const;

/** "12.3 ms", "4.2 s" */
export function shortDuration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(ms >= 10_000 ? 0 : 1)} s`;
  return `${ms >= 100 ? ms.toFixed(0) : ms.toFixed(1)} ms`;
}
