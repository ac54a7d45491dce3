/** The list of agents. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Rest } from "../../api/client.ts";
import { agentsQuery, numbersQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { EmptyState, LoadedRows } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";

export function Page() {
  const { t } = useText();
  const { mayChange } = useSession();
  const agents = useQuery(agentsQuery);
  const create = mayChange && (
    <Link to="/agents/new" className="button primary">
      <Icon name="plus" />
      {t("agents.new")}
    </Link>
  );
  return (
    <Frame title={t("nav.agents")} lead={t("agents.lead")} actions={create}>
      <section className="card">
        <LoadedRows
          query={agents}
          empty={
            <EmptyState icon="agent" title={t("agents.empty")} action={create}>
              {t("agents.empty_body")}
            </EmptyState>
          }
        >
          {(rows) => <AgentTable rows={rows} />}
        </LoadedRows>
      </section>
    </Frame>
  );
}

function AgentTable({ rows }: { rows: readonly Rest["Agent"][] }) {
  const { t, number } = useText();
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
          head: t("agents.name"),
          cell: (agent) => (
            <Link to="/agents/$id" params={{ id: String(agent.id) }} className="cover">
              {agent.name}
            </Link>
          ),
        },
        { head: t("agents.language"), cell: (agent) => t(`lang.${agent.language}`) },
        { head: t("agents.voice"), cell: (agent) => agent.voice },
        {
          head: t("agents.numbers"),
          cell: (agent) => <span className="nums">{numbersOf(agent.id).join(", ") || "–"}</span>,
        },
        {
          head: t("agents.max_duration_sec"),
          end: true,
          wideOnly: true,
          cell: (agent) => <span className="nums">{number(agent.max_duration_sec)}</span>,
        },
      ]}
    />
  );
}
