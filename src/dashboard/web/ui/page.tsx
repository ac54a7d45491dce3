/** The frame of a page: title, description, actions; cards, figures and facts. */
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { Icon } from "./icon.tsx";

export function Page(props: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  back?: { to: string; search?: object; label: string };
  /** Form layout: a card's description is next to its fields. */
  forms?: boolean;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${props.title} · Linevoice`;
  }, [props.title]);
  return (
    <div className={props.forms ? "page forms" : "page"}>
      <header className="page-head">
        <div className="grow">
          {props.back && (
            <Link to={props.back.to} search={{ ...props.back.search }} className="back">
              <Icon name="back" size={14} />
              {props.back.label}
            </Link>
          )}
          <h1>{props.title}</h1>
        </div>
        {props.lead && <p className="lead">{props.lead}</p>}
        {props.actions && <div className="row">{props.actions}</div>}
      </header>
      {props.children}
    </div>
  );
}

export function Card(props: {
  title?: string;
  note?: ReactNode;
  actions?: ReactNode;
  foot?: ReactNode;
  /** The content has its own padding (tables, lists). */
  flush?: boolean;
  children: ReactNode;
}) {
  return (
    <section className="card">
      {(props.title || props.actions) && (
        <div className="card-head">
          <div>
            {props.title && <h2>{props.title}</h2>}
            {props.note && <p className="hint">{props.note}</p>}
          </div>
          {props.actions && <div className="row">{props.actions}</div>}
        </div>
      )}
      {props.flush
        ? props.children
        : props.children && <div className="card-body">{props.children}</div>}
      {props.foot && <div className="card-foot">{props.foot}</div>}
    </section>
  );
}

interface FigureShown {
  readonly label: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

export function Figures({ figures }: { figures: readonly FigureShown[] }) {
  return (
    <dl className="figures">
      {figures.map(({ label, value, note }) => (
        <div className="figure" key={label}>
          <dt>{label}</dt>
          <dd>
            {value} {note && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export type Tone = "good" | "warn" | "bad" | "info" | "plain";

export function Badge({ tone = "plain", children }: { tone?: Tone; children: ReactNode }) {
  return <span className={tone === "plain" ? "badge" : `badge ${tone}`}>{children}</span>;
}

/** Always place text with the same meaning next to a status indicator. */
export function StatusIndicator({ tone, live }: { tone: Tone; live?: boolean }) {
  return <span className={`status-indicator ${tone}${live ? " live" : ""}`} aria-hidden="true" />;
}
