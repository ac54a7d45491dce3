/** One call: a summary in words, recording and transcript in sync, and all its traces. */
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { isE164 } from "../../../../core/e164.ts";
import { callAnnotationsQuery, callDetailsQuery, callQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { useNow } from "../../live/now.ts";
import { useSession } from "../../session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { CurlButton } from "../../ui/copy.tsx";
import { Card, Figures, Page as Frame } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Annotations, TagLabels } from "../calls/annotations.tsx";
import { endedText, numberOf, StatusBadge } from "../calls/outcome.tsx";
import { PlaceCall } from "../calls/place-call.tsx";
import { useContactName } from "../contacts/contact-name.ts";
import { EraseDialog } from "../contacts/erase-dialog.tsx";
import type { Call, Details } from "./call-details.ts";
import { Conversation } from "./conversation.tsx";
import { Costs } from "./costs.tsx";
import { Deliveries } from "./deliveries.tsx";
import { LineQuality } from "./line-quality.tsx";
import { Timeline } from "./timeline.tsx";

const ACTIVE_MS = 2_000;

/** The recording is not ready yet. */
const isUnderWay = (status: string | undefined) =>
  status === "recording" || status === "processing";

export function Page() {
  const { t, dateTime } = useText();
  const { calls } = useLocation().state;
  const { uuid = "" }: { uuid?: string } = useParams({ strict: false });
  const call = useQuery({
    ...callQuery(uuid),
    refetchInterval: ({ state }) =>
      state.data && (!state.data.ended_reason || isUnderWay(state.data.recording_status))
        ? ACTIVE_MS
        : false,
  });
  const { mayChange, isOwner } = useSession();
  const [calling, setCalling] = useState(false);
  const number = call.data ? numberOf(call.data) : null;
  const contactName = useContactName(number);
  // A `tel:` link, so that a person can call back with their own telephone.
  const side = (shown: string | null) =>
    shown && shown === number ? <a href={`tel:${shown}`}>{shown}</a> : shown || t("calls.withheld");
  return (
    <Frame
      title={call.data ? (contactName ?? number ?? t("calls.withheld")) : t("calls.call")}
      lead={
        call.data && (
          <>
            {t(call.data.direction === "inbound" ? "calls.inbound" : "calls.outbound")} ·{" "}
            {side(call.data.from_number)} → {side(call.data.to_number)} ·{" "}
            <span className="nowrap">{dateTime(call.data.created_at)}</span>
          </>
        )
      }
      back={{ to: "/calls", search: calls, label: t("nav.calls") }}
      actions={
        <>
          {mayChange && number !== null && isE164(number) && call.data?.ended_reason && (
            <Button icon="calls" onClick={() => setCalling(true)}>
              {t("call.back")}
            </Button>
          )}
          {mayChange && call.data?.ended_reason && <Rehearse call={call.data} />}
          {isOwner && number !== null && call.data?.ended_reason && <Erase number={number} />}
          <CurlButton request={() => ({ method: "GET", path: `/calls/${uuid}` })} />
        </>
      }
    >
      <Loaded query={call} lines={8}>
        {(data) => <CallBody call={data} />}
      </Loaded>
      {calling && (
        <PlaceCall
          to={number ?? ""}
          agentId={call.data?.agent_id ?? undefined}
          onClose={() => setCalling(false)}
        />
      )}
    </Frame>
  );
}

function Rehearse({ call: { call_uuid: call, agent_id } }: { call: Call }) {
  const { t } = useText();
  return (
    <Link className="button" to="/rehearsals" search={{ call, agent: agent_id ?? undefined }}>
      {t("call.rehearse")}
    </Link>
  );
}

function Erase({ number }: { number: string }) {
  const { t } = useText();
  const [erasing, setErasing] = useState(false);
  return (
    <>
      <IconButton icon="trash" label={t("contacts.erase")} onClick={() => setErasing(true)} />
      {erasing && <EraseDialog number={number} onClose={() => setErasing(false)} />}
    </>
  );
}

