/** Form fields: label, hint and the API's complaint, tied to the control for screen readers. */
import { type ReactNode, useId } from "react";
import { useText } from "../i18n/text.tsx";
import type { Bound } from "./form.ts";

interface Notes {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly optional?: boolean;
}

interface Described extends Notes {
  readonly name: string;
  readonly error: string | null;
  readonly children: (ids: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": boolean | undefined;
  }) => ReactNode;
}

function Field({ name, label, hint, optional, error, children }: Described) {
  const { t } = useText();
  const id = useId();
  const described = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div className="field" data-field={name}>
      <label htmlFor={id}>
        {label} {optional && <span className="optional">{t("form.optional")}</span>}
      </label>
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": error !== null || undefined,
      })}
      {error && (
        <p className="error-text" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextProps extends Notes, Bound<string> {
  readonly type?:
    | "text"
    | "email"
    | "password"
    | "tel"
    | "url"
    | "search"
    | "date"
    | "datetime-local";
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
  readonly required?: boolean;
  readonly inputMode?: "numeric" | "tel";
  readonly disabled?: boolean;
  readonly readOnly?: boolean;
  readonly list?: string;
}

export function TextField({ label, hint, optional, error, value, onValue, ...rest }: TextProps) {
  return (
    <Field name={rest.name} label={label} hint={hint} optional={optional} error={error}>
      {(ids) => (
        <input
          {...ids}
          {...rest}
          className="input"
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}

interface AreaProps extends Notes, Bound<string> {
  readonly rows?: number;
  readonly code?: boolean;
  readonly placeholder?: string;
  readonly required?: boolean;
}

export function AreaField({
  label,
  hint,
  optional,
  error,
  value,
  onValue,
  code,
  ...rest
}: AreaProps) {
  return (
    <Field name={rest.name} label={label} hint={hint} optional={optional} error={error}>
      {(ids) => (
        <textarea
          {...ids}
          {...rest}
          className={code ? "input code" : "input"}
          style={{ minHeight: `${(rest.rows ?? 3) * 1.5 + 1.2}em` }}
          spellCheck={code ? false : undefined}
          value={value}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}

interface NumberProps extends Notes, Bound<number | null> {
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly placeholder?: string;
  readonly readOnly?: boolean;
}

/** Empty is null. */
export function NumberField({
  label,
  hint,
  optional,
  error,
  value,
  onValue,
  ...rest
}: NumberProps) {
  return (
    <Field name={rest.name} label={label} hint={hint} optional={optional} error={error}>
      {(ids) => (
        <input
          {...ids}
          {...rest}
          type="number"
          className="input nums"
          value={value ?? ""}
          onChange={(event) =>
            onValue(event.target.value === "" ? null : event.target.valueAsNumber)
          }
        />
      )}
    </Field>
  );
}

interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

/** A native select: it works best on phones and supports type-ahead. */
export function SelectField<Value extends string>({
  label,
  hint,
  optional,
  error,
  value,
  onValue,
  choices,
  name,
  disabled,
}: Notes & Bound<Value> & { choices: readonly Choice<Value>[]; disabled?: boolean }) {
  return (
    <Field name={name} label={label} hint={hint} optional={optional} error={error}>
      {(ids) => (
        <select
          {...ids}
          name={name}
          disabled={disabled}
          className="input"
          value={value}
          onChange={(event) => {
            const chosen = choices.find((choice) => choice.value === event.target.value);
            if (chosen) onValue(chosen.value);
          }}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function SwitchField({
  name,
  label,
  hint,
  error,
  value,
  onValue,
  disabled,
}: Notes & Bound<boolean> & { disabled?: boolean }) {
  const id = useId();
  return (
    <div className="switch-row" data-field={name}>
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p className="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
        {error && (
          <p className="error-text" role="alert">
            {error}
          </p>
        )}
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        aria-checked={value}
        name={name}
        className="switch"
        checked={value}
        disabled={disabled}
        onChange={(event) => onValue(event.target.checked)}
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
    </div>
  );
}

export function CheckField({
  label,
  value,
  onValue,
}: {
  label: ReactNode;
  value: boolean;
  onValue: (value: boolean) => void;
}) {
  return (
    <label className="check">
      <input type="checkbox" checked={value} onChange={(event) => onValue(event.target.checked)} />
      <span>{label}</span>
    </label>
  );
}

/** Checkboxes for several of a fixed list; the value keeps the order of the list. */
export function CheckGroup<Value extends string>(props: {
  label: string;
  choices: readonly { readonly value: Value; readonly label: ReactNode }[];
  value: readonly Value[];
  error: string | null;
  onValue: (value: Value[]) => void;
}) {
  const { choices, value } = props;
  const all = choices.map((choice) => choice.value);
  return (
    <fieldset className="stack tight">
      <legend className="legend">{props.label}</legend>
      {choices.map((choice) => (
        <CheckField
          key={choice.value}
          label={choice.label}
          value={value.includes(choice.value)}
          onValue={(chosen) =>
            props.onValue(
              all.filter((one) => (one === choice.value ? chosen : value.includes(one))),
            )
          }
        />
      ))}
      {props.error && (
        <p className="error-text" role="alert">
          {props.error}
        </p>
      )}
    </fieldset>
  );
}

/** A file, read as soon as the person chooses it: as text, or its bytes in base64. */
export function FileField(props: {
  label: string;
  hint?: string;
  error?: string | null;
  accept: string;
  base64?: boolean;
  onFile: (text: string, name: string) => void;
}) {
  const id = useId();
  const read = props.base64 ? base64Of : (file: File) => file.text();
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      <input
        id={id}
        type="file"
        className="input"
        accept={props.accept}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) void read(file).then((text) => props.onFile(text, file.name));
        }}
      />
      {props.hint && <p className="hint">{props.hint}</p>}
      {props.error && (
        <p className="error-text" role="alert">
          {props.error}
        </p>
      )}
    </div>
  );
}

const base64Of = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** A filter above a list. Only screen readers get its label. */
export function FilterSelect<Value extends string>({
  label,
  value,
  choices,
  onValue,
}: {
  label: string;
  value: Value;
  choices: readonly Choice<Value>[];
  onValue: (value: Value) => void;
}) {
  return (
    <select
      className="input bar"
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = choices.find((choice) => choice.value === event.target.value);
        if (chosen) onValue(chosen.value);
      }}
    >
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}
