/** Form fields: label, hint and the API's error, linked to the control for screen readers. */
import { type ComponentProps, createContext, type ReactNode, use, useId, useState } from "react";
import { decodeText } from "../../../core/text-encoding.ts";
import { useText } from "../i18n/text.tsx";
import type { Bound } from "./form.ts";

const ReadOnly = createContext(false);
/** Whether the fields inside show a record that the person may not change. */
export const ReadOnlyFields = ReadOnly.Provider;
export const useReadOnly = (): boolean => use(ReadOnly);

interface Notes {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly optional?: boolean;
}

interface Described extends Notes {
  readonly name: string;
  readonly error: string | null;
}

/** Splits a field's properties into those around the control and those of the control. */
function parted<Props extends Described>({ label, hint, optional, error, ...control }: Props) {
  return { around: { name: control.name, label, hint, optional, error }, control };
}

interface ControlIds {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

function Field({
  around: { name, label, hint, optional, error },
  children,
}: {
  around: Described;
  children: (ids: ControlIds) => ReactNode;
}) {
  const { t } = useText();
  const id = useId();
  return (
    <div className="field" data-field={name}>
      <label htmlFor={id}>
        {label} {optional && <span className="optional">{t("form.optional")}</span>}
      </label>
      {children({
        id,
        "aria-describedby": describedBy(id, error, hint),
        "aria-invalid": error !== null || undefined,
      })}
      <Below id={id} error={error} hint={hint} />
    </div>
  );
}

/** Ids of the elements that `Below` renders. */
const describedBy = (id: string, error: string | null, hint?: ReactNode): string | undefined =>
  [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ") || undefined;

function Below({ id, error, hint }: { id: string; error: string | null; hint?: ReactNode }) {
  return (
    <>
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
    </>
  );
}

type InputProps = Pick<
  ComponentProps<"input">,
  "autoComplete" | "autoFocus" | "disabled" | "list" | "placeholder" | "readOnly" | "required"
>;

interface TextProps extends Notes, Bound<string>, InputProps {
  readonly type?: "text" | "email" | "password" | "tel" | "url" | "datetime-local";
  readonly inputMode?: "numeric" | "tel";
}

export function TextField(props: TextProps) {
  const { around, control } = parted(props);
  const { onValue, ...rest } = control;
  const isReadOnly = useReadOnly();
  return (
    <Field around={around}>
      {(ids) => (
        <input
          {...ids}
          {...rest}
          readOnly={rest.readOnly || isReadOnly}
          data-first={rest.autoFocus}
          className="input"
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}

interface AreaProps extends Notes, Bound<string>, Pick<InputProps, "placeholder" | "required"> {
  readonly rows?: number;
  readonly code?: boolean;
}

export function AreaField(props: AreaProps) {
  const { around, control } = parted(props);
  const { onValue, code, ...rest } = control;
  const isReadOnly = useReadOnly();
  return (
    <Field around={around}>
      {(ids) => (
        <textarea
          {...ids}
          {...rest}
          readOnly={isReadOnly}
          className={code ? "input code" : "input"}
          style={{ minHeight: `${(rest.rows ?? 3) * 1.5 + 1.2}em` }}
          spellCheck={code ? false : undefined}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}

interface NumberProps
  extends Notes,
    Bound<number | null>,
    Pick<InputProps, "placeholder" | "readOnly"> {
  readonly step?: number;
}

/** An empty field is null. */
export function NumberField(props: NumberProps) {
  const { around, control } = parted(props);
  const { value, onValue, ...rest } = control;
  const isReadOnly = useReadOnly();
  return (
    <Field around={around}>
      {(ids) => (
        <input
          {...ids}
          {...rest}
          readOnly={rest.readOnly || isReadOnly}
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

interface SelectProps<Value extends string> extends Partial<ControlIds> {
  readonly name?: string;
  readonly className?: string;
  readonly "aria-label"?: string;
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  readonly onValue: (value: Value) => void;
}

/** A native select: it works best on phones and supports type-ahead. */
function Select<Value extends string>({ choices, onValue, ...rest }: SelectProps<Value>) {
  return (
    <select
      className="input"
      disabled={useReadOnly()}
      {...rest}
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

export function SelectField<Value extends string>(
  props: Notes & Bound<Value> & { choices: readonly Choice<Value>[] },
) {
  const { around, control } = parted(props);
  return <Field around={around}>{(ids) => <Select {...ids} {...control} />}</Field>;
}

/** A filter above a list. Its label is for screen readers only. */
export function FilterSelect<Value extends string>({
  label,
  ...rest
}: {
  label: string;
  value: Value;
  choices: readonly Choice<Value>[];
  onValue: (value: Value) => void;
}) {
  return <Select {...rest} className="input bar" aria-label={label} />;
}

export function SwitchField(props: Notes & Bound<boolean> & { disabled?: boolean }) {
  const { name, label, hint, error, value, onValue } = props;
  const id = useId();
  const isReadOnly = useReadOnly();
  return (
    <div className="switch-row" data-field={name}>
      <div>
        <label htmlFor={id}>{label}</label>
        <Below id={id} error={error} hint={hint} />
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        aria-checked={value}
        name={name}
        className="switch"
        checked={value}
        disabled={props.disabled || isReadOnly}
        onChange={(event) => onValue(event.target.checked)}
        aria-describedby={describedBy(id, error, hint)}
        aria-invalid={error !== null || undefined}
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
      <input
        type="checkbox"
        checked={value}
        disabled={useReadOnly()}
        onChange={(event) => onValue(event.target.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** Checkboxes for a fixed list; the value keeps the order of the list. */
export function CheckGroup<Value extends string>(props: {
  label: string;
  choices: readonly { readonly value: Value; readonly label: ReactNode }[];
  value: readonly Value[];
  error: string | null;
  onValue: (value: Value[]) => void;
}) {
  const { choices, value } = props;
  const id = useId();
  const all = choices.map((choice) => choice.value);
  return (
    <fieldset className="stack tight" aria-describedby={describedBy(id, props.error)}>
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
      <Below id={id} error={props.error} />
    </fieldset>
  );
}

/**
 * A file, read as soon as the person chooses it: as text, or as base64 if its name requires that.
 */
export function FileField(props: {
  label: string;
  hint?: string;
  error?: string | null;
  accept: string;
  base64?: (name: string) => boolean;
  bytesMax?: number;
  onFile: (text: string, name: string) => void;
  /** The file is too large. The previous choice is cleared. */
  onTooLarge?: () => void;
}) {
  const { t, bytes } = useText();
  const { label, hint, accept, bytesMax = Number.POSITIVE_INFINITY, onFile } = props;
  const [isLarge, setLarge] = useState(false);
  const error = isLarge ? t("field.file_large", { most: bytes(bytesMax) }) : (props.error ?? null);
  const read = async (file: File) =>
    props.base64?.(file.name)
      ? await base64Of(file)
      : decodeText(new Uint8Array(await file.arrayBuffer()));
  return (
    <Field around={{ name: "file", label, hint, error }}>
      {(ids) => (
        <input
          {...ids}
          type="file"
          className="input"
          accept={accept}
          onChange={(event) => {
            const file = event.target.files?.[0];
            const isTooLarge = file !== undefined && file.size > bytesMax;
            setLarge(isTooLarge);
            if (isTooLarge) props.onTooLarge?.();
            else if (file) void read(file).then((text) => onFile(text, file.name));
          }}
        />
      )}
    </Field>
  );
}

const base64Of = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
