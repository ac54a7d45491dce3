/** Rehearsals: calls with an agent before callers make them, their runs, and the turn that failed. */
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { AreaField, NumberField, SelectField, SwitchField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { Badge, Card, Page as Frame } from "../../ui/page.tsx";
import { FormDialog } from "../../ui/send-form.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { useAgentChoices, useOnlyAgent } from "../agents/agent-choices.ts";
import { EXAMPLE, KeptScenarios, useKept } from "./kept.tsx";

type Run = Rest["RehearsalRun"];
type Result = Rest["RehearsalResult"];

const FOLLOW_MS = 1_000;
const WRITTEN = "";
/** No suite has such a name. */
const KEPT = "/";

const listOf = () => answer(rest.GET("/rehearsals"));
const runOf = (uuid: string) =>
  answer(rest.GET("/rehearsals/{uuid}", { params: { path: { uuid } } }));

export function Page() {
  const { t } = useText();
  const { mayChange } = useSession();
  const [isOrdering, setOrdering] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const { call, agent: asked }: { call?: unknown; agent?: unknown } = useSearch({ strict: false });
  const only = useOnlyAgent();
  const [picked, setAgent] = useState(typeof asked === "number" ? String(asked) : null);
  const agent = picked ?? only;
  const list = useQuery({
    queryKey: ["rehearsals"],
    queryFn: listOf,
    refetchInterval: ({ state }) =>
      state.data?.runs.some(({ ended_at }) => ended_at === null) ? FOLLOW_MS : false,
  });
  const shown = chosen ?? list.data?.runs[0]?.id ?? null;
  const add = mayChange && (
    <Button variant="primary" icon="play" onClick={() => setOrdering(true)}>
      {t("rehearsals.new")}
    </Button>
  );
  return (
    <Frame title={t("nav.rehearsals")} lead={t("rehearsals.lead")} actions={add}>
      <Loaded query={list}>
        {({ runs, suites }) => (
          <>
            {runs.length === 0 ? (
              <section className="card">
                <EmptyState icon="agent" title={t("rehearsals.empty")} action={add}>
                  {t("rehearsals.empty_body")}
                </EmptyState>
              </section>
            ) : (
              <Card title={t("rehearsals.runs")} flush>
                <Runs runs={runs} chosen={shown} onChoose={setChosen} />
              </Card>
            )}
            {shown !== null && runs.length > 0 && (
              <RunDetails key={shown} run={runs.find(({ id }) => id === shown)} />
            )}
            <KeptScenarios
              agent={agent}
              onAgent={setAgent}
              call={typeof call === "string" ? call : null}
            />
            {isOrdering && (
              <Order
                {...{ suites, agent }}
                onClose={() => setOrdering(false)}
                onStarted={setChosen}
              />
            )}
          </>
        )}
      </Loaded>
    </Frame>
  );
}

function Runs(props: {
  runs: readonly Run[];
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  const { t, dateTime } = useText();
  return (
    <Table
      caption={t("rehearsals.runs")}
      rows={props.runs}
      rowKey={({ id }) => id}
      chosen={props.chosen}
      columns={[
        {
          head: t("rehearsals.suite"),
          cell: ({ id, suite }) => (
            <Button variant="ghost" small onClick={() => props.onChoose(id)}>
              {suite ?? t("rehearsals.kept")}
            </Button>
          ),
        },
        { head: t("rehearsals.agent"), cell: (run) => <RehearsedVersion run={run} /> },
        { head: t("rehearsals.when"), cell: ({ started_at }) => dateTime(started_at) },
        {
          head: t("rehearsals.result"),
          card: "side",
          cell: (run) => <Outcome run={run} />,
          end: true,
        },
      ]}
    />
  );
}

function RehearsedVersion({ run: { agent_name, agent_version } }: { run: Run }) {
  const { t } = useText();
  if (agent_version === null) return agent_name;
  const version =
    agent_version === "draft"
      ? t("rehearsals.draft")
      : t("rehearsals.version", { number: agent_version });
  return `${agent_name}, ${version}`;
}

function Outcome({ run: { ended_at, passed, scenarios, runs } }: { run: Run }) {
  const { t } = useText();
  if (ended_at === null) return <Badge tone="info">{t("rehearsals.running")}</Badge>;
  return (
    <Badge tone={passed === scenarios ? "good" : "bad"}>
      {t("rehearsals.passed", { passed, all: scenarios })}
      {runs > 1 && ` · ${runs}×`}
    </Badge>
  );
}

/** What failed stands first. */
function RunDetails({ run }: { run: Run | undefined }) {
  const details = useQuery({
    queryKey: ["rehearsals", run?.id, run?.ended_at],
    queryFn: () => runOf(run?.id ?? ""),
    enabled: run !== undefined,
  });
  return (
    <Loaded query={details}>
      {({ results }) => (
        <>
          {[...results]
            .sort((a, b) => Number(a.passed) - Number(b.passed))
            .map((result) => (
              <RehearsedCall key={`${result.name} ${result.run}`} result={result} />
            ))}
        </>
      )}
    </Loaded>
  );
}

function RehearsedCall({ result }: { result: Result }) {
  const { t } = useText();
  const whole = result.failures.filter(({ turn }) => turn === null);
  return (
    <details className="card" open={!result.passed}>
      <summary className="card-head">
        <h2>
          {result.name} {result.run > 1 && `#${result.run}`}
        </h2>
        <Badge tone={result.passed ? "good" : "bad"}>
          {t(result.passed ? "rehearsals.ok" : "rehearsals.failed")}
        </Badge>
      </summary>
      <div className="card-body">
        <ol className="turns">
          {result.turns.map((turn) => (
            <Turn
              key={turn.index}
              turn={turn}
              failures={result.failures.filter((failure) => failure.turn === turn.index)}
            />
          ))}
        </ol>
        <Deeds result={result} />
        <Failures failures={whole} />
      </div>
    </details>
  );
}

/** What the agent did beside speaking, in the order of time. */
function Deeds({ result: { tools, transfers, messages } }: { result: Result }) {
  const { clock } = useText();
  const deeds = [
    ...tools.map(({ tool, arguments: given, output, at_ms }) => ({
      ...{ at_ms, text: `${tool} ${JSON.stringify(given)} → ${JSON.stringify(output)}` },
    })),
    ...transfers.map(({ target, outcome, at_ms }) => ({ at_ms, text: `${target}: ${outcome}` })),
    ...messages,
  ].sort((a, b) => a.at_ms - b.at_ms);
  return deeds.map(({ at_ms, text }) => (
    <p key={at_ms} className="soft small wrap">
      {clock(at_ms / 1000)} {text}
    </p>
  ));
}

function Turn(props: { turn: Result["turns"][number]; failures: Result["failures"] }) {
  const { t, clock, ms } = useText();
  const { turn, failures } = props;
  return (
    <li>
      <div className="turn" aria-current={failures.length > 0 || undefined}>
        <span className="at">{clock(turn.start_ms / 1000)}</span>
        <span>
          <span className={`speaker ${turn.speaker}`}>
            {t(turn.speaker === "agent" ? "calls.agent" : "rehearsals.customer")}
          </span>
          <br />
          {turn.text}
        </span>
        <span className="row">
          {turn.latency_ms !== null && (
            <span className="small muted nums">{ms(turn.latency_ms)}</span>
          )}
        </span>
      </div>
      <Failures failures={failures} />
    </li>
  );
}

function Failures({ failures }: { failures: Result["failures"] }) {
  const { t } = useText();
  return failures.map(({ expected, found }) => (
    <p key={expected} className="note bad">
      {t("rehearsals.expected", { expected, found })}
    </p>
  ));
}

type Suites = readonly { readonly name: string; readonly scenarios: number }[];

/** The agent's own scenarios first, where it has some. */
function useSuiteChoices(agent: string, suites: Suites) {
  const { t } = useText();
  const { data: kept = [] } = useKept(agent);
  const own = { value: KEPT, label: `${t("rehearsals.kept")} (${kept.length})` };
  return [
    ...(kept.length > 0 ? [own] : []),
    ...suites.map(({ name, scenarios }) => ({ value: name, label: `${name} (${scenarios})` })),
    { value: WRITTEN, label: t("rehearsals.written") },
  ];
}

interface OrderProps {
  readonly suites: Suites;
  readonly agent: string;
  readonly onClose: () => void;
  readonly onStarted: (id: string) => void;
}

function Order({ suites, agent, onClose, onStarted }: OrderProps) {
  const { t } = useText();
  const stale = useStale();
  const agents = useAgentChoices(t("rehearsals.own_agent"));
  const form = useForm({
    ...{ agent_id: agent, draft: false, scenarios: EXAMPLE },
    ...{ suite: null as string | null, runs: 1 as number | null },
  });
  const { agent_id, suite: chosen } = form.values;
  const choices = useSuiteChoices(agent_id, suites);
  const suite = choices.find(({ value }) => value === chosen)?.value ?? choices[0]?.value;
  return (
    <FormDialog
      title={t("rehearsals.new")}
      lead={t("rehearsals.lead")}
      action={t("rehearsals.new")}
      icon="play"
      wide
      form={form}
      onClose={onClose}
      onSend={async ({ draft, scenarios, runs }) => {
        const isWritten = suite === WRITTEN;
        const body = {
          ...{ agent_id: agent_id === "" ? null : Number(agent_id), runs: runs ?? 1 },
          draft: draft && agent_id !== "",
          suite: isWritten ? t("rehearsals.scenarios") : suite === KEPT ? null : suite,
          scenarios: isWritten ? scenarios : null,
        };
        const { run } = await answer(rest.POST("/rehearsals", { body }));
        await stale("rehearsals");
        onClose();
        onStarted(run.id);
      }}
    >
      <SelectField label={t("rehearsals.agent")} choices={agents} {...form.bind("agent_id")} />
      {agent_id !== "" && <SwitchField label={t("rehearsals.of_draft")} {...form.bind("draft")} />}
      <SelectField
        {...form.bind("suite")}
        label={t("rehearsals.suite")}
        choices={choices}
        value={suite ?? WRITTEN}
      />
      {suite === WRITTEN && (
        <AreaField
          label={t("rehearsals.scenarios")}
          hint={t("rehearsals.scenarios_hint")}
          rows={14}
          code
          {...form.bind("scenarios")}
        />
      )}
      <NumberField
        label={t("rehearsals.times")}
        hint={t("rehearsals.times_hint")}
        {...form.bind("runs")}
      />
    </FormDialog>
  );
}
