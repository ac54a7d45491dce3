/** The audit log as sentences with old and new values. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { auditQuery, teamQuery } from "../../../api/queries.ts";
import { useText } from "../../../i18n/text.tsx";
import { useSession } from "../../../session.ts";
import { Badge, Card } from "../../../ui/page.tsx";
import { EmptyState, Loaded } from "../../../ui/states.tsx";
import { Pager, Table } from "../../../ui/table.tsx";
import { type AuditEntry, auditChanges, auditSentence } from "./audit-sentence.ts";

const LIMIT = 50;

export function AuditLog() {
  const { t } = useText();
  const { isOwner } = useSession();
  return isOwner ? <Entries /> : <p className="note">{t("team.audit_owner")}</p>;
}

function Entries() {
  const { t, dateTime } = useText();
  const [offset, setOffset] = useState(0);
  const audit = useQuery(auditQuery(offset, LIMIT));
  const team = useQuery(teamQuery);
  const names = new Map(team.data?.members.map(({ email, name }) => [email, name]));
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
                  {
                    head: t("team.action"),
                    cell: (entry) => <AuditEntryLine entry={entry} names={names} />,
                  },
                  {
                    head: t("calls.when"),
                    cell: (entry) => <span className="nowrap">{dateTime(entry.at)}</span>,
                  },
                  { head: t("auth.email"), cell: (entry) => entry.user_email },
                  { head: t("team.address"), card: "none", cell: (entry) => entry.ip },
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

/** Sentence of one entry, its changes, and whether it failed. */
function AuditEntryLine({
  entry,
  names,
}: {
  entry: AuditEntry;
  names: ReadonlyMap<string, string>;
}) {
  const texts = useText();
  const email = entry.user_email ?? "";
  const named = { ...entry, user_email: names.get(email) || entry.user_email };
  return (
    <div>
      <span className="strong">{auditSentence(named, texts)}</span>{" "}
      {entry.outcome !== "done" && (
        <Badge tone={entry.outcome === "failed" ? "bad" : "warn"}>
          {texts.t(`team.outcome.${entry.outcome}`)}
        </Badge>
      )}
      {auditChanges(entry, texts).map((change) => (
        <p className="small soft" key={change}>
          {change}
        </p>
      ))}
    </div>
  );
}
