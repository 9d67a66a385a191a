'use client';

import { functions } from '@/components/functions/domain';
import { useFunctionActions } from '@/components/functions/function-actions';
import { functionColumns } from '@/components/functions/function-columns';
import { useFunctionRates } from '@/components/functions/use-rates';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { createFunction, listFunctions } from '@/lib/client/operations/functions';

/** The project's functions. */
export default function FunctionsPage() {
  const rates = useFunctionRates();
  return (
    <ResourceList
      of={functions}
      list={listFunctions}
      command={createFunction}
      about="Code that runs when it is called: by API, URL, gateway route or schedule. Rates are those of the last 15 minutes."
      empty="Write a handler in Python, JavaScript or TypeScript. It runs in a sandbox when it is called, and costs nothing when it is not."
      columns={functionColumns(rates)}
      filters={['status']}
      actions={useFunctionActions()}
    />
  );
}
