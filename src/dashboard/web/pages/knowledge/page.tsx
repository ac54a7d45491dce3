/** The knowledge files of the company. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { filesQuery, type QueryData } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { EmptyState, LoadedRows } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { useAgentName, useOnlyAgent } from "../agents/agent-choices.ts";
import { AddKnowledge } from "./add-knowledge.tsx";

export function Page() {
  const { t } = useText();
  const { mayChange } = useSession();
  const files = useQuery(filesQuery);
  const onlyAgent = useOnlyAgent();
  const [adding, setAdding] = useState(false);
  const add = mayChange && (
    <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
      {t("knowledge.new")}
    </Button>
  );
  return (
    <Frame title={t("nav.knowledge")} lead={t("knowledge.lead")} actions={add}>
      <section className="card">
        <LoadedRows
          query={files}
          empty={
            <EmptyState icon="knowledge" title={t("knowledge.empty")} action={add}>
              {t("knowledge.empty_body")}
            </EmptyState>
          }
        >
          {(rows) => <FileTable rows={rows} />}
        </LoadedRows>
      </section>
      {adding && <AddKnowledge agentId={onlyAgent} onClose={() => setAdding(false)} />}
    </Frame>
  );
}

function FileTable({ rows }: { rows: readonly QueryData<typeof filesQuery>[number][] }) {
  const { t, bytes, date } = useText();
  const agentName = useAgentName();
  const names = (ids: readonly number[]) => ids.map(agentName).filter(Boolean).join(", ");
  return (
    <Table
      caption={t("nav.knowledge")}
      rows={rows}
      rowKey={(file) => file.id}
      linked
      columns={[
        {
          head: t("knowledge.file"),
          cell: (file) => (
            <Link to="/knowledge/$id" params={{ id: String(file.id) }} className="cover">
              {file.filename}
            </Link>
          ),
        },
        {
          head: t("knowledge.agents"),
          cell: (file) =>
            names(file.agent_ids) || <span className="muted">{t("knowledge.nobody")}</span>,
        },
        { head: t("knowledge.changed"), cell: (file) => date(file.updated_at) },
        {
          head: t("knowledge.size"),
          end: true,
          cell: (file) => <span className="nums">{bytes(file.size_bytes)}</span>,
        },
      ]}
    />
  );
}
