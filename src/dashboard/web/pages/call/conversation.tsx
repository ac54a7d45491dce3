/**
 * Recording and transcript in sync: a click on a turn plays it, and the player marks the current
 * turn.
 */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { callDetailsQuery, peaksQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { FilterSelect } from "../../ui/field.tsx";
import { Badge, Card } from "../../ui/page.tsx";
import { Waveform, type WaveformHandle } from "../../ui/waveform.tsx";
import { sourceNames } from "../knowledge/source-name.ts";
import type { Call, Details } from "./call-details.ts";
import { Notes } from "./notes.tsx";

type Sources = Details["turns"][number]["sources"];

const SPEEDS = ["0.75", "1", "1.25", "1.5", "2"] as const;

export function Conversation({ call }: { call: Call }) {
  const { t } = useText();
  const [second, setSecond] = useState(0);
  const player = useRef<WaveformHandle>(null);
  const details = useQuery(callDetailsQuery(call.call_uuid));
  const audioUrl = details.data?.recording.audio_url ?? null;
  return (
    <div className="stack">
      <Card title={t("call.recording")}>
        {details.isPending ? (
          <div className="skeleton waveform" />
        ) : audioUrl ? (
          <CallPlayer
            uuid={call.call_uuid}
            audioUrl={audioUrl}
            handle={player}
            second={second}
            onSecond={setSecond}
          />
        ) : (
          <p className="soft">
            {t(
              call.ended_reason ? `call.recording.${call.recording_status}` : "call.recording.live",
            )}
          </p>
        )}
      </Card>
      <Notes call={call} />
      <Card title={t("call.transcript")} flush>
        {call.turns.length > 0 ? (
          <Turns
            turns={call.turns}
            sources={(details.data?.turns ?? []).map(({ sources }) => sources)}
            playedMs={audioUrl === null ? 0 : second * 1000}
            onPlay={(seconds) => player.current?.seek(seconds)}
          />
        ) : call.transcript ? (
          <p className="card-body pre">{call.transcript}</p>
        ) : (
          <p className="card-body soft">{t("call.no_transcript")}</p>
        )}
      </Card>
    </div>
  );
}

interface TurnProps {
  readonly turn: Pick<
    Call["turns"][number],
    "speaker" | "text" | "start_ms" | "interrupted" | "latency_ms"
  >;
  readonly current: boolean;
  /** Missing if there is no audio to play. */
  readonly onPlay?: (() => void) | undefined;
}

/** Marks the turn that is playing and scrolls it into view within the list; the page does not scroll. */
export function Turns<Turn extends TurnProps["turn"]>(props: {
  turns: readonly Turn[];
  /** Knowledge sources of each turn. */
  sources?: readonly Sources[];
  playedMs: number;
  onPlay?: ((seconds: number) => void) | undefined;
  /** Content below a turn. */
  below?: (turn: Turn) => React.ReactNode;
}) {
  const { turns, playedMs, onPlay, below } = props;
  const current = playedMs > 0 ? turns.findLastIndex(({ start_ms }) => start_ms <= playedMs) : -1;
  return (
    <ol className="turns">
      {turns.map((turn, at) => (
        <li key={`${turn.speaker}-${turn.start_ms}`}>
          <TurnLine
            turn={turn}
            current={at === current}
            onPlay={onPlay && (() => onPlay(turn.start_ms / 1000))}
          />
          <TurnSources sources={props.sources?.[at] ?? []} />
          {below?.(turn)}
        </li>
      ))}
    </ol>
  );
}

function TurnLine({ turn, current, onPlay }: TurnProps) {
  const { t, clock, ms } = useText();
  const Line = onPlay ? "button" : "div";
  return (
    <Line
      type={onPlay && "button"}
      className="turn"
      aria-current={current || undefined}
      onClick={onPlay}
    >
      <span className="at">{clock(turn.start_ms / 1000)}</span>
      <span>
        <span className={`speaker ${turn.speaker}`}>
          {t(turn.speaker === "agent" ? "calls.agent" : "call.customer")}
        </span>
        <br />
        {turn.text}
      </span>
      <span className="row">
        {turn.interrupted && <Badge tone="warn">{t("call.interrupted")}</Badge>}
        {turn.latency_ms !== null && (
          <span className="small muted nums">{ms(turn.latency_ms)}</span>
        )}
      </span>
    </Line>
  );
}

/** Knowledge sources of a turn, with links to correct them. */
function TurnSources({ sources }: { sources: Sources }) {
  const { t } = useText();
  return sources.map((source) => (
    <div key={`${source.file_id} ${source.heading}`} className="turn-source small">
      <Link to="/knowledge/$id" params={{ id: String(source.file_id) }}>
        {t("knowledge.from", { sources: sourceNames([source]) })}
      </Link>
    </div>
  ));
}

/** Player with a waveform, drawn from the recording's stored peaks. */
function CallPlayer({
  uuid,
  ...sound
}: Omit<PlayerProps, "peaks" | "duration"> & { uuid: string }) {
  const { t } = useText();
  const peaks = useQuery(peaksQuery(uuid));
  if (peaks.isPending) return <div className="skeleton waveform" />;
  if (!peaks.data) return <p className="soft">{t("call.recording.failed")}</p>;
  return <Player {...sound} peaks={peaks.data} duration={peaks.data.duration_ms / 1000} />;
}

interface PlayerProps {
  readonly audioUrl: string;
  readonly peaks: Parameters<typeof Waveform>[0]["peaks"];
  readonly duration: number;
  readonly handle: React.RefObject<WaveformHandle | null>;
  readonly second: number;
  readonly onSecond: (second: number) => void;
}

export function Player({ audioUrl, peaks, duration, handle, second, onSecond }: PlayerProps) {
  const { t } = useText();
  const [playing, setPlaying] = useState(false);
  const [failed, setFailed] = useState(false);
  if (failed) return <p className="soft">{t("call.recording.failed")}</p>;
  return (
    <>
      <Waveform
        ref={handle}
        peaks={peaks}
        audioUrl={audioUrl}
        second={second}
        onTime={onSecond}
        onPlaying={setPlaying}
        onError={() => setFailed(true)}
      />
      <PlayerControls handle={handle} playing={playing} second={second} duration={duration} />
    </>
  );
}

function PlayerControls(props: {
  handle: React.RefObject<WaveformHandle | null>;
  playing: boolean;
  second: number;
  duration: number;
}) {
  const { t, clock } = useText();
  const { handle, playing, second, duration } = props;
  const [speed, setSpeed] = useState<(typeof SPEEDS)[number]>("1");
  return (
    <div className="player">
      <Button
        icon={playing ? "pause" : "play"}
        variant="primary"
        onClick={() => handle.current?.toggle()}
      >
        {t(playing ? "call.pause" : "call.play")}
      </Button>
      <span className="nums small soft">
        {clock(second)} / {clock(duration)}
      </span>
      <input
        type="range"
        className="grow"
        aria-label={t("call.seek")}
        min={0}
        max={Math.ceil(duration)}
        step={1}
        value={Math.round(second)}
        aria-valuetext={clock(second)}
        onChange={(event) => handle.current?.seek(event.target.valueAsNumber)}
      />
      <FilterSelect
        label={t("call.speed")}
        value={speed}
        choices={SPEEDS.map((value) => ({ value, label: `${value}×` }))}
        onValue={(value) => {
          setSpeed(value);
          handle.current?.speed(Number(value));
        }}
      />
    </div>
  );
}
