import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '@/lib/client/project';
import { archiveForm } from './archive-form';
import type { CloudFunction } from './types';

/** Requests with an archive, which the typed client can't send: the endpoint takes a form or JSON. */
export function useArchive() {
  const { send: ask, headers } = useProject();
  const store = useQueryClient();
  const [error, setError] = useState<unknown>();
  const send = async (method: 'POST' | 'PUT', path: string, body: object, archive: File | null) => {
    setError(undefined);
    try {
      if (!archive) throw new Error('Choose a zip file.');
      const address = new URL(path, window.location.origin);
      const answer = await ask(new Request(address, { method, body: archiveForm(body, archive), headers }));
      const answered: CloudFunction = await answer.json();
      void store.invalidateQueries();
      return answered;
    } catch (refused) {
      setError(refused);
      throw refused;
    }
  };
  return { error, send };
}
