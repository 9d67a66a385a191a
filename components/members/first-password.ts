/** No letter or digit that is easily read as another. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_LENGTH = 5;

/** A password to hand over, of 99 bits: four groups of five, as in `hw3pk-9tqzm-xc4rv-b7nye`. */
export function newFirstPassword(): string {
  return Array.from({ length: GROUPS }, () => Array.from({ length: GROUP_LENGTH }, letter).join('')).join('-');
}

function letter(): string {
  for (;;) {
    // Five bits make 32, one more than there are letters.
    const [value = 0] = crypto.getRandomValues(new Uint8Array(1));
    const found = LETTERS[value & 31];
    if (found !== undefined) return found;
  }
}
