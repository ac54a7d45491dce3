/** One tool: change it, try it. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { answer, own, type Rest } from "../../../api/client.ts";
import { toolsQuery } from "../../../api/queries.ts";
import { useText } from "../../../i18n/text.tsx";
import { useSession } from "../../../session.ts";
import { NotFound } from "../../../shell/route-states.tsx";
import { useForm } from "../../../ui/form.ts";
import { useStale } from "../../../ui/mutate.ts";
import { Page as Frame } from "../../../ui/page.tsx";
import { EditForm } from "../../../ui/send-form.tsx";
import { Loaded } from "../../../ui/states.tsx";
import { useToasts } from "../../../ui/toast.tsx";
import { ToolFields, toolBodyOf, toolDraftOf } from "../tool-form.tsx";
import { TryTool } from "../try-tool.tsx";

export function Page() {
  const { t } = useText();
  const params: { id?: string } = useParams({ strict: false });
  const tools = useQuery(toolsQuery);
  const tool = tools.data?.find(({ id }) => String(id) === params.id);
  if (tools.data && !tool) return <NotFound />;
  return (
    <Frame
      narrow
      title={tool?.name ?? t("nav.tools")}
      lead={tool?.description}
      back={{ to: "/tools", label: t("nav.tools") }}
    >
      <Loaded query={tools}>{() => tool && <Editor key={tool.updated_at} tool={tool} />}</Loaded>
    </Frame>
  );
}

function Editor({ tool }: { tool: Rest["Tool"] }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const stale = useStale();
  const { showMessage } = useToasts();
  const form = useForm(toolDraftOf(tool));
  const params = { path: { id: tool.id } };

  async function remove() {
    await answer(own.DELETE("/tools/{id}", { params }));
    await navigate({ to: "/tools" });
    await stale("tools");
  }

  return (
    <>
      {mayChange && <TryTool tool={tool} />}
      <EditForm
        form={form}
        mayChange={mayChange}
        removal={{
          title: t("tools.delete_title", { name: tool.name }),
          body: t("tools.delete_body"),
          onConfirm: remove,
        }}
        onSend={async (draft) => {
          const { secret } = draft;
          const body = { ...toolBodyOf(draft), ...(secret ? { secret } : {}) };
          await answer(own.PATCH("/tools/{id}", { params, body }));
          await stale("tools");
          showMessage(t("form.saved"));
        }}
      >
        <ToolFields form={form} stored />
      </EditForm>
    </>
  );
}
