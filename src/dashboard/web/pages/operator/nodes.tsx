/** The nodes that share the store: the calls on each, and whether it is drained. */
import { useQuery } from "@tanstack/react-query";
import { answer, type Own, own } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Card, StatusIndicator, type Tone } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { nodesQuery } from "./operator-queries.ts";

type ApplianceNode = Own["OperatorNode"];

const STATES = {
  active: ["good", "operator.active"],
  draining: ["warn", "operator.node_draining"],
  stopped: ["plain", "operator.node_stopped"],
  silent: ["bad", "operator.node_silent"],
} as const satisfies Record<ApplianceNode["state"], readonly [Tone, string]>;

export function Nodes() {
  const { t, dateTime } = useText();
  const nodes = useQuery(nodesQuery);
  const doing = useDoing("operator");
  const drain = ({ id: node, state }: ApplianceNode) =>
    doing.run(() =>
      answer(own.PATCH("/operator/nodes", { body: { node, draining: state !== "draining" } })),
    );
  return (
    <Card title={t("operator.tab.nodes")} flush>
      <Loaded query={nodes}>
        {(rows) => (
          <Table
            caption={t("operator.tab.nodes")}
            rows={rows}
            rowKey={(node) => node.id}
            columns={[
              {
                head: t("operator.tab.nodes"),
                cell: (node) => (
                  <span className="row">
                    <StatusIndicator tone={STATES[node.state][0]} /> {node.name}
                    <code className="small muted">{node.id}</code>
                  </span>
                ),
              },
              { head: t("operator.state"), cell: (node) => t(STATES[node.state][1]) },
              { head: t("nav.trunk"), card: "labelled", end: true, cell: (node) => node.trunks },
              {
                head: t("operator.live"),
                card: "labelled",
                end: true,
                cell: (node) => `${node.calls} / ${node.calls_max}`,
              },
              { head: t("calls.when"), card: "side", cell: (node) => dateTime(node.seen_at) },
              {
                head: t("operator.drain"),
                card: "action",
                end: true,
                cell: (node) =>
                  rows.length > 1 && (
                    <Button small busy={doing.busy} onClick={() => void drain(node)}>
                      {t(node.state === "draining" ? "operator.resume" : "operator.drain")}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
