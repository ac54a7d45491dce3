/** Whether agents use a tool. */
import type { QueryData, toolsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { Badge } from "../../ui/page.tsx";

type Tool = QueryData<typeof toolsQuery>[number];

export function ToolState({ tool }: { tool: Pick<Tool, "enabled" | "problem"> }) {
  const { t } = useText();
  if (tool.enabled && tool.problem !== null)
    return <Badge tone="warn">{t("tools.attention")}</Badge>;
  return (
    <Badge tone={tool.enabled ? "good" : "plain"}>
      {t(tool.enabled ? "value.on" : "value.off")}
    </Badge>
  );
}
