import { XMLParser, XMLValidator } from 'fast-xml-parser';

/** A parsed document: texts, lists of elements, or nested elements. */
export type Xml = { readonly [name: string]: XmlValue };
export type XmlValue = string | Xml | readonly XmlValue[];

const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  trimValues: false,
  // No document type ever reaches the parser; the five entities of XML and character references are decoded below.
  processEntities: false,
});

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-z]{2,4});/g, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? whole;
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

function decodedAll(value: unknown): XmlValue {
  if (Array.isArray(value)) return value.map(decodedAll);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => name !== '#text')
        .map(([name, inner]) => [name, decodedAll(inner)]),
    );
  return decoded(String(value ?? ''));
}

/**
 * The content of a document's root element; undefined unless it is well-formed and the root has this name. A document
 * type is refused, and with it every entity that could grow.
 */
export function parseXml(text: string, root: string): Xml | undefined {
  if (/<!(DOCTYPE|ENTITY)/i.test(text) || XMLValidator.validate(text) !== true) return undefined;
  try {
    const whole = decodedAll(parser.parse(text));
    const content = typeof whole === 'object' && !Array.isArray(whole) ? (whole as Xml)[root] : undefined;
    if (content === undefined || Array.isArray(content)) return undefined;
    return typeof content === 'string' ? (content.trim() === '' ? {} : undefined) : (content as Xml);
  } catch {
    return undefined;
  }
}

/** The text of an element; undefined when it is absent or something else. */
export function text(value: XmlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The elements of one name: none, one or many. */
export function list(value: XmlValue | undefined): readonly XmlValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as XmlValue];
}

/** An element with elements inside; an empty one has none. */
export function element(value: XmlValue | undefined): Xml | undefined {
  if (typeof value === 'string') return value.trim() === '' ? {} : undefined;
  return value === undefined || Array.isArray(value) ? undefined : (value as Xml);
}

/** Characters that XML 1.0 can't hold become the replacement character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unfit = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

export function escapeXml(value: string): string {
  return value
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/\r/g, '&#13;')
    .replace(unfit, '\ufffd');
}

/** Elements to write: absent ones are left out, arrays repeat their element. */
export type Written = string | number | boolean | undefined | Elements | readonly (string | Elements)[];
export type Elements = { readonly [name: string]: Written };

function write(name: string, value: Written): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map((item) => write(name, item as Written)).join('');
  const inner = typeof value === 'object' ? elements(value as Elements) : escapeXml(String(value));
  return `<${name}>${inner}</${name}>`;
}

const elements = (content: Elements) =>
  Object.entries(content)
    .map(([name, value]) => write(name, value))
    .join('');

/** A document of S3. */
export const document = (root: string, content: Elements) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${elements(content)}</${root}>`;
