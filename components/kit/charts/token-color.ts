/** A theme colour for a canvas: resolves `light-dark()` and `color-mix()` for the element's theme. */
export function tokenColor(element: Element, css: string): string {
  const probe = document.createElement('span');
  probe.style.color = css;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Calls back when the theme may have changed, by choice or with the system. */
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
