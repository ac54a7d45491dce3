/** A new agent. */
import { useNavigate } from "@tanstack/react-router";
import { answer, rest } from "../../../api/client.ts";
import { useText } from "../../../i18n/text.tsx";
import { useSession } from "../../../session.ts";
import { CurlButton } from "../../../ui/copy.tsx";
import { useForm } from "../../../ui/form.ts";
import { useStale } from "../../../ui/mutate.ts";
import { Page as Frame } from "../../../ui/page.tsx";
import { EditForm } from "../../../ui/send-form.tsx";
import { useToasts } from "../../../ui/toast.tsx";
import { emptyDraft, newBodyOf } from "../agent-draft.ts";
import { AgentFields } from "../agent-form.tsx";
import { Templates } from "./templates.tsx";

export function Page() {
  const { t, language } = useText();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const stale = useStale();
  const { showMessage } = useToasts();
  const form = useForm(emptyDraft(language), { draft: "agents/new" });
  return (
    <Frame
      forms
      title={t("agents.new")}
      back={{ to: "/agents", label: t("nav.agents") }}
      actions={
        mayChange && (
          <CurlButton
            request={() => ({ method: "POST", path: "/agents", body: newBodyOf(form.values) })}
          />
        )
      }
    >
      <EditForm
        form={form}
        mayChange={mayChange}
        create={t("agents.create")}
        onSend={async (draft) => {
          const { agent } = await answer(rest.POST("/agents", { body: newBodyOf(draft) }));
          await stale("agents", "home");
          showMessage(t("agents.created"));
          await navigate({
            to: "/agents/$id",
            params: { id: String(agent.id) },
            search: { tab: "test" },
          });
        }}
      >
        <Templates form={form} />
        <AgentFields form={form} />
      </EditForm>
    </Frame>
  );
}
