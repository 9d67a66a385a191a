'use client';

import { Trash2 } from 'lucide-react';
import type { Action } from '@/components/kit/table/row-actions';
import { nounOf } from '@/components/shell/places';
import type { Row } from '@/lib/client/list';
import { useRefusal } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';

export type Certificate = Row<'/api/v1/gateway/certificates'>;

/** Why a certificate can't be deleted, if so. */
function whyInUse({ used_by: [first, ...others] }: Certificate): string | undefined {
  if (!first) return undefined;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return `In use by ${nounOf(first.type)} ${first.name}${more}. Remove it there first.`;
}

/** The actions of a certificate, for its row and its page. */
export function useCertificateActions({ onDeleted }: { onDeleted?: () => void } = {}) {
  const { api } = useProject();
  const refusal = useRefusal();
  const remove = api.useMutation('delete', '/api/v1/gateway/certificates/{id}');
  return (certificate: Certificate): Action[] => [
    {
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabledReason: refusal('deleteCertificate') ?? whyInUse(certificate),
      confirmation: {
        title: `Delete ${certificate.name}?`,
        consequence:
          certificate.issuer === 'acme'
            ? 'The certificate and its private key are permanently deleted, and renewals end.'
            : 'The certificate and its private key are permanently deleted.',
        confirmLabel: 'Delete certificate',
        typeToConfirm: certificate.name,
        onConfirm: async () => {
          await remove.mutateAsync({ params: { path: { id: certificate.id } } });
          onDeleted?.();
        },
      },
    },
  ];
}
