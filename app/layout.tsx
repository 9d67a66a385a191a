import type { Metadata, Viewport } from 'next';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { parseTheme, THEME_COOKIE } from '@/components/shell/theme-cookie';
import { servedVersion } from '@/lib/core/events/version';
import './globals.css';

// No title here: every page renders its own <title>, so that it can name what the page shows.
export const metadata: Metadata = {
  description: 'Nephele, your cloud: instances, networks, storage, databases and billing.',
  robots: { index: false, follow: false },
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f8fafb' },
    { media: '(prefers-color-scheme: dark)', color: '#0d1116' },
  ],
};

/** The document. Reading a cookie keeps every page dynamic, which the nonces of the content policy need. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <html lang="en" data-theme={theme === 'system' ? undefined : theme} data-version={servedVersion()}>
      <body>{children}</body>
    </html>
  );
}
