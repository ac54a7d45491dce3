/** The wallet: balance, top-up, pending payments, ledger. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answer, rest } from "../../api/client.ts";
import { balanceQuery, checkoutsQuery, ledgerQuery } from "../../api/queries.ts";
import { noteText } from "../../i18n/problem-text.ts";
import { useText } from "../../i18n/text.tsx";
import { Button, ButtonAnchor } from "../../ui/button.tsx";
import { CurlButton } from "../../ui/copy.tsx";
import { NumberField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { Badge, Card, Figures } from "../../ui/page.tsx";
import { EmptyState, Loaded, ProblemNote } from "../../ui/states.tsx";
import { Pager, Table } from "../../ui/table.tsx";
import { CannotBuy, useMayBuy } from "./cannot-buy.tsx";
import { goToPayment } from "./go-to-payment.ts";

const LIMIT = 25;
const SECONDS = 60;
const CHECKOUT_TONES = {
  open: "info",
  paid: "good",
  expired: "plain",
  cancelled: "plain",
} as const;

export function Wallet() {
  const { t, eur, number } = useText();
  const mayBuy = useMayBuy();
  const balance = useQuery(balanceQuery);
  return (
    <div className="stack">
      <Loaded query={balance} lines={2}>
        {(data) => (
          <Figures
            figures={[
              { label: t("billing.balance"), value: eur(data.balance_eur) },
              {
                label: t("billing.plan_left"),
                value: number(data.included_seconds_left / SECONDS),
              },
            ]}
          />
        )}
      </Loaded>
      {mayBuy ? <TopUp /> : <CannotBuy />}
      <Payments />
      <Ledger />
    </div>
  );
}

function TopUp() {
  const { t, language } = useText();
  const form = useForm<{ amount_eur: number | null }>({ amount_eur: 50 }, { unguarded: true });
  const body = { amount_eur: form.values.amount_eur ?? 0 };
  return (
    <Card title={t("billing.top_up")} note={t("billing.top_up_lead")}>
      <form
        className="form"
        noValidate
        onSubmit={form.send(async () => {
          const made = await answer(rest.POST("/topup", { body }));
          goToPayment(made.checkout_url, language);
        })}
      >
        <div className="columns">
          <NumberField label={t("billing.amount")} step={0.01} {...form.bind("amount_eur")} />
        </div>
        <ProblemNote problem={form.problem} />
        <div className="form-foot">
          <Button type="submit" variant="primary" busy={form.busy}>
            {t("billing.to_payment")}
          </Button>
          <CurlButton request={() => ({ method: "POST", path: "/topup", body })} />
        </div>
      </form>
    </Card>
  );
}

function Payments() {
  const { t, eur, dateTime } = useText();
  const checkouts = useQuery(checkoutsQuery);
  return (
    <Card title={t("billing.payments")} flush>
      <Loaded query={checkouts}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="card-body soft">{t("billing.no_payments")}</p>
          ) : (
            <Table
              caption={t("billing.payments")}
              rows={rows}
              rowKey={(checkout) => checkout.id}
              columns={[
                {
                  head: t("billing.what"),
                  cell: (checkout) => (
                    <>
                      {t(`billing.kind.${checkout.kind}`)}{" "}
                      {checkout.item && <span className="muted">{checkout.item}</span>}
                    </>
                  ),
                },
                { head: t("calls.when"), cell: (checkout) => dateTime(checkout.created_at) },
                {
                  head: t("calls.status"),
                  card: "title",
                  cell: (checkout) => (
                    <Badge tone={CHECKOUT_TONES[checkout.status]}>
                      {t(`billing.status.${checkout.status}`)}
                    </Badge>
                  ),
                },
                {
                  head: t("call.amount"),
                  card: "side",
                  end: true,
                  cell: (checkout) => <span className="nums">{eur(checkout.amount_eur)}</span>,
                },
                {
                  head: t("billing.open_payment"),
                  card: "action",
                  end: true,
                  cell: (checkout) =>
                    checkout.status === "open" && (
                      <ButtonAnchor small href={checkout.page_url}>
                        {t("billing.open_payment")}
                      </ButtonAnchor>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function Ledger() {
  const texts = useText();
  const { t, eur, dateTime } = texts;
  const [offset, setOffset] = useState(0);
  const ledger = useQuery(ledgerQuery(offset, LIMIT));
  return (
    <Card title={t("billing.ledger")} note={t("billing.ledger_lead")} flush>
      <Loaded query={ledger}>
        {(data) =>
          data.entries.length === 0 ? (
            <EmptyState icon="money" title={t("billing.no_ledger")} />
          ) : (
            <>
              <Table
                caption={t("billing.ledger")}
                rows={data.entries}
                rowKey={(entry) => entry.id}
                columns={[
                  { head: t("calls.when"), card: "line", cell: (entry) => dateTime(entry.at) },
                  {
                    head: t("billing.what"),
                    card: "title",
                    cell: (entry) => t(`billing.kind.${entry.kind}`),
                  },
                  {
                    head: t("billing.note"),
                    cell: (entry) =>
                      entry.call_uuid ? (
                        <Link to="/calls/$uuid" params={{ uuid: entry.call_uuid }}>
                          {noteText(entry, texts)}
                        </Link>
                      ) : (
                        noteText(entry, texts)
                      ),
                  },
                  {
                    head: t("call.amount"),
                    card: "side",
                    end: true,
                    cell: (entry) => <span className="nums">{eur(entry.amount_eur, 4)}</span>,
                  },
                ]}
              />
              <Pager
                offset={offset}
                limit={LIMIT}
                shown={data.entries.length}
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
