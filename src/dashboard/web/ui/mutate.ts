/** Runs an action outside a form: busy while it runs, then a success message or an error. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useToasts } from "./toast.tsx";

interface Doing {
  readonly busy: boolean;
  run(action: () => Promise<unknown>, done?: string): Promise<boolean>;
}

/**
 * Ignores further presses while it runs. `stale`: first parts of the query keys to load again
 * afterwards.
 */
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

/** Loads these queries again. Call it after a form was sent. */
export function useStale(): (...keys: readonly string[]) => Promise<void> {
  const queries = useQueryClient();
  return async (...keys) => {
    await Promise.all(keys.map((key) => queries.invalidateQueries({ queryKey: [key] })));
  };
}
