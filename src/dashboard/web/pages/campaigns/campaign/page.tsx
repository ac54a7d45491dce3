/** One campaign: its numbers and their results. */
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ENDED_REASONS } from "../../../../../core/ended-reason.ts";
import { answer, type Rest, rest } from "../../../api/client.ts";
import { useText } from "../../../i18n/text.tsx";
import { useNow } from "../../../live/now.ts";
import { ExportAnchor } from "../../../shell/confirm-session.tsx";
import { FilterSelect } from "../../../ui/field.tsx";
import { Badge, Page as Frame, type Tone } from "../../../ui/page.tsx";
import { EmptyState, Loaded } from "../../../ui/states.tsx";
import { type Column, Pager, Table } from "../../../ui/table.tsx";
import { useAgentName } from "../../agents/agent-choices.ts";
import { CampaignButtons, CampaignStatus } from "../campaign-status.tsx";

type Campaign = Rest["Campaign"];
type Target = Rest["CampaignTarget"];
type Status = Target["status"];
const LIMIT = 50;
const LIVE_MS = 5_000;
const TONES: Readonly<Record<Status, Tone>> = {
  waiting: "info",
  calling: "info",
  done: "good",
  failed: "bad",
  skipped: "plain",
};
const STATUSES = ["waiting", "calling", "done", "failed", "skipped"] as const;

const campaignQuery = (id: number) =>
  queryOptions({
    queryKey: ["campaigns", id],
    queryFn: async () =>
      (await answer(rest.GET("/campaigns/{id}", { params: { path: { id } } }))).campaign,
    refetchInterval: LIVE_MS,
  });

const targetsQuery = (id: number, status: Status | undefined, offset: number) =>
  queryOptions({
    queryKey: ["campaigns", id, "targets", status, offset],
    queryFn: () =>
      answer(
        rest.GET("/campaigns/{id}/targets", {
          params: { path: { id }, query: { status, offset, limit: LIMIT } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });

export function Page() {
  const { t } = useText();
  const params: { id?: string } = useParams({ strict: false });
  const campaign = useQuery(campaignQuery(Number(params.id)));
  const agentName = useAgentName();
  const { data } = campaign;
  return (
    <Frame
      title={data?.name ?? t("campaigns.campaign")}
      lead={
        data && (
          <>
            {agentName(data.agent_id) ?? "–"} · {data.calling_from}–{data.calling_to} ·{" "}
            <CampaignStatus campaign={data} />
          </>
        )
      }
      back={{ to: "/campaigns", label: t("nav.campaigns") }}
      actions={
        data && (
          <>
            <ExportAnchor
              icon="down"
              href={`/api/v1/campaigns/${data.id}/targets/export`}
              download={`campaign-${data.id}.csv`}
            >
              CSV
            </ExportAnchor>
            <CampaignButtons campaign={data} />
          </>
        )
      }
    >
      <Loaded query={campaign} lines={8}>
        {(loaded) => <Targets campaign={loaded} />}
      </Loaded>
    </Frame>
  );
}

function Targets({ campaign: { id, targets: counts } }: { campaign: Campaign }) {
  const { t, number } = useText();
  const navigate = useNavigate();
  const search: { status?: unknown; offset?: unknown } = useSearch({ strict: false });
  const status = STATUSES.find((one) => one === search.status);
  const offset = typeof search.offset === "number" ? Math.max(0, search.offset) : 0;
  const targets = useQuery(targetsQuery(id, status, offset));
  const show = (next: { status?: Status; offset?: number }) =>
    void navigate({ to: ".", search: next, replace: true });
  const all = STATUSES.reduce((sum, one) => sum + counts[one], 0);
  return (
    <>
      <div className="filters">
        <FilterSelect
          label={t("calls.status")}
          value={status ?? ""}
          choices={[
            { value: "", label: `${t("schedules.any")} (${number(all)})` },
            ...STATUSES.map((value) => ({
              value,
              label: `${t(`campaigns.target.${value}`)} (${number(counts[value])})`,
            })),
          ]}
          onValue={(value) => show(value === "" ? {} : { status: value })}
        />
      </div>
      <section className="card">
        <Loaded query={targets} lines={8}>
          {(data) =>
            data.targets.length === 0 ? (
              <EmptyState icon="contacts" title={t("campaigns.target.none")} />
            ) : (
              <>
                <TargetTable rows={data.targets} />
                <Pager
                  offset={offset}
                  limit={LIMIT}
                  shown={data.targets.length}
                  total={data.total}
                  onOffset={(next) =>
                    show({ ...(status && { status }), ...(next > 0 ? { offset: next } : {}) })
                  }
                />
              </>
            )
          }
        </Loaded>
      </section>
    </>
  );
}

function TargetTable({ rows }: { rows: readonly Target[] }) {
  const { t } = useText();
  return (
    <Table
      caption={t("campaigns.numbers")}
      rows={rows}
      rowKey={(target) => target.id}
      columns={useColumns()}
    />
  );
}

function useColumns(): Column<Target>[] {
  const { t, dateTime } = useText();
  return [
    { head: t("numbers.number"), cell: (target) => <CalledNumber target={target} /> },
    {
      head: t("calls.status"),
      card: "side",
      cell: ({ status }) => <Badge tone={TONES[status]}>{t(`campaigns.target.${status}`)}</Badge>,
    },
    {
      head: t("campaigns.outcome"),
      cell: (target) => (target.outcome === null ? "–" : <Outcome target={target} />),
    },
    {
      head: t("campaigns.last_call"),
      card: "none",
      cell: ({ last_attempt_at: at }) =>
        at === null ? "–" : <span className="nums">{dateTime(at)}</span>,
    },
    {
      head: t("campaigns.next_call"),
      card: "labelled",
      cell: ({ next_attempt_at: at }) => (at === null ? "–" : <NextCall at={at} />),
    },
  ];
}

/** The number, linked to its latest call; below it the variables of the list. */
function CalledNumber({ target: { number_e164, call_uuid, variables } }: { target: Target }) {
  const details = Object.values(variables).filter((value) => value !== "");
  return (
    <>
      {call_uuid === null ? (
        <span className="nums strong nowrap">{number_e164}</span>
      ) : (
        <Link to="/calls/$uuid" params={{ uuid: call_uuid }} className="nums strong nowrap">
          {number_e164}
        </Link>
      )}
      <div className="small soft clamp">{details.join(", ")}</div>
    </>
  );
}

/** Result of the latest call, or the reason why the number is not called. */
function Outcome({ target: { status, outcome, attempts } }: { target: Target }) {
  const { t } = useText();
  const ended = ENDED_REASONS.find((one) => one === outcome);
  const why =
    status === "skipped" && outcome === "cancelled"
      ? t("campaigns.left_out.cancelled")
      : ended
        ? t(`ended.${ended}`)
        : t(
            outcome === "do_not_call"
              ? "campaigns.left_out.do_not_call"
              : "campaigns.left_out.not_allowed",
          );
  return (
    <span className="small soft">
      {why} {attempts > 1 && t("campaigns.tries", { count: attempts })}
    </span>
  );
}

function NextCall({ at }: { at: string }) {
  const { t, dateTime } = useText();
  const isDue = Date.parse(at) <= useNow(15_000);
  return <span className="nums">{isDue ? t("campaigns.next_free") : dateTime(at)}</span>;
}
