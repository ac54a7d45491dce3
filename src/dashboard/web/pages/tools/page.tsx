/** The list of tools. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type QueryData, toolsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Table } from "../../ui/table.tsx";
import { useAgentName } from "../agents/agent-choices.ts";
import { ToolState } from "./tool-state.tsx";

export function Page() {
  const query = useQuery(toolsQuery);
  return (
    <ListPage
      name="tools"
      icon="tool"
      query={query}
      make="/tools/new"
      rows={(rows) => <ToolTable rows={rows} />}
    />
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
          head: t("form.name"),
          cell: (tool) => (
            <Link to="/tools/$id" params={{ id: String(tool.id) }} className="cover mono">
              {tool.name}
            </Link>
          ),
        },
        {
          head: t("tools.description"),
          cell: (tool) => <span className="soft">{tool.description}</span>,
        },
        {
          head: t("tools.agent"),
          cell: (tool) => agentName(tool.agent_id) ?? t("tools.every_agent"),
        },
        {
          head: t("tools.enabled"),
          card: "side",
          end: true,
          cell: (tool) => <ToolState tool={tool} />,
        },
      ]}
    />
  );
}
