/** Pending bank transfers. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Own, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmAbout } from "../../ui/dialog.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Card } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Pager, Table } from "../../ui/table.tsx";
import { BankAccountNote } from "./bank-account-note.tsx";
import { waitingQuery } from "./operator-queries.ts";

const LIMIT = 50;
type Checkout = Own["OperatorCheckout"];

export function Payments() {
  const { t, eur } = useText();
  const [search, setSearch] = useState("");
  const [offset, setOffset] = useState(0);
  const waiting = useQuery(waitingQuery(search, offset, LIMIT));
  const doing = useDoing("operator", "balance", "ledger", "checkouts", "plans");
  const [asked, setAsked] = useState<Checkout | null>(null);
  return (
    <Card title={t("operator.tab.payments")} flush>
      <Search value={search} onValue={(value) => [setSearch(value), setOffset(0)]} />
      <Loaded query={waiting}>
        {({ checkouts, total, bank_account }) =>
          checkouts.length === 0 ? (
            <EmptyState icon="money" title={t("operator.no_payments")}>
              {t("operator.no_payments_body")}
            </EmptyState>
          ) : (
            <>
              {!bank_account && (
                <div className="card-body">
                  <BankAccountNote />
                </div>
              )}
              <CheckoutTable rows={checkouts} onConfirm={setAsked} />
              <Pager
                offset={offset}
                limit={LIMIT}
                shown={checkouts.length}
                total={total}
                onOffset={setOffset}
              />
            </>
          )
        }
      </Loaded>
      <ConfirmAbout
        about={asked}
        title={({ amount_eur, tenant_name }) =>
          t("operator.confirm_title", { amount: eur(amount_eur), name: tenant_name })
        }
        body={t("operator.confirm_body")}
        action={t("operator.confirm")}
        onClose={() => setAsked(null)}
        onConfirm={({ id }) => {
          const path = { checkout_id: id };
          return doing.run(
            () =>
              answer(own.POST("/operator/checkouts/{checkout_id}/confirm", { params: { path } })),
            t("operator.confirmed"),
          );
        }}
      />
    </Card>
  );
}

function Search({ value, onValue }: { value: string; onValue: (value: string) => unknown }) {
  const { t } = useText();
  return (
    <div className="card-body">
      <input
        type="search"
        className="input"
        aria-label={t("operator.search_payments")}
        placeholder={t("operator.search_payments")}
        value={value}
        maxLength={120}
        onChange={(event) => onValue(event.target.value)}
      />
    </div>
  );
}

function CheckoutTable(props: {
  rows: readonly Checkout[];
  onConfirm: (checkout: Checkout) => void;
}) {
  const { t, eur, dateTime } = useText();
  return (
    <Table
      caption={t("operator.tab.payments")}
      rows={props.rows}
      rowKey={(checkout) => checkout.id}
      columns={[
        { head: t("auth.company"), cell: (checkout) => checkout.tenant_name },
        { head: t("billing.what"), cell: (checkout) => t(`billing.kind.${checkout.kind}`) },
        { head: t("operator.reference"), cell: (checkout) => <code>{checkout.id}</code> },
        { head: t("calls.when"), cell: (checkout) => dateTime(checkout.created_at) },
        {
          head: t("call.amount"),
          card: "side",
          end: true,
          cell: (checkout) => <span className="nums">{eur(checkout.amount_eur)}</span>,
        },
        {
          head: t("operator.confirm"),
          card: "action",
          end: true,
          cell: (checkout) => (
            <Button small onClick={() => props.onConfirm(checkout)}>
              {t("operator.confirm")}
            </Button>
          ),
        },
      ]}
    />
  );
}
