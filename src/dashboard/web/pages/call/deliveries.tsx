/** Deliveries about the call: webhooks, emails, tools. */
import { useText } from "../../i18n/text.tsx";
import { Badge, Card } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import type { Details } from "./call-details.ts";

const MAIL_TONES = { pending: "info", sent: "good", dead: "bad" } as const;

export function Deliveries({ details }: { details: Details }) {
  return (
    <div className="stack">
      <Webhooks deliveries={details.deliveries} />
      <Mails mails={details.mails} />
      {details.tool_calls.length > 0 && <ToolCalls calls={details.tool_calls} />}
    </div>
  );
}

function Webhooks({ deliveries }: { deliveries: Details["deliveries"] }) {
  const { t, ms, number, time } = useText();
  return (
    <Card title={t("call.deliveries")} flush>
      {deliveries.length === 0 ? (
        <p className="card-body soft">{t("call.deliveries_empty")}</p>
      ) : (
        <Table
          caption={t("call.deliveries")}
          rows={deliveries}
          rowKey={(row) => row.delivery_id}
          columns={[
            { head: t("call.event"), cell: (row) => <code>{row.type}</code> },
            {
              head: t("calls.when"),
              card: "line",
              cell: (row) => <span className="nums">{time(row.at)}</span>,
            },
            {
              head: t("call.attempt"),
              card: "labelled",
              end: true,
              cell: (row) => number(row.attempt),
            },
            {
              head: t("call.answer"),
              card: "side",
              cell: (row) => (
                <Badge tone={row.status === "delivered" ? "good" : "bad"}>
                  {row.http_status ?? row.error ?? t("call.answer_none")}
                </Badge>
              ),
            },
            { head: t("calls.duration"), end: true, cell: (row) => ms(row.duration_ms) },
          ]}
        />
      )}
    </Card>
  );
}

function Mails({ mails }: { mails: Details["mails"] }) {
  const { t } = useText();
  return (
    <Card title={t("call.mails")} flush>
      {mails.length === 0 ? (
        <p className="card-body soft">{t("call.mails_empty")}</p>
      ) : (
        <Table
          caption={t("call.mails")}
          rows={mails}
          rowKey={(mail) => mail.recipient}
          columns={[
            { head: t("call.recipient"), cell: (mail) => mail.recipient },
            {
              head: t("calls.status"),
              card: "side",
              cell: (mail) => (
                <Badge tone={MAIL_TONES[mail.status]}>{t(`call.mail.${mail.status}`)}</Badge>
              ),
            },
            { head: t("call.answer"), cell: (mail) => mail.last_error ?? "–" },
          ]}
        />
      )}
    </Card>
  );
}

function ToolCalls({ calls }: { calls: Details["tool_calls"] }) {
  const { t, ms } = useText();
  return (
    <Card title={t("call.tool_calls")} flush>
      <Table
        caption={t("call.tool_calls")}
        rows={calls}
        rowKey={(row) => `${row.tool}-${row.start_ms}`}
        columns={[
          { head: t("call.lane.tool"), cell: (row) => <code>{row.tool}</code> },
          {
            head: t("call.answer"),
            card: "side",
            cell: (row) => (
              <Badge tone={row.ok ? "good" : "bad"}>
                {row.http_status ?? t(row.ok ? "call.answer" : "call.answer_none")}
              </Badge>
            ),
          },
          { head: t("calls.duration"), end: true, cell: (row) => ms(row.duration_ms) },
        ]}
      />
    </Card>
  );
}
