let offsetMs = 0;

/** The moment that new rows carry. Decisions on money, leases and expiry use `platform_now()` in the database. */
export function now(): Date {
  return new Date(Date.now() + offsetMs);
}

/** Moves this process's clock; only tests do. */
export function setClockOffset(milliseconds: number): void {
  offsetMs = milliseconds;
}
