/** The knowledge files of the company. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { agentsQuery, filesQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { AddKnowledge } from "./add-knowledge.tsx";

export function Page() {
  const { t, bytes, date } = useText();
  const { mayChange } = useSession();
  const files = useQuery(filesQuery);
  const agents = useQuery(agentsQuery);
  const [adding, setAdding] = useState(false);
  const add = mayChange && (
    <Button variant="primary" icon="plus" onClick={() => setAdding(true)}>
      {t("knowledge.new")}
    </Button>
  );
  const names = (ids: readonly number[]) =>
    ids
      .map((id) => agents.data?.find((agent) => agent.id === id)?.name)
      .filter(Boolean)
      .join(", ");
  return (
    <Frame title={t("nav.knowledge")} lead={t("knowledge.lead")} actions={add}>
      <section className="card">
        <Loaded query={files}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon="knowledge" title={t("knowledge.empty")} action={add}>
                {t("knowledge.empty_body")}
              </EmptyState>
            ) : (
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
                      names(file.agent_ids) || (
                        <span className="muted">{t("knowledge.nobody")}</span>
                      ),
                  },
                  { head: t("knowledge.changed"), cell: (file) => date(file.updated_at) },
                  {
                    head: t("knowledge.size"),
                    end: true,
                    cell: (file) => <span className="nums">{bytes(file.size_bytes)}</span>,
                  },
                ]}
              />
            )
          }
        </Loaded>
      </section>
      <AddKnowledge open={adding} onOpen={setAdding} />
    </Frame>
  );
}
