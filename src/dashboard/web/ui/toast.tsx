/** Short words about what just happened. */
import { Toast } from "radix-ui";
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from "react";
import { problemOf } from "../api/problem.ts";
import { useText } from "../i18n/text.tsx";
import { IconButton } from "./button.tsx";
import { problemText } from "./states.tsx";

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
}

const ToastContext = createContext<Toasts>({
  showMessage: () => undefined,
  showError: () => undefined,
});
export const useToasts = (): Toasts => use(ToastContext);

let lastId = 0;

export function ToastProvider({ children }: { children: ReactNode }) {
  const texts = useText();
  const [said, setSaid] = useState<readonly ToastEntry[]>([]);
  const add = useCallback((text: string, bad: boolean) => {
    lastId++;
    const entry = { id: lastId, text, bad };
    setSaid((before) => [...before.slice(1 - SHOWN_MAX), entry]);
  }, []);
  const toasts = useMemo<Toasts>(
    () => ({
      showMessage: (text) => add(text, false),
      showError: (thrown) => add(problemText(problemOf(thrown), texts), true),
    }),
    [add, texts],
  );
  const drop = (id: number) => setSaid((before) => before.filter((entry) => entry.id !== id));
  return (
    <ToastContext value={toasts}>
      <Toast.Provider duration={SHOWN_MS} label={texts.t("toast.label")}>
        {children}
        {said.map((entry) => (
          <Toast.Root
            key={entry.id}
            className={entry.bad ? "toast bad" : "toast"}
            onOpenChange={(open) => !open && drop(entry.id)}
          >
            <Toast.Description>{entry.text}</Toast.Description>
            <Toast.Close asChild>
              <IconButton icon="close" label={texts.t("action.close")} />
            </Toast.Close>
          </Toast.Root>
        ))}
        <Toast.Viewport className="toasts" label={texts.t("toast.label")} />
      </Toast.Provider>
    </ToastContext>
  );
}
