import { backofficeEndpoints } from '@/lib/backoffice/endpoints';
import type { AnyEndpoint } from '@/lib/core/api/endpoint';
import { auditEndpoints, platformAuditEndpoints } from '@/lib/core/audit/endpoints';
import type { Domain } from '@/lib/core/domains/domain';
import { eventEndpoints, platformEventEndpoints } from '@/lib/core/events/endpoints';
import { incidentEndpoints } from '@/lib/core/incidents/endpoints';
import { operationEndpoints, projectOperationEndpoints } from '@/lib/core/operations/endpoints';
import { limitEndpoints, quotaEndpoints } from '@/lib/core/quota/endpoints';
import { platformSearchEndpoints, searchEndpoints } from '@/lib/core/search/endpoints';
import { tagEndpoints } from '@/lib/core/tags/endpoints';
import { metricEndpoints } from '@/lib/domains/observability/metrics/endpoints';
import { engineReportEndpoints } from '@/lib/hosts/engine-reports/endpoints';
import { programEndpoints } from '@/lib/hosts/services/endpoints';
import { catalogEndpoints, inventoryEndpoints } from '@/lib/inventory/endpoints';
import { alertEndpoints } from '@/lib/money/alerts/endpoints';
import { billingEndpoints } from '@/lib/money/billing/endpoints';
import { budgetEndpoints } from '@/lib/money/budget/endpoints';
import { invoiceEndpoints, platformInvoiceEndpoints } from '@/lib/money/invoices/endpoints';
import { paymentEventEndpoints } from '@/lib/money/payment-events/endpoints';
import { paymentEndpoints } from '@/lib/money/payments/endpoints';
import { quoteEndpoints } from '@/lib/money/pricing/endpoints';
import { reconciliationEndpoints } from '@/lib/money/reconciliation/endpoints';
import { iamEndpoints } from '@/lib/people/iam/endpoints';
import { authEndpoints } from '@/lib/people/identity/auth-endpoints';
import { memberEndpoints } from '@/lib/people/members/endpoints';
import { notificationEndpoints, platformNotificationEndpoints } from '@/lib/people/notifications/endpoints';
import { ssoEndpoints } from '@/lib/people/oidc/endpoints';
import { tenantEndpoints } from '@/lib/people/projects/endpoints';
import { tokenEndpoints } from '@/lib/people/tokens/endpoints';
import { billingRulesOf } from './checks';
import { domains } from './domains';

/** The endpoints of a platform with these domains, in the order of the reference. */
export function endpointsOf(of: readonly Domain[]): readonly AnyEndpoint[] {
  const all: readonly AnyEndpoint[] = [
    ...authEndpoints,
    ...memberEndpoints,
    ...tokenEndpoints,
    ...iamEndpoints(() => all),
    ...ssoEndpoints,
    ...quotaEndpoints,
    ...of.flatMap((domain) => domain.endpoints),
    ...catalogEndpoints(() => of),
    ...inventoryEndpoints(() => ({ domains: of, endpoints: all })),
    ...tagEndpoints(() => of),
    ...metricEndpoints(() => of),
    ...billingEndpoints,
    ...quoteEndpoints(() => all),
    ...budgetEndpoints,
    ...alertEndpoints,
    ...paymentEndpoints,
    ...paymentEventEndpoints,
    ...invoiceEndpoints,
    ...auditEndpoints,
    ...projectOperationEndpoints,
    ...eventEndpoints,
    ...notificationEndpoints,
    ...searchEndpoints(() => ({ domains: of, endpoints: all })),
    ...backofficeEndpoints,
    ...tenantEndpoints,
    ...limitEndpoints,
    ...platformInvoiceEndpoints,
    ...reconciliationEndpoints(billingRulesOf(of)),
    ...operationEndpoints,
    ...incidentEndpoints,
    ...engineReportEndpoints,
    ...programEndpoints,
    ...platformEventEndpoints,
    ...platformNotificationEndpoints,
    ...platformSearchEndpoints(() => ({ domains: of, endpoints: all })),
    ...platformAuditEndpoints,
  ];
  return all;
}

/** All endpoints of the platform. */
export const endpoints = endpointsOf(domains);
