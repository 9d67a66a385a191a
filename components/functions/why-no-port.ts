/**
 * Why a function cannot have a port on a project network; undefined where it can.
 * @param networks how many there are; undefined while they are read
 */
export function whyNoPort(
  service: { status: string; status_reason?: string | null | undefined } | undefined,
  networks: number | undefined,
): string | undefined {
  if (service?.status === 'unavailable') return service.status_reason ?? 'Networks are not available at present.';
  return networks === 0 ? 'The project has no network. Create one first.' : undefined;
}
