/**
 * Unsaved values: asks before the person leaves the page, and keeps a form's values in this browser
 * tab until they are saved or discarded.
 */
import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { systemClock } from "../../../core/clock.ts";
import { useText } from "../i18n/text.tsx";
import { Confirm } from "./dialog.tsx";

interface Unsaved {
  readonly isDirty: boolean;
  /** The form stays mounted while other tabs of its page are shown. */
  readonly outlivesTabs: boolean;
  discard(): void;
}

const forms = new Set<{ readonly current: Unsaved }>();

/** Registers a form that may hold unsaved values. */
export function useUnsaved(unsaved: Unsaved): void {
  const latest = useRef(unsaved);
  latest.current = unsaved;
  useEffect(() => {
    forms.add(latest);
    return () => void forms.delete(latest);
  }, []);
}

const isAnyDirty = (leavesPage: boolean) =>
  [...forms].some(({ current }) => current.isDirty && (leavesPage || !current.outlivesTabs));

/** Asks before unsaved values are lost. Only the shell has one. */
export function LeaveGuard() {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isAnyDirty(current.pathname !== next.pathname),
    enableBeforeUnload: () => isAnyDirty(true),
    withResolver: true,
  });
  return (
    <ConfirmLeaving
      open={blocker.status === "blocked"}
      onStay={() => blocker.reset?.()}
      onLeave={() => {
        for (const { current } of forms) current.discard();
        blocker.proceed?.();
      }}
    />
  );
}

export function ConfirmLeaving(props: { open: boolean; onStay: () => void; onLeave: () => void }) {
  const { t } = useText();
  return (
    <Confirm
      title={t("unsaved.title")}
      body={t("unsaved.body")}
      action={t("unsaved.leave")}
      cancel={t("unsaved.stay")}
      open={props.open}
      onOpen={(open) => !open && props.onStay()}
      onConfirm={async () => props.onLeave()}
    />
  );
}

const DRAFT_PREFIX = "linevoice.draft.";
const DRAFT_DELAY_MS = 400;
/** Longer drafts are not kept: a browser has about 5 MB per origin. */
const DRAFT_CHARACTERS_MAX = 500_000;

/** Keeps `draft` as JSON; null deletes it. */
export function useKeptDraft(name: string | undefined, draft: object | null): void {
  const text = draft && JSON.stringify(draft);
  useEffect(() => {
    if (name === undefined) return;
    const key = DRAFT_PREFIX + name;
    if (text === null) {
      sessionStorage.removeItem(key);
      return;
    }
    const timer = systemClock.after(DRAFT_DELAY_MS, () => {
      try {
        if (text.length <= DRAFT_CHARACTERS_MAX) sessionStorage.setItem(key, text);
      } catch {
        // The browser's storage is full: nothing is kept.
      }
    });
    return () => timer.cancel();
  }, [name, text]);
}

export function keptDraft(name: string | undefined): unknown {
  const text = name === undefined ? null : sessionStorage.getItem(DRAFT_PREFIX + name);
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** Deletes all drafts. They belong to the signed-in person. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(DRAFT_PREFIX)) sessionStorage.removeItem(key);
}
