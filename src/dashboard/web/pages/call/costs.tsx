/** Cost of the call in words and money. Quantities and measurements are collapsed. */
import { type Texts, useText } from "../../i18n/text.tsx";
import { Card, Facts } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import type { Details } from "./call-details.ts";

const DIGITS = 6;
type CostLine = Details["cost_lines"][number];

export function Costs({ details }: { details: Details }) {
  const { t } = useText();
  const lines = details.cost_lines;
  const goods = lines.filter(({ side }) => side === "goods");
  return (
    <div className="stack">
      <div className="columns wide">
        <Paid
          lines={lines.filter(({ side }) => side === "paid")}
          writtenOff={details.written_off_eur}
        />
        {goods.length > 0 && <Goods lines={goods} />}
      </div>
      <details className="card disclosure">
        <summary>{t("call.cost_measured")}</summary>
        <div className="card-body stack">
          <Quantities lines={lines} />
          <AnsweredTime check={details.answered_time_check} />
        </div>
      </details>
    </div>
  );
}

/** The billed price and its parts: plan minutes, overage, written-off amount. */
function Paid({ lines, writtenOff }: { lines: readonly CostLine[]; writtenOff: number }) {
  const { t, eur, clock } = useText();
  const of = (item: CostLine["item"]) => lines.find((line) => line.item === item);
  const [plan, over] = [of("plan_seconds")?.quantity ?? 0, of("overage")?.quantity ?? 0];
  const amount = of("overage")?.amount_eur ?? 0;
  return (
    <Card title={t("call.cost_paid")}>
      <p className="price">{eur(amount, DIGITS)}</p>
      {plan + over === 0 && amount === 0 ? (
        <p className="soft">{t("call.cost_nothing")}</p>
      ) : (
        <ul className="soft">
          {plan > 0 && <li>{t("call.cost_in_plan", { time: clock(plan) })}</li>}
          {over > 0 && (
            <li>
              {t("call.cost_over_plan", {
                time: clock(over),
                amount: eur(amount + writtenOff, DIGITS),
              })}
            </li>
          )}
          {writtenOff > 0 && (
            <li>{t("call.cost_written_off", { amount: eur(writtenOff, DIGITS) })}</li>
          )}
        </ul>
      )}
    </Card>
  );
}

const amountOf = ({ amount_eur: amount, item }: CostLine, { t, eur }: Texts) => {
  if (amount === null) return t("call.unknown_cost");
  return item === "plan_seconds" ? t("call.included") : eur(amount, DIGITS);
};

function Goods({ lines }: { lines: readonly CostLine[] }) {
  const texts = useText();
  const { t, eur } = texts;
  const known = lines.flatMap(({ amount_eur: amount }) => (amount === null ? [] : [amount]));
  const total = known.reduce((sum, amount) => sum + amount, 0);
  return (
    <Card title={t("call.cost_goods")}>
      {known.length > 0 && <p className="price">{eur(total, DIGITS)}</p>}
      <Facts facts={lines.map((line) => [t(`call.cost.${line.item}`), amountOf(line, texts)])} />
    </Card>
  );
}

function Quantities({ lines }: { lines: readonly CostLine[] }) {
  const texts = useText();
  const { t, number } = texts;
  return (
    <Table
      caption={t("call.cost_measured")}
      rows={lines}
      rowKey={(line) => `${line.item}-${line.unit}`}
      columns={[
        { head: t("call.item"), cell: (line) => t(`call.cost.${line.item}`) },
        {
          head: t("call.quantity"),
          end: true,
          cell: (line) => (
            <span className="nums">
              {number(line.quantity)} {t(`call.unit.${line.unit}`)}
              {line.cached !== null && line.cached > 0 && (
                <small className="muted"> ({t("call.cached", { n: number(line.cached) })})</small>
              )}
            </span>
          ),
        },
        {
          head: t("call.amount"),
          card: "side",
          end: true,
          cell: (line) => <span className="nums">{amountOf(line, texts)}</span>,
        },
      ]}
    />
  );
}

function AnsweredTime({ check }: { check: Details["answered_time_check"] }) {
  const { t, ms } = useText();
  if (check.clock_ms === null) return null;
  return (
    <p className="small muted">
      {t("call.answered_time_check", {
        clock: ms(check.clock_ms),
        rtp: ms(check.rtp_ms),
        engine: ms(check.engine_ms),
      })}
    </p>
  );
}
