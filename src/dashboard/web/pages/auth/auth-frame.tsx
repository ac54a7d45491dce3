/** Frame of the public pages: brand, card, form, language. */
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { own } from "../../api/client.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { sessionQuery } from "../../api/queries.ts";
import { isLanguage, LANGUAGE_NAMES, LANGUAGES } from "../../i18n/language.ts";
import { useChooseLanguage, useText } from "../../i18n/text.tsx";
import { Button } from "../../ui/button.tsx";
import type { Form } from "../../ui/form.ts";
import { Mark } from "../../ui/icon.tsx";
import { ProblemNote, Skeleton } from "../../ui/states.tsx";

export function AuthFrame(props: { title: string; lead?: ReactNode; children: ReactNode }) {
  const { t, language } = useText();
  const choose = useChooseLanguage();
  useEffect(() => {
    document.title = `${props.title} · Linevoice`;
  }, [props.title]);
  return (
    <main className="auth">
      <div className="auth-card">
        <p className="brand">
          <Mark />
          Linevoice
        </p>
        <div>
          <h1>{props.title}</h1>
          {props.lead && <p className="soft">{props.lead}</p>}
        </div>
        {props.children}
        <div className="auth-foot">
          <select
            className="input bar"
            aria-label={t("language.label")}
            value={language}
            onChange={(event) => {
              const requested = event.target.value;
              if (isLanguage(requested)) void choose(requested);
            }}
          >
            {LANGUAGES.map((name) => (
              <option key={name} value={name}>
                {LANGUAGE_NAMES[name]}
              </option>
            ))}
          </select>
        </div>
      </div>
    </main>
  );
}

/** The form of a public page. `more` appears below its button. */
export function AuthForm<Values extends object>(props: {
  form: Form<Values>;
  onSend: (values: Values) => Promise<unknown>;
  action: string;
  problem?: ApiProblem | null;
  children: ReactNode;
  more?: ReactNode;
}) {
  const { form } = props;
  return (
    <form className="form" onSubmit={form.send(props.onSend)}>
      {props.children}
      <ProblemNote problem={form.problem ?? props.problem ?? null} />
      <Button type="submit" variant="primary" wide busy={form.busy}>
        {props.action}
      </Button>
      {props.more}
    </form>
  );
}

/** The frame while a link is checked. */
export function LoadingFrame({ title, lines }: { title: string; lines?: number }) {
  return (
    <AuthFrame title={title}>
      <Skeleton lines={lines} />
    </AuthFrame>
  );
}

/** After sign-in: opens the requested page, within the app only. */
export function useEnter(): (next?: unknown) => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const choose = useChooseLanguage();
  return async (next) => {
    const { session } = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
    if (isLanguage(session?.user.locale)) await choose(session.user.locale);
    const path = typeof next === "string" && /^\/(?!\/)/.test(next) ? next : "/";
    await navigate({ href: path.replace(/^\/app(?=\/|$)/, "") || "/", replace: true });
  };
}

/** Like `useEnter`, for a new account: stores the language in which it was created. */
export function useEnterAsNew(): () => Promise<void> {
  const { language } = useText();
  const enter = useEnter();
  return async () => {
    // If this request fails, the account stays English; the sign-in continues.
    await own.POST("/profile", { body: { locale: language } });
    await enter();
  };
}
