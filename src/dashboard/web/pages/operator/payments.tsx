/** Bank transfers that are waited for. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Own, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Card } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { waitingQuery } from "./operator-queries.ts";

type Checkout = Own["OperatorCheckout"];

export function Payments() {
  const { t, eur, dateTime } = useText();
  const waiting = useQuery(waitingQuery);
  const doing = useDoing("operator", "balance", "ledger", "checkouts", "plans");
  const [asked, setAsked] = useState<Checkout | null>(null);
  return (
    <Card title={t("operator.tab.payments")} flush>
      <Loaded query={waiting}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="money" title={t("operator.no_payments")}>
              {t("operator.no_payments_body")}
            </EmptyState>
          ) : (
            <Table
              caption={t("operator.tab.payments")}
              rows={rows}
              rowKey={(checkout) => checkout.id}
              columns={[
                { head: t("operator.tenant"), cell: (checkout) => checkout.tenant_name },
                {
                  head: t("billing.what"),
                  cell: (checkout) => t(`billing.kind.${checkout.kind}`),
                },
                { head: t("operator.reference"), cell: (checkout) => <code>{checkout.id}</code> },
                { head: t("calls.when"), cell: (checkout) => dateTime(checkout.created_at) },
                {
                  head: t("call.amount"),
                  end: true,
                  cell: (checkout) => <span className="nums">{eur(checkout.amount_eur)}</span>,
                },
                {
                  head: t("operator.confirm"),
                  end: true,
                  cell: (checkout) => (
                    <Button small onClick={() => setAsked(checkout)}>
                      {t("operator.confirm")}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Confirm
        title={t("operator.confirm_title", {
          amount: eur(asked?.amount_eur ?? 0),
          name: asked?.tenant_name ?? "",
        })}
        body={t("operator.confirm_body")}
        action={t("operator.confirm")}
        open={asked !== null}
        onOpen={() => setAsked(null)}
        onConfirm={async () => {
          if (!asked) return;
          const path = { checkout_id: asked.id };
          await doing.run(
            () =>
              answer(own.POST("/operator/checkouts/{checkout_id}/confirm", { params: { path } })),
            t("operator.confirmed"),
          );
        }}
      />
    </Card>
  );
}
