/** What the call cost, line by line. */
import { useText } from "../../i18n/text.tsx";
import { Card } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import type { Details } from "./call-details.ts";

const DIGITS = 6;

/** How much, and what of it the provider still had. */
function Quantity({ line }: { line: Details["cost_lines"][number] }) {
  const { t, number } = useText();
  return (
    <span className="nums">
      {number(line.quantity)} {t(`call.unit.${line.unit}`)}
      {line.cached !== null && line.cached > 0 && (
        <small className="muted"> ({t("call.cached", { n: number(line.cached) })})</small>
      )}
    </span>
  );
}

export function Costs({ details }: { details: Details }) {
  const { t, eur, ms } = useText();
  const { answered_time_check: check } = details;
  const card = (title: string, side: "paid" | "goods") => {
    const rows = details.cost_lines.filter((line) => line.side === side);
    if (rows.length === 0) return null;
    return (
      <Card title={title} flush>
        <Table
          caption={title}
          rows={rows}
          rowKey={(line) => `${line.item}-${line.unit}`}
          columns={[
            { head: t("call.item"), cell: (line) => t(`call.cost.${line.item}`) },
            {
              head: t("call.quantity"),
              end: true,
              cell: (line) => <Quantity line={line} />,
            },
            {
              head: t("call.amount"),
              end: true,
              cell: (line) => (
                <span className="nums">
                  {line.amount_eur === null
                    ? t("call.unknown_cost")
                    : line.item === "plan_seconds"
                      ? t("call.included")
                      : eur(line.amount_eur, DIGITS)}
                </span>
              ),
            },
          ]}
        />
      </Card>
    );
  };
  return (
    <div className="stack">
      <div className="columns wide">
        {card(t("call.cost_paid"), "paid")}
        {card(t("call.cost_goods"), "goods")}
      </div>
      {check.clock_ms !== null && (
        <p className="small muted">
          {t("call.answered_time_check", {
            clock: ms(check.clock_ms),
            rtp: ms(check.rtp_ms),
            engine: ms(check.engine_ms),
          })}
        </p>
      )}
    </div>
  );
}
