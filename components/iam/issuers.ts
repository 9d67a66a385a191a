/** A kind of issuer that many workloads have: what a provider for it looks like, and how a workload gets its token. */
export interface Issuer {
  value: string;
  label: string;
  description: string;
  /** Fixed for services that are one for everybody. */
  issuer: string;
  claim: string;
  /** What the claim looks like; capitals are to be replaced. */
  pattern: string;
  /** How a workload of this issuer puts its token into $ID_TOKEN. */
  obtain: (audience: string) => string;
}

export const issuers: readonly Issuer[] = [
  {
    value: 'github',
    label: 'GitHub Actions',
    description: 'Jobs of a repository.',
    issuer: 'https://token.actions.githubusercontent.com',
    claim: 'sub',
    pattern: 'repo:OWNER/REPOSITORY:ref:refs/heads/main',
    obtain: (audience) => `# The job needs \`permissions: { id-token: write }\`.
ID_TOKEN=$(curl -s -H "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\
  "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=${encodeURIComponent(audience)}" | jq -r .value)`,
  },
  {
    value: 'gitlab',
    label: 'GitLab CI/CD',
    description: 'Jobs of a project on gitlab.com or your own server.',
    issuer: 'https://gitlab.com',
    claim: 'sub',
    pattern: 'project_path:GROUP/PROJECT:ref_type:branch:ref:main',
    obtain: (audience) => `# In .gitlab-ci.yml, for the job:
id_tokens:
  ID_TOKEN:
    aud: ${audience}`,
  },
  {
    value: 'kubernetes',
    label: 'Kubernetes',
    description: 'Pods of a cluster, by service account.',
    issuer: '',
    claim: 'sub',
    pattern: 'system:serviceaccount:NAMESPACE:NAME',
    obtain: (audience) => `# In a pod: a projected volume of type serviceAccountToken. Manually:
ID_TOKEN=$(kubectl create token NAME --namespace NAMESPACE --audience ${audience})`,
  },
  {
    value: 'other',
    label: 'Another issuer',
    description: 'Any OpenID Connect issuer.',
    issuer: '',
    claim: 'sub',
    pattern: '',
    obtain: (audience) => `# A JWT from the issuer with the audience ${audience}
ID_TOKEN=…`,
  },
];

/** The kind that a provider is of, as far as its address or its conditions tell. */
export function issuerOf(provider: { issuer: string; conditions: Record<string, string[]> }): Issuer | undefined {
  const patterns = Object.values(provider.conditions).flat();
  return issuers.find(
    ({ issuer, pattern }) =>
      issuer === provider.issuer ||
      (pattern !== '' && patterns.some((given) => given.startsWith(pattern.slice(0, pattern.indexOf(':') + 1)))),
  );
}
