/** One tool: edit it, test it. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { answer, own } from "../../../api/client.ts";
import { problemOf } from "../../../api/problem.ts";
import { type QueryData, toolQuery } from "../../../api/queries.ts";
import { useText } from "../../../i18n/text.tsx";
import { useSession } from "../../../session.ts";
import { NotFound } from "../../../shell/route-states.tsx";
import { useRecordForm } from "../../../ui/form.ts";
import { changesOf } from "../../../ui/merge.ts";
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
  const query = useQuery(toolQuery(Number(params.id)));
  const tool = query.data;
  if (query.error && problemOf(query.error).code === "not_found") return <NotFound />;
  return (
    <Frame
      forms
      title={tool?.name ?? t("nav.tools")}
      lead={tool?.description}
      back={{ to: "/tools", label: t("nav.tools") }}
    >
      <Loaded query={query}>{(data) => <Editor key={data.id} tool={data} />}</Loaded>
    </Frame>
  );
}

function Editor({ tool }: { tool: QueryData<ReturnType<typeof toolQuery>> }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const navigate = useNavigate();
  const stale = useStale();
  const { showMessage } = useToasts();
  const form = useRecordForm(tool, toolQuery(tool.id), toolDraftOf, {
    draft: `tools/${tool.id}`,
    secrets: ["secret"],
  });
  const params = { path: { id: tool.id } };

  async function remove() {
    await answer(own.DELETE("/tools/{id}", { params }));
    await navigate({ to: "/tools" });
    await stale("tools");
  }

  return (
    <>
      {tool.problem !== null && (
        <p className="note warn">{t("tools.attention_body", { problem: tool.problem })}</p>
      )}
      {mayChange && <TryTool tool={tool} />}
      <EditForm
        form={form}
        mayChange={mayChange}
        removal={{
          title: t("action.delete_title", { name: tool.name }),
          body: t("tools.delete_body"),
          onConfirm: remove,
        }}
        onSend={async (draft, { before, headers }) => {
          const { secret } = draft;
          const changes = changesOf(toolBodyOf(before), toolBodyOf(draft));
          const body = { ...changes, ...(secret ? { secret } : {}) };
          await answer(own.PATCH("/tools/{id}", { params, body, headers }));
          await stale("tools");
          showMessage(t("form.saved"));
        }}
      >
        <ToolFields form={form} stored />
      </EditForm>
    </>
  );
}
