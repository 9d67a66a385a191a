/** Returns a safe link target or an empty text. Allowed are web pages, mail, and anchors on this page. */
export function safeUrl(url: string): string {
  const trimmed = url.trim();
  if (/^#[\w-]*$/.test(trimmed)) return trimmed;
  if (!URL.canParse(trimmed)) return '';
  return ['https:', 'http:', 'mailto:'].includes(new URL(trimmed).protocol) ? trimmed : '';
}

/** Whether an image is embedded, in a format that cannot run or load anything. */
export function isLocalImage(src: string): boolean {
  return /^data:image\/(png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/.test(src);
}

/** Closes constructs at the end of a streaming text: a code fence, inline code, a started link. */
export function completed(text: string): string {
  const fences = text.match(/^ {0,3}(`{3,}|~{3,})/gm) ?? [];
  if (fences.length % 2 === 1) {
    const open = fences.at(-1)?.trim() ?? '```';
    return `${text}${text.endsWith('\n') ? '' : '\n'}${open}`;
  }
  const lastLine = text.slice(text.lastIndexOf('\n') + 1);
  if ((lastLine.match(/`/g) ?? []).length % 2 === 1) return `${text}\``;
  const withoutLink = text.replace(/!?\[[^\]\n]*(\]\([^)\n]*)?$/, '');
  const bold = (withoutLink.slice(withoutLink.lastIndexOf('\n') + 1).match(/\*\*/g) ?? []).length;
  return bold % 2 === 1 ? `${withoutLink.trimEnd()}**` : withoutLink;
}
