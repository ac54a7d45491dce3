/** Imports contacts from a CSV file: a preview with every invalid line, then the import. */
import { useState } from "react";
import { answer, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { AreaField, CheckField, FileField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { FormDialog } from "../../ui/send-form.tsx";
import { Table } from "../../ui/table.tsx";
import { useToasts } from "../../ui/toast.tsx";

const ask = (csv: string, options: { dry_run?: boolean; skip_bad?: boolean }) =>
  answer(rest.POST("/contacts/import", { body: { csv, ...options } }));
type Report = Awaited<ReturnType<typeof ask>>;

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const form = useForm({ csv: "", skip_bad: false });
  const [report, setReport] = useState<Report | null>(null);

  /** The first submission is a dry run. */
  async function send({ csv, skip_bad }: { csv: string; skip_bad: boolean }) {
    if (!report) {
      setReport(await ask(csv, { dry_run: true, skip_bad }));
      return;
    }
    const done = await ask(csv, { skip_bad });
    await stale("contacts");
    showMessage(t("contacts.imported", { created: done.created, updated: done.updated }));
    onClose();
  }

  function change(changes: { csv?: string; skip_bad?: boolean }) {
    if (changes.csv !== undefined) setReport(null);
    form.set(changes);
  }

  const blocked = report !== null && report.problem_count > 0 && !form.values.skip_bad;
  return (
    <FormDialog
      wide
      title={t("contacts.import")}
      lead={t("contacts.import_lead")}
      action={t(report ? "contacts.take" : "contacts.look")}
      form={form}
      disabled={blocked}
      onSend={send}
      onClose={onClose}
    >
      <FileField
        label={t("knowledge.choose")}
        accept=".csv,.txt"
        onFile={(csv) => change({ csv })}
      />
      <AreaField
        label="CSV"
        code
        rows={5}
        placeholder={"number,first_name,last_name,birthday,language,consent"}
        {...form.bind("csv")}
        onValue={(csv) => change({ csv })}
      />
      {report && <Preview report={report} />}
      {report && report.problem_count > 0 && (
        <CheckField
          label={t("contacts.skip_bad")}
          value={form.values.skip_bad}
          onValue={(skip_bad) => change({ skip_bad })}
        />
      )}
    </FormDialog>
  );
}

function Preview({ report }: { report: Report }) {
  const { t } = useText();
  return (
    <div className="stack" role="status">
      <p className="strong">
        {t("contacts.preview", {
          created: report.created,
          updated: report.updated,
          unchanged: report.unchanged,
          bad: report.problem_count,
        })}
      </p>
      {report.problems.length > 0 && (
        <ul className="stack tight">
          {report.problems.slice(0, 20).map((problem) => (
            <li key={`${problem.line}-${problem.column}`} className="error-text">
              {t("contacts.line", { line: problem.line })}: {problem.problem}
            </li>
          ))}
        </ul>
      )}
      {report.preview.length > 0 && (
        <Table
          caption={t("contacts.import")}
          rows={report.preview.map((row, line) => ({ ...row, line }))}
          rowKey={(row) => row.line}
          columns={[
            { head: t("numbers.number"), cell: (row) => row.number_e164 },
            {
              head: t("contacts.name"),
              card: "side",
              cell: (row) => `${row.first_name} ${row.last_name}`,
            },
            { head: t("contacts.birthday"), cell: (row) => row.birthday ?? "–" },
            { head: t("language.label"), cell: (row) => row.language ?? "–" },
          ]}
        />
      )}
    </div>
  );
}
