/** Backups: the existing ones, and a button to make one now. */
import { useQuery } from "@tanstack/react-query";
import { answer, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Card } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { backupsQuery } from "./operator-queries.ts";

export function Backups() {
  const { t, bytes, dateTime } = useText();
  const backups = useQuery(backupsQuery);
  const doing = useDoing("operator", "home");
  return (
    <Card
      title={t("operator.tab.backups")}
      actions={
        <Button
          variant="primary"
          busy={doing.busy}
          onClick={() =>
            void doing.run(() => answer(own.POST("/operator/backups")), t("operator.backup_done"))
          }
        >
          {t("operator.backup_now")}
        </Button>
      }
      flush
    >
      <Loaded query={backups}>
        {(data) => (
          <>
            {data.problem && <p className="note bad">{data.problem}</p>}
            {data.backups.length === 0 ? (
              <EmptyState icon="operator" title={t("operator.no_backups")}>
                {t("operator.no_backups_body")}
              </EmptyState>
            ) : (
              <Table
                caption={t("operator.tab.backups")}
                rows={data.backups}
                rowKey={(backup) => backup.file}
                columns={[
                  { head: t("knowledge.file"), cell: (backup) => <code>{backup.file}</code> },
                  { head: t("operator.created"), cell: (backup) => dateTime(backup.created_at) },
                  {
                    head: t("knowledge.size"),
                    card: "side",
                    end: true,
                    cell: (backup) => <span className="nums">{bytes(backup.size_bytes)}</span>,
                  },
                ]}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}
