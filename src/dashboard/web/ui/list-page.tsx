/** A page that lists records: the same button adds one at the top, and where there is none yet. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useText } from "../i18n/text.tsx";
import type { IconName } from "./icon.tsx";
import { Page } from "./page.tsx";
import { EmptyState, LoadedRows } from "./states.tsx";

export function ListPage<Row>(props: {
  /** First part of the keys of its texts. */
  name: "agents" | "campaigns" | "keys" | "knowledge" | "numbers" | "tools" | "webhooks";
  icon: IconName;
  query: UseQueryResult<readonly Row[]>;
  /** The button; false: the reader may not add any. */
  add: ReactNode;
  rows: (rows: readonly Row[]) => ReactNode;
  /** What stands below the list, dialogs included. */
  children?: ReactNode;
}) {
  const { t } = useText();
  const { name, add } = props;
  return (
    <Page title={t(`nav.${name}`)} lead={t(`${name}.lead`)} actions={add}>
      <section className="card">
        <LoadedRows
          query={props.query}
          empty={
            <EmptyState icon={props.icon} title={t(`${name}.empty`)} action={add}>
              {t(`${name}.empty_body`)}
            </EmptyState>
          }
        >
          {props.rows}
        </LoadedRows>
      </section>
      {props.children}
    </Page>
  );
}
