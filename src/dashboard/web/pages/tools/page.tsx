/** The list of tools. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type QueryData, toolsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Icon } from "../../ui/icon.tsx";
import { Badge, Page as Frame } from "../../ui/page.tsx";
import { EmptyState, LoadedRows } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { useAgentName } from "../agents/agent-choices.ts";

export function Page() {
  const { t } = useText();
  const { mayChange } = useSession();
  const tools = useQuery(toolsQuery);
  const create = mayChange && (
    <Link to="/tools/new" className="button primary">
      <Icon name="plus" />
      {t("tools.new")}
    </Link>
  );
  return (
    <Frame title={t("nav.tools")} lead={t("tools.lead")} actions={create}>
      <section className="card">
        <LoadedRows
          query={tools}
          empty={
            <EmptyState icon="tool" title={t("tools.empty")} action={create}>
              {t("tools.empty_body")}
            </EmptyState>
          }
        >
          {(rows) => <ToolTable rows={rows} />}
        </LoadedRows>
      </section>
    </Frame>
  );
}

function ToolTable({ rows }: { rows: readonly QueryData<typeof toolsQuery>[number][] }) {
  const { t } = useText();
  const agentName = useAgentName();
  return (
    <Table
      caption={t("nav.tools")}
      rows={rows}
      rowKey={(tool) => tool.id}
      linked
      columns={[
        {
          head: t("tools.name"),
          cell: (tool) => (
            <Link to="/tools/$id" params={{ id: String(tool.id) }} className="cover mono">
              {tool.name}
            </Link>
          ),
        },
        {
          head: t("tools.description"),
          wideOnly: true,
          cell: (tool) => <span className="soft">{tool.description}</span>,
        },
        {
          head: t("tools.agent"),
          cell: (tool) => agentName(tool.agent_id) ?? t("tools.every_agent"),
        },
        {
          head: t("tools.enabled"),
          end: true,
          cell: (tool) => (
            <Badge tone={tool.enabled ? "good" : "plain"}>
              {t(tool.enabled ? "tools.on" : "tools.off")}
            </Badge>
          ),
        },
      ]}
    />
  );
}
