/** One agent: its settings, what it knows, may do and answers; and trying it out. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
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
import { type AgentDraft, bodyOf, draftOf } from "../agent-draft.ts";
import { AgentFields } from "../agent-form.tsx";
import { AgentKnowledge, AgentNumbers, AgentTools } from "../assigned.tsx";
import { Chat } from "../chat.tsx";
import { WebCall } from "../web-call.tsx";

const TABS = ["settings", "knowledge", "tools", "numbers", "test"] as const;
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
      narrow
      title={agent.data?.name ?? t("nav.agents")}
      lead={agent.data && `${t(`lang.${agent.data.language}`)} · ${agent.data.voice}`}
      back={{ to: "/agents", label: t("nav.agents") }}
      actions={
        mayChange && (
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
    test: () => <AgentTest agent={agent} />,
  };
  return (
    <Tabs
      label={agent.name}
      tabs={TABS.map((name) => ({ name, label: t(`agents.tab.${name}`), content: content[name] }))}
    />
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

/** Trying an agent: by voice over the microphone, or by text. */
function AgentTest({ agent }: { agent: Agent }) {
  return (
    <div className="stack">
      <WebCall agentId={agent.id} />
      <Chat agentId={agent.id} />
    </div>
  );
}
