import * as z from 'zod/mini';
import { text } from '@/lib/client/constraints';
import { createSsoClient } from '@/lib/client/operations/workspace';

const linesOf = (typed: string) =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The fields of an application that members sign in to. */
export const clientSchema = z.object({
  name: text(createSsoClient.fields.name, 'Enter a name.'),
  redirect_uris: z.string().check(z.refine((typed) => linesOf(typed).length > 0, 'Enter at least one URL.')),
  post_logout_redirect_uris: z.string(),
  token_endpoint_auth_method: z.enum(createSsoClient.fields.token_endpoint_auth_method.enum),
});

export const emptyClient: z.input<typeof clientSchema> = {
  name: '',
  redirect_uris: '',
  post_logout_redirect_uris: '',
  token_endpoint_auth_method: 'client_secret_basic',
};

/** The request body of the form. */
export function clientOf({ redirect_uris, post_logout_redirect_uris, ...values }: z.output<typeof clientSchema>) {
  return {
    ...values,
    redirect_uris: linesOf(redirect_uris),
    post_logout_redirect_uris: linesOf(post_logout_redirect_uris),
  };
}
