/** Campaigns: an agent calls a list of numbers. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { answer, type Rest, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Table } from "../../ui/table.tsx";
import { useAgentName } from "../agents/agent-choices.ts";
import { CampaignButtons, CampaignStatus } from "./campaign-status.tsx";
import { NewCampaign } from "./new-campaign.tsx";

type Campaign = Rest["Campaign"];
const LIVE_MS = 5_000;

const campaignsQuery = queryOptions({
  queryKey: ["campaigns"],
  queryFn: async () => (await answer(rest.GET("/campaigns"))).campaigns,
  refetchInterval: LIVE_MS,
});

export function Page() {
  const query = useQuery(campaignsQuery);
  return (
    <ListPage
      name="campaigns"
      icon="calls"
      query={query}
      make={(close) => <NewCampaign onClose={close} />}
      rows={(rows) => <CampaignTable rows={rows} />}
    />
  );
}

function CampaignTable({ rows }: { rows: readonly Campaign[] }) {
  const { t } = useText();
  const agentName = useAgentName();
  return (
    <Table
      caption={t("nav.campaigns")}
      rows={rows}
      rowKey={(campaign) => campaign.id}
      linked
      columns={[
        {
          head: t("form.name"),
          cell: (campaign) => (
            <Link to="/campaigns/$id" params={{ id: String(campaign.id) }} className="cover">
              {campaign.name}
            </Link>
          ),
        },
        {
          head: t("calls.status"),
          card: "side",
          cell: (campaign) => <CampaignStatus campaign={campaign} />,
        },
        { head: t("calls.agent"), cell: (campaign) => agentName(campaign.agent_id) ?? "–" },
        {
          head: t("campaigns.hours"),
          card: "none",
          cell: (campaign) => (
            <span className="nums">
              {campaign.calling_from}–{campaign.calling_to}
            </span>
          ),
        },
        {
          head: t("campaigns.progress"),
          cell: (campaign) => <Progress targets={campaign.targets} />,
        },
        {
          head: t("table.actions"),
          card: "action",
          end: true,
          cell: (campaign) => <CampaignButtons small campaign={campaign} />,
        },
      ]}
    />
  );
}

function Progress({ targets }: { targets: Campaign["targets"] }) {
  const { t, number } = useText();
  const { done, failed, skipped } = targets;
  const over = done + failed + skipped;
  return (
    <span className="nums nowrap" title={t("campaigns.targets", { done, failed, skipped })}>
      {number(over)} / {number(over + targets.waiting + targets.calling)}
    </span>
  );
}
