/** The list of agents. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { agentsQuery, numbersQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";

export function Page() {
  const { t, number } = useText();
  const { mayChange } = useSession();
  const agents = useQuery(agentsQuery);
  const numbers = useQuery(numbersQuery);
  const create = mayChange && (
    <Link to="/agents/new" className="button primary">
      <Icon name="plus" />
      {t("agents.new")}
    </Link>
  );
  return (
    <Frame title={t("nav.agents")} lead={t("agents.lead")} actions={create}>
      <section className="card">
        <Loaded query={agents}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon="agent" title={t("agents.empty")} action={create}>
                {t("agents.empty_body")}
              </EmptyState>
            ) : (
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
                    cell: (agent) => (
                      <span className="nums">
                        {(numbers.data ?? [])
                          .filter(({ agent_id }) => agent_id === agent.id)
                          .map(({ number_e164 }) => number_e164)
                          .join(", ") || "–"}
                      </span>
                    ),
                  },
                  {
                    head: t("agents.max_duration_sec"),
                    end: true,
                    wideOnly: true,
                    cell: (agent) => <span className="nums">{number(agent.max_duration_sec)}</span>,
                  },
                ]}
              />
            )
          }
        </Loaded>
      </section>
    </Frame>
  );
}
