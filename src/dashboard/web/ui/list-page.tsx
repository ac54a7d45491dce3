/** A page that lists records: the same button makes one at the top, and where there is none yet. */
import type { UseQueryResult } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useText } from "../i18n/text.tsx";
import { useSession } from "../session.ts";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Page } from "./page.tsx";
import { EmptyState, LoadedRows } from "./states.tsx";

interface ListPageProps<Row> {
  /** First part of the keys of its texts. */
  readonly name: "agents" | "campaigns" | "keys" | "knowledge" | "numbers" | "tools" | "webhooks";
  readonly icon: IconName;
  readonly query: UseQueryResult<readonly Row[]>;
  readonly rows: (rows: readonly Row[]) => ReactNode;
  /** Where a record is made: on a page of its own, or in a dialog. */
  readonly make:
    | "/agents/new"
    | "/tools/new"
    | ((close: () => void, agentId: string | null) => ReactNode);
  /** Default: whoever may change things. */
  readonly mayMake?: boolean;
  /** What stands below the list. */
  readonly children?: ReactNode;
}

export function ListPage<Row>(props: ListPageProps<Row>) {
  const { t } = useText();
  const { mayChange } = useSession();
  const { name, make, mayMake = mayChange } = props;
  const navigate = useNavigate();
  // Who comes from an agent wants one for it.
  const { agent = null }: { agent?: number | null } = useSearch({ strict: false });
  const [making, setMaking] = useState(agent !== null);
  const close = () => {
    setMaking(false);
    if (agent !== null) void navigate({ to: ".", search: {}, replace: true });
  };
  const button =
    typeof make === "string" ? (
      <Link to={make} className="button primary">
        <Icon name="plus" />
        {t(`${name}.new`)}
      </Link>
    ) : (
      <Button variant="primary" icon="plus" onClick={() => setMaking(true)}>
        {t(`${name}.new`)}
      </Button>
    );
  return (
    <Page title={t(`nav.${name}`)} lead={t(`${name}.lead`)} actions={mayMake && button}>
      <section className="card">
        <LoadedRows
          query={props.query}
          empty={
            <EmptyState icon={props.icon} title={t(`${name}.empty`)} action={mayMake && button}>
              {t(`${name}.empty_body`)}
            </EmptyState>
          }
        >
          {props.rows}
        </LoadedRows>
      </section>
      {props.children}
      {making && typeof make === "function" && make(close, agent === null ? null : String(agent))}
    </Page>
  );
}
