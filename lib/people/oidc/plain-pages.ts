import { createHash } from 'node:crypto';
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { platformPaths } from '@/lib/platform-paths';

/** The colors of the portal's theme, which follows the system here. */
const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { display: grid; place-items: center; min-height: 100vh; margin: 0; background: light-dark(#f7f8fa, #0d1117); color: light-dark(#171c26, #e6eaf1) }
main { box-sizing: border-box; width: min(26rem, calc(100vw - 2rem)); padding: 2rem; border: 1px solid light-dark(#dde1e8, #2a313d); border-radius: .75rem; background: light-dark(#fff, #161b24) }
h1 { margin: 0 0 .5rem; font-size: 1.25rem } p { margin: 0 0 1rem }
button { display: block; box-sizing: border-box; width: 100%; min-height: 2.75rem; margin-top: .75rem; border: 1px solid light-dark(#c5ccd7, #3b4453); border-radius: .5rem; background: none; color: inherit; font: inherit; cursor: pointer }
button.primary { border-color: transparent; background: light-dark(#1f4fd8, #3b6cf0); color: #fff }
a { color: light-dark(#1f4fd8, #8cabff) }`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** A page that needs no script, so that single sign-on can end without the portal. */
function page(context: KoaContextWithOIDC, title: string, body: string): void {
  context.type = 'html';
  context.set(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
  );
  context.body = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Nephele</title>
<style>${style}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Asks before a sign-out that an application began. `form` holds the proof that this page asked. */
export function signOutPage(context: KoaContextWithOIDC, form: string): void {
  const name = context.oidc.client?.clientName;
  const from = name === undefined ? 'An application' : escaped(name);
  page(
    context,
    'Sign out?',
    `<p>${from} has signed you out. Sign out of Nephele and its other applications too?</p>${form}
<button class="primary" autofocus type="submit" form="op.logoutForm" value="yes" name="logout">Sign out</button>
<button type="submit" form="op.logoutForm">Stay signed in</button>`,
  );
}

/** The end of a sign-out that names no page to return to. */
export function signedOutPage(context: KoaContextWithOIDC): void {
  page(
    context,
    'Signed out',
    `<p>You can close this page, or <a href="${platformPaths.signIn()}">sign in again</a>.</p>`,
  );
}

/** An error that can't be sent to the application, because the request does not say safely which one. */
export function errorPage(context: KoaContextWithOIDC, { error, error_description }: ErrorOut): void {
  const reason = escaped(error_description ?? error);
  page(
    context,
    'Sign-in failed',
    `<p>The application sent a request that can’t be answered: ${reason} (<code>${escaped(error)}</code>).</p>
<p>Go back to the application and try again. If this happens again, contact the administrator of your project.</p>`,
  );
}
