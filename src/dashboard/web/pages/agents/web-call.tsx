/** Talk to an agent from the browser's microphone. */
import { useEffect, useRef, useState } from "react";
import { startWebCall, type ToolUse, type WebCallState } from "../../audio/web-call-session.ts";
import { useText } from "../../i18n/text.tsx";
import type { LiveTurn } from "../../live/live.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, StatusIndicator } from "../../ui/page.tsx";
import { sourceNames } from "../knowledge/source-name.ts";
import type { TrialDraft } from "./agent-draft.ts";
import { Bubbles } from "./bubbles.tsx";

const STATE_TEXTS = {
  idle: "web_call.idle",
  connecting: "web_call.connecting",
  listening: "web_call.listening",
  speaking: "web_call.speaking",
  ended: "web_call.ended",
} as const;

function useWebCall(agentId: number, draft: TrialDraft) {
  const [state, setState] = useState<WebCallState>({ at: "idle" });
  const [turns, setTurns] = useState<readonly LiveTurn[]>([]);
  const [tools, setTools] = useState<readonly ToolUse[]>([]);
  const [sources, setSources] = useState<ReadonlyMap<number, string>>(new Map());
  const session = useRef<ReturnType<typeof startWebCall> | null>(null);
  useEffect(() => () => session.current?.stop(), []);

  function start() {
    setTurns([]);
    setTools([]);
    setSources(new Map());
    session.current = startWebCall(agentId, draft, {
      onState: setState,
      onTurn: (turn) =>
        setTurns((before) =>
          [...before.filter(({ index }) => index !== turn.index), turn].sort(
            (a, b) => a.index - b.index,
          ),
        ),
      onSources: (index, found) =>
        setSources((before) => new Map(before).set(index, sourceNames(found))),
      onTool: (use) => setTools((before) => [...before, use]),
    });
  }

  return {
    state,
    turns,
    tools,
    sources,
    start,
    stop: () => session.current?.stop(),
    press: (digit: string) => session.current?.press(digit),
  };
}

const isGoing = ({ at }: WebCallState) =>
  at === "connecting" || at === "listening" || at === "speaking";

export function WebCall({ agentId, draft }: { agentId: number; draft: TrialDraft }) {
  const { t, ms } = useText();
  const { state, turns, tools, sources, start, stop, press } = useWebCall(agentId, draft);
  return (
    <Card
      title={t("web_call.title")}
      note={t("web_call.lead")}
      actions={
        isGoing(state) ? (
          <Button icon="stop" onClick={stop}>
            {t("web_call.stop")}
          </Button>
        ) : (
          <Button variant="primary" icon="mic" onClick={start}>
            {t("web_call.start")}
          </Button>
        )
      }
    >
      <State state={state} />
      {isGoing(state) && <Keypad disabled={state.at === "connecting"} onPress={press} />}
      {(turns.length > 0 || tools.length > 0) && (
        <Bubbles
          label={t("web_call.title")}
          bubbles={turns.map((turn) => ({
            key: String(turn.index),
            side: turn.speaker,
            text: turn.text,
            note: [
              ...(turn.latency_ms === null
                ? []
                : [t("web_call.latency", { ms: ms(turn.latency_ms) })]),
              ...(sources.get(turn.index)
                ? [t("knowledge.from", { sources: sources.get(turn.index) ?? "" })]
                : []),
            ].join(" · "),
          }))}
        />
      )}
      {tools.map((use, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: only ever appended
        <p key={at} className="small muted">
          {t("web_call.tool", { tool: use.tool, ms: Math.round(use.duration_ms) })}
        </p>
      ))}
      {state.at === "ended" && state.summary && <p className="note">{state.summary}</p>}
    </Card>
  );
}

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#"];

/** DTMF keypad, for agents that ask for digits. */
function Keypad(props: { disabled: boolean; onPress: (digit: string) => void }) {
  const { t } = useText();
  return (
    <fieldset className="keypad" disabled={props.disabled}>
      <legend className="small muted">{t("web_call.keypad")}</legend>
      {DIGITS.map((digit) => (
        <Button key={digit} small onClick={() => props.onPress(digit)}>
          {digit}
        </Button>
      ))}
    </fieldset>
  );
}

function State({ state }: { state: WebCallState }) {
  const { t } = useText();
  const tone = isGoing(state) ? "good" : state.at === "failed" ? "bad" : "plain";
  const failure = (failed: Extract<WebCallState, { at: "failed" }>) =>
    failed.why === "refused" ? failed.message : t(`web_call.${failed.why}`);
  return (
    <p className="row firm" role="status">
      <StatusIndicator tone={tone} live={state.at === "listening"} />
      {state.at === "failed" ? failure(state) : t(STATE_TEXTS[state.at])}
    </p>
  );
}
