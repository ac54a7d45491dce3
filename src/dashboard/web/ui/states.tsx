/** Page states: loading, failed, empty. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type ApiProblem, problemOf } from "../api/problem.ts";
import { problemText } from "../i18n/problem-text.ts";
import { useText } from "../i18n/text.tsx";
import { Button, ButtonAnchor } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";

const WIDTHS = ["92%", "74%", "57%", "85%", "68%", "49%", "78%", "61%"];

/** At most eight lines. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  const { t } = useText();
  return (
    <div className="card-body" role="status">
      <span className="visually-hidden">{t("state.loading")}</span>
      {WIDTHS.slice(0, lines).map((width) => (
        <div key={width} className="skeleton line" style={{ width }} />
      ))}
    </div>
  );
}

export function ProblemNote({ problem }: { problem: ApiProblem | null }) {
  const texts = useText();
  if (!problem) return null;
  return (
    <div className="note bad" role="alert">
      <Icon name="warning" />
      <span className="grow">{problemText(problem, texts)}</span>
      {problem.reason === "signed_out" && (
        <ButtonAnchor small href="/app/sign-in" target="_blank" rel="noreferrer">
          {texts.t("auth.sign_in")}
        </ButtonAnchor>
      )}
    </div>
  );
}

export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const texts = useText();
  const problem = problemOf(error);
  // A retry cannot help, and there is no failure to report.
  const isGone = problem.status === 404;
  return (
    <div className="state" role="alert">
      <span className="mark bad">
        <Icon name="warning" size={20} />
      </span>
      <h2>{texts.t(isGone ? "state.gone" : "state.failed")}</h2>
      <p>{isGone ? texts.t("state.not_found_body") : problemText(problem, texts)}</p>
      {!isGone && problem.requestId && (
        <p className="small muted mono">
          {texts.t("state.request_id")} {problem.requestId}
        </p>
      )}
      {!isGone && retry && <Button onClick={retry}>{texts.t("action.try_again")}</Button>}
    </div>
  );
}

export function EmptyState(props: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="state">
      <span className="mark">
        <Icon name={props.icon} size={20} />
      </span>
      <h2>{props.title}</h2>
      {props.children && <p>{props.children}</p>}
      {props.action}
    </div>
  );
}

/** Shows a query: a skeleton, an error with a retry button, or the loaded data. */
export function Loaded<Data>({
  query,
  lines,
  children,
}: {
  query: UseQueryResult<Data>;
  lines?: number;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  return <Skeleton lines={lines} />;
}

/** Shows a list query as `Loaded` does, and the empty state if the list is empty. */
export function LoadedRows<Row>({
  query,
  empty,
  children,
}: {
  query: UseQueryResult<readonly Row[]>;
  empty: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
}) {
  return <Loaded query={query}>{(rows) => (rows.length === 0 ? empty : children(rows))}</Loaded>;
}
