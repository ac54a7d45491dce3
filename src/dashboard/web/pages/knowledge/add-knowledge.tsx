/** Add a file: chosen from the disk, or written here. */
import { answer, rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { AreaField, FileField, SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { FormDialog } from "../../ui/send-form.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useAgentChoices } from "../agents/agent-choices.ts";

interface Draft {
  readonly filename: string;
  readonly content: string;
  readonly agent_id: string;
}

const bodyOf = ({ filename, content, agent_id }: Draft) => ({
  filename,
  content,
  ...(agent_id ? { agent_id: Number(agent_id) } : {}),
});

export function AddKnowledge(props: { agentId: string; onClose: () => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const agents = useAgentChoices(t("knowledge.nobody"));
  const form = useForm<Draft>({ filename: "", content: "", agent_id: props.agentId });
  return (
    <FormDialog
      onClose={props.onClose}
      wide
      title={t("knowledge.new")}
      action={t("action.add")}
      form={form}
      curl={(draft) => ({ method: "POST", path: "/files", body: bodyOf(draft) })}
      onSend={async (draft) => {
        await answer(rest.POST("/files", { body: bodyOf(draft) }));
        await stale("files", "home");
        showMessage(t("knowledge.added"));
        props.onClose();
      }}
    >
      <FileField
        label={t("knowledge.choose")}
        hint={t("knowledge.choose_hint")}
        accept=".txt,.md,.csv,.json"
        onFile={(content, filename) => form.set({ filename, content })}
      />
      <TextField
        label={t("knowledge.filename")}
        hint={t("knowledge.filename_hint")}
        placeholder="prices.md"
        required
        {...form.bind("filename")}
      />
      <AreaField label={t("knowledge.content")} code rows={8} required {...form.bind("content")} />
      <SelectField label={t("knowledge.agents")} choices={agents} {...form.bind("agent_id")} />
    </FormDialog>
  );
}
