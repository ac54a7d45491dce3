/**
 * A form's values, the API's problems with them, and sending. The server validates: a problem with a
 * `field` is shown at that field, which gets the focus; any other problem is shown below the form.
 */
import { type FormEvent, useState } from "react";
import { type ApiProblem, problemOf } from "../api/problem.ts";
import { fieldText } from "../i18n/server-messages.ts";
import { useText } from "../i18n/text.tsx";

export interface Bound<Value> {
  readonly name: string;
  readonly value: Value;
  readonly error: string | null;
  readonly onValue: (value: Value) => void;
}

export interface Form<Values extends object> {
  readonly values: Values;
  readonly busy: boolean;
  readonly dirty: boolean;
  /** The problem that no field can show. */
  readonly problem: ApiProblem | null;
  set(changes: Partial<Values>): void;
  reset(values: Values): void;
  bind<Name extends keyof Values & string>(name: Name): Bound<Values[Name]>;
  /** For `onSubmit`. */
  send(action: (values: Values) => Promise<unknown>): (event: FormEvent) => void;
}

export function useForm<Values extends object>(initial: Values): Form<Values> {
  const texts = useText();
  const [start, setStart] = useState(initial);
  const [values, setValues] = useState(initial);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [busy, setBusy] = useState(false);
  const own = (found: ApiProblem | null) =>
    found?.field !== null && found?.field !== undefined && found.field in values;

  function set(changes: Partial<Values>): void {
    setValues((before) => ({ ...before, ...changes }));
    if (problem?.field && problem.field in changes) setProblem(null);
  }

  async function run(action: (values: Values) => Promise<unknown>, form: EventTarget) {
    setBusy(true);
    setProblem(null);
    try {
      await action(values);
      setStart(values);
    } catch (thrown) {
      const found = problemOf(thrown);
      setProblem(found);
      if (found.field && form instanceof HTMLFormElement) {
        const control = form.elements.namedItem(found.field);
        if (control instanceof HTMLElement) control.focus();
      }
    } finally {
      setBusy(false);
    }
  }

  return {
    values,
    busy,
    dirty: JSON.stringify(values) !== JSON.stringify(start),
    problem: own(problem) ? null : problem,
    set,
    reset(next) {
      setStart(next);
      setValues(next);
      setProblem(null);
    },
    bind: (name) => ({
      name,
      value: values[name],
      error: problem?.field === name ? fieldText(problem, texts) : null,
      onValue: (value) => set({ [name]: value } as unknown as Partial<Values>),
    }),
    send: (action) => (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (!busy) void run(action, event.currentTarget);
    },
  };
}
