/** Card number candidates of 13 to 19 digits, grouped or not: 4242 4242 4242 4242, 4242-4242-… (ISO/IEC 7812). */
const CANDIDATE = /(?<!\d)[2-6](?:[ -]?\d){12,18}(?!\d)/g;

/** Validates the check digit of a card number (ISO/IEC 7812-1, annex B). */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Whether the text contains a card number. */
export function holdsCardNumber(text: string): boolean {
  return (text.match(CANDIDATE) ?? []).some((found) => passesLuhn(found.replace(/\D/g, '')));
}
