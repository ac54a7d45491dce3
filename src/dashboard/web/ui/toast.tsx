/**
 * Short notices about a completed action. An open dialog makes the rest of the page unreachable,
 * also for screen readers, so notices then appear inside the dialog.
 */
import {
  createContext,
  type ReactNode,
  type SyntheticEvent,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { systemClock } from "../../../core/clock.ts";
import { problemOf } from "../api/problem.ts";
import { problemText } from "../i18n/problem-text.ts";
import { useText } from "../i18n/text.tsx";
import { IconButton } from "./button.tsx";

const SHOWN_MS = 6_000;
const SHOWN_MAX = 3;

interface ToastEntry {
  readonly id: number;
  readonly text: string;
  readonly bad: boolean;
}

interface Toasts {
  showMessage(text: string): void;
  showError(thrown: unknown): void;
  /** Shows notices inside this dialog. Call the returned function when it closes. */
  enterDialog(dialog: Element): () => void;
}

const ToastContext = createContext<Toasts>({
  showMessage: () => undefined,
  showError: () => undefined,
  enterDialog: () => () => undefined,
});
export const useToasts = (): Toasts => use(ToastContext);

let lastId = 0;

export function ToastProvider({ children }: { children: ReactNode }) {
  const texts = useText();
  const [said, setSaid] = useState<readonly ToastEntry[]>([]);
  /** Open dialogs, the topmost last. */
  const [dialogs, setDialogs] = useState<readonly Element[]>([]);
  const add = useCallback((text: string, bad: boolean) => {
    lastId++;
    const entry = { id: lastId, text, bad };
    setSaid((before) => [...before.slice(1 - SHOWN_MAX), entry]);
  }, []);
  const toasts = useMemo<Toasts>(
    () => ({
      showMessage: (text) => add(text, false),
      showError: (thrown) => add(problemText(problemOf(thrown), texts), true),
      enterDialog(dialog) {
        setDialogs((before) => [...before, dialog]);
        return () => setDialogs((before) => before.filter((open) => open !== dialog));
      },
    }),
    [add, texts],
  );
  const drop = useCallback(
    (id: number) => setSaid((before) => before.filter((entry) => entry.id !== id)),
    [],
  );
  return (
    <ToastContext value={toasts}>
      {children}
      <Region said={dialogs.length === 0 ? said : []} onDrop={drop} />
      {dialogs.map((dialog, at) =>
        createPortal(
          <Region said={at === dialogs.length - 1 ? said : []} onDrop={drop} />,
          dialog,
          String(at),
        ),
      )}
    </ToastContext>
  );
}

interface RegionProps {
  readonly said: readonly ToastEntry[];
  readonly onDrop: (id: number) => void;
}

/**
 * Rendered before the first notice: screen readers announce only additions to an existing region.
 */
function Region({ said, onDrop }: RegionProps) {
  const { t } = useText();
  return (
    <section className="toasts" aria-label={t("toast.label")} aria-live="polite">
      {said.map((entry) => (
        <Toast key={entry.id} entry={entry} onDrop={onDrop} />
      ))}
    </section>
  );
}

/** Disappears after a delay, except while it has the pointer or the focus. */
function Toast({ entry, onDrop }: { entry: ToastEntry; onDrop: (id: number) => void }) {
  const { t } = useText();
  const { id } = entry;
  const [isHeld, setHeld] = useState(false);
  const hold = ({ currentTarget }: SyntheticEvent) =>
    setHeld(currentTarget.matches(":hover, :focus-within"));
  useEffect(() => {
    if (isHeld) return;
    const timer = systemClock.after(SHOWN_MS, () => onDrop(id));
    return () => timer.cancel();
  }, [id, isHeld, onDrop]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing is pressed; it is noticed that somebody reads
    <div
      className={entry.bad ? "toast bad" : "toast"}
      role={entry.bad ? "alert" : undefined}
      onPointerEnter={hold}
      onPointerLeave={hold}
      onFocus={hold}
      onBlur={hold}
    >
      <p>{entry.text}</p>
      <IconButton icon="close" label={t("action.close")} onClick={() => onDrop(id)} />
    </div>
  );
}
