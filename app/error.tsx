'use client';

import { FailedPage } from '@/components/kit/page/failed-page';
import { StandAlone } from '@/components/kit/page/stand-alone';

export default function RootError(props: { error: unknown; retry: () => void }) {
  return (
    <StandAlone title="Something went wrong">
      <FailedPage {...props} />
    </StandAlone>
  );
}
