import { alertEndpoints } from '@/lib/alerts/endpoints';
import type { AnyEndpoint } from '@/lib/api/endpoint';
import { auditEndpoints, platformAuditEndpoints } from '@/lib/audit/endpoints';
import { backofficeEndpoints } from '@/lib/backoffice/endpoints';
import { billingEndpoints } from '@/lib/billing/endpoints';
import { budgetEndpoints } from '@/lib/budget/endpoints';
import { computeEndpoints } from '@/lib/compute/endpoints';
import { engineReportEndpoints } from '@/lib/engine-reports/endpoints';
import { eventEndpoints, platformEventEndpoints } from '@/lib/events/endpoints';
import { iamEndpoints } from '@/lib/iam/endpoints';
import { authEndpoints } from '@/lib/identity/auth-endpoints';
import { imageEndpoints } from '@/lib/images/endpoints';
import { invoiceEndpoints, platformInvoiceEndpoints } from '@/lib/invoices/endpoints';
import { memberEndpoints } from '@/lib/members/endpoints';
import { networkingEndpoints } from '@/lib/network/endpoints';
import { operationEndpoints, projectOperationEndpoints } from '@/lib/operations/endpoints';
import { paymentEventEndpoints } from '@/lib/payment-events/endpoints';
import { paymentEndpoints } from '@/lib/payments/endpoints';
import { quoteEndpoints } from '@/lib/pricing/endpoints';
import { tenantEndpoints } from '@/lib/projects/endpoints';
import { limitEndpoints, quotaEndpoints } from '@/lib/quota/endpoints';
import { reconciliationEndpoints } from '@/lib/reconciliation/endpoints';
import { secretEndpoints } from '@/lib/secrets/endpoints';
import { storageEndpoints } from '@/lib/storage/endpoints';
import { tokenEndpoints } from '@/lib/tokens/endpoints';

/** Every endpoint of the platform, in the order in which the reference shows them. */
export const endpoints: readonly AnyEndpoint[] = [
  ...authEndpoints,
  ...memberEndpoints,
  ...tokenEndpoints,
  ...iamEndpoints(() => endpoints),
  ...quotaEndpoints,
  ...computeEndpoints,
  ...networkingEndpoints,
  ...storageEndpoints,
  ...imageEndpoints,
  ...secretEndpoints,
  ...billingEndpoints,
  ...quoteEndpoints(() => endpoints),
  ...budgetEndpoints,
  ...alertEndpoints,
  ...paymentEndpoints,
  ...paymentEventEndpoints,
  ...invoiceEndpoints,
  ...auditEndpoints,
  ...projectOperationEndpoints,
  ...eventEndpoints,
  ...backofficeEndpoints,
  ...tenantEndpoints,
  ...limitEndpoints,
  ...platformInvoiceEndpoints,
  ...reconciliationEndpoints,
  ...operationEndpoints,
  ...engineReportEndpoints,
  ...platformEventEndpoints,
  ...platformAuditEndpoints,
];
