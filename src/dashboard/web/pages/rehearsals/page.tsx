/** Rehearsals: calls with an agent before callers make them, their runs, and the turn that failed. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Own, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { AreaField, SelectField, SwitchField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { Badge, Card, Page as Frame } from "../../ui/page.tsx";
import { FormDialog } from "../../ui/send-form.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useAgentChoices } from "../agents/agent-choices.ts";

type Run = Own["RehearsalRun"];
type Result = Awaited<ReturnType<typeof runOf>>["results"][number];

const FOLLOW_MS = 1_000;
const WRITTEN = "";
const EXAMPLE =
  "name: Opening hours\nscript:\n  - say: When are you open?\n    must: [nine to five]\n  - hang_up: true\n";

const listOf = () => answer(own.GET("/rehearsals"));
const runOf = (uuid: string) =>
  answer(own.GET("/rehearsals/{uuid}", { params: { path: { uuid } } }));

export function Page() {
  const { t } = useText();
  const { mayChange } = useSession();
  const [isOrdering, setOrdering] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
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
            {isOrdering && (
              <Order suites={suites} onClose={() => setOrdering(false)} onStarted={setChosen} />
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
              {suite}
            </Button>
          ),
        },
        { head: t("rehearsals.agent"), cell: (run) => <RehearsedVersion run={run} /> },
        { head: t("rehearsals.when"), cell: ({ started_at }) => dateTime(started_at) },
        { head: t("rehearsals.result"), cell: (run) => <Outcome run={run} />, end: true },
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

function Outcome({ run: { ended_at, passed, scenarios } }: { run: Run }) {
  const { t } = useText();
  if (ended_at === null) return <Badge tone="info">{t("rehearsals.running")}</Badge>;
  return (
    <Badge tone={passed === scenarios ? "good" : "bad"}>
      {t("rehearsals.passed", { passed, all: scenarios })}
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
              <RehearsedCall key={result.name} result={result} />
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
        <h2>{result.name}</h2>
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
        <Failures failures={whole} />
      </div>
    </details>
  );
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

function Order(props: {
  suites: readonly { readonly name: string; readonly scenarios: number }[];
  onClose: () => void;
  onStarted: (id: string) => void;
}) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const agents = useAgentChoices(t("rehearsals.own_agent"));
  const form = useForm({
    agent_id: "",
    draft: false,
    suite: props.suites[0]?.name ?? WRITTEN,
    scenarios: EXAMPLE,
  });
  const isWritten = form.values.suite === WRITTEN;
  const suites = props.suites.map(({ name, scenarios }) => ({
    ...{ value: name, label: `${name} (${scenarios})` },
  }));
  const choices = [...suites, { value: WRITTEN, label: t("rehearsals.written") }];
  return (
    <FormDialog
      title={t("rehearsals.new")}
      lead={t("rehearsals.lead")}
      action={t("rehearsals.new")}
      icon="play"
      wide
      form={form}
      onClose={props.onClose}
      onSend={async ({ agent_id, draft, suite, scenarios }) => {
        const body = {
          agent_id: agent_id === "" ? null : Number(agent_id),
          draft: draft && agent_id !== "",
          suite: suite === WRITTEN ? t("rehearsals.scenarios") : suite,
          scenarios: suite === WRITTEN ? scenarios : null,
        };
        const { run } = await answer(own.POST("/rehearsals", { body }));
        await stale("rehearsals");
        props.onClose();
        props.onStarted(run.id);
        showMessage(t("rehearsals.started"));
      }}
    >
      <SelectField label={t("rehearsals.suite")} choices={choices} {...form.bind("suite")} />
      <SelectField label={t("rehearsals.agent")} choices={agents} {...form.bind("agent_id")} />
      {form.values.agent_id !== "" && (
        <SwitchField label={t("rehearsals.of_draft")} {...form.bind("draft")} />
      )}
      {isWritten && (
        <AreaField
          label={t("rehearsals.scenarios")}
          hint={t("rehearsals.scenarios_hint")}
          rows={14}
          code
          {...form.bind("scenarios")}
        />
      )}
    </FormDialog>
  );
}
