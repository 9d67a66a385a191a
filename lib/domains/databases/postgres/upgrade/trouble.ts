/** What ends an upgrade or its way back for a reason that the tenant should read. */
export class UpgradeTrouble extends Error {
  override name = 'UpgradeTrouble';
}
