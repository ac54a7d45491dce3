/** The arguments of a tool, as fields or as JSON Schema. */
import { useState } from "react";
import { useText } from "../../i18n/text.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { AreaField, CheckField, FilterSelect, useReadOnly } from "../../ui/field.tsx";
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
  const [asText, setAsText] = useState(list === null);
  const [tooRich, setTooRich] = useState(false);

  function toggle(): void {
    const found = asText ? argumentsOf(value) : list;
    setTooRich(asText && found === null);
    if (asText && found === null) return;
    setList(found);
    setAsText(!asText);
  }

  return (
    <Card
      title={t("tools.parameters")}
      note={t("tools.parameters_lead")}
      actions={
        <Button small onClick={toggle}>
          {t(asText ? "tools.as_fields" : "tools.as_json")}
        </Button>
      }
    >
      {asText ? (
        <SchemaText
          value={value}
          error={tooRich ? t("tools.too_rich") : error}
          onValue={(schema) => {
            setTooRich(false);
            onValue(schema);
          }}
        />
      ) : (
        <Arguments
          list={list ?? []}
          error={error}
          onList={(next) => {
            setList(next);
            onValue(schemaOf(next.filter(({ name }) => name !== "")));
          }}
        />
      )}
    </Card>
  );
}

/** The schema as JSON. Invalid JSON shows a problem and changes nothing. */
function SchemaText(props: {
  value: JsonSchema;
  error: string | null;
  onValue: (schema: JsonSchema) => void;
}) {
  const { t } = useText();
  const [text, setText] = useState(() => JSON.stringify(props.value, null, 2));
  const [bad, setBad] = useState(false);

  function change(next: string): void {
    setText(next);
    try {
      const schema: unknown = JSON.parse(next);
      if (typeof schema !== "object" || schema === null) throw new TypeError("not an object");
      setBad(false);
      props.onValue(schema as JsonSchema);
    } catch {
      setBad(true);
    }
  }

  return (
    <AreaField
      label={t("tools.as_json")}
      code
      rows={10}
      name="parameters"
      value={text}
      error={bad ? t("tools.json_bad") : props.error}
      onValue={change}
    />
  );
}

function Arguments(props: {
  list: readonly Argument[];
  error: string | null;
  onList: (list: readonly Argument[]) => void;
}) {
  const { t } = useText();
  const { list, error, onList } = props;
  const isReadOnly = useReadOnly();
  return (
    <>
      {list.map((argument, at) => (
        <ArgumentRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a name is being typed, so it is no key
          key={at}
          argument={argument}
          onChange={(changed) => onList(list.with(at, changed))}
          onRemove={() => onList(list.filter((_, other) => other !== at))}
        />
      ))}
      {error && (
        <p className="error-text" role="alert">
          {error}
        </p>
      )}
      {!isReadOnly && (
        <div>
          <Button
            small
            icon="plus"
            onClick={() =>
              onList([...list, { name: "", type: "string", description: "", required: true }])
            }
          >
            {t("tools.add_argument")}
          </Button>
        </div>
      )}
    </>
  );
}

function ArgumentRow(props: {
  argument: Argument;
  onChange: (argument: Argument) => void;
  onRemove: () => void;
}) {
  const { t } = useText();
  const { argument, onChange } = props;
  const isReadOnly = useReadOnly();
  return (
    <div className="argument">
      <input
        className="input mono"
        aria-label={t("form.name")}
        placeholder={t("form.name")}
        value={argument.name}
        readOnly={isReadOnly}
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
        readOnly={isReadOnly}
        onChange={(event) => onChange({ ...argument, description: event.target.value })}
      />
      <CheckField
        label={t("tools.required")}
        value={argument.required}
        onValue={(required) => onChange({ ...argument, required })}
      />
      {!isReadOnly && (
        <IconButton
          icon="trash"
          label={t("tools.remove_argument", { name: argument.name })}
          onClick={props.onRemove}
        />
      )}
    </div>
  );
}
