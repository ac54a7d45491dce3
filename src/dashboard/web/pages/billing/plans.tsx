/** Plans, the CRM bridge and longer retention. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { plansQuery, settingsQuery } from "../../api/queries.ts";
import type { Language } from "../../i18n/language.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { FilterSelect } from "../../ui/field.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { CannotBuy, useMayBuy } from "./cannot-buy.tsx";
import { goToPayment } from "./go-to-payment.ts";

type Item =
  | { readonly item: "plan"; readonly plan: string }
  | { readonly item: "crm_bridge" }
  | { readonly item: "retention"; readonly blocks: number };

const BLOCK_DAYS = 30;

/** Goes to the payment page. */
async function buy(body: Item, language: Language): Promise<void> {
  const made = await answer(rest.POST("/checkout", { body }));
  goToPayment(made.checkout_url, language);
}

export function Plans() {
  const mayBuy = useMayBuy();
  const plans = useQuery(plansQuery);
  return (
    <div className="stack">
      {!mayBuy && <CannotBuy />}
      <Loaded query={plans}>
        {(rows) => (
          <div className="columns">
            {rows.map((plan) => (
              <PlanCard key={plan.slug} plan={plan} />
            ))}
          </div>
        )}
      </Loaded>
      <Extras />
    </div>
  );
}

function PlanCard({ plan }: { plan: Rest["Plan"] }) {
  const { t, eur, count, language } = useText();
  const mayBuy = useMayBuy();
  const [asking, setAsking] = useState(false);
  const price = eur(plan.price_eur_per_month);
  const now = eur(plan.price_now_eur ?? plan.price_eur_per_month);
  return (
    <Card
      title={plan.name}
      actions={plan.current && <Badge tone="good">{t("billing.current")}</Badge>}
    >
      <p>
        <span className="price nums">{price}</span>{" "}
        <span className="muted">{t("billing.per_month")}</span>
      </p>
      <ul className="stack tight soft">
        <li>{count("billing.plan_minutes", plan.included_minutes)}</li>
        <li>{t("billing.plan_overage", { price: eur(plan.overage_eur_per_min, 4) })}</li>
        <li>{count("billing.plan_lines", plan.max_concurrent_calls)}</li>
      </ul>
      {!plan.current && mayBuy && (
        <Button onClick={() => setAsking(true)}>{t("billing.choose")}</Button>
      )}
      <Confirm
        title={t("billing.choose_title", { plan: plan.name })}
        body={t("billing.choose_body", { now, price })}
        action={t("billing.to_payment")}
        open={asking}
        onOpen={setAsking}
        onConfirm={() => buy({ item: "plan", plan: plan.slug }, language)}
      />
    </Card>
  );
}

function Extras() {
  const { t } = useText();
  return (
    <Card title={t("billing.extras")} flush>
      <ul className="list">
        <CrmBridge />
        <Retention />
      </ul>
    </Card>
  );
}

function CrmBridge() {
  const { t } = useText();
  const mayBuy = useMayBuy();
  const settings = useQuery(settingsQuery);
  return (
    <li>
      <div className="grow">
        <p className="strong">{t("billing.crm")}</p>
        <p className="soft">{t("billing.crm_body")}</p>
      </div>
      {settings.data?.features.crm_bridge ? (
        <Badge tone="good">{t("billing.bought")}</Badge>
      ) : (
        mayBuy && <BuyButton item={{ item: "crm_bridge" }} />
      )}
    </li>
  );
}

function Retention() {
  const { t, count } = useText();
  const mayBuy = useMayBuy();
  const settings = useQuery(settingsQuery);
  const [chosen, setChosen] = useState("1");
  if (!settings.data) return null;
  const { transcripts_days: days, retention_blocks_left: left } = settings.data;
  const blocks = Math.min(Number(chosen), left);
  return (
    <li>
      <div className="grow">
        <p className="strong">{t("billing.retention")}</p>
        <p className="soft">
          {count("billing.retention_days", days)}{" "}
          {left > 0
            ? count("billing.retention_left", left * BLOCK_DAYS)
            : t("billing.retention_full")}
        </p>
      </div>
      {mayBuy && left > 0 && (
        <span className="row">
          <FilterSelect
            label={t("billing.retention_more")}
            value={String(blocks)}
            choices={Array.from({ length: left }, (_, at) => ({
              value: String(at + 1),
              label: count("billing.days", (at + 1) * BLOCK_DAYS),
            }))}
            onValue={setChosen}
          />
          <BuyButton item={{ item: "retention", blocks }} />
        </span>
      )}
    </li>
  );
}

function BuyButton({ item }: { item: Item }) {
  const { t, language } = useText();
  const doing = useDoing();
  return (
    <Button small busy={doing.busy} onClick={() => void doing.run(() => buy(item, language))}>
      {t("billing.buy")}
    </Button>
  );
}
