/** Questions that agents could not answer. One click turns a question into a knowledge entry. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answer, own } from "../../api/client.ts";
import { filesQuery, type QueryData, unansweredQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useDoing, useStale } from "../../ui/mutate.ts";
import { Card } from "../../ui/page.tsx";
import { FormDialog } from "../../ui/send-form.tsx";
import { Table } from "../../ui/table.tsx";
import { useToasts } from "../../ui/toast.tsx";

type Question = QueryData<typeof unansweredQuery>[number];

export function Unanswered() {
  const { t, date } = useText();
  const { mayChange } = useSession();
  const questions = useQuery(unansweredQuery).data ?? [];
  const [answering, setAnswering] = useState<Question | null>(null);
  if (questions.length === 0) return null;
  return (
    <Card title={t("knowledge.unanswered")} note={t("knowledge.unanswered_lead")} flush>
      <Table
        caption={t("knowledge.unanswered")}
        rows={questions}
        rowKey={({ key }) => key}
        columns={[
          {
            head: t("knowledge.question"),
            cell: ({ question, call_uuid }) => (
              <Link to="/calls/$uuid" params={{ uuid: call_uuid }}>
                {question}
              </Link>
            ),
          },
          {
            head: t("knowledge.asked_last"),
            cell: (question) => <span className="nowrap">{date(question.last_asked_at)}</span>,
          },
          {
            head: t("knowledge.asked"),
            card: "side",
            end: true,
            cell: ({ count }) => <span className="nums">{count}</span>,
          },
          mayChange && {
            head: t("knowledge.answer"),
            card: "action",
            end: true,
            cell: (question) => (
              <Button variant="secondary" onClick={() => setAnswering(question)}>
                {t("knowledge.answer")}
              </Button>
            ),
          },
        ]}
      />
      {answering && <AnswerDialog asked={answering} onClose={() => setAnswering(null)} />}
    </Card>
  );
}

function AnswerDialog({ asked, onClose }: { asked: Question; onClose: () => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const files = useQuery(filesQuery).data ?? [];
  const form = useForm({ question: asked.question, answer: "", file_id: "" });
  const { key, variants } = asked;
  const doing = useDoing();
  const done = async (message: string) => {
    await stale("unanswered", "files");
    showMessage(message);
    onClose();
  };
  async function dismiss() {
    await answer(own.POST("/unanswered-questions/dismiss", { body: { key } }));
    await done(t("knowledge.dismissed"));
  }
  const targets = files.filter(({ filename }) => filename.endsWith(".md"));
  return (
    <FormDialog
      onClose={onClose}
      title={t("knowledge.answer")}
      action={t("action.add")}
      form={form}
      onSend={async ({ question, answer: text, file_id }) => {
        const fileId = file_id === "" ? null : Number(file_id);
        const body = { key, variants, question, answer: text, file_id: fileId };
        await answer(own.POST("/unanswered-questions/answer", { body }));
        await done(t("knowledge.answered"));
      }}
    >
      <TextField
        label={t("knowledge.question")}
        {...(variants.length === 0
          ? {}
          : { hint: t("knowledge.also_asked", { variants: variants.join(" / ") }) })}
        required
        {...form.bind("question")}
      />
      <AreaField label={t("knowledge.answer_text")} rows={4} required {...form.bind("answer")} />
      <SelectField
        label={t("knowledge.file")}
        choices={[
          { value: "", label: "answers.md" },
          ...targets
            .filter(({ filename }) => filename !== "answers.md")
            .map(({ id, filename }) => ({ value: String(id), label: filename })),
        ]}
        {...form.bind("file_id")}
      />
      <div className="row">
        <Button busy={doing.busy} onClick={() => void doing.run(dismiss)}>
          {t("knowledge.dismiss")}
        </Button>
      </div>
    </FormDialog>
  );
}
