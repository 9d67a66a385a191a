import type { AnyEndpoint, Estimate, ProjectCall } from '@/lib/core/api/endpoint';
import { ApiError, invalid, notFound } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { parseBody, parseParams } from '@/lib/core/api/request';
import { endpointAt, pathParams } from '@/lib/core/api/routes';
import { quotaOf } from '@/lib/core/quota/service';
import { readPricing } from '@/lib/money/billing/pricing';
import { isFrozen, readBudgetFacts } from '@/lib/money/budget/state';
import { readMeter } from '@/lib/money/rating/meter';
import { quote } from './quote';
import type { QuoteAnswer, QuoteRequest } from './schema';

/**
 * The cost and quota claims of a request, and whether they would get it refused. Writes nothing.
 * @throws ApiError 404 for an unknown path, and the request's own errors: 400, 404, 409
 */
export async function quoteFor(
  call: ProjectCall,
  request: QuoteRequest,
  endpoints: readonly AnyEndpoint[],
): Promise<Sendable<QuoteAnswer>> {
  const endpoint = endpointAt(endpoints, request.method, request.path);
  if (endpoint?.realm !== 'tenant') {
    throw new ApiError('RESOURCE_NOT_FOUND', `No endpoint answers ${request.method} on this path. /docs lists all.`);
  }
  const [estimate, card, { quota }, frozen] = await Promise.all([
    estimateOf(call, endpoint, request),
    readPricing(),
    quotaOf(call.project_id),
    endpoint.freezable ? isFrozenNow(call.project_id) : false,
  ]);
  const { lines, usd_per_hour, usd_per_month } = quote(card, estimate.uses);
  return {
    hourly_usd: JsonNumber.money(usd_per_hour),
    monthly_usd: JsonNumber.money(usd_per_month),
    lines: lines.map(({ label, quantity, unit, per, unit_price_usd, ...line }) => ({
      name: label,
      quantity,
      unit,
      per,
      unit_price_usd,
      hourly_usd: JsonNumber.money(line.usd_per_hour),
      monthly_usd: JsonNumber.money(line.usd_per_month),
    })),
    quota: estimate.claims.map(({ dimension, amount }) => ({
      dimension,
      claim: JsonNumber.decimal(String(amount)),
      available: quota[dimension].available,
    })),
    frozen,
  };
}

async function estimateOf(call: ProjectCall, endpoint: AnyEndpoint, request: QuoteRequest): Promise<Estimate> {
  if (endpoint.upload) {
    throw invalid('path: an upload is billed by the size of its file. GET /billing/pricing has the price per GB.');
  }
  const params = parseParams(pathParams(endpoint, request.path), endpoint.params);
  const body = endpoint.body && parseBody(request.body ?? {}, endpoint.body);
  return endpoint.estimate?.(call, { params, body }) ?? { claims: [], uses: [] };
}

async function isFrozenNow(projectId: string): Promise<boolean> {
  const [facts, meter] = await Promise.all([readBudgetFacts(projectId), readMeter(projectId)]);
  if (!facts) throw notFound('The project');
  return isFrozen(facts, meter);
}
