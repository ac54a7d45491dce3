/** Light, dark or the system's theme; stored in this browser. */
import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const KEY = "linevoice.theme";
const listeners = new Set<() => void>();

function currentTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

/** Also notifies canvases, which cannot use style sheets. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

export function applyTheme(): void {
  const theme = currentTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function subscribe(listener: () => void): () => void {
  const media = matchMedia("(prefers-color-scheme: dark)");
  listeners.add(listener);
  media.addEventListener("change", listener);
  return () => {
    listeners.delete(listener);
    media.removeEventListener("change", listener);
  };
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme);

const isDark = () => {
  const theme = currentTheme();
  return (
    theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches)
  );
};

/** Whether the theme is dark, for canvases. */
export const useDark = (): boolean => useSyncExternalStore(subscribe, isDark);

/** Current value of a colour token: `rgb(…)`. */
export function tokenColor(name: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}
