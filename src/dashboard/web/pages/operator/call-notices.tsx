/** Calls that nobody got, and numbers that two companies claim. Nothing is shown where there are none. */
import { useQuery } from "@tanstack/react-query";
import { useText } from "../../i18n/text.tsx";
import { Card } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { noticesQuery } from "./operator-queries.ts";

export function CallNotices() {
  const { t, dateTime } = useText();
  const { data } = useQuery(noticesQuery);
  if (!data || data.length === 0) return null;
  return (
    <Card title={t("operator.notices")} note={t("operator.notices_lead")} flush>
      <Table
        caption={t("operator.notices")}
        rows={data}
        rowKey={(notice) => `${notice.tenant_id} ${notice.kind} ${notice.subject}`}
        columns={[
          { head: t("auth.company"), cell: (notice) => notice.tenant_name },
          {
            head: t("operator.notice_subject"),
            cell: (notice) => <span className="nums">{notice.subject}</span>,
          },
          {
            head: t("operator.notice_what"),
            cell: (notice) => t(`operator.notice.${notice.kind}`),
          },
          { head: t("calls.when"), cell: (notice) => dateTime(notice.last_at) },
        ]}
      />
    </Card>
  );
}
