'use client';

import { useConfirm } from '@/components/kit/page/confirm';
import { notify } from '@/components/kit/ui/notify';
import { download } from '@/lib/client/download';
import { useMay } from '@/lib/client/may';
import { useProject } from '@/lib/client/project';
import { formatMoney } from '@/lib/format/money';
import { type Invoice, whyNotPay } from './invoices';

/** What can be done with an invoice, for its row and for its page. */
export function useInvoiceActions() {
  const { api, headers } = useProject();
  const may = useMay('payInvoice');
  const confirm = useConfirm();
  const pay = api.useMutation('post', '/api/v1/billing/invoices/{id}/pay');
  return {
    save: ({ id, number }: Invoice) => download(`/api/v1/billing/invoices/${id}/pdf`, {}, headers, `${number}.pdf`),
    whyNotPay: (invoice: Invoice) => may.reason ?? whyNotPay(invoice),
    pay: ({ id, number, due_usd }: Invoice) =>
      confirm({
        title: `Pay ${number} now?`,
        consequence: `${formatMoney(due_usd)} will be charged to the default card.`,
        confirmLabel: 'Pay now',
        harmless: true,
        onConfirm: async () => {
          await pay.mutateAsync({ params: { path: { id } } });
          void notify('success', `${number} paid`);
        },
      }),
  };
}
