/** The list of agents. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Rest } from "../../api/client.ts";
import { agentsQuery, numbersQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Table } from "../../ui/table.tsx";

export function Page() {
  const query = useQuery(agentsQuery);
  return (
    <ListPage
      name="agents"
      icon="agent"
      query={query}
      make="/agents/new"
      rows={(rows) => <AgentTable rows={rows} />}
    />
  );
}

function AgentTable({ rows }: { rows: readonly Rest["Agent"][] }) {
  const { t } = useText();
  const numbers = useQuery(numbersQuery);
  const numbersOf = (id: number) =>
    (numbers.data ?? []).filter(({ agent_id }) => agent_id === id).map((one) => one.number_e164);
  return (
    <Table
      caption={t("nav.agents")}
      rows={rows}
      rowKey={(agent) => agent.id}
      linked
      columns={[
        {
          head: t("form.name"),
          cell: (agent) => (
            <Link to="/agents/$id" params={{ id: String(agent.id) }} className="cover">
              {agent.name}
            </Link>
          ),
        },
        { head: t("language.label"), card: "side", cell: (agent) => t(`lang.${agent.language}`) },
        { head: t("agents.voice"), cell: (agent) => agent.voice },
        {
          head: t("nav.numbers"),
          cell: (agent) => <span className="nums">{numbersOf(agent.id).join(", ") || "–"}</span>,
        },
      ]}
    />
  );
}
