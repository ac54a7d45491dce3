/** Delivery attempts, newest first. Any can be sent again. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, rest } from "../../api/client.ts";
import { deliveriesQuery, type QueryData } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useNow } from "../../live/now.ts";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Pager, Table } from "../../ui/table.tsx";

const LIMIT = 25;
const MINUTE_MS = 60_000;

export function DeliveryLog({ webhookId }: { webhookId: number }) {
  const { t } = useText();
  const [offset, setOffset] = useState(0);
  const deliveries = useQuery(deliveriesQuery(webhookId, offset, LIMIT));
  return (
    <Card title={t("webhooks.deliveries")} note={t("webhooks.deliveries_lead")} flush>
      <Loaded query={deliveries}>
        {(rows) =>
          rows.length === 0 && offset === 0 ? (
            <EmptyState icon="webhook" title={t("webhooks.no_deliveries")}>
              {t("webhooks.no_deliveries_body")}
            </EmptyState>
          ) : (
            <>
              <DeliveryTable webhookId={webhookId} rows={rows} />
              <Pager offset={offset} limit={LIMIT} shown={rows.length} onOffset={setOffset} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

type Delivery = QueryData<ReturnType<typeof deliveriesQuery>>[number];

function DeliveryTable({ webhookId, rows }: { webhookId: number; rows: readonly Delivery[] }) {
  const { t, dateTime, ms, number } = useText();
  const { mayChange } = useSession();
  const doing = useDoing("webhooks");
  const resend = (delivery_id: string) =>
    void doing.run(
      () =>
        answer(
          rest.POST("/webhooks/{id}/deliveries/{delivery_id}/resend", {
            params: { path: { id: webhookId, delivery_id } },
          }),
        ),
      t("webhooks.resend_done"),
    );
  return (
    <Table
      caption={t("webhooks.deliveries")}
      rows={rows}
      rowKey={(row) => row.delivery_id}
      columns={[
        {
          head: t("call.event"),
          cell: (row) => (
            <span className="row">
              <code>{row.type}</code>
              {row.test && <Badge tone="info">{t("webhooks.is_test")}</Badge>}
            </span>
          ),
        },
        {
          head: t("calls.when"),
          card: "line",
          cell: (row) => <span className="nums">{dateTime(row.created_at)}</span>,
        },
        {
          head: t("call.attempt"),
          card: "labelled",
          end: true,
          cell: (row) => number(row.attempt),
        },
        { head: t("call.answer"), card: "side", cell: (row) => <Outcome delivery={row} /> },
        { head: t("calls.duration"), end: true, cell: (row) => ms(row.duration_ms) },
        mayChange && {
          head: t("webhooks.resend"),
          card: "action",
          end: true,
          cell: (row) =>
            !row.test && (
              <Button small onClick={() => resend(row.delivery_id)}>
                {t("webhooks.resend")}
              </Button>
            ),
        },
      ]}
    />
  );
}

function Outcome({ delivery }: { delivery: Delivery }) {
  const { t, ago } = useText();
  const now = useNow(MINUTE_MS);
  const { status, http_status, next_attempt_at } = delivery;
  return (
    <span className="row">
      <Badge tone={status === "delivered" ? "good" : "bad"}>
        {http_status ?? t("call.answer_none")}
      </Badge>
      {next_attempt_at && (
        <span className="small muted">
          {t("webhooks.next_attempt", { when: ago(next_attempt_at, now) })}
        </span>
      )}
    </span>
  );
}
