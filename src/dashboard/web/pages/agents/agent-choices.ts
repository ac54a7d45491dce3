/** The agents as options of a form, and agent names for other pages. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { agentsQuery } from "../../api/queries.ts";

/** `none`: the label for no agent. */
export function useAgentChoices(none: string) {
  const agents = useQuery(agentsQuery);
  return [
    { value: "", label: none },
    ...(agents.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
  ];
}

/** Id of the company's only agent; "" if it has none or several. */
export function useOnlyAgent(): string {
  const { data = [] } = useQuery(agentsQuery);
  return data.length === 1 ? String(data[0]?.id) : "";
}

/**
 * Renders its children when the agents are loaded, because a form reads its first values only once.
 */
export function WithOnlyAgent(props: { children: (onlyAgent: string) => ReactNode }): ReactNode {
  const { isPending } = useQuery(agentsQuery);
  const onlyAgent = useOnlyAgent();
  return isPending ? null : props.children(onlyAgent);
}

/** Returns undefined for no agent and for a deleted agent. */
export function useAgentName(): (id: number | null) => string | undefined {
  const agents = useQuery(agentsQuery);
  return (id) => agents.data?.find((agent) => agent.id === id)?.name;
}
