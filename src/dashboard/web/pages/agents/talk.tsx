/** Talk to an agent from the browser's microphone. */
import { useEffect, useRef, useState } from "react";
import { startTalk, type TalkState, type ToolUse } from "../../audio/talk-session.ts";
import { useText } from "../../i18n/text.tsx";
import type { LiveTurn } from "../../live/live.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Lamp } from "../../ui/page.tsx";
import { Bubbles } from "./bubbles.tsx";

const STATE_TEXTS = {
  idle: "talk.idle",
  connecting: "talk.connecting",
  listening: "talk.listening",
  speaking: "talk.speaking",
  ended: "talk.ended",
} as const;

export function Talk({ agentId }: { agentId: number }) {
  const { t, ms } = useText();
  const [state, setState] = useState<TalkState>({ at: "idle" });
  const [turns, setTurns] = useState<readonly LiveTurn[]>([]);
  const [tools, setTools] = useState<readonly ToolUse[]>([]);
  const session = useRef<{ stop(): void } | null>(null);
  useEffect(() => () => session.current?.stop(), []);

  const going = state.at === "connecting" || state.at === "listening" || state.at === "speaking";

  function start() {
    setTurns([]);
    setTools([]);
    session.current = startTalk(agentId, {
      onState: setState,
      onTurn: (turn) =>
        setTurns((before) =>
          [...before.filter(({ index }) => index !== turn.index), turn].sort(
            (a, b) => a.index - b.index,
          ),
        ),
      onTool: (use) => setTools((before) => [...before, use]),
    });
  }

  return (
    <Card
      title={t("talk.title")}
      note={t("talk.lead")}
      actions={
        going ? (
          <Button icon="stop" onClick={() => session.current?.stop()}>
            {t("talk.stop")}
          </Button>
        ) : (
          <Button look="primary" icon="mic" onClick={start}>
            {t("talk.start")}
          </Button>
        )
      }
    >
      <p className="row firm" role="status">
        <Lamp
          tone={going ? "good" : state.at === "failed" ? "bad" : "plain"}
          live={state.at === "listening"}
        />
        {state.at === "failed"
          ? state.why === "refused"
            ? state.message
            : t(`talk.${state.why}`)
          : t(STATE_TEXTS[state.at])}
      </p>
      {(turns.length > 0 || tools.length > 0) && (
        <Bubbles
          label={t("talk.title")}
          bubbles={turns.map((turn) => ({
            key: String(turn.index),
            side: turn.speaker,
            text: turn.text,
            note: turn.latency_ms === null ? null : t("talk.latency", { ms: ms(turn.latency_ms) }),
          }))}
        />
      )}
      {tools.map((use, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: only ever appended
        <p key={at} className="small muted">
          {t("talk.tool", { tool: use.tool, ms: Math.round(use.duration_ms) })}
        </p>
      ))}
      {state.at === "ended" && state.summary && <p className="note">{state.summary}</p>}
    </Card>
  );
}
