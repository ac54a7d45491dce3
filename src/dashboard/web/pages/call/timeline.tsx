/** Timeline of a call: one lane per part, and the duration of each answer, stage by stage. */
import { useText } from "../../i18n/text.tsx";
import { Card } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import type { Details } from "./call-details.ts";

const LANES = ["sip", "caller", "agent", "stt", "llm", "tts", "tool"] as const;
const STAGES = ["endpointing_ms", "stt_ms", "llm_first_ms", "tts_first_ms"] as const;

interface Turn
  extends Pick<Details["turns"][number], "index" | "start_ms" | "text" | "latency_ms"> {
  readonly stages: Readonly<Record<(typeof STAGES)[number], number | null>> | null;
}

/** A real call or a rehearsed one. */
interface TimedCall extends Pick<Details, "duration_ms"> {
  readonly timeline: readonly {
    readonly lane: string;
    readonly start_ms: number;
    readonly end_ms: number;
    readonly label: string;
  }[];
  readonly turns: readonly Turn[];
}

export function Timeline({ details }: { details: TimedCall }) {
  const { t, clock, knows } = useText();
  const { timeline } = details;
  const textOf = ({ lane, label }: (typeof timeline)[number]) => {
    const key: string = `call.${label}`;
    return lane === "sip" && knows(key) ? t(key) : label;
  };
  const start = Math.min(0, ...timeline.map(({ start_ms }) => start_ms));
  const end = Math.max(1, details.duration_ms ?? 0, ...timeline.map(({ end_ms }) => end_ms));
  const share = (ms: number) => `${(ms / (end - start)) * 100}%`;
  return (
    <div className="stack">
      <Card title={t("call.tab.timeline")}>
        {timeline.length === 0 ? (
          <p className="soft">{t("call.timeline_empty")}</p>
        ) : (
          <div className="lanes">
            {LANES.map((lane) => {
              const spans = timeline.filter((span) => span.lane === lane);
              if (spans.length === 0) return null;
              return (
                <div className="lane" key={lane}>
                  <span className="soft">{t(`call.lane.${lane}`)}</span>
                  <div className="lane-track">
                    {spans.map((span) => (
                      <span
                        key={`${span.start_ms}-${span.end_ms}-${span.label}`}
                        className={`lane-span ${lane}`}
                        title={`${clock(span.start_ms / 1000)} · ${textOf(span)}`}
                        style={{
                          left: share(span.start_ms - start),
                          width: share(Math.max(0, span.end_ms - span.start_ms)),
                        }}
                      >
                        <span className="visually-hidden">
                          {clock(span.start_ms / 1000)} {textOf(span)}
                        </span>
                      </span>
                    ))}
                  </div>
                </div>
              );
            })}
            <div className="lane">
              <span />
              <span className="row apart small muted nums">
                <span>{clock(start / 1000)}</span>
                <span>{clock((start + end) / 2000)}</span>
                <span>{clock(end / 1000)}</span>
              </span>
            </div>
          </div>
        )}
      </Card>
      <Latencies turns={details.turns} />
    </div>
  );
}

function Latencies({ turns }: { turns: readonly Turn[] }) {
  const { t, ms, clock, seconds } = useText();
  const measured = turns.filter(({ latency_ms }) => latency_ms !== null);
  if (measured.length === 0) return null;
  const longest = Math.max(1, ...measured.map(({ latency_ms }) => latency_ms ?? 0));
  const turn: Column<Turn> = {
    head: t("call.turn"),
    cell: ({ start_ms: start, text }) => (
      <span className="row">
        <span className="muted nums small">{clock(start / 1000)}</span>
        <span className="clip turn-text">{text}</span>
      </span>
    ),
  };
  const total: Column<Turn> = {
    head: t("call.total"),
    card: "side",
    end: true,
    cell: ({ latency_ms: latency }) => (
      <span className="latency">
        <span className="meter" aria-hidden="true">
          <i style={{ width: `${((latency ?? 0) / longest) * 100}%` }} />
        </span>
        <span className="nums strong">{seconds(latency ?? 0)}</span>
      </span>
    ),
  };
  const stage = (head: string, value: (turn: Turn) => number | null | undefined): Column<Turn> => ({
    head,
    card: "labelled",
    end: true,
    cell: (of) => <span className="nums">{ms(value(of) ?? null)}</span>,
  });
  const stages = [
    stage(t("call.stage.endpointing"), ({ stages: of }) => of?.endpointing_ms),
    stage(t("call.stage.stt"), ({ stages: of }) => of?.stt_ms),
    stage(t("call.stage.llm"), ({ stages: of }) => of?.llm_first_ms),
    stage(t("call.stage.tts"), ({ stages: of }) => of?.tts_first_ms),
    stage(t("call.total"), ({ latency_ms: latency }) => latency),
  ];
  const table = (caption: string, columns: readonly Column<Turn>[]) => (
    <Table caption={caption} columns={columns} rows={measured} rowKey={({ index }) => index} />
  );
  return (
    <>
      <Card title={t("call.latency")} note={t("call.latency_note")} flush>
        {table(t("call.latency"), [turn, total])}
      </Card>
      <details className="card disclosure">
        <summary>{t("call.stages")}</summary>
        {table(t("call.stages"), [turn, ...stages])}
      </details>
    </>
  );
}
