/** Monthly statement as a document or as CSV rows. */
import { useText } from "../../i18n/text.tsx";
import { ExportAnchor } from "../../shell/confirm-session.tsx";
import { ButtonAnchor } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { monthKey, useMonths } from "./month.ts";

export function Statements() {
  const { t, month: monthName } = useText();
  const months = useMonths();
  return (
    <Card title={t("billing.tab.statements")} note={t("billing.statement_lead")} flush>
      <Table
        caption={t("billing.tab.statements")}
        rows={months}
        rowKey={monthKey}
        columns={[
          { head: t("billing.month"), cell: ({ year, month }) => monthName(year, month) },
          {
            head: t("table.actions"),
            card: "block",
            end: true,
            cell: ({ year, month }) => {
              const query = `year=${year}&month=${month}`;
              return (
                <span className="row">
                  <ButtonAnchor
                    small
                    href={`/api/dashboard/statement?${query}`}
                    target="_blank"
                    rel="noreferrer"
                  >
                    {t("billing.print")}
                  </ButtonAnchor>
                  {(["ledger", "calls"] as const).map((rows) => (
                    <ExportAnchor
                      key={rows}
                      small
                      variant="ghost"
                      href={`/api/dashboard/statement.csv?${query}&rows=${rows}`}
                      download
                    >
                      {t(`billing.${rows}_csv`)}
                    </ExportAnchor>
                  ))}
                </span>
              );
            },
          },
        ]}
      />
    </Card>
  );
}
