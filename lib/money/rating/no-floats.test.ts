import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { query } from '@/lib/core/db/pool';
import { sql } from '@/lib/core/db/sql';
import { testDatabase } from '@/lib/testing/database';

// Amounts of money must never be binary floats: sums and products are exact decimals (lib/money/rating/cost.ts) or
// computed in SQL.

testDatabase();

// lib/money/pricing, for the browser, computes with bigints, which TypeScript does not mix with numbers.
const folders = [
  'money/rating',
  'money/metering',
  'money/credit',
  'money/budget',
  'money/payments',
  'money/invoices',
  'money/billing',
  'money/alerts',
  'money/reconciliation',
  'backoffice/billing',
];
/** Names of monetary amounts, or of values that they are computed from. */
const MONEY = /usd|price|amount|cost|cents|balance|credit|spen[dt]|burn|millionths/i;
/** Whole cents, as the processor's API requires. */
const allowed = ['lib/money/payments/cents.ts: cents.toNumber()'];

const arithmetic = new Set([
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.MinusToken,
  ts.SyntaxKind.AsteriskToken,
  ts.SyntaxKind.SlashToken,
  ts.SyntaxKind.PercentToken,
  ts.SyntaxKind.AsteriskAsteriskToken,
  ts.SyntaxKind.PlusEqualsToken,
  ts.SyntaxKind.MinusEqualsToken,
  ts.SyntaxKind.AsteriskEqualsToken,
  ts.SyntaxKind.SlashEqualsToken,
]);

/** The places where code computes with an amount as a number. */
function floatsIn(path: string, text: string): string[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isNumeric(node)) found.push(`${path}: ${node.getText().replace(/\s+/g, ' ')}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  // Durations may be floats; amounts may not.
  const casts =
    text.match(/.*(?:::\s*(?:float\d?|real|double precision)|\bAS (?:float\d?|real|double precision)\)).*/gi) ?? [];
  const amounts = casts.filter((line) => !/::float8 \* interval|_ms\b/.test(line));
  return [...found, ...amounts.map((line) => `${path}: ${line.trim()}`)];
}

function isNumeric(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node) && arithmetic.has(node.operatorToken.kind)) {
    return !isText(node.left) && !isText(node.right) && (isMoney(node.left) || isMoney(node.right));
  }
  // `+text` makes a number. A minus and Math.abs only change the sign, which is exact.
  if (ts.isPrefixUnaryExpression(node)) return node.operator === ts.SyntaxKind.PlusToken && isMoney(node.operand);
  if (!ts.isCallExpression(node)) return false;
  const called = node.expression.getText();
  if (called.endsWith('.toNumber')) return isMoney(node.expression);
  return (
    /^(Number|parseFloat|parseInt|Number\.parse\w+|Math\.(?!abs)\w+)$/.test(called) && node.arguments.some(isMoney)
  );
}

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteral(node) || ts.isTemplateLiteral(node) || (ts.isBinaryExpression(node) && isText(node.right));

/** Whether a chain of names denotes money: `line.amount_usd`, but not a method call on it. */
function isMoney(node: ts.Node): boolean {
  if (ts.isIdentifier(node)) return MONEY.test(node.text);
  if (ts.isPropertyAccessExpression(node)) return MONEY.test(node.name.text) || isMoney(node.expression);
  if (ts.isElementAccessExpression(node)) return isMoney(node.expression);
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) return isMoney(node.expression);
  if (ts.isCallExpression(node)) return isMoney(node.expression) || node.arguments.some(isMoney);
  return ts.isBinaryExpression(node) && (isMoney(node.left) || isMoney(node.right));
}

describe('a binary float', () => {
  test('never computes money in the product’s code', () => {
    const files = folders
      .flatMap((folder) => readdirSync(`lib/${folder}`).map((name) => `lib/${folder}/${name}`))
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
    expect(files.length).toBeGreaterThan(30);
    const found = files.flatMap((path) => floatsIn(path, readFileSync(path, 'utf8')));
    expect(found.filter((place) => !allowed.includes(place))).toEqual([]);
  });

  test.each([
    'const due = amount_usd * 1.19;',
    'total += line.amount_usd;',
    'const cents = Math.round(usd * 100);',
    'const spend = Number(row.spend);',
    'return parseFloat(price_usd);',
    'const value = +row.credit_usd;',
    'const n = spentNow.toNumber();',
    'query(sql`SELECT sum(amount_usd)::float8 AS total FROM credit_entries`);',
    'query(sql`SELECT CAST(price_usd AS double precision) FROM rates`);',
  ])('is detected: %s', (line) => {
    expect(floatsIn('x.ts', line)).not.toEqual([]);
  });

  test.each([
    'const due = new Money(amount_usd).times(price).plus(other.cost);',
    'const text = `$` + amount_usd;',
    'const wait = delay_ms * 2;',
    'const amount = Math.abs(-amount_usd);',
    "sql`platform_now() + $1::float8 * interval '1 millisecond'`;",
  ])('is not reported where there is none: %s', (line) => {
    expect(floatsIn('x.ts', line)).toEqual([]);
  });

  test('is not the type of any database column or function result, except metrics', async () => {
    const columns = await query<{ name: string }>(sql`
      SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND udt_name IN ('float4', 'float8', '_float4', '_float8') ORDER BY 1`);
    expect(columns.map(({ name }) => name)).toEqual([
      'device_rollups.base',
      'device_rollups.highs',
      'device_rollups.lows',
      'device_rollups.means',
      'device_rollups.values',
      'device_samples.base',
      'device_samples.values',
    ]);
    const amounts = await query<{ type: string }>(sql`
      SELECT DISTINCT data_type AS type FROM information_schema.columns WHERE table_schema = 'public' AND column_name LIKE '%usd%'`);
    expect(amounts).toEqual([{ type: 'numeric' }]);
    const functions = await query<{ name: string }>(sql`
      SELECT p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = 'public' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') AND (p.prosrc ~* '\m(float\d?|real|double precision)\M' OR p.prorettype IN ('float4'::regtype, 'float8'::regtype)
        OR p.proargtypes::oid[] && ARRAY['float4'::regtype::oid, 'float8'::regtype::oid])`);
    expect(functions).toEqual([]);
  });
});
