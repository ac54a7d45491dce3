/** One live call. */
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { answer, rest } from "../../api/client.ts";
import { numberTyped } from "../../api/number.ts";
import { useText } from "../../i18n/text.tsx";
import type { LiveCall, LiveTurn } from "../../live/live.tsx";
import { useNow } from "../../live/now.ts";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { CheckField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { Badge, StatusIndicator } from "../../ui/page.tsx";
import { FormDialog } from "../../ui/send-form.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { statusTone } from "../calls/outcome.tsx";
import { useCallMonitor } from "./call-monitor.ts";

export function LiveCallCard({ call, turns }: { call: LiveCall; turns: readonly LiveTurn[] }) {
  const { t, clock } = useText();
  const now = useNow();
  const since = new Date(call.answered_at ?? call.started_at).getTime();
  const caller = call.from_number ?? t("calls.withheld");
  return (
    <section className="card" aria-label={`${caller} → ${call.to_number}`}>
      <div className="card-head">
        <div>
          <h2 className="nums">
            {caller} → {call.to_number}
          </h2>
          <p className="hint">
            {t(call.direction === "inbound" ? "calls.inbound" : "calls.outbound")}
            {call.agent_name && ` · ${call.agent_name}`}
          </p>
        </div>
        <span className="row">
          <Badge tone={statusTone(call.status)}>
            <StatusIndicator tone="good" live />
            {t(`status.${call.status}`)}
          </Badge>
          <span className="nums strong">{clock((now - since) / 1000)}</span>
        </span>
      </div>
      <Words turns={turns} />
      <CallActions call={call} />
    </section>
  );
}

function CallActions({ call }: { call: LiveCall }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const [asking, setAsking] = useState<"hangup" | "transfer" | null>(null);
  const monitor = useCallMonitor(call.call_uuid);
  const answered = call.status === "in_progress";
  const uuid = call.call_uuid;
  return (
    <div className="card-foot row">
      <Button
        small
        icon={monitor.state === "off" ? "listen" : "stop"}
        disabled={!answered}
        onClick={monitor.toggle}
      >
        {t(monitor.state === "off" ? "live.listen" : "live.listen_stop")}
      </Button>
      {mayChange && (
        <>
          <Button small disabled={!answered} onClick={() => setAsking("transfer")}>
            {t("live.transfer")}
          </Button>
          <Button small variant="danger" onClick={() => setAsking("hangup")}>
            {t("live.hangup")}
          </Button>
        </>
      )}
      <span className="grow" />
      <Link to="/calls/$uuid" params={{ uuid }} className="small">
        {t("live.details")}
      </Link>
      {monitor.state === "listening" && (
        <p className="small muted" role="status">
          {t("live.listening")}
        </p>
      )}
      <Confirm
        title={t("live.hangup_title")}
        body={t("live.hangup_body")}
        action={t("live.hangup")}
        open={asking === "hangup"}
        onOpen={() => setAsking(null)}
        onConfirm={() => answer(rest.POST("/calls/{uuid}/hangup", { params: { path: { uuid } } }))}
      />
      <Transfer uuid={uuid} open={asking === "transfer"} onClose={() => setAsking(null)} />
    </div>
  );
}

function Words({ turns }: { turns: readonly LiveTurn[] }) {
  const { t } = useText();
  const end = useRef<HTMLDivElement>(null);
  const last = turns.at(-1)?.text;
  // biome-ignore lint/correctness/useExhaustiveDependencies: new words scroll into view
  useEffect(() => {
    const box = end.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, [last, turns.length]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <div className="card-body bubbles live-words" ref={end} tabIndex={0} aria-live="polite">
      {turns.length === 0 && <p className="muted">{t("live.waiting")}</p>}
      {turns.map((turn) => (
        <div key={turn.index} className={`bubble ${turn.speaker}`}>
          <p className="who">{t(turn.speaker === "agent" ? "calls.agent" : "call.customer")}</p>
          {turn.text}
        </div>
      ))}
    </div>
  );
}

function Transfer(props: { uuid: string; open: boolean; onClose: () => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const { uuid, ...dialog } = props;
  const form = useForm({ to: "", briefing: false });
  return (
    <FormDialog
      {...dialog}
      title={t("live.transfer_title")}
      action={t("live.transfer")}
      checkedByBrowser
      form={form}
      onSend={async ({ to, briefing }) => {
        const body = { to: await numberTyped(to), briefing };
        await answer(rest.POST("/calls/{uuid}/transfer", { params: { path: { uuid } }, body }));
        showMessage(t("live.transferring"));
        props.onClose();
      }}
    >
      <TextField
        label={t("live.transfer_to")}
        hint={t("live.transfer_hint")}
        required
        {...form.bind("to")}
      />
      <CheckField
        label={t("live.transfer_brief")}
        value={form.values.briefing}
        onValue={(briefing) => form.set({ briefing })}
      />
    </FormDialog>
  );
}
