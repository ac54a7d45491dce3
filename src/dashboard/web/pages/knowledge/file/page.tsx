/** One knowledge file: its content and the agents that know it. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { answer, type Rest, rest } from "../../../api/client.ts";
import { agentsQuery, fileQuery } from "../../../api/queries.ts";
import { useText } from "../../../i18n/text.tsx";
import { useSession } from "../../../session.ts";
import { Button } from "../../../ui/button.tsx";
import { CurlButton } from "../../../ui/copy.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { AreaField, CheckField, TextField } from "../../../ui/field.tsx";
import { useForm } from "../../../ui/form.ts";
import { useStale } from "../../../ui/mutate.ts";
import { Card, Page as Frame } from "../../../ui/page.tsx";
import { Loaded, ProblemNote } from "../../../ui/states.tsx";
import { useToasts } from "../../../ui/toast.tsx";

export function Page() {
  const { t, bytes } = useText();
  const params: { id?: string } = useParams({ strict: false });
  const file = useQuery(fileQuery(Number(params.id)));
  return (
    <Frame
      narrow
      title={file.data?.filename ?? t("knowledge.file")}
      lead={file.data && bytes(file.data.size_bytes)}
      back={{ to: "/knowledge", label: t("nav.knowledge") }}
    >
      <Loaded query={file}>{(data) => <Editor key={data.updated_at} file={data} />}</Loaded>
    </Frame>
  );
}

function Editor({ file }: { file: Rest["FileWithContent"] }) {
  const { t } = useText();
  const { mayChange } = useSession();
  const { showMessage } = useToasts();
  const stale = useStale();
  const navigate = useNavigate();
  const agents = useQuery(agentsQuery);
  const [deleting, setDeleting] = useState(false);
  const { filename, content, agent_ids } = file;
  const form = useForm({ filename, content, agent_ids });
  const path = { id: file.id };

  async function remove() {
    await answer(rest.DELETE("/files/{id}", { params: { path } }));
    await navigate({ to: "/knowledge" });
    await stale("files");
  }

  return (
    <form
      className="form"
      noValidate
      onSubmit={form.send(async (body) => {
        await answer(rest.PATCH("/files/{id}", { params: { path }, body }));
        await stale("files");
        showMessage(t("form.saved"));
      })}
    >
      <Card>
        <TextField
          label={t("knowledge.filename")}
          hint={t("knowledge.filename_hint")}
          {...form.bind("filename")}
        />
        <AreaField label={t("knowledge.content")} code rows={14} {...form.bind("content")} />
      </Card>
      <Card title={t("knowledge.for_agents")}>
        {agents.data?.length === 0 && <p className="soft">{t("knowledge.no_agents")}</p>}
        {(agents.data ?? []).map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            value={form.values.agent_ids.includes(id)}
            onValue={(known) =>
              form.set({
                agent_ids: known
                  ? [...form.values.agent_ids, id]
                  : form.values.agent_ids.filter((other) => other !== id),
              })
            }
          />
        ))}
      </Card>
      {mayChange && (
        <div className="form-foot sticky-foot">
          <Button type="submit" variant="primary" busy={form.busy} disabled={!form.dirty}>
            {t("action.save")}
          </Button>
          <CurlButton
            request={() => ({ method: "PATCH", path: `/files/${file.id}`, body: form.values })}
          />
          <span className="grow" />
          <Button variant="danger" onClick={() => setDeleting(true)}>
            {t("action.delete")}
          </Button>
          <ProblemNote problem={form.problem} />
        </div>
      )}
      <Confirm
        title={t("knowledge.delete_title", { name: file.filename })}
        body={t("knowledge.delete_body")}
        action={t("action.delete")}
        open={deleting}
        onOpen={setDeleting}
        onConfirm={remove}
      />
    </form>
  );
}
