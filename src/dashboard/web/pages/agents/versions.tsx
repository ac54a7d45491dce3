/** An agent's version history: author, word-by-word changes, rollback, and the draft. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, type Rest, rest } from "../../api/client.ts";
import { agentDraftQuery, agentVersionsQuery, comparisonQuery } from "../../api/queries.ts";
import type { MessageKey } from "../../i18n/catalogue.ts";
import { type Texts, useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { SwitchField } from "../../ui/field.tsx";
import type { Form } from "../../ui/form.ts";
import { useDoing, useStale } from "../../ui/mutate.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { EmptyState, Loaded, LoadedRows } from "../../ui/states.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { type AgentDraft, bodyOf } from "./agent-draft.ts";
import { PARTS } from "./agent-parts.ts";
import { VersionSplit } from "./version-split.tsx";

type Version = Rest["AgentVersion"];
type Compared = { readonly from: number; readonly to: number | "draft" };
type Note = { readonly kind: string; readonly name: string };

function partText(part: string, { t }: Texts): string {
  const key = PARTS[part as keyof typeof PARTS];
  return key ? t(key) : part;
}

const NOTES: Readonly<Record<string, MessageKey>> = {
  file_copied: "versions.note.file_copied",
  tool_needs_secret: "versions.note.tool_needs_secret",
  tool_of_others: "versions.note.tool_of_others",
};

/** Publishes, and shows a notice for each part that could not be restored. */
function usePublishing() {
  const { t } = useText();
  const { showMessage } = useToasts();
  const doing = useDoing("agents", "files", "tools");
  const publish = (asked: () => Promise<{ version: number; notes: readonly Note[] }>) =>
    doing.run(async () => {
      const { version, notes } = await asked();
      showMessage(t("versions.published_now", { number: version }));
      for (const { kind, name } of notes) {
        const key = NOTES[kind];
        if (key) showMessage(t(key, { name }));
      }
    });
  return { busy: doing.busy, publish };
}

export function AgentVersions({ agentId, form }: { agentId: number; form: Form<AgentDraft> }) {
  const { t } = useText();
  const versions = useQuery(agentVersionsQuery(agentId));
  const [compared, setCompared] = useState<Compared | null>(null);
  const { busy, publish } = usePublishing();
  const published = versions.data?.find((version) => version.published)?.number ?? 0;
  return (
    <div className="stack">
      <DraftCard agentId={agentId} form={form} onCompare={setCompared} published={published} />
      <VersionSplit
        agentId={agentId}
        versions={versions.data ?? []}
        busy={busy}
        publish={publish}
      />
      <Card title={t("agents.tab.versions")} note={t("versions.lead")} flush>
        <PublishingRule agentId={agentId} />
        <LoadedRows
          query={versions}
          empty={<EmptyState icon="agent" title={t("versions.empty")} />}
        >
          {(rows) => (
            <ul className="list">
              {rows.map((version) => (
                <VersionRow
                  key={version.number}
                  agentId={agentId}
                  version={version}
                  published={published}
                  onCompare={setCompared}
                />
              ))}
            </ul>
          )}
        </LoadedRows>
      </Card>
      {compared && (
        <Comparison agentId={agentId} compared={compared} onClose={() => setCompared(null)} />
      )}
    </div>
  );
}

/** Setting: drafts are published only after a passed rehearsal. */
function PublishingRule({ agentId }: { agentId: number }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const doing = useDoing("agents");
  const value = useQuery(agentDraftQuery(agentId)).data?.publishes_rehearsed ?? false;
  const set = (publishes_rehearsed: boolean) =>
    doing.run(() =>
      answer(
        rest.PATCH("/agents/{id}/publishing", {
          params: { path: { id: agentId } },
          body: { publishes_rehearsed },
        }),
      ),
    );
  return (
    <div className="card-body">
      <SwitchField
        name="publishes_rehearsed"
        error={null}
        label={t("versions.rehearsed")}
        hint={t("versions.rehearsed_hint")}
        value={value}
        disabled={!mayChange}
        onValue={(isOn) => void set(isOn)}
      />
    </div>
  );
}

function VersionRow(props: {
  agentId: number;
  version: Version;
  published: number;
  onCompare: (compared: Compared) => void;
}) {
  const { agentId, version, published, onCompare } = props;
  const { number } = version;
  const { t } = useText();
  const { mayChange } = useSession();
  const { busy, publish } = usePublishing();
  const path = { id: agentId, number };
  const before = number - 1;
  return (
    <li>
      <div className="grow stack tight">
        <VersionAbout version={version} />
        <p className="row">
          {before > 0 && (
            <Button small onClick={() => onCompare({ from: before, to: number })}>
              {t("versions.changes")}
            </Button>
          )}
          {!version.published && (
            <Button small onClick={() => onCompare({ from: published, to: number })}>
              {t("versions.compare_published")}
            </Button>
          )}
          {mayChange && !version.published && (
            <Button
              small
              busy={busy}
              onClick={() =>
                void publish(() =>
                  answer(rest.POST("/agents/{id}/versions/{number}/publish", { params: { path } })),
                )
              }
            >
              {t("versions.roll_back")}
            </Button>
          )}
        </p>
      </div>
    </li>
  );
}

