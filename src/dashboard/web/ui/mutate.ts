/** Doing something outside of a form: busy while it runs, a word when it worked, a complaint if not. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useToasts } from "./toast.tsx";

interface Doing {
  readonly busy: boolean;
  run(action: () => Promise<unknown>, done?: string): Promise<boolean>;
}

/** What is pressed again while it runs is ignored. `stale`: first parts of the query keys that are loaded again afterwards. */
export function useDoing(...stale: readonly string[]): Doing {
  const queries = useQueryClient();
  const { showMessage, showError } = useToasts();
  const [busy, setBusy] = useState(false);
  return {
    busy,
    async run(action, done) {
      if (busy) return false;
      setBusy(true);
      try {
        await action();
        await Promise.all(stale.map((key) => queries.invalidateQueries({ queryKey: [key] })));
        if (done) showMessage(done);
        return true;
      } catch (thrown) {
        showError(thrown);
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

/** Loads these queries again; call it after a form was sent. */
export function useStale(): (...keys: readonly string[]) => Promise<void> {
  const queries = useQueryClient();
  return async (...keys) => {
    await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
  };
}
