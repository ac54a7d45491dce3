/** Campaigns: an agent calls a list of numbers. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { agentsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Badge, Page as Frame, type Tone } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
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
  const { t } = useText();
  const { mayChange } = useSession();
  const campaigns = useQuery(campaignsQuery);
  const [making, setMaking] = useState(false);
  const add = mayChange && (
    <Button variant="primary" icon="plus" onClick={() => setMaking(true)}>
      {t("campaigns.new")}
    </Button>
  );
  return (
    <Frame title={t("nav.campaigns")} lead={t("campaigns.lead")} actions={add}>
      <section className="card">
        <Loaded query={campaigns}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon="calls" title={t("campaigns.empty")} action={add}>
                {t("campaigns.empty_body")}
              </EmptyState>
            ) : (
              <CampaignTable rows={rows} />
            )
          }
        </Loaded>
      </section>
      {making && <NewCampaign onClose={() => setMaking(false)} />}
    </Frame>
  );
}

function CampaignTable({ rows }: { rows: readonly Campaign[] }) {
  const { t, number } = useText();
  const { mayChange } = useSession();
  const agents = useQuery(agentsQuery);
  const doing = useDoing("campaigns");
  const [cancelling, setCancelling] = useState<Campaign | null>(null);
  const act = (campaign: Campaign, action: Action) =>
    doing.run(() =>
      answer(
        rest.POST("/campaigns/{id}/action", {
          params: { path: { id: campaign.id } },
          body: { action },
        }),
      ),
    );
  return (
    <>
      <Table
        caption={t("nav.campaigns")}
        rows={rows}
        rowKey={(campaign) => campaign.id}
        columns={[
          {
            head: t("campaigns.name"),
            cell: (campaign) => <span className="strong">{campaign.name}</span>,
          },
          {
            head: t("calls.status"),
            cell: ({ status, status_reason }) => (
              <>
                <Badge tone={TONES[status]}>{t(`campaigns.status.${status}`)}</Badge>
                {status_reason === "agent_deleted" && (
                  <span className="small muted"> {t("campaigns.agent_deleted")}</span>
                )}
              </>
            ),
          },
          {
            head: t("calls.agent"),
            cell: (campaign) =>
              agents.data?.find(({ id }) => id === campaign.agent_id)?.name ?? "–",
          },
          {
            head: t("campaigns.hours"),
            wideOnly: true,
            cell: (campaign) => (
              <span className="nums">
                {campaign.calling_from}–{campaign.calling_to}
              </span>
            ),
          },
          {
            head: t("campaigns.progress"),
            cell: ({ targets }) => {
              const over = targets.done + targets.failed + targets.skipped;
              return (
                <span
                  className="nums"
                  title={t("campaigns.targets", {
                    done: targets.done,
                    failed: targets.failed,
                    skipped: targets.skipped,
                  })}
                >
                  {number(over)} / {number(over + targets.waiting + targets.calling)}
                </span>
              );
            },
          },
          {
            head: t("action.more"),
            end: true,
            cell: (campaign) => (
              <span className="row">
                {mayChange &&
                  ACTIONS[campaign.status].map((action) => (
                    <Button
                      key={action}
                      small
                      variant={action === "cancel" ? "danger" : "secondary"}
                      onClick={() =>
                        action === "cancel" ? setCancelling(campaign) : void act(campaign, action)
                      }
                    >
                      {t(`campaigns.action.${action}`)}
                    </Button>
                  ))}
              </span>
            ),
          },
        ]}
      />
      <Confirm
        title={t("campaigns.cancel_title", { name: cancelling?.name ?? "" })}
        body={t("campaigns.cancel_body")}
        action={t("campaigns.action.cancel")}
        open={cancelling !== null}
        onOpen={() => setCancelling(null)}
        onConfirm={async () => cancelling && (await act(cancelling, "cancel"))}
      />
    </>
  );
}
