import { NewRoute } from '@/components/gateway/new-route';
import { settings } from '@/lib/settings';

/** Creates a gateway route. */
export default function NewRoutePage() {
  return <NewRoute domain={settings().gatewayDomain} />;
}
