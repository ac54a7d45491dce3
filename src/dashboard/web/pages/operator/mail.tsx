/** Mail: a test message, and the queued or failed messages. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, own } from "../../api/client.ts";
import type { QueryData } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { FilterSelect, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useDoing } from "../../ui/mutate.ts";
import { Card } from "../../ui/page.tsx";
import { SendForm } from "../../ui/send-form.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Pager, Table } from "../../ui/table.tsx";
import { mailsQuery } from "./operator-queries.ts";

const LIMIT = 50;

export function Mail() {
  return (
    <div className="stack">
      <MailTest />
      <Mails />
    </div>
  );
}

function MailTest() {
  const { t, ms } = useText();
  const form = useForm({ to: "" }, { unguarded: true });
  const [said, setSaid] = useState<{ readonly good: boolean; readonly text: string } | null>(null);
  return (
    <Card title={t("operator.mail_test")}>
      <SendForm
        form={form}
        action={t("operator.mail_test")}
        onSend={async (body) => {
          setSaid(null);
          const { provider, ...sent } = await answer(own.POST("/operator/mail-test", { body }));
          setSaid({
            good: sent.sent,
            text: sent.sent
              ? t("operator.mail_sent", { provider, ms: ms(sent.duration_ms) })
              : t("operator.mail_failed", { provider, why: sent.error ?? "" }),
          });
        }}
      >
        <TextField label={t("schedules.to")} type="email" {...form.bind("to")} />
        {said && (
          <p className={said.good ? "note good" : "note bad"} role="status">
            {said.text}
          </p>
        )}
      </SendForm>
    </Card>
  );
}

function Mails() {
  const { t } = useText();
  const [status, setStatus] = useState<"dead" | "pending">("dead");
  const [offset, setOffset] = useState(0);
  const mails = useQuery(mailsQuery(status, offset, LIMIT));
  return (
    <Card
      title={t("operator.mails")}
      actions={
        <FilterSelect
          label={t("calls.status")}
          value={status}
          choices={[
            { value: "dead", label: t("operator.mails_dead") },
            { value: "pending", label: t("webhooks.pending") },
          ]}
          onValue={(value) => {
            setStatus(value);
            setOffset(0);
          }}
        />
      }
      flush
    >
      <Loaded query={mails}>
        {(data) =>
          data.mails.length === 0 ? (
            <EmptyState icon="check" title={t("operator.no_mails")}>
              {t("operator.no_mails_body")}
            </EmptyState>
          ) : (
            <>
              <MailTable rows={data.mails} />
              <Pager
                offset={offset}
                limit={LIMIT}
                shown={data.mails.length}
                total={data.total}
                onOffset={setOffset}
              />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

type QueuedMail = QueryData<ReturnType<typeof mailsQuery>>["mails"][number];

function MailTable({ rows }: { rows: readonly QueuedMail[] }) {
  const { t, number, dateTime } = useText();
  const doing = useDoing("operator");
  const retry = (id: number) =>
    void doing.run(
      () => answer(own.POST("/operator/mails/{id}/retry", { params: { path: { id } } })),
      t("operator.retried"),
    );
  return (
    <Table
      caption={t("operator.mails")}
      rows={rows}
      rowKey={(mail) => mail.id}
      columns={[
        { head: t("schedules.to"), cell: (mail) => mail.recipient },
        { head: t("operator.subject"), card: "line", cell: (mail) => mail.subject },
        { head: t("calls.when"), card: "side", cell: (mail) => dateTime(mail.created_at) },
        {
          head: t("operator.attempts"),
          card: "labelled",
          end: true,
          cell: (mail) => number(mail.attempts),
        },
        { head: t("operator.reason"), card: "block", cell: (mail) => mail.last_error ?? "–" },
        {
          head: t("operator.retry"),
          card: "action",
          end: true,
          cell: (mail) =>
            mail.status === "dead" && (
              <Button small onClick={() => retry(mail.id)}>
                {t("operator.retry")}
              </Button>
            ),
        },
      ]}
    />
  );
}
