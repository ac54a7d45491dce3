/** Who changed what. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { auditQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Pager, Table } from "../../ui/table.tsx";

const LIMIT = 50;
const TONES = { done: "good", refused: "warn", failed: "bad" } as const;

export function AuditLog() {
  const { t } = useText();
  const { isOwner } = useSession();
  return isOwner ? <Entries /> : <p className="note">{t("team.audit_owner")}</p>;
}

function Entries() {
  const { t, dateTime } = useText();
  const [offset, setOffset] = useState(0);
  const audit = useQuery(auditQuery(offset, LIMIT));
  return (
    <Card title={t("team.tab.audit")} note={t("team.audit_lead")} flush>
      <Loaded query={audit}>
        {({ entries, total }) =>
          entries.length === 0 ? (
            <EmptyState icon="team" title={t("team.audit_empty")}>
              {t("team.audit_empty_body")}
            </EmptyState>
          ) : (
            <>
              <Table
                caption={t("team.tab.audit")}
                rows={entries}
                rowKey={(entry) => entry.id}
                columns={[
                  { head: t("calls.when"), cell: (entry) => dateTime(entry.at) },
                  { head: t("team.who"), cell: (entry) => entry.user_email ?? t("team.nobody") },
                  { head: t("team.action"), cell: (entry) => <code>{entry.action}</code> },
                  { head: t("team.target"), cell: (entry) => <code>{entry.target}</code> },
                  { head: t("team.address"), wideOnly: true, cell: (entry) => entry.ip },
                  {
                    head: t("team.outcome"),
                    end: true,
                    cell: (entry) => (
                      <Badge tone={TONES[entry.outcome]}>
                        {t(`team.outcome.${entry.outcome}`)}
                      </Badge>
                    ),
                  },
                ]}
              />
              <Pager
                offset={offset}
                limit={LIMIT}
                shown={entries.length}
                total={total}
                onOffset={setOffset}
              />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
