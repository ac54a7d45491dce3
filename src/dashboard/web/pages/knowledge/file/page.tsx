/** One knowledge file: its content, and the agents that use it. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { answer, rest } from "../../../api/client.ts";
import { agentsQuery, fileQuery, type QueryData } from "../../../api/queries.ts";
import { useText } from "../../../i18n/text.tsx";
import { useSession } from "../../../session.ts";
import { AreaField, CheckField, TextField } from "../../../ui/field.tsx";
import { useRecordForm } from "../../../ui/form.ts";
import { changesOf } from "../../../ui/merge.ts";
import { useStale } from "../../../ui/mutate.ts";
import { Card, Page as Frame } from "../../../ui/page.tsx";
import { EditForm } from "../../../ui/send-form.tsx";
import { Loaded } from "../../../ui/states.tsx";
import { useToasts } from "../../../ui/toast.tsx";

export function Page() {
  const { t, bytes } = useText();
  const params: { id?: string } = useParams({ strict: false });
  const file = useQuery(fileQuery(Number(params.id)));
  return (
    <Frame
      forms
      title={file.data?.filename ?? t("knowledge.file")}
      lead={file.data && bytes(file.data.size_bytes)}
      back={{ to: "/knowledge", label: t("nav.knowledge") }}
    >
      <Loaded query={file}>{(data) => <Editor key={data.id} file={data} />}</Loaded>
    </Frame>
  );
}

type File = QueryData<ReturnType<typeof fileQuery>>;
const draftOf = ({ filename, content, agent_ids }: File) => ({ filename, content, agent_ids });

function Editor({ file }: { file: File }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const { showMessage } = useToasts();
  const stale = useStale();
  const navigate = useNavigate();
  const form = useRecordForm(file, fileQuery(file.id), draftOf, { draft: `files/${file.id}` });
  const path = { id: file.id };

  async function remove() {
    await answer(rest.DELETE("/files/{id}", { params: { path } }));
    await navigate({ to: "/knowledge" });
    await stale("files");
  }

  return (
    <EditForm
      form={form}
      mayChange={mayChange}
      curl={(body) => ({ method: "PATCH", path: `/files/${file.id}`, body })}
      removal={{
        title: t("action.delete_title", { name: file.filename }),
        body: t("knowledge.delete_body"),
        onConfirm: remove,
      }}
      onSend={async (draft, { before, headers }) => {
        const body = changesOf(before, draft);
        await answer(rest.PATCH("/files/{id}", { params: { path }, body, headers }));
        await stale("files");
        showMessage(t("form.saved"));
      }}
    >
      <Card>
        <TextField
          label={t("knowledge.filename")}
          hint={t("knowledge.filename_hint")}
          {...form.bind("filename")}
        />
        <AreaField label={t("knowledge.content")} rows={14} {...form.bind("content")} />
      </Card>
      <KnowingAgents ids={form.values.agent_ids} onIds={(ids) => form.set({ agent_ids: ids })} />
    </EditForm>
  );
}

function KnowingAgents(props: { ids: number[]; onIds: (ids: number[]) => void }) {
  const { t } = useText();
  const agents = useQuery(agentsQuery);
  const { ids } = props;
  return (
    <Card title={t("knowledge.for_agents")}>
      {agents.data?.length === 0 && <p className="soft">{t("knowledge.no_agents")}</p>}
      {(agents.data ?? []).map(({ id, name }) => (
        <CheckField
          key={id}
          label={name}
          value={ids.includes(id)}
          onValue={(known) => props.onIds(known ? [...ids, id] : ids.filter((one) => one !== id))}
        />
      ))}
    </Card>
  );
}
