/**
 * A colour of our tokens as a canvas can take it: `light-dark()` and `color-mix()` are resolved for the theme that counts
 * at this element.
 */
export function tokenColor(element: Element, css: string): string {
  const probe = document.createElement('span');
  probe.style.color = css;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Calls back whenever the theme may have changed: by choice, or with the system. */
export function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', changed);
  };
}
