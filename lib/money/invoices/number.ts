/** `7` → `INV-000007` */
export function invoiceNumber(number: number): string {
  return `INV-${String(number).padStart(6, '0')}`;
}
