/** The knowledge files of the company. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { filesQuery, type QueryData } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Table } from "../../ui/table.tsx";
import { useAgentName, WithOnlyAgent } from "../agents/agent-choices.ts";
import { AddKnowledge } from "./add-knowledge.tsx";
import { Sites } from "./sites.tsx";
import { Unanswered } from "./unanswered.tsx";

export function Page() {
  const query = useQuery(filesQuery);
  return (
    <ListPage
      name="knowledge"
      icon="knowledge"
      query={query}
      make={(close, agent) => (
        <WithOnlyAgent>
          {(onlyAgent) => <AddKnowledge agentId={agent ?? onlyAgent} onClose={close} />}
        </WithOnlyAgent>
      )}
      rows={(rows) => <FileTable rows={rows} />}
    >
      <Sites />
      <Unanswered />
    </ListPage>
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
          card: "side",
          end: true,
          cell: (file) => <span className="nums">{bytes(file.size_bytes)}</span>,
        },
      ]}
    />
  );
}
