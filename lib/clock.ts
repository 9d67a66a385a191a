let offsetMs = 0;

/** The time for new rows. Decisions on money, leases and expiry use `platform_now()` in the database. */
export function now(): Date {
  return new Date(Date.now() + offsetMs);
}

/** Shifts this process's clock; for tests only. */
export function setClockOffset(milliseconds: number): void {
  offsetMs = milliseconds;
}
