/** A type of the API in words: `floating_ip` → "floating IP". */
export const typeWords = (type: string): string => type.replaceAll('_', ' ').replace(/\bip\b/, 'IP');

/** The same at the start of a sentence: `load_balancer` → "Load balancer". */
export function typeTitle(type: string): string {
  const words = typeWords(type);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
