/** The trunk: state, account, test. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, own } from "../../api/client.ts";
import { trunkQuery } from "../../api/queries.ts";
import { registrationText } from "../../i18n/problem-text.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { useDoing } from "../../ui/mutate.ts";
import { Card, Facts, Page as Frame, StatusIndicator, type Tone } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { draftOf, type Trunk } from "./trunk-draft.ts";
import { TrunkForm } from "./trunk-form.tsx";
import { TrunkTest } from "./trunk-test.tsx";

const TONES: Readonly<Record<Trunk["status"], Tone>> = {
  registered: "good",
  not_required: "good",
  registering: "warn",
  unregistered: "warn",
  failed: "bad",
  unknown: "plain",
};

export function Page() {
  const { t } = useText();
  const { isOwner } = useSession();
  const trunk = useQuery(trunkQuery);
  const [saves, setSaves] = useState(0);
  return (
    <Frame title={t("nav.trunk")} lead={t("trunk.lead")}>
      <Loaded query={trunk} lines={8}>
        {(data) => (
          <div className="columns wide">
            {data ? (
              <div className="stack">
                <RegistrationState trunk={data} />
                <TrunkTest
                  key={saves}
                  account={JSON.stringify(draftOf(data))}
                  isSaved={saves > 0}
                />
              </div>
            ) : (
              <div className="card">
                <EmptyState icon="trunk" title={t("trunk.empty")}>
                  {t("trunk.empty_body")}
                </EmptyState>
              </div>
            )}
            {isOwner ? (
              <TrunkForm
                key={data?.id ?? "new"}
                trunk={data}
                onSaved={() => setSaves((count) => count + 1)}
              />
            ) : (
              <p className="note">{t("trunk.owner_only")}</p>
            )}
          </div>
        )}
      </Loaded>
    </Frame>
  );
}

function RegistrationState({ trunk }: { trunk: Trunk }) {
  const texts = useText();
  const { t } = texts;
  const { isOwner, operator } = useSession();
  const doing = useDoing("trunk", "home");
  const [removing, setRemoving] = useState(false);
  return (
    <Card
      title={t("trunk.status")}
      actions={
        (operator || (isOwner && trunk.register)) && (
          <Button small onClick={() => setRemoving(true)}>
            {t("trunk.delete")}
          </Button>
        )
      }
    >
      <p className="row firm strong" role="status">
        <StatusIndicator tone={TONES[trunk.status]} />
        {t(`trunk.status.${trunk.status}`)}
      </p>
      {trunk.explanation && (
        <p className={trunk.status === "failed" ? "note bad" : "note warn"}>
          {registrationText(
            {
              server: trunk.server,
              explanation: trunk.explanation,
              reason: trunk.reason,
              code: trunk.last_code,
            },
            texts,
          )}
        </p>
      )}
      <TrunkFacts trunk={trunk} />
      {trunk.unknown_sources.length > 0 && <UnknownSources addresses={trunk.unknown_sources} />}
      <Confirm
        title={t("trunk.delete_title")}
        body={t("trunk.delete_body")}
        action={t("trunk.delete")}
        open={removing}
        onOpen={setRemoving}
        onConfirm={() => doing.run(() => answer(own.DELETE("/trunk")))}
      />
    </Card>
  );
}

function TrunkFacts({ trunk }: { trunk: Trunk }) {
  const { t, time } = useText();
  const { server, port, transport, username, caller_id, extra_networks } = trunk;
  const facts: [string, string][] = [
    [t("trunk.server"), `${server}${port === 0 ? "" : `:${port}`} (${transport.toUpperCase()})`],
    [t("trunk.username"), username || "–"],
    [t("trunk.caller_id"), caller_id],
  ];
  if (extra_networks.length > 0) facts.push([t("trunk.extra_networks"), extra_networks.join(", ")]);
  if (trunk.last_code !== null) facts.push([t("trunk.last_code"), String(trunk.last_code)]);
  if (trunk.next_attempt_at !== null)
    facts.push([t("trunk.next_attempt"), time(trunk.next_attempt_at)]);
  return <Facts facts={facts} />;
}

/** Source addresses of calls to this trunk's Contact. An owner can allow them. */
function UnknownSources({ addresses }: { addresses: readonly string[] }) {
  const { t } = useText();
  const { isOwner } = useSession();
  const doing = useDoing("trunk", "home");
  const allow = (address: string) =>
    void doing.run(
      () => answer(own.POST("/trunk/allow", { body: { address } })),
      t("trunk.source_allowed", { address }),
    );
  return (
    <div className="note warn">
      <div className="stack tight grow">
        <p>{t("trunk.unknown_sources")}</p>
        <ul className="stack tight">
          {addresses.map((address) => (
            <li key={address} className="row apart">
              <span className="nums">{address}</span>
              {isOwner && (
                <Button small busy={doing.busy} onClick={() => allow(address)}>
                  {t("trunk.allow", { address })}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