function CallBody({ call }: { call: Call }) {
  const { t } = useText();
  const details = useQuery({
    ...callDetailsQuery(call.call_uuid),
    refetchInterval: ({ state }) =>
      !call.ended_reason || isUnderWay(state.data?.recording.status) ? ACTIVE_MS : false,
  });
  const withDetails = (show: (found: Details) => React.ReactNode) => () => (
    <Loaded query={details}>{show}</Loaded>
  );
  return (
    <>
      <Outcome call={call} details={details.data ?? null} />
      <Tabs
        label={t("calls.call")}
        tabs={[
          {
            name: "conversation",
            label: t("call.tab.conversation"),
            content: () => <Conversation call={call} />,
          },
          {
            name: "timeline",
            label: t("call.tab.timeline"),
            content: withDetails((found) => <Timeline details={found} />),
          },
          {
            name: "quality",
            label: t("call.tab.quality"),
            content: withDetails((found) => <LineQuality call={call} details={found} />),
          },
          {
            name: "delivery",
            label: t("call.tab.delivery"),
            content: withDetails((found) => <Deliveries details={found} />),
          },
          {
            name: "cost",
            label: t("call.tab.cost"),
            content: withDetails((found) => <Costs details={found} />),
          },
        ]}
      />
      <Annotations key={call.call_uuid} uuid={call.call_uuid} />
    </>
  );
}

/** Remarks of colleagues in short: the tags and the last comment. */
function Remarks({ uuid }: { uuid: string }) {
  const { t } = useText();
  const { data } = useQuery(callAnnotationsQuery(uuid));
  const last = data?.comments.at(-1);
  return (
    <>
      <TagLabels tags={data?.tags ?? []} />
      {last && (
        <p className="soft clamp">
          {last.author ?? t("calls.former_member")}: {last.text}
        </p>
      )}
    </>
  );
}

/** The agent's name, and the version that took the call. */
function AgentOfCall({ call, details }: { call: Call; details: Details | null }) {
  const { t } = useText();
  const name = details?.agent_name ?? "–";
  if (call.agent_version === null) return <>{name}</>;
  const version = t("call.version", { number: call.agent_version });
  return (
    <>
      {name}{" "}
      {call.agent_id === null || !details?.agent_name ? (
        <small>{version}</small>
      ) : (
        <Link
          to="/agents/$id"
          params={{ id: String(call.agent_id) }}
          search={{ tab: "versions" }}
          className="small"
        >
          {version}
        </Link>
      )}
    </>
  );
}

function Outcome({ call, details }: { call: Call; details: Details | null }) {
  const { t, talkTime, eur, ms, number } = useText();
  const now = useNow();
  const liveMs =
    call.answered_at && !call.ended_reason ? now - new Date(call.answered_at).getTime() : null;
  return (
    <>
      <Card>
        <div className="row">
          <StatusBadge call={call} />
          <span className="strong">
            {call.ended_reason ? t(endedText(call)) : t("call.not_ended")}
          </span>
        </div>
        <p>
          {call.summary ??
            (call.answered_at === null && details?.explanation ? (
              <span lang="en">{details.explanation}</span>
            ) : (
              <span className="muted">{t("call.no_summary")}</span>
            ))}
        </p>
        {call.ended_reason === "plan_limit_reached" && (
          <Link to="/billing" search={{ tab: "plan" }}>
            {t("call.other_plan")}
          </Link>
        )}
        <Remarks uuid={call.call_uuid} />
      </Card>
      <Figures
        figures={[
          {
            label: t("calls.duration"),
            value: talkTime(liveMs ?? details?.duration_ms ?? null),
          },
          { label: t("calls.cost"), value: eur(call.cost_eur, 4) },
          { label: t("call.median"), value: ms(call.latency.p50_ms) },
          call.direction === "outbound"
            ? {
                label: t("call.answered_by"),
                value: call.answered_by ? t(`call.${call.answered_by}`) : "–",
              }
            : { label: t("call.mos"), value: call.sip.mos === null ? "–" : number(call.sip.mos) },
          { label: t("calls.agent"), value: <AgentOfCall call={call} details={details} /> },
        ]}
      />
    </>
  );
}
