/** Add a file: chosen from the disk, or written here. */
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { answer, rest } from "../../api/client.ts";
import { agentsQuery } from "../../api/queries.ts";
import { useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import { CurlButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { useForm } from "../../ui/form.ts";
import { useStale } from "../../ui/mutate.ts";
import { ProblemNote } from "../../ui/states.tsx";
import { useToasts } from "../../ui/toast.tsx";

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

export function AddKnowledge(props: { open: boolean; onOpen: (open: boolean) => void }) {
  const { t } = useText();
  const { showMessage } = useToasts();
  const stale = useStale();
  const agents = useQuery(agentsQuery);
  const chooser = useId();
  const empty: Draft = { filename: "", content: "", agent_id: "" };
  const form = useForm(empty);

  async function choose(file: File | undefined) {
    if (file) form.set({ filename: file.name, content: await file.text() });
  }

  return (
    <Dialog wide title={t("knowledge.new")} open={props.open} onOpen={props.onOpen}>
      <form
        className="form"
        noValidate
        onSubmit={form.send(async (draft) => {
          await answer(rest.POST("/files", { body: bodyOf(draft) }));
          await stale("files", "home");
          showMessage(t("knowledge.added"));
          form.reset(empty);
          props.onOpen(false);
        })}
      >
        <div className="field">
          <label htmlFor={chooser}>{t("knowledge.choose")}</label>
          <input
            id={chooser}
            type="file"
            className="input"
            accept=".txt,.md,.csv,.json"
            onChange={(event) => void choose(event.target.files?.[0])}
          />
          <p className="hint">{t("knowledge.choose_hint")}</p>
        </div>
        <TextField
          label={t("knowledge.filename")}
          hint={t("knowledge.filename_hint")}
          placeholder="prices.md"
          required
          {...form.bind("filename")}
        />
        <AreaField
          label={t("knowledge.content")}
          code
          rows={8}
          required
          {...form.bind("content")}
        />
        <SelectField
          label={t("knowledge.agents")}
          choices={[
            { value: "", label: t("knowledge.nobody") },
            ...(agents.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          {...form.bind("agent_id")}
        />
        <ProblemNote problem={form.problem} />
        <div className="form-foot">
          <Button type="submit" variant="primary" busy={form.busy}>
            {t("action.add")}
          </Button>
          <CurlButton
            request={() => ({ method: "POST", path: "/files", body: bodyOf(form.values) })}
          />
        </div>
      </form>
    </Dialog>
  );
}
