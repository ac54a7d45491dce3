/**
 * Side panel of one call next to the list: summary and transcript. `j` and `k` go through the list,
 * Escape closes it.
 */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { callQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { IconButton } from "../../ui/button.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Bubbles } from "../agents/bubbles.tsx";
import { Annotations } from "./annotations.tsx";
import type { CallsView } from "./calls-view.ts";
import { callerOf, type FoundCall, Outcome } from "./outcome.tsx";

/** Whether a key press is for the list, and not for a field, a dialog or a menu. */
const isForList = ({ target, metaKey, ctrlKey, altKey }: KeyboardEvent) =>
  !(metaKey || ctrlKey || altKey) &&
  target instanceof HTMLElement &&
  target.closest("input, select, textarea, [role=dialog], [role=alertdialog], [role=menu]") ===
    null;

/** Selects a call by key: `j` the next, `k` the previous, Escape none. */
export function useCallKeys(
  calls: readonly FoundCall[],
  chosen: string | null,
  onChoose: (uuid: string | null) => void,
): void {
  useEffect(() => {
    const at = calls.findIndex(({ call_uuid }) => call_uuid === chosen);
    const onKey = (event: KeyboardEvent) => {
      if (!isForList(event)) return;
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
      if (event.key === "Escape" && chosen !== null) onChoose(null);
      if (step === 0) return;
      const next = at < 0 ? calls[0] : calls[at + step];
      if (next) onChoose(next.call_uuid);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [calls, chosen, onChoose]);
}

export function CallPanel(props: { call: FoundCall; view: CallsView; onClose: () => void }) {
  const { t, dateTime } = useText();
  const { call } = props;
  const detail = useQuery(callQuery(call.call_uuid));
  const name = callerOf(call) ?? t("calls.withheld");
  return (
    <aside className="card call-panel" aria-label={t("calls.beside", { name })}>
      <div className="card-head">
        <h2 className="nums">{name}</h2>
        <span className="row firm">
          <Link
            to="/calls/$uuid"
            params={{ uuid: call.call_uuid }}
            state={{ calls: { ...props.view } }}
            className="button small"
          >
            {t("calls.open")}
          </Link>
          <IconButton icon="close" label={t("action.close")} onClick={props.onClose} />
        </span>
      </div>
      <div className="card-body">
        <p className="row small muted">
          {dateTime(call.planned_at ?? call.created_at)}
          <Outcome call={call} />
        </p>
        {call.summary && <p>{call.summary}</p>}
        {detail.data?.messages.map(({ at_ms, caller_name, text, callback }) => (
          <p key={at_ms} className="note info pre">
            {[caller_name, text, callback && t("call.callback", { when: callback })]
              .filter(Boolean)
              .join("\n")}
          </p>
        ))}
        <Loaded query={detail} lines={4}>
          {({ turns }) =>
            turns.length === 0 ? (
              <p className="soft">{t("calls.nothing_said")}</p>
            ) : (
              <Bubbles
                label={t("calls.said")}
                other={t(call.direction === "inbound" ? "call.customer" : "calls.called")}
                bubbles={turns.map(({ speaker, text, start_ms }) => ({
                  key: `${speaker}-${start_ms}`,
                  side: speaker,
                  text,
                }))}
              />
            )
          }
        </Loaded>
        <Annotations key={call.call_uuid} uuid={call.call_uuid} bare />
        <p className="hint beside-only">
          <kbd>j</kbd> <kbd>k</kbd> {t("calls.keys")}
        </p>
      </div>
    </aside>
  );
}
