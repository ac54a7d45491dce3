/** Restores the keyboard focus: if the focused element disappears, a neighbour gets the focus. */
import { useEffect } from "react";

const STOPS =
  "a[href], summary, :is(button, input, select, textarea):not(:disabled, [type=hidden]), [tabindex='0']";

/** Elements that the Tab key reaches, in order. */
export const stopsIn = (element: Element): HTMLElement[] =>
  [element, ...element.querySelectorAll(STOPS)].filter(
    (stop): stop is HTMLElement =>
      stop instanceof HTMLElement &&
      stop.matches(STOPS) &&
      stop.tabIndex >= 0 &&
      stop.checkVisibility(),
  );

/**
 * Focuses the element or, if it is gone, its replacement in the nearest remaining parent; else the
 * page.
 */
export function placeOf(element: Element | null): () => void {
  const around: { readonly parent: Element; readonly index: number }[] = [];
  for (let at = element; at?.parentElement; at = at.parentElement)
    around.push({ parent: at.parentElement, index: [...at.parentElement.children].indexOf(at) });
  return () => {
    if (element instanceof HTMLElement && element.isConnected) {
      element.focus();
      return;
    }
    const page = document.getElementById("content");
    for (const { parent, index } of around) {
      if (!parent.isConnected || parent.contains(page)) continue;
      const near = parent.children[index] ?? parent.lastElementChild;
      const stop = (near && stopsIn(near)[0]) ?? stopsIn(parent)[0];
      if (stop) {
        stop.focus();
        return;
      }
    }
    page?.focus({ preventScroll: true });
  };
}

/** For the whole page, once. A dialog restores the focus itself when it closes. */
export function useFocusRestore(): void {
  useEffect(() => {
    let focused: Element | null = null;
    let goBack = placeOf(null);
    const remember = ({ target }: FocusEvent) => {
      focused = target instanceof Element ? target : null;
      goBack = placeOf(focused);
    };
    const forget = () => {
      focused = null;
    };
    const observer = new MutationObserver(() => {
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (!isLost || focused === null || focused.isConnected || focused.closest("dialog")) return;
      focused = null;
      goBack();
    });
    document.addEventListener("focusin", remember);
    document.addEventListener("pointerdown", forget, true);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", remember);
      document.removeEventListener("pointerdown", forget, true);
    };
  }, []);
}
