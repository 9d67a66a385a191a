import { v7, validate } from 'uuid';

/** A new UUIDv7 (RFC 9562). Later ids sort after earlier ones, so ids page lists by age. */
export function newId(): string {
  return v7();
}

/** Whether the text has the form of an id. A malformed id cannot exist: 404, not 400. */
export function isId(text: string): boolean {
  return validate(text);
}
