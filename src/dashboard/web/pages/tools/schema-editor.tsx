/** The arguments of a tool: as fields, or as the JSON Schema itself. */
import { useState } from "react";
import { useText } from "../../i18n/text.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { AreaField, CheckField, FilterSelect } from "../../ui/field.tsx";
import type { Bound } from "../../ui/form.ts";
import { Card } from "../../ui/page.tsx";
import {
  ARGUMENT_TYPES,
  type Argument,
  argumentsOf,
  type JsonSchema,
  schemaOf,
} from "./schema-fields.ts";

export function SchemaEditor({ value, onValue, error }: Bound<JsonSchema>) {
  const { t } = useText();
  const [list, setList] = useState(() => argumentsOf(value));
  const [text, setText] = useState<string | null>(
    list === null ? JSON.stringify(value, null, 2) : null,
  );
  const [jsonProblem, setJsonProblem] = useState<string | null>(null);

  function change(next: readonly Argument[]): void {
    setList(next);
    onValue(schemaOf(next.filter(({ name }) => name !== "")));
  }

  function changeText(next: string): void {
    setText(next);
    try {
      const schema: unknown = JSON.parse(next);
      if (typeof schema !== "object" || schema === null) throw new TypeError("not an object");
      setJsonProblem(null);
      onValue(schema as JsonSchema);
    } catch {
      setJsonProblem(t("tools.json_bad"));
    }
  }

  function toggle(): void {
    if (text === null) {
      setText(JSON.stringify(value, null, 2));
      return;
    }
    const found = argumentsOf(value);
    if (found === null) setJsonProblem(t("tools.too_rich"));
    else {
      setList(found);
      setText(null);
      setJsonProblem(null);
    }
  }

  return (
    <Card
      title={t("tools.parameters")}
      note={t("tools.parameters_lead")}
      actions={
        <Button variant="ghost" onClick={toggle}>
          {t(text === null ? "tools.as_json" : "tools.as_fields")}
        </Button>
      }
    >
      {text === null ? (
        <>
          {(list ?? []).map((argument, at) => (
            <ArgumentRow
              // biome-ignore lint/suspicious/noArrayIndexKey: a name is being typed, so it is no key
              key={at}
              argument={argument}
              onChange={(changed) => change((list ?? []).with(at, changed))}
              onRemove={() => change((list ?? []).filter((_, other) => other !== at))}
            />
          ))}
          {error && (
            <p className="error-text" role="alert">
              {error}
            </p>
          )}
          <div>
            <Button
              small
              icon="plus"
              onClick={() =>
                change([
                  ...(list ?? []),
                  { name: "", type: "string", description: "", required: true },
                ])
              }
            >
              {t("tools.add_argument")}
            </Button>
          </div>
        </>
      ) : (
        <AreaField
          label={t("tools.as_json")}
          code
          rows={10}
          name="parameters"
          value={text}
          error={jsonProblem ?? error}
          onValue={changeText}
        />
      )}
    </Card>
  );
}

function ArgumentRow(props: {
  argument: Argument;
  onChange: (argument: Argument) => void;
  onRemove: () => void;
}) {
  const { t } = useText();
  const { argument, onChange } = props;
  return (
    <div className="argument">
      <input
        className="input mono"
        aria-label={t("tools.argument")}
        placeholder={t("tools.argument")}
        value={argument.name}
        onChange={(event) => onChange({ ...argument, name: event.target.value.trim() })}
      />
      <FilterSelect
        label={t("tools.type")}
        value={argument.type}
        choices={ARGUMENT_TYPES.map((value) => ({ value, label: t(`tools.type.${value}`) }))}
        onValue={(type) => onChange({ ...argument, type })}
      />
      <input
        className="input"
        aria-label={t("tools.meaning")}
        placeholder={t("tools.meaning")}
        value={argument.description}
        onChange={(event) => onChange({ ...argument, description: event.target.value })}
      />
      <CheckField
        label={t("tools.required")}
        value={argument.required}
        onValue={(required) => onChange({ ...argument, required })}
      />
      <IconButton
        icon="trash"
        label={t("tools.remove_argument", { name: argument.name })}
        onClick={props.onRemove}
      />
    </div>
  );
}
