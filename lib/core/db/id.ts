import { v7, validate } from 'uuid';

/** A new UUIDv7 (RFC 9562): later ids sort after earlier ones, so that ids page lists by age. */
export function newId(): string {
  return v7();
}

/** Whether the text has the form of an id. What has not cannot exist: 404, not 400. */
export function isId(text: string): boolean {
  return validate(text);
}
