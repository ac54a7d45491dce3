/**
 * A form's values, the API's problems with them, and submission. The server validates: a problem
 * with a `field` is shown at that field, which gets the focus; any other problem is shown below the
 * form. The form of a stored record knows the version it started from. Changes by others are
 * merged; if both changed the same field, the person decides.
 */
import { type FetchQueryOptions, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { type ApiProblem, problemOf } from "../api/problem.ts";
import { sessionQuery } from "../api/queries.ts";
import { problemText } from "../i18n/problem-text.ts";
import { useText } from "../i18n/text.tsx";
import { type Clash, isSame, merged } from "./merge.ts";
import { keptDraft, useKeptDraft, useUnsaved } from "./unsaved.tsx";

/** Maximum number of retries after others changed other fields of the record. */
const MERGES_MAX = 3;

export interface Bound<Value> {
  readonly name: string;
  readonly value: Value;
  readonly error: string | null;
  readonly onValue: (value: Value) => void;
}

/** Values of a record when its form was filled. `version` is "" if the server sends none. */
interface Stored<Values> {
  readonly values: Values;
  readonly version: string;
}

/** The values before a change, and the headers that send their version to the server. */
export interface Change<Values> {
  readonly before: Values;
  readonly headers: { readonly "if-match"?: string };
}

type Action<Values> = (values: Values, change: Change<Values>) => Promise<unknown>;

interface FormOptions<Values> {
  /** Version of the record whose values the form starts with. */
  readonly version?: string;
  /** Loads the record again. */
  readonly reload?: () => Promise<Stored<Values>>;
  /** Name under which unsaved values are kept until they are saved. */
  readonly draft?: string;
  /** Secret fields, never part of a draft. */
  readonly secrets?: readonly (keyof Values)[];
  readonly outlivesTabs?: boolean;
  /** Do not ask before these values are lost: a code, a trial. */
  readonly unguarded?: boolean;
}

/** Fields that somebody else has changed too, and the possible ways to continue. */
export interface Disputed {
  readonly clashes: readonly Clash[];
  keepMine(): void;
  takeTheirs(): void;
  cancel(): void;
}

export interface Form<Values extends object> {
  readonly values: Values;
  readonly busy: boolean;
  readonly dirty: boolean;
  /** Closing the form now would lose values. */
  readonly guarded: boolean;
  /** The values are a restored unsaved draft. */
  readonly restored: boolean;
  readonly disputed: Disputed | null;
  /** The problem that belongs to no field. */
  readonly problem: ApiProblem | null;
  set(changes: Partial<Values>): void;
  reset(values: Values): void;
  /** Returns to the stored values. */
  discard(): void;
  /** Runs an action that leaves the page, without a question about unsaved values. */
  leaving(action: () => Promise<unknown>): Promise<unknown>;
  bind<Name extends keyof Values & string>(name: Name): Bound<Values[Name]>;
  send(action: Action<Values>): (event: FormEvent) => void;
}

const isOutdated = (problem: ApiProblem) => problem.status === 409 && problem.field === "if_match";

/**
 * Returns the kept draft if it has exactly the fields of `values`: an older dashboard may have
 * stored it.
 */
function draftOf<Values extends object>(name: string | undefined, values: Values) {
  const draft = keptDraft(name) as (Stored<Values> & { readonly typed: Values }) | null;
  const names = (of: object | undefined) => Object.keys(of ?? {}).join();
  const fits =
    draft && names(draft.typed) === names(values) && names(draft.values) === names(values);
  return fits ? draft : null;
}

/** The name under which a form's draft is kept, for this person in this company. */
function useDraftName(name: string | undefined): string | undefined {
  const session = useQueryClient().getQueryData(sessionQuery.queryKey)?.session;
  return name === undefined || !session
    ? undefined
    : `${session.user.id}.${session.tenant?.id ?? 0}.${name}`;
}

/** The typed values, and the values they started from: the record or a kept draft. */
function useValues<Values extends object>(initial: Values, options: FormOptions<Values>) {
  const { version = "" } = options;
  const draftName = useDraftName(options.draft);
  const [found] = useState(() => draftOf(draftName, initial));
  const [base, setBase] = useState<Stored<Values>>(found ?? { values: initial, version });
  const [values, setValues] = useState(found?.typed ?? initial);
  const [restored, setRestored] = useState(found !== null);
  const running = useRef(0);
  const dirty = !isSame(values, base.values);
  const guarded = dirty && options.unguarded !== true;

  function start(stored: Stored<Values>, shown: Values = stored.values): void {
    setBase(stored);
    setValues(shown);
    setRestored(false);
  }
  const discard = () => start({ values: initial, version });

  const secrets = Object.fromEntries((options.secrets ?? []).map((name) => [name, initial[name]]));
  useKeptDraft(draftName, dirty ? { ...base, typed: { ...values, ...secrets } } : null);
  useUnsaved({
    get isDirty() {
      return guarded && running.current === 0;
    },
    outlivesTabs: options.outlivesTabs === true,
    discard,
  });

  async function leaving<Result>(action: () => Promise<Result>): Promise<Result> {
    running.current++;
    try {
      return await action();
    } finally {
      running.current--;
    }
  }

  return { base, values, setValues, restored, dirty, guarded, start, discard, leaving };
}

/** Sends values, merges changes by others, and asks if that is impossible. */
function useSending<Values extends object>(
  { start, leaving }: ReturnType<typeof useValues<Values>>,
  { reload }: FormOptions<Values>,
) {
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [disputed, setDisputed] = useState<Disputed | null>(null);
  const [busy, setBusy] = useState(false);

  /** Sends `mine` as a change of `from`. If others changed the record, merges and sends again. */
  async function attempt(sent: Sent<Values>, mergesLeft = MERGES_MAX): Promise<void> {
    const { action, mine, from, form } = sent;
    try {
      const headers = from.version ? { "if-match": from.version } : {};
      await action(mine, { before: from.values, headers });
      start({ values: mine, version: from.version });
    } catch (thrown) {
      const found = problemOf(thrown);
      if (!isOutdated(found) || !reload || mergesLeft === 0) throw found;
      const stored = await reload();
      const { values: both, clashes } = merged(from.values, mine, stored.values);
      const again = { ...sent, mine: both, from: stored };
      if (clashes.length === 0) return attempt(again, mergesLeft - 1);
      setDisputed({
        clashes: clashes.map((clash) => ({ ...clash, label: labelOf(form, clash.name) })),
        keepMine: () => void run(again),
        takeTheirs() {
          const theirs = clashes.map(({ name }) => [name, stored.values[name as keyof Values]]);
          start(stored, { ...both, ...Object.fromEntries(theirs) });
          setDisputed(null);
        },
        cancel: () => setDisputed(null),
      });
    }
  }

  async function run(sent: Sent<Values>): Promise<void> {
    setBusy(true);
    setProblem(null);
    setDisputed(null);
    try {
      await leaving(() => attempt(sent));
    } catch (thrown) {
      const found = problemOf(thrown);
      setProblem(found);
      if (found.field && sent.form instanceof HTMLFormElement) {
        const control = sent.form.elements.namedItem(found.field);
        if (control instanceof HTMLElement) control.focus();
      }
    } finally {
      setBusy(false);
    }
  }

  return { problem, setProblem, disputed, busy, run };
}

interface Sent<Values> {
  readonly action: Action<Values>;
  readonly mine: Values;
  readonly from: Stored<Values>;
  readonly form: EventTarget;
}

export function useForm<Values extends object>(
  initial: Values,
  options: FormOptions<Values> = {},
): Form<Values> {
  const texts = useText();
  const { version = "" } = options;
  const typed = useValues(initial, options);
  const { base, values, setValues, restored, dirty, guarded, start, leaving } = typed;
  const { problem, setProblem, disputed, busy, run } = useSending(typed, options);
  const isShownAtField = typeof problem?.field === "string" && problem.field in values;

  // The record was loaded again and the person typed nothing: show the new values.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `initial` follows from the version
  useEffect(() => {
    if (!dirty && !busy && version !== base.version) start({ values: initial, version });
  }, [version, dirty, busy]);

  function set(changes: Partial<Values>): void {
    setValues((before) => ({ ...before, ...changes }));
    if (problem?.field && problem.field in changes) setProblem(null);
  }

  return {
    values,
    busy,
    dirty,
    guarded,
    restored,
    disputed,
    set,
    leaving,
    problem: isShownAtField ? null : problem,
    reset(next) {
      start({ values: next, version: base.version });
      setProblem(null);
    },
    discard() {
      typed.discard();
      setProblem(null);
    },
    bind: (name) => ({
      name,
      value: values[name],
      error: problem?.field === name ? problemText(problem, texts) : null,
      onValue: (value) => set({ [name]: value } as unknown as Partial<Values>),
    }),
    send: (action) => (event) => {
      event.preventDefault();
      event.stopPropagation();
      const sent = { action, mine: values, from: base, form: event.currentTarget };
      if (!busy) void run(sent);
    },
  };
}

/**
 * The form of a stored record: `query` loads it and `draftOf` makes the form values. `record` is
 * null for a new record.
 */
export function useRecordForm<
  Record extends { readonly version: string } | null,
  Values extends object,
  Key extends QueryKey,
>(
  record: Record,
  query: FetchQueryOptions<Record, Error, Record, Key>,
  draftOf: (record: Record) => Values,
  options: Omit<FormOptions<Values>, "version" | "reload"> = {},
): Form<Values> {
  const queries = useQueryClient();
  return useForm(draftOf(record), {
    ...options,
    version: record?.version,
    async reload() {
      const stored = await queries.fetchQuery({ ...query, staleTime: 0 });
      return { values: draftOf(stored), version: stored?.version ?? "" };
    },
  });
}

/** The label of a field, as the form shows it. */
function labelOf(form: EventTarget, name: string): string {
  const field = form instanceof Element ? form.querySelector(`[data-field="${name}"]`) : null;
  return field?.querySelector("label, legend, h2")?.firstChild?.textContent?.trim() ?? name;
}
