/**
 * Remembers the focused element, for an item of a menu the button of the menu. @returns moves the focus back, or to the
 * title of the page if the element is gone
 */
export function rememberFocus(): () => void {
  const { activeElement, body } = document;
  const button = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : activeElement;
  return () => {
    if (opener === body) return;
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    else focusTitle();
  };
}

/** Moves the focus to the title of the page. */
export function focusTitle(): void {
  document.getElementById('page-title')?.focus({ preventScroll: true });
}
