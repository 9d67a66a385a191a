import { CodeBlock } from '@/components/kit/data/code-block';
import { PropertyList } from '@/components/kit/data/property-list';
import { Secret } from '@/components/kit/data/secret';
import { useProject } from '@/lib/client/project';

interface ClientSettingsProps {
  client: { id: string; client_secret?: string };
}

/** What an application is configured with, in general and as Grafana's settings; the secret only while it is known. */
export function ClientSettings({ client: { id, client_secret } }: ClientSettingsProps) {
  const { api } = useProject();
  const { data } = api.useQuery('get', '/api/v1/workspace/info');
  const { sso } = data ?? {};
  return (
    <div className="space-y-5" aria-busy={!sso}>
      {client_secret !== undefined && (
        <div>
          <p className="mb-1.5 text-ink-muted text-xs">Client secret: copy it now, it will not be shown again</p>
          <Secret value={client_secret} label="client secret" />
        </div>
      )}
      {sso && (
        <>
          <PropertyList
            items={[
              ['Client ID', code(id)],
              ['Issuer', code(sso.issuer)],
              ['Discovery', code(sso.discovery_url)],
              ['Flow', 'Authorization code with PKCE (S256)'],
            ]}
          />
          <section>
            <h3 className="mb-1.5 font-medium text-sm">Settings for Grafana</h3>
            <CodeBlock code={grafanaSettings(id, sso)} label="settings for Grafana" />
          </section>
        </>
      )}
    </div>
  );
}

const code = (value: string) => <code className="break-all font-mono text-xs">{value}</code>;

type Addresses = Record<'authorization_endpoint' | 'token_endpoint' | 'userinfo_endpoint', string>;

const grafanaSettings = (id: string, sso: Addresses) => `[auth.generic_oauth]
enabled = true
name = Nephele
client_id = ${id}
client_secret = $__env{SSO_CLIENT_SECRET}
scopes = openid profile email
auth_url = ${sso.authorization_endpoint}
token_url = ${sso.token_endpoint}
api_url = ${sso.userinfo_endpoint}
use_pkce = true
use_refresh_token = true
role_attribute_path = role == 'admin' && 'Admin' || role == 'member' && 'Editor' || 'Viewer'`;
