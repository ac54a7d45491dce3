/** Campaigns: an agent calls a list of numbers. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, type Tone } from "../../ui/page.tsx";
import { Table } from "../../ui/table.tsx";
import { useAgentName } from "../agents/agent-choices.ts";
import { NewCampaign } from "./new-campaign.tsx";

type Campaign = Rest["Campaign"];
type Action = "start" | "pause" | "resume" | "cancel";
const LIVE_MS = 5_000;

const campaignsQuery = queryOptions({
  queryKey: ["campaigns"],
  queryFn: async () => (await answer(rest.GET("/campaigns"))).campaigns,
  refetchInterval: LIVE_MS,
});

const TONES: Readonly<Record<Campaign["status"], Tone>> = {
  draft: "plain",
  running: "good",
  paused: "warn",
  stopped_by_breaker: "bad",
  finished: "info",
  cancelled: "plain",
};
const ACTIONS: Readonly<Record<Campaign["status"], readonly Action[]>> = {
  draft: ["start", "cancel"],
  running: ["pause", "cancel"],
  paused: ["resume", "cancel"],
  stopped_by_breaker: ["resume", "cancel"],
  finished: [],
  cancelled: [],
};

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
      columns={[
        {
          head: t("form.name"),
          cell: (campaign) => <span className="strong">{campaign.name}</span>,
        },
        {
          head: t("calls.status"),
          card: "side",
          cell: ({ status, status_reason }) => (
            <>
              <Badge tone={TONES[status]}>{t(`campaigns.status.${status}`)}</Badge>
              {status_reason !== null && status_reason !== "calls_failed" && (
                <span className="small muted"> {t(`campaigns.${status_reason}`)}</span>
              )}
            </>
          ),
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
          cell: (campaign) => <CampaignButtons campaign={campaign} />,
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

function CampaignButtons({ campaign }: { campaign: Campaign }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const doing = useDoing("campaigns");
  const [cancelling, setCancelling] = useState(false);
  const act = (action: Action) =>
    doing.run(() =>
      answer(
        rest.POST("/campaigns/{id}/action", {
          params: { path: { id: campaign.id } },
          body: { action },
        }),
      ),
    );
  if (!mayChange) return <span className="row" />;
  return (
    <span className="row">
      {ACTIONS[campaign.status].map((action) => (
        <Button
          key={action}
          small
          variant={action === "cancel" ? "danger" : "secondary"}
          onClick={() => (action === "cancel" ? setCancelling(true) : void act(action))}
        >
          {t(`campaigns.action.${action}`)}
        </Button>
      ))}
      <Confirm
        title={t("campaigns.cancel_title", { name: campaign.name })}
        body={t("campaigns.cancel_body")}
        action={t("campaigns.action.cancel")}
        cancel={t("campaigns.keep")}
        open={cancelling}
        onOpen={setCancelling}
        onConfirm={() => act("cancel")}
      />
    </span>
  );
}
