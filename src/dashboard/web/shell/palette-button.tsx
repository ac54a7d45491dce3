/**
 * Opens the palette: a button, and ⌘K or Ctrl+K anywhere. The palette's code is loaded on first
 * use.
 */
import { type ComponentType, useCallback, useEffect, useState } from "react";
import { useText } from "../i18n/text.tsx";
import { Icon } from "../ui/icon.tsx";

type PaletteShown = ComponentType<{ onClose: () => void }>;

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/**
 * The palette while it is open, and a function that opens it. Its code may fail to load if the
 * server is offline.
 */
export function usePalette() {
  const [Shown, setShown] = useState<PaletteShown | null>(null);
  const open = useCallback(
    () =>
      void import("./palette.tsx").then(
        ({ Palette }) => setShown(() => Palette),
        () => undefined,
      ),
    [],
  );
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [open]);
  return { open, palette: Shown && <Shown onClose={() => setShown(null)} /> };
}

export function PaletteButton({ onOpen }: { onOpen: () => void }) {
  const { t } = useText();
  return (
    <button type="button" className="palette-button" onClick={onOpen}>
      <Icon name="search" />
      <span className="grow">{t("palette.open")}</span>
      <kbd>{isMac ? "⌘K" : "Ctrl K"}</kbd>
    </button>
  );
}
