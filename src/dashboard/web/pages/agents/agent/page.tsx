/** One agent: settings, knowledge, tools, numbers, and a trial. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState, useSyncExternalStore } from "react";
import { answer, rest } from "../../../api/client.ts";
import { agentQuery, type QueryData } from "../../../api/queries.ts";
import { useText } from "../../../i18n/text.tsx";
import { useSession } from "../../../session.ts";
import { Button } from "../../../ui/button.tsx";
import { type Form, useRecordForm } from "../../../ui/form.ts";
import { changesOf } from "../../../ui/merge.ts";
import { useStale } from "../../../ui/mutate.ts";
import { Page as Frame } from "../../../ui/page.tsx";
import { EditForm } from "../../../ui/send-form.tsx";
import { Loaded } from "../../../ui/states.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { useToasts } from "../../../ui/toast.tsx";
import { PlaceCall } from "../../calls/place-call.tsx";
import { type AgentDraft, bodyOf, draftOf, trialOf } from "../agent-draft.ts";
import { AgentFields } from "../agent-form.tsx";
import { AgentKnowledge, AgentNumbers, AgentTools } from "../assigned.tsx";
import { Chat } from "../chat.tsx";
import { EngineNote } from "../engine/engine-note.tsx";
import { AgentVersions } from "../versions.tsx";
import { WebCall } from "../web-call.tsx";

const TABS = ["settings", "test", "knowledge", "tools", "numbers", "versions"] as const;
/** From this width the trial fits next to the form. */
const WIDE = "(min-width: 1180px)";
type Agent = QueryData<ReturnType<typeof agentQuery>>;

export function Page() {
  const { t } = useText();
  const params: { id?: string } = useParams({ strict: false });
  const id = Number(params.id);
  const agent = useQuery(agentQuery(id));
  const { mayChange } = useSession();
  const [calling, setCalling] = useState(false);
  return (
    <Frame
      title={agent.data?.name ?? t("nav.agents")}
      lead={agent.data && `${t(`lang.${agent.data.language}`)} · ${agent.data.voice}`}
      back={{ to: "/agents", label: t("nav.agents") }}
      actions={
        mayChange &&
        agent.data && (
          <Button icon="calls" onClick={() => setCalling(true)}>
            {t("agents.call_me")}
          </Button>
        )
      }
    >
      <Loaded query={agent} lines={8}>
        {(data) => <AgentTabs key={id} agent={data} />}
      </Loaded>
      {calling && <PlaceCall key={id} onClose={() => setCalling(false)} agentId={id} />}
    </Frame>
  );
}

function AgentTabs({ agent }: { agent: Agent }) {
  const { t } = useText();
  const form = useRecordForm(agent, agentQuery(agent.id), draftOf, {
    draft: `agents/${agent.id}`,
    outlivesTabs: true,
  });
  const content = {
    settings: () => <AgentSettings agent={agent} form={form} />,
    knowledge: () => <AgentKnowledge agentId={agent.id} />,
    tools: () => <AgentTools agentId={agent.id} />,
    numbers: () => <AgentNumbers agentId={agent.id} />,
    versions: () => <AgentVersions agentId={agent.id} form={form} />,
    test: () => <AgentTest agent={agent} form={form} />,
  };
  const isWide = useMedia(WIDE);
  const { mayChange } = useSession();
  const isBeside = isWide && mayChange;
  const tabs = TABS.filter((name) => name !== "test" || (mayChange && !isWide));
  return (
    <>
      <EngineNote language={form.values.language} />
      <div className="agent-panes">
        <Tabs
          label={agent.name}
          tabs={tabs.map((name) => ({
            name,
            label: t(`agents.tab.${name}`),
            content: content[name],
          }))}
        />
        {isBeside && (
          <aside className="agent-trial" aria-label={t("agents.tab.test")}>
            <AgentTest agent={agent} form={form} />
          </aside>
        )}
      </div>
    </>
  );
}

function AgentSettings({ agent, form }: { agent: Agent; form: Form<AgentDraft> }) {
  const { t } = useText();
  const navigate = useNavigate();
  const stale = useStale();
  const { showMessage } = useToasts();
  const { mayChange } = useSession();
  const path = { id: agent.id };

  async function remove() {
    await answer(rest.DELETE("/agents/{id}", { params: { path } }));
    await navigate({ to: "/agents" });
    showMessage(t("agents.deleted"));
    await stale("agents", "numbers", "files");
  }

  return (
    <EditForm
      form={form}
      mayChange={mayChange}
      curl={(draft) => ({ method: "PATCH", path: `/agents/${agent.id}`, body: bodyOf(draft) })}
      removal={{
        title: t("action.delete_title", { name: agent.name }),
        body: t("agents.delete_body"),
        onConfirm: remove,
      }}
      onSend={async (draft, { before, headers }) => {
        const body = changesOf(bodyOf(before), bodyOf(draft));
        await answer(rest.PATCH("/agents/{id}", { params: { path }, body, headers }));
        await stale("agents");
        showMessage(t("form.saved"));
      }}
    >
      <AgentFields form={form} />
    </EditForm>
  );
}

/** A trial with the form's current values: by voice over the microphone, or by text. */
function AgentTest({ agent, form }: { agent: Agent; form: Form<AgentDraft> }) {
  const { t } = useText();
  const draft = trialOf(form.values);
  const saved = trialOf(draftOf(agent));
  return (
    <div className="stack">
      {JSON.stringify(draft) !== JSON.stringify(saved) && (
        <p className="note" role="status">
          {t("agents.trial_of_draft")}
        </p>
      )}
      <WebCall agentId={agent.id} draft={draft} />
      <Chat agentId={agent.id} draft={draft} />
    </div>
  );
}

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    () => matchMedia(query).matches,
  );
}
