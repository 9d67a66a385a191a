'use client';

import { Plus } from 'lucide-react';
import { useState } from 'react';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { ErrorNotice } from '@/components/kit/page/error-notice';
import { Button } from '@/components/kit/ui/button';
import { useMay } from '@/lib/client/may';
import { useHostedPages } from './hosted-page';

/** Opens the payment processor’s page, which saves a card. */
export function AddCard() {
  const may = useMay('createCardSession');
  const { saveCard, error } = useHostedPages();
  const [pending, setPending] = useState(false);
  return (
    <>
      <DisabledReason reason={may.reason}>
        <Button
          variant="primary"
          pending={pending}
          onClick={() => {
            setPending(true);
            void saveCard().catch(() => setPending(false));
          }}
        >
          <Plus /> Add card
        </Button>
      </DisabledReason>
      {error !== null && <ErrorNotice title="The processor’s page could not be opened" error={error} />}
    </>
  );
}
