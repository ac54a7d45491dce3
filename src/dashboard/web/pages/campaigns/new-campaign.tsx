/** Creates a campaign from a list: a preview with every invalid line, then the draft. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answer, rest } from "../../api/client.ts";
import { agentsQuery, numbersQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import {
  AreaField,
  CheckField,
  FileField,
  NumberField,
  SelectField,
  TextField,
} from "../../ui/field.tsx";
import { type Form, useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { FormDialog } from "../../ui/send-form.tsx";
import { Table } from "../../ui/table.tsx";
import { useAgentChoices } from "../agents/agent-choices.ts";

interface Draft {
  readonly name: string;
  readonly agent_id: string;
  readonly from_number: string;
  readonly csv: string;
  readonly skip_bad: boolean;
  readonly calling_from: string;
  readonly calling_to: string;
  readonly concurrency: number | null;
  readonly attempts: number | null;
  readonly retry_after_min: number | null;
}

const bodyOf = (draft: Draft) => ({
  name: draft.name,
  agent_id: Number(draft.agent_id),
  from_number: draft.from_number || null,
  csv: draft.csv,
  skip_bad: draft.skip_bad,
  calling_from: draft.calling_from,
  calling_to: draft.calling_to,
  concurrency: draft.concurrency ?? 1,
  attempts: draft.attempts ?? 2,
  retry_after_min: draft.retry_after_min ?? 120,
});

const EMPTY: Draft = {
  name: "",
  agent_id: "",
  from_number: "",
  csv: "",
  skip_bad: false,
  calling_from: "10:00",
  calling_to: "18:00",
  concurrency: 1,
  attempts: 2,
  retry_after_min: 120,
};

export function NewCampaign({ onClose }: { onClose: () => void }) {
  const { t } = useText();
  const { data: agents } = useQuery(agentsQuery);
  if (!agents) return null;
  const [first] = agents;
  if (first) return <CampaignForm agentId={first.id} onClose={onClose} />;
  return (
    <Dialog open title={t("campaigns.new")} onOpen={onClose}>
      <p>{t("campaigns.no_agent")}</p>
      <Link to="/agents/new" className="button primary">
        {t("agents.new")}
      </Link>
    </Dialog>
  );
}

const look = (csv: string) => answer(rest.POST("/campaigns/preview", { body: { csv } }));
type Report = Awaited<ReturnType<typeof look>>;
const isBad = ({ problem_count, refused_count }: Report) => problem_count + refused_count > 0;

function CampaignForm({ agentId, onClose }: { agentId: number; onClose: () => void }) {
  const { t } = useText();
  const stale = useStale();
  const form = useForm<Draft>({ ...EMPTY, agent_id: String(agentId) });
  const [report, setReport] = useState<Report | null>(null);
  const blocked =
    report !== null && (report.numbers === 0 || (isBad(report) && !form.values.skip_bad));

  function change(csv: string) {
    setReport(null);
    form.set({ csv });
  }

  /** The first submission only reads the list. */
  async function send(draft: Draft) {
    if (!report) {
      setReport(await look(draft.csv));
      return;
    }
    await answer(rest.POST("/campaigns", { body: bodyOf(draft) }));
    await stale("campaigns");
    onClose();
  }

  return (
    <FormDialog
      wide
      title={t("campaigns.new")}
      lead={t("campaigns.new_lead")}
      action={t(report ? "campaigns.new" : "contacts.look")}
      disabled={blocked}
      form={form}
      curl={(draft) => ({ method: "POST", path: "/campaigns", body: bodyOf(draft) })}
      onClose={onClose}
      onSend={send}
    >
      <TextField
        label={t("form.name")}
        hint={t("campaigns.name_hint")}
        required
        {...form.bind("name")}
      />
      <Parties form={form} />
      <ListFields form={form} report={report} onChange={change} />
      <div className="columns narrow">
        <TextField label={t("campaigns.calling_from")} {...form.bind("calling_from")} />
        <TextField label={t("campaigns.calling_to")} {...form.bind("calling_to")} />
        <NumberField label={t("campaigns.concurrency")} {...form.bind("concurrency")} />
        <NumberField label={t("campaigns.attempts")} {...form.bind("attempts")} />
        <NumberField label={t("campaigns.retry_after_min")} {...form.bind("retry_after_min")} />
      </div>
    </FormDialog>
  );
}

/** Fields for the list, with its preview. */
function ListFields(props: {
  form: Form<Draft>;
  report: Report | null;
  onChange: (csv: string) => void;
}) {
  const { t } = useText();
  const { form, report, onChange } = props;
  return (
    <>
      <FileField label={t("knowledge.choose")} accept=".csv,.txt" onFile={onChange} />
      <AreaField
        label="CSV"
        hint={t("campaigns.csv_hint")}
        code
        rows={4}
        placeholder={"number,time\n+37060000001,ten o'clock"}
        {...form.bind("csv")}
        onValue={onChange}
      />
      {report && <Preview report={report} />}
      {report && isBad(report) && (
        <CheckField
          label={t("contacts.skip_bad")}
          value={form.values.skip_bad}
          onValue={(skip_bad) => form.set({ skip_bad })}
        />
      )}
    </>
  );
}

/** Preview of a list. */
function Preview({ report }: { report: Report }) {
  const { t } = useText();
  const { numbers, duplicates, problem_count, refused_count } = report;
  const left = [
    ...report.problems.map(({ line, problem }) => `${t("contacts.line", { line })}: ${problem}`),
    ...report.refused.map(({ number, problem }) => `${number}: ${problem}`),
  ];
  return (
    <div className="stack" role="status">
      <p className="strong">
        {t("campaigns.preview", {
          numbers,
          duplicates,
          bad: problem_count,
          refused: refused_count,
        })}
      </p>
      <ul className="stack tight">
        {left.map((text) => (
          <li key={text} className="error-text">
            {text}
          </li>
        ))}
      </ul>
      {report.preview.length > 0 && (
        <Table
          caption={t("campaigns.numbers")}
          rows={report.preview}
          rowKey={(row) => row.number_e164}
          columns={[
            { head: t("numbers.number"), cell: (row) => row.number_e164 },
            ...Object.keys(report.preview[0]?.variables ?? {}).map((name) => ({
              head: name,
              cell: (row: Report["preview"][number]) => row.variables[name],
            })),
          ]}
        />
      )}
    </div>
  );
}

/** The calling agent and the caller ID. */
function Parties({ form }: { form: Form<Draft> }) {
  const { t } = useText();
  const [, ...agents] = useAgentChoices("–");
  const numbers = useQuery(numbersQuery);
  return (
    <div className="columns">
      <SelectField label={t("calls.agent")} choices={agents} {...form.bind("agent_id")} />
      <SelectField
        label={t("calls.place_from")}
        choices={[
          { value: "", label: t("calls.place_default") },
          ...(numbers.data ?? []).map(({ number_e164 }) => ({
            value: number_e164,
            label: number_e164,
          })),
        ]}
        {...form.bind("from_number")}
      />
    </div>
  );
}
