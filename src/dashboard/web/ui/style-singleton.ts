/**
 * Stands in for the package react-style-singleton (see scripts/build-dashboard.ts): the same
 * functions with constructable style sheets instead of <style> elements, which our
 * Content-Security-Policy refuses.
 */
import { useEffect } from "react";

function stylesheetSingleton() {
  let users = 0;
  let sheet: CSSStyleSheet | null = null;
  return {
    add(css: string): void {
      users++;
      if (sheet) return;
      sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets.push(sheet);
    },
    remove(): void {
      users--;
      if (users > 0) return;
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
      sheet = null;
    },
  };
}

function styleHookSingleton() {
  const sheet = stylesheetSingleton();
  return (styles: string, isDynamic: boolean) => {
    const key = styles && isDynamic;
    // biome-ignore lint/correctness/useExhaustiveDependencies: the package's own rule: only a dynamic style is put in anew
    useEffect(() => {
      sheet.add(styles);
      return () => sheet.remove();
    }, [key]);
  };
}

export function styleSingleton() {
  const useStyle = styleHookSingleton();
  return function Sheet(props: { styles: string; dynamic: boolean }): null {
    useStyle(props.styles, props.dynamic);
    return null;
  };
}
