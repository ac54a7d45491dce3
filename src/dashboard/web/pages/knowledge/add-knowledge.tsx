/** Adds a knowledge file: chosen from the disk, or typed here. */
import { useQuery } from "@tanstack/react-query";
import { answer, rest } from "../../api/client.ts";
import { filesQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { AreaField, FileField, SelectField, TextField } from "../../ui/field.tsx";
import { type Form, useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { FormDialog } from "../../ui/send-form.tsx";
import { useToasts } from "../../ui/toast.tsx";
import { useAgentChoices } from "../agents/agent-choices.ts";

interface Draft {
  readonly filename: string;
  readonly content: string;
  /** A document in base64; null if the content is text. */
  readonly document: string | null;
  readonly agent_id: string;
}

const NO_FILE = { filename: "", content: "", document: null };
const DOCUMENT = /\.(pdf|docx?|x?html?)$/i;
const DOCUMENT_BYTES_MAX = 8_388_608;

/** Typed text is Markdown unless its name has another extension. */
const named = (filename: string) =>
  filename === "" || /\.\w+$/.test(filename) ? filename : `${filename.trim()}.md`;

const commonOf = ({ filename, agent_id }: Draft) => ({
  filename: named(filename),
  ...(agent_id ? { agent_id: Number(agent_id) } : {}),
});
const bodyOf = (draft: Draft) => ({ ...commonOf(draft), content: draft.content });

/** A document is converted to Markdown with the same name. */
const storedName = (filename: string) => named(filename).replace(DOCUMENT, ".md").toLowerCase();

/** Returns the number of pages without text. */
async function add(draft: Draft): Promise<number> {
  if (draft.document === null) {
    await answer(rest.POST("/files", { body: bodyOf(draft) }));
    return 0;
  }
  const body = { ...commonOf(draft), content_base64: draft.document };
  return (await answer(rest.POST("/files/import", { body }))).empty_pages;
}

export function AddKnowledge(props: { agentId: string; onClose: () => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const agents = useAgentChoices(t("knowledge.nobody"));
  const form = useForm<Draft>({ ...NO_FILE, agent_id: props.agentId });
  const { data: files = [] } = useQuery(filesQuery);
  const name = storedName(form.values.filename);
  const isTwice = files.some(({ filename }) => filename.toLowerCase() === name);
  return (
    <FormDialog
      onClose={props.onClose}
      wide
      title={t("knowledge.new")}
      action={t("action.add")}
      form={form}
      {...(form.values.document === null
        ? { curl: (draft: Draft) => ({ method: "POST", path: "/files", body: bodyOf(draft) }) }
        : {})}
      onSend={async (draft) => {
        const pages = await add(draft);
        await stale("files", "home");
        showMessage(pages > 0 ? t("knowledge.added_without", { pages }) : t("knowledge.added"));
        props.onClose();
      }}
    >
      <FileField
        label={t("knowledge.choose")}
        hint={t("knowledge.choose_hint")}
        accept=".pdf,.docx,.html,.htm,.md,.txt,.csv,.json"
        base64={(name) => DOCUMENT.test(name)}
        bytesMax={DOCUMENT_BYTES_MAX}
        onTooLarge={() => form.set(NO_FILE)}
        onFile={(read, filename) => {
          const isDocument = DOCUMENT.test(filename);
          form.set({
            filename,
            content: isDocument ? "" : read,
            document: isDocument ? read : null,
          });
        }}
      />
      {form.values.document === null && <WrittenText form={form} />}
      {isTwice && (
        <p className="hint" role="status">
          {t("knowledge.twice", { name })}
        </p>
      )}
      <SelectField label={t("knowledge.agents")} choices={agents} {...form.bind("agent_id")} />
    </FormDialog>
  );
}

function WrittenText({ form }: { form: Form<Draft> }) {
  const { t } = useText();
  return (
    <>
      <TextField label={t("knowledge.filename")} required {...form.bind("filename")} />
      <AreaField label={t("knowledge.content")} rows={8} required {...form.bind("content")} />
    </>
  );
}
