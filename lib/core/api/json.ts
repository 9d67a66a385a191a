import { Decimal } from 'decimal.js';

/**
 * A number written to JSON digit by digit, where a JavaScript number would lose the decimal point (`64.0`) or digits of
 * money.
 */
export class JsonNumber {
  private constructor(readonly text: string) {}

  /** Always with a decimal point: "64" → 64.0, "4.500000" → 4.5. For quota numbers (spec 2.1). */
  static decimal(value: string | number): JsonNumber {
    const text = new Decimal(value).toFixed();
    return new JsonNumber(text.includes('.') ? text : `${text}.0`);
  }

  /** With at most six decimals and no trailing zeros. For money. */
  static money(value: string | number | Decimal): JsonNumber {
    return new JsonNumber(new Decimal(value).toDecimalPlaces(6, Decimal.ROUND_HALF_EVEN).toFixed());
  }

  valueOf(): number {
    return Number(this.text);
  }
}

/** The value that a handler may return for a schema's `Value`, with exact numbers allowed in place of numbers. */
export type Sendable<Value> = Value extends number
  ? Value | JsonNumber
  : Value extends Date | string | boolean | null | undefined
    ? Value
    : Value extends readonly (infer Item)[]
      ? readonly Sendable<Item>[]
      : Value extends object
        ? { [Key in keyof Value]: Sendable<Value[Key]> }
        : Value;

/** JSON.stringify with support for JsonNumber. */
export function writeJson(value: unknown): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
