/** Rehearsals: test calls with an agent, their runs, and the failed turns. */
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { type Texts, useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { AreaField, NumberField, SelectField, SwitchField } from "../../ui/field.tsx";
import { type Bound, useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { Badge, Card, Page as Frame } from "../../ui/page.tsx";
import { FormDialog } from "../../ui/send-form.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { useAgentChoices, useOnlyAgent, WithOnlyAgent } from "../agents/agent-choices.ts";
import { EXAMPLE, KeptScenarios, useKept } from "./kept.tsx";
import { RunDetails } from "./run-details.tsx";

type Run = Rest["RehearsalRun"];

const FOLLOW_MS = 1_000;
const MODES = ["text", "phone"] as const;
const WRITTEN = "";
/** Choice for the agent's own scenarios. No suite can have this name. */
const KEPT = "/";

const listOf = () => answer(rest.GET("/rehearsals"));

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
                suites={suites}
                agent={picked}
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

/** Built-in suites have translated names; others keep the author's name. */
const suiteName = (suite: string, { findText }: Texts): string =>
  findText(`rehearsals.suite.${suite}`) ?? suite;

function Runs(props: {
  runs: readonly Run[];
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  const texts = useText();
  const { t, dateTime } = texts;
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
              {suite === null ? t("rehearsals.kept") : suiteName(suite, texts)}
            </Button>
          ),
        },
        { head: t("rehearsals.agent"), cell: (run) => <RehearsedVersion run={run} /> },
        { head: t("rehearsals.mode"), cell: ({ mode }) => t(`rehearsals.${mode}`) },
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

type Suites = readonly { readonly name: string; readonly scenarios: number }[];

/** The agent's own scenarios come first, if it has any. */
function useSuites(agent: string, suites: Suites, chosen: string | null) {
  const texts = useText();
  const { t } = texts;
  const { data: kept = [] } = useKept(agent);
  const own = { value: KEPT, label: `${t("rehearsals.kept")} (${kept.length})` };
  const choices = [
    ...(kept.length > 0 ? [own] : []),
    ...suites.map(({ name, scenarios }) => ({
      value: name,
      label: `${suiteName(name, texts)} (${scenarios})`,
    })),
    { value: WRITTEN, label: t("rehearsals.written") },
  ];
  // The built-in suites test their own agents: for another agent they fail.
  const fitting = agent === "" || kept.length > 0 ? choices[0]?.value : WRITTEN;
  const suite = choices.find(({ value }) => value === chosen)?.value ?? fitting;
  return { choices, suite };
}

interface OrderProps {
  readonly suites: Suites;
  /** Null until the person picks an agent. */
  readonly agent: string | null;
  readonly onClose: () => void;
  readonly onStarted: (id: string) => void;
}

const INITIAL = {
  draft: false,
  scenarios: EXAMPLE,
  mode: "text" as Run["mode"],
  suite: null as string | null,
  runs: 1 as number | null,
};

const Order = ({ agent, ...props }: OrderProps) => (
  <WithOnlyAgent>
    {(onlyAgent) => <OrderForm {...props} agent={agent ?? onlyAgent} />}
  </WithOnlyAgent>
);

function OrderForm(props: OrderProps & { readonly agent: string }) {
  const { suites, agent, onClose, onStarted } = props;
  const { t } = useText();
  const stale = useStale();
  const agents = useAgentChoices(t("rehearsals.own_agent"));
  const form = useForm({ ...INITIAL, agent_id: agent });
  const { agent_id, suite: chosen } = form.values;
  const { choices, suite } = useSuites(agent_id, suites, chosen);
  return (
    <FormDialog
      title={t("rehearsals.new")}
      lead={t("rehearsals.lead")}
      action={t("rehearsals.new")}
      icon="play"
      wide
      form={form}
      onClose={onClose}
      onSend={async ({ draft, scenarios, runs, mode }) => {
        const isWritten = suite === WRITTEN;
        const body = {
          agent_id: agent_id === "" ? null : Number(agent_id),
          runs: runs ?? 1,
          draft: draft && agent_id !== "",
          mode,
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
      <ModeField {...form.bind("mode")} />
      <NumberField
        label={t("rehearsals.times")}
        hint={t("rehearsals.times_hint")}
        {...form.bind("runs")}
      />
    </FormDialog>
  );
}

/** Run the rehearsal as text or by telephone. */
function ModeField(bound: Bound<Run["mode"]>) {
  const { t } = useText();
  return (
    <SelectField
      {...bound}
      label={t("rehearsals.mode")}
      hint={t(`rehearsals.${bound.value}_hint`)}
      choices={MODES.map((value) => ({ value, label: t(`rehearsals.${value}`) }))}
    />
  );
}
