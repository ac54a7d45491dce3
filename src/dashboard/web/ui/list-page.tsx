/** A page that lists records. The same button creates one, at the top and in the empty state. */
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
  /** Prefix of its message keys. */
  readonly name: "agents" | "campaigns" | "keys" | "knowledge" | "numbers" | "tools" | "webhooks";
  readonly icon: IconName;
  readonly query: UseQueryResult<readonly Row[]>;
  readonly rows: (rows: readonly Row[]) => ReactNode;
  /** Place to create a record: a separate page or a dialog. */
  readonly make:
    | "/agents/new"
    | "/tools/new"
    | ((close: () => void, agentId: string | null) => ReactNode);
  /** Default: people who may change things. */
  readonly mayMake?: boolean;
  /** Content below the list. */
  readonly children?: ReactNode;
}

export function ListPage<Row>(props: ListPageProps<Row>) {
  const { t } = useText();
  const { mayChange } = useSession();
  const { name, make, mayMake = mayChange } = props;
  const navigate = useNavigate();
  // A person who comes from an agent's page creates a record for that agent.
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
