/** The calls of a run, turn by turn. Telephone runs also have a recording and a timeline. */
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Badge } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import type { WaveformHandle } from "../../ui/waveform.tsx";
import { Player, Turns } from "../call/conversation.tsx";
import { Timeline } from "../call/timeline.tsx";
import { failureText } from "./failure-text.ts";

type Run = Rest["RehearsalRun"];
type Result = Rest["RehearsalResult"];

const runOf = (uuid: string) =>
  answer(rest.GET("/rehearsals/{uuid}", { params: { path: { uuid } } }));

/** Failed scenarios come first. */
export function RunDetails({ run }: { run: Run | undefined }) {
  const details = useQuery({
    queryKey: ["rehearsals", run?.id, run?.ended_at],
    queryFn: () => runOf(run?.id ?? ""),
    enabled: run !== undefined,
  });
  return (
    <Loaded query={details}>
      {({ run: { id, mode }, results }) => (
        <>
          {results
            .map((result, at) => ({ result, number: at + 1 }))
            .sort((a, b) => Number(a.result.passed) - Number(b.result.passed))
            .map(({ result, number }) => (
              <RehearsedCall
                key={number}
                result={result}
                isByPhone={mode === "phone"}
                audioUrl={result.recording && `/api/v1/rehearsals/${id}/recording?result=${number}`}
              />
            ))}
        </>
      )}
    </Loaded>
  );
}

interface RehearsedCallProps {
  readonly result: Result;
  readonly isByPhone: boolean;
  /** Null if there is no recording. */
  readonly audioUrl: string | null;
}

function RehearsedCall({ result, isByPhone, audioUrl }: RehearsedCallProps) {
  const { t } = useText();
  const [isOpen, setOpen] = useState(!result.passed);
  return (
    <details
      className="card"
      open={isOpen}
      onToggle={({ currentTarget, target }) =>
        target === currentTarget && setOpen(currentTarget.open)
      }
    >
      <summary className="card-head">
        <h2>
          {result.name} {result.run > 1 && `#${result.run}`}
        </h2>
        <Badge tone={result.passed ? "good" : "bad"}>
          {t(result.passed ? "rehearsals.ok" : "rehearsals.failed")}
        </Badge>
      </summary>
      {isOpen && (
        <div className="card-body stack">
          <RehearsedConversation result={result} audioUrl={audioUrl} />
          <Failures failures={result.failures.filter(({ turn }) => turn === null)} />
          {isByPhone && result.turns.length > 0 && <Timeline details={result} />}
        </div>
      )}
    </details>
  );
}

function RehearsedConversation({ result, audioUrl }: Omit<RehearsedCallProps, "isByPhone">) {
  const [second, setSecond] = useState(0);
  const player = useRef<WaveformHandle>(null);
  return (
    <>
      {audioUrl !== null && (
        <Player
          audioUrl={audioUrl}
          second={second}
          peaks={null}
          duration={result.duration_ms / 1000}
          handle={player}
          onSecond={setSecond}
        />
      )}
      <div>
        <Turns
          turns={result.turns}
          playedMs={audioUrl === null ? 0 : second * 1000}
          onPlay={audioUrl === null ? undefined : (at) => player.current?.seek(at)}
          below={({ index }) => (
            <Failures failures={result.failures.filter(({ turn }) => turn === index)} />
          )}
        />
        <RunActions result={result} />
      </div>
    </>
  );
}

/** The agent's tool calls, transfers and messages in chronological order. */
function RunActions({ result: { tools, transfers, messages } }: { result: Result }) {
  const { clock, findText } = useText();
  const deeds = [
    ...tools.map(({ tool, arguments: given, output, at_ms }) => ({
      at_ms,
      text: `${tool} ${JSON.stringify(given)} → ${JSON.stringify(output)}`,
    })),
    ...transfers.map(({ target, outcome, at_ms }) => ({
      at_ms,
      text: `${target}: ${findText(`call.transfer.${outcome}`) ?? outcome}`,
    })),
    ...messages,
  ].sort((a, b) => a.at_ms - b.at_ms);
  return deeds.map(({ at_ms, text }) => (
    <p key={at_ms} className="soft small wrap">
      {clock(at_ms / 1000)} {text}
    </p>
  ));
}

function Failures({ failures }: { failures: Result["failures"] }) {
  const texts = useText();
  return failures.map(({ expected, found }) => (
    <p key={expected} className="note bad">
      {texts.t("rehearsals.expected", {
        expected: failureText(expected, texts),
        found: failureText(found, texts),
      })}
    </p>
  ));
}
