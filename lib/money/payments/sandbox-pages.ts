import type { ProjectCall } from '@/lib/core/api/endpoint';
import { notFound } from '@/lib/core/api/errors';
import { JsonNumber, type Sendable } from '@/lib/core/api/json';
import { settlePage } from './checkouts';
import { processorName } from './processor';
import { completeSandboxPage, sandboxPage, type TestCard, testCards, testCardTokens } from './sandbox';
import type { SandboxPage } from './schema';

/** The content of the sandbox's page. @throws ApiError 404, also without a sandbox */
export async function readPage(call: ProjectCall, id: string): Promise<Sendable<SandboxPage>> {
  if (processorName() !== 'sandbox') throw notFound('The page');
  const { status, amount_usd, success_url, cancel_url } = await sandboxPage(call.project_id, id);
  const cards = testCardTokens.map((token) => {
    const { brand, last4 } = testCards[token];
    return { token, brand, last4, does: deed(token) };
  });
  return {
    id,
    amount_usd: amount_usd === null ? null : JsonNumber.money(amount_usd),
    status,
    success_url,
    cancel_url,
    cards,
  };
}

function deed(token: TestCard): SandboxPage['cards'][number]['does'] {
  const { save, charge } = testCards[token];
  if (save === 'declined') return 'is_declined';
  if (save === 'confirm') return 'needs_confirmation';
  return charge === 'declined' ? 'is_declined_later' : 'succeeds';
}

/** Pays with a test card; the platform is then notified as by a webhook. */
export async function complete(
  call: ProjectCall,
  id: string,
  { card, confirmed }: { card: TestCard; confirmed: boolean },
) {
  if (processorName() !== 'sandbox') throw notFound('The page');
  call.record.resource = { type: 'sandbox_page', id };
  await settlePage(await completeSandboxPage(call.project_id, id, card, confirmed));
  return readPage(call, id);
}
