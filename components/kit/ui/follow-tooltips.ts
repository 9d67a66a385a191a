const DELAY_MS = 250;
/** Time to bring the pointer from the element onto the tooltip (WCAG 1.4.13). */
const GRACE_MS = 120;
const GAP_PX = 6;

/** Shows in `box` the text of the element that the pointer or the focus is on. @returns ends it */
export function followTooltips(box: HTMLDivElement): () => void {
  let anchor: Element | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const hide = () => {
    clearTimeout(timer);
    anchor = undefined;
    if (box.isConnected) box.hidePopover();
  };
  const show = (next: Element) => {
    clearTimeout(timer);
    anchor = next;
    box.textContent = next.getAttribute('data-tooltip');
    box.showPopover();
    place(box, next.getBoundingClientRect());
  };
  const onPointerOver = ({ target, pointerType }: PointerEvent) => {
    if (pointerType === 'touch' || !(target instanceof Element)) return;
    const next = target.closest('[data-tooltip]');
    clearTimeout(timer);
    if (next && next !== anchor) timer = setTimeout(() => show(next), anchor ? 0 : DELAY_MS);
    else if (!next && anchor && !box.contains(target)) timer = setTimeout(hide, GRACE_MS);
  };
  const onFocusIn = ({ target }: FocusEvent) => {
    const next = target instanceof Element ? target.closest('[data-tooltip]') : null;
    if (next?.matches(':focus-visible')) show(next);
    else hide();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') hide();
  };
  // A button's tooltip may change when it is pressed ("Copy" – "Copied"), and its element may be removed.
  const observer = new MutationObserver(() => {
    if (!anchor) return;
    if (!anchor.isConnected || !anchor.hasAttribute('data-tooltip')) hide();
    else if (box.textContent !== anchor.getAttribute('data-tooltip')) show(anchor);
  });

  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['data-tooltip'] });
  document.addEventListener('pointerover', onPointerOver);
  document.addEventListener('focusin', onFocusIn);
  document.addEventListener('focusout', hide);
  document.addEventListener('keydown', onKeyDown);
  window.addEventListener('scroll', hide, { capture: true, passive: true });
  return () => {
    hide();
    observer.disconnect();
    document.removeEventListener('pointerover', onPointerOver);
    document.removeEventListener('focusin', onFocusIn);
    document.removeEventListener('focusout', hide);
    document.removeEventListener('keydown', onKeyDown);
    window.removeEventListener('scroll', hide, { capture: true });
  };
}

/** Above the element where there is room, else below; never over the edge of the window. */
function place(box: HTMLElement, around: DOMRect): void {
  const { width, height } = box.getBoundingClientRect();
  const middle = around.left + around.width / 2 - width / 2;
  const above = around.top - height - GAP_PX;
  box.style.left = `${Math.max(8, Math.min(middle, window.innerWidth - width - 8))}px`;
  box.style.top = `${above >= 8 ? above : around.bottom + GAP_PX}px`;
}
