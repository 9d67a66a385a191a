/* Stripe's wire format: requests, errors, and the effects of its test tokens. */

export type Json = { [name: string]: unknown };
export type Params = { [name: string]: string | Params };
export type Answer = { status: number; body: Json };
export type Card = {
  brand: string;
  last4: string;
  save: 'ok' | 'declined' | 'action';
  charge: 'ok' | 'declined' | 'action';
};

/** The cards of Stripe's test tokens. */
export const testTokens: Record<string, Card> = {
  pm_card_visa: { brand: 'visa', last4: '4242', save: 'ok', charge: 'ok' },
  pm_card_mastercard: { brand: 'mastercard', last4: '4444', save: 'ok', charge: 'ok' },
  pm_card_chargeDeclined: { brand: 'visa', last4: '0002', save: 'declined', charge: 'declined' },
  pm_card_chargeCustomerFail: { brand: 'visa', last4: '0341', save: 'ok', charge: 'declined' },
  pm_card_authenticationRequired: { brand: 'visa', last4: '3184', save: 'action', charge: 'action' },
};

/** An error in Stripe's form. */
export class StripeProblem extends Error {
  constructor(
    readonly status: number,
    readonly error: Json,
  ) {
    super(String(error.message));
  }
}

export const problem = (status: number, error: Json): Answer => ({ status, body: { error } });
export const declined = () =>
  new StripeProblem(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
  });
export const missing = (param: string, id: string) =>
  new StripeProblem(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param,
    message: `No such ${param}: '${id}'`,
  });

/** Parses `a[b][0]=c` as Stripe does. */
export function parseForm(text: string): Params {
  const root: Params = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const keys = name.split('[').map((key) => key.replace(/\]$/, ''));
    const last = keys.pop() ?? '';
    let place = root;
    for (const key of keys) {
      const next = place[key];
      const inner = typeof next === 'object' ? next : {};
      place[key] = inner;
      place = inner;
    }
    place[last] = value;
  }
  return root;
}
