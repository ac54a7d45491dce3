/** The agents as a form offers them, and their names where others refer to them. */
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

/** The value of the only agent that there is; "" where there are none or several. */
export function useOnlyAgent(): string {
  const { data = [] } = useQuery(agentsQuery);
  return data.length === 1 ? String(data[0]?.id) : "";
}

/** A form takes its first values once, so one that begins with the only agent opens when the agents are known. */
export function WithOnlyAgent(props: { children: (onlyAgent: string) => ReactNode }): ReactNode {
  const { isPending } = useQuery(agentsQuery);
  const onlyAgent = useOnlyAgent();
  return isPending ? null : props.children(onlyAgent);
}

/** Undefined for no agent, and for an agent that does not exist any more. */
export function useAgentName(): (id: number | null) => string | undefined {
  const agents = useQuery(agentsQuery);
  return (id) => agents.data?.find((agent) => agent.id === id)?.name;
}