/** A version's number, changes, date and author. */
function VersionAbout({ version }: { version: Version }) {
  const texts = useText();
  const { t, dateTime } = texts;
  const changed =
    version.restored_from === null
      ? version.changes.map((part) => partText(part, texts)).join(", ")
      : t("versions.again", { number: version.restored_from });
  return (
    <>
      <p className="row">
        <span className="strong">{t("versions.number", { number: version.number })}</span>
        {version.published && <Badge tone="good">{t("versions.published")}</Badge>}
      </p>
      {changed !== "" && <p className="soft small">{changed}</p>}
      <p className="muted small">
        {dateTime(version.created_at)} ·{" "}
        {version.author.name ?? t(`versions.by.${version.author.kind}`)}
      </p>
    </>
  );
}

/** Shows the draft, if any. The form's values can be stored as a draft. */
function DraftCard(props: {
  agentId: number;
  form: Form<AgentDraft>;
  published: number;
  onCompare: (compared: Compared) => void;
}) {
  const { agentId, form, published, onCompare } = props;
  const { t, dateTime } = useText();
  const { mayChange } = useSession();
  const draft = useQuery(agentDraftQuery(agentId)).data?.draft ?? null;
  const doing = useDoing("agents");
  const path = { id: agentId };
  const isBehind = draft !== null && draft.base_version !== published;
  const keep = () =>
    doing.run(async () => {
      const body = bodyOf(form.values);
      await answer(rest.PATCH("/agents/{id}/draft", { params: { path }, body }));
      form.discard();
    }, t("versions.draft_kept"));
  if (draft === null && !form.dirty) return null;
  return (
    <Card
      title={t("versions.draft")}
      note={
        draft
          ? t("versions.draft_of", {
              number: draft.base_version,
              time: dateTime(draft.updated_at),
            })
          : t("versions.draft_lead")
      }
    >
      {isBehind && <p className="note warn">{t("versions.draft_behind", { number: published })}</p>}
      <div className="row wrap">
        {mayChange && form.dirty && (
          <Button busy={doing.busy} onClick={() => void keep()}>
            {t("versions.keep_draft")}
          </Button>
        )}
        {draft && (
          <Button onClick={() => onCompare({ from: published, to: "draft" })}>
            {t("versions.compare_published")}
          </Button>
        )}
        {draft && mayChange && <DraftActions agentId={agentId} force={isBehind} />}
      </div>
    </Card>
  );
}

/**
 * Buttons that publish or discard the draft. `force`: another version was published since the draft
 * was made.
 */
function DraftActions({ agentId, force }: { agentId: number; force: boolean }) {
  const { t } = useText();
  const stale = useStale();
  const [discarding, setDiscarding] = useState(false);
  const { busy, publish } = usePublishing();
  const path = { id: agentId };
  async function discard() {
    await answer(rest.DELETE("/agents/{id}/draft", { params: { path } }));
    await stale("agents");
  }
  return (
    <>
      <Button
        variant="primary"
        busy={busy}
        onClick={() =>
          void publish(() =>
            answer(
              rest.POST("/agents/{id}/draft/publish", {
                params: { path },
                body: { force },
              }),
            ),
          )
        }
      >
        {t("versions.publish_draft")}
      </Button>
      <Button variant="danger" onClick={() => setDiscarding(true)}>
        {t("versions.discard_draft")}
      </Button>
      <Confirm
        title={t("versions.discard_title")}
        body={t("versions.discard_body")}
        action={t("versions.discard_draft")}
        open={discarding}
        onOpen={setDiscarding}
        onConfirm={discard}
      />
    </>
  );
}

const MARKS = { same: "span", removed: "del", added: "ins" } as const;

function Comparison(props: { agentId: number; compared: Compared; onClose: () => void }) {
  const { agentId, compared } = props;
  const texts = useText();
  const { t } = texts;
  const query = useQuery(comparisonQuery(agentId, compared));
  const after =
    compared.to === "draft" ? t("versions.draft") : t("versions.number", { number: compared.to });
  return (
    <Dialog
      wide
      open
      title={`${t("versions.number", { number: compared.from })} → ${after}`}
      onOpen={(open) => !open && props.onClose()}
    >
      <Loaded query={query}>
        {({ from, differences }) => (
          <>
            {from === null && <p className="note">{t("versions.before_gone")}</p>}
            {differences.length === 0 && <p className="soft">{t("versions.no_difference")}</p>}
            {differences.map(({ part, name, segments }) => (
              <section key={`${part} ${name}`} className="stack tight">
                <h3>
                  {partText(part, texts)} {name}
                </h3>
                <p className="code wrap difference">
                  {segments.map(({ op, text }, at) => {
                    const Mark = MARKS[op];
                    // biome-ignore lint/suspicious/noArrayIndexKey: the segments never move
                    return <Mark key={at}>{text}</Mark>;
                  })}
                </p>
              </section>
            ))}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
