/** Every field of a tool. */
import type { Rest } from "../../api/client.ts";
import { useText } from "../../i18n/text.tsx";
import { AreaField, SelectField, SwitchField, TextField } from "../../ui/field.tsx";
import type { Form } from "../../ui/form.ts";
import { Card } from "../../ui/page.tsx";
import { useAgentChoices } from "../agents/agent-choices.ts";
import { SchemaEditor } from "./schema-editor.tsx";
import type { JsonSchema } from "./schema-fields.ts";

type CallerLevel = "0" | "1" | "2";
const CALLER_LEVELS: readonly CallerLevel[] = ["0", "1", "2"];
const LEVEL_VALUES = { "0": 0, "1": 1, "2": 2 } as const;

interface ToolDraft {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly secret_header: string;
  readonly secret: string;
  readonly agent_id: string;
  readonly parameters: JsonSchema;
  readonly enabled: boolean;
  readonly caller_level: CallerLevel;
}

export const emptyTool = (agentId: string): ToolDraft => ({
  name: "",
  description: "",
  url: "",
  secret_header: "X-Tool-Secret",
  secret: "",
  agent_id: agentId,
  parameters: { type: "object", properties: {}, required: [] },
  enabled: true,
  caller_level: "0",
});

export const toolDraftOf = (tool: Rest["Tool"]): ToolDraft => ({
  name: tool.name,
  description: tool.description,
  url: tool.url,
  secret_header: tool.secret_header,
  parameters: tool.parameters,
  enabled: tool.enabled,
  secret: "",
  agent_id: String(tool.agent_id ?? ""),
  caller_level: CALLER_LEVELS[tool.caller_level] ?? "0",
});

/** The request body. It includes the secret only if somebody typed one. */
export const toolBodyOf = (draft: ToolDraft) => ({
  name: draft.name,
  description: draft.description,
  url: draft.url,
  secret_header: draft.secret_header,
  agent_id: draft.agent_id === "" ? null : Number(draft.agent_id),
  parameters: draft.parameters,
  enabled: draft.enabled,
  caller_level: LEVEL_VALUES[draft.caller_level],
});

export function ToolFields({ form, stored }: { form: Form<ToolDraft>; stored: boolean }) {
  const { t } = useText();
  return (
    <>
      <Card>
        <TextField
          label={t("form.name")}
          hint={t("tools.name_hint")}
          placeholder="find_booking"
          required
          {...form.bind("name")}
        />
        <AreaField
          label={t("tools.description")}
          hint={t("tools.description_hint")}
          rows={2}
          required
          {...form.bind("description")}
        />
        <TextField
          label={t("tools.url")}
          hint={t("tools.url_hint")}
          type="url"
          placeholder="https://example.com/tools/find-booking"
          required
          {...form.bind("url")}
        />
        <div className="columns">
          <TextField label={t("tools.secret_header")} {...form.bind("secret_header")} />
          <TextField
            label={t("tools.secret")}
            hint={t(stored ? "tools.secret_kept" : "tools.secret_hint")}
            type="password"
            autoComplete="off"
            {...form.bind("secret")}
          />
        </div>
        <Use form={form} />
      </Card>
      <SchemaEditor {...form.bind("parameters")} />
    </>
  );
}

/** The tool's agents, the required caller verification, and whether it is enabled. */
function Use({ form }: { form: Form<ToolDraft> }) {
  const { t } = useText();
  const agents = useAgentChoices(t("tools.every_agent"));
  return (
    <>
      <SelectField label={t("tools.agent")} choices={agents} {...form.bind("agent_id")} />
      <SelectField
        label={t("tools.caller_level")}
        hint={t("tools.caller_level_hint")}
        choices={CALLER_LEVELS.map((value) => ({
          value,
          label: t(`tools.caller_level.${value}`),
        }))}
        {...form.bind("caller_level")}
      />
      <SwitchField
        label={t("tools.enabled")}
        hint={t("tools.enabled_hint")}
        {...form.bind("enabled")}
      />
    </>
  );
}
