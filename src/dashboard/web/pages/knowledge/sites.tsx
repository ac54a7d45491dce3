/** Web sites imported into knowledge, and their recent changes. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { answer, own } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { type QueryData, sitesQuery } from "../../api/queries.ts";
import { problemText } from "../../i18n/problem-text.ts";
import { useText } from "../../i18n/text.tsx";
import { useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { Badge, Card } from "../../ui/page.tsx";
import { FormDialog } from "../../ui/send-form.tsx";
import { useAgentChoices, WithOnlyAgent } from "../agents/agent-choices.ts";

type Site = QueryData<typeof sitesQuery>[number];

export function Sites() {
  const { t } = useText();
  const { mayChange } = useSession();
  const queries = useQueryClient();
  const sites = useQuery(sitesQuery).data ?? [];
  const readAt = sites.map(({ read_at }) => read_at ?? "").join("");
  // A crawl in the background has added or changed files.
  useEffect(() => {
    if (readAt !== "") void queries.invalidateQueries({ queryKey: ["files"] });
  }, [queries, readAt]);
  const [adding, setAdding] = useState(false);
  return (
    <>
      <Card
        title={t("knowledge.sites")}
        note={t("knowledge.sites_lead")}
        actions={
          mayChange && (
            <Button icon="plus" onClick={() => setAdding(true)}>
              {t("knowledge.site_add")}
            </Button>
          )
        }
      >
        {sites.length > 0 && sites.map((site) => <SiteRow key={site.id} site={site} />)}
      </Card>
      {adding && (
        <WithOnlyAgent>
          {(onlyAgent) => <AddSite agentId={onlyAgent} onClose={() => setAdding(false)} />}
        </WithOnlyAgent>
      )}
    </>
  );
}

function SiteRow({ site }: { site: Site }) {
  const { t, date } = useText();
  const { mayChange } = useSession();
  const stale = useStale();
  const path = { id: site.id };
  const [deleting, setDeleting] = useState(false);
  async function readAgain() {
    await answer(own.POST("/knowledge-sites/{id}/read", { params: { path } }));
    await stale("sites");
  }
  async function remove() {
    await answer(own.DELETE("/knowledge-sites/{id}", { params: { path } }));
    await stale("sites", "files");
  }
  return (
    <div className="stack tight">
      <Confirm
        title={t("action.delete_title", { name: site.url })}
        body={t("knowledge.delete_body")}
        action={t("action.delete")}
        open={deleting}
        onOpen={setDeleting}
        onConfirm={remove}
      />
      <p className="strong">{site.url}</p>
      <p className="row">
        <span className="small muted grow" role="status">
          <span className="nowrap">
            {t(site.reading ? "knowledge.site_reading" : "knowledge.site_pages", {
              pages: site.pages,
            })}
          </span>
          {site.read_at !== null && (
            <>
              {" · "}
              <span className="nowrap">{date(site.read_at)}</span>
            </>
          )}
        </span>
        {mayChange && (
          <>
            <Button small busy={site.reading} onClick={() => void readAgain()}>
              {t("knowledge.site_read")}
            </Button>
            <Button small variant="ghost" onClick={() => setDeleting(true)}>
              {t("action.delete")}
            </Button>
          </>
        )}
      </p>
      <Problems problems={site.problems} />
      <Changes changes={site.changes} />
    </div>
  );
}

const PROBLEMS_SHOWN_MAX = 3;

/** Pages that could not be read, and why. A long list is shortened. */
function Problems({ problems }: Pick<Site, "problems">) {
  const texts = useText();
  const rows = problems.map(({ url, ...problem }) => (
    <p key={`${url} ${problem.reason}`} className="error-text break">
      {url && `${url}: `}
      {problemText(new ApiProblem(200, problem), texts)}
    </p>
  ));
  const more = rows.slice(PROBLEMS_SHOWN_MAX);
  return (
    <>
      {rows.slice(0, PROBLEMS_SHOWN_MAX)}
      {more.length > 0 && (
        <details>
          <summary className="small">
            {texts.t("knowledge.site_problems", { n: more.length })}
          </summary>
          {more}
        </details>
      )}
    </>
  );
}

function Changes({ changes }: Pick<Site, "changes">) {
  const { t } = useText();
  if (changes.length === 0) return null;
  return (
    <ul className="list">
      {changes.map(({ url, title, change }) => (
        <li key={url}>
          <Badge tone={change === "gone" ? "warn" : "plain"}>{t(`knowledge.page_${change}`)}</Badge>{" "}
          {title || url}
        </li>
      ))}
    </ul>
  );
}

/** Accepts addresses without a scheme, as people type them. */
const webAddress = (text: string): string => {
  const address = text.trim();
  return address === "" || /^[a-z][a-z+.-]*:/i.test(address) ? address : `https://${address}`;
};

function AddSite(props: { agentId: string; onClose: () => void }) {
  const { t } = useText();
  const stale = useStale();
  const agents = useAgentChoices(t("knowledge.nobody"));
  const form = useForm({ url: "", every_hours: "24", agent_id: props.agentId });
  return (
    <FormDialog
      onClose={props.onClose}
      title={t("knowledge.site_add")}
      action={t("action.add")}
      form={form}
      onSend={async ({ url, every_hours, agent_id }) => {
        const every = ([0, 24, 168] as const).find((hours) => hours === Number(every_hours)) ?? 24;
        const body = {
          url: webAddress(url),
          every_hours: every,
          agent_id: agent_id ? Number(agent_id) : null,
        };
        await answer(own.POST("/knowledge-sites", { body }));
        await stale("sites");
        props.onClose();
      }}
    >
      <TextField
        label={t("knowledge.site_url")}
        hint={t("knowledge.site_hint")}
        placeholder="https://www.example.com/"
        required
        {...form.bind("url")}
      />
      <SelectField
        label={t("knowledge.site_every")}
        choices={[
          { value: "24", label: t("knowledge.site_daily") },
          { value: "168", label: t("knowledge.site_weekly") },
          { value: "0", label: t("when.never") },
        ]}
        {...form.bind("every_hours")}
      />
      <SelectField label={t("knowledge.agents")} choices={agents} {...form.bind("agent_id")} />
    </FormDialog>
  );
}
