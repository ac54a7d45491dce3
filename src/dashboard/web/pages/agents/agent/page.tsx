/** One agent: its settings, what it knows, may do and answers; and trying it out. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, type Rest, rest } from "../../../api/client.ts";
import { agentQuery } from "../../../api/queries.ts";
import { useText } from "../../../i18n/text.tsx";
import { useSession } from "../../../session.ts";
import { Button } from "../../../ui/button.tsx";
import { useForm } from "../../../ui/form.ts";
import { useStale } from "../../../ui/mutate.ts";
import { Page as Frame } from "../../../ui/page.tsx";
import { EditForm } from "../../../ui/send-form.tsx";
import { Loaded } from "../../../ui/states.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { useToasts } from "../../../ui/toast.tsx";
import { PlaceCall } from "../../calls/place-call.tsx";
import { bodyOf, draftOf } from "../agent-draft.ts";
import { AgentFields } from "../agent-form.tsx";
import { AgentKnowledge, AgentNumbers, AgentTools } from "../assigned.tsx";
import { AgentTest } from "../test.tsx";

const TABS = ["settings", "knowledge", "tools", "numbers", "test"] as const;
type Agent = Rest["Agent"];

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
        {(data) => <AgentTabs agent={data} />}
      </Loaded>
      <PlaceCall key={id} open={calling} onClose={() => setCalling(false)} agentId={id} />
    </Frame>
  );
}

function AgentTabs({ agent }: { agent: Agent }) {
  const { t } = useText();
  const navigate = useNavigate();
  const search: { tab?: unknown } = useSearch({ strict: false });
  const tab = TABS.find((name) => name === search.tab) ?? "settings";
  const content = {
    settings: () => <AgentSettings key={agent.updated_at} agent={agent} />,
    knowledge: () => <AgentKnowledge agentId={agent.id} />,
    tools: () => <AgentTools agentId={agent.id} />,
    numbers: () => <AgentNumbers agentId={agent.id} />,
    test: () => <AgentTest agent={agent} />,
  };
  return (
    <Tabs
      label={agent.name}
      value={tab}
      onValue={(next) =>
        void navigate({
          to: "/agents/$id",
          params: { id: String(agent.id) },
          search: next === "settings" ? {} : { tab: next },
          replace: true,
        })
      }
      tabs={TABS.map((name) => ({ name, label: t(`agents.tab.${name}`), content: content[name] }))}
    />
  );
}

function AgentSettings({ agent }: { agent: Agent }) {
  const { t } = useText();
  const navigate = useNavigate();
  const stale = useStale();
  const { showMessage } = useToasts();
  const { mayChange } = useSession();
  const form = useForm(draftOf(agent));
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
        title: t("agents.delete_title", { name: agent.name }),
        body: t("agents.delete_body"),
        onConfirm: remove,
      }}
      onSend={async (draft) => {
        await answer(rest.PATCH("/agents/{id}", { params: { path }, body: bodyOf(draft) }));
        await stale("agents");
        showMessage(t("form.saved"));
      }}
    >
      <AgentFields form={form} />
    </EditForm>
  );
}
