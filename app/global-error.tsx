'use client';

import { FailedPage } from '@/components/kit/page/failed-page';
import { StandAlone } from '@/components/kit/page/stand-alone';
import './globals.css';

/** Takes the place of the whole document when the root layout itself fails. */
export default function GlobalError(props: { error: unknown; retry: () => void }) {
  return (
    <html lang="en">
      <body>
        <StandAlone title="Something went wrong">
          <FailedPage {...props} />
        </StandAlone>
      </body>
    </html>
  );
}
