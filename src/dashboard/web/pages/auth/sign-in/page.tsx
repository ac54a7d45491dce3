/** Sign in with a password and, where it is on, a second factor; or with a passkey. */
import { browserSupportsWebAuthn, startAuthentication } from "@simplewebauthn/browser";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { answer, own } from "../../../api/client.ts";
import { ApiProblem } from "../../../api/problem.ts";
import { sessionQuery } from "../../../api/queries.ts";
import { useText } from "../../../i18n/text.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { useForm } from "../../../ui/form.ts";
import { ProblemNote } from "../../../ui/states.tsx";
import { AuthFrame, useEnter } from "../auth-frame.tsx";
import { ByLink } from "../by-link.tsx";
import { SecondStep } from "../second-step.tsx";

type PasskeyOptions = Parameters<typeof startAuthentication>[0]["optionsJSON"];

export function Page() {
  const search: { next?: unknown } = useSearch({ strict: false });
  const [byLink] = useState(() => location.hash.startsWith("#link="));
  return byLink ? <ByLink requested={search.next} /> : <ByPassword next={search.next} />;
}

function ByPassword({ next: requested }: { next: unknown }) {
  const { t } = useText();
  const known = useQuery(sessionQuery);
  const enter = useEnter();
  const [step, setStep] = useState<"password" | "totp">("password");
  const form = useForm({ email: "", password: "" });
  const [passkeyProblem, setPasskeyProblem] = useState<ApiProblem | null>(null);

  async function signInByPasskey() {
    setPasskeyProblem(null);
    try {
      const { options } = await answer(own.POST("/sign-in/passkey/options"));
      const response = await startAuthentication({
        optionsJSON: options as unknown as PasskeyOptions,
      });
      const { next } = await answer(
        own.POST("/sign-in/passkey", { body: { response: JSON.parse(JSON.stringify(response)) } }),
      );
      if (next === "totp") setStep("totp");
      else await enter(requested);
    } catch (thrown) {
      setPasskeyProblem(
        thrown instanceof ApiProblem
          ? thrown
          : new ApiProblem(401, { error: "passkey", message: t("auth.passkey_failed") }),
      );
    }
  }

  if (step === "totp") return <SecondStep onDone={() => enter(requested)} />;
  return (
    <AuthFrame title={t("auth.sign_in")} lead={t("auth.sign_in_lead")}>
      {known.data?.setup_needed && <p className="note">{t("auth.setup_needed")}</p>}
      <form
        className="form"
        onSubmit={form.send(async (values) => {
          const { next } = await answer(own.POST("/sign-in", { body: values }));
          if (next === "totp") setStep("totp");
          else await enter(requested);
        })}
      >
        <TextField
          label={t("auth.email")}
          type="email"
          autoComplete="username webauthn"
          required
          {...form.bind("email")}
        />
        <TextField
          label={t("auth.password")}
          type="password"
          autoComplete="current-password"
          required
          {...form.bind("password")}
        />
        <ProblemNote problem={form.problem ?? passkeyProblem} />
        <Button type="submit" variant="primary" wide busy={form.busy}>
          {t("auth.sign_in")}
        </Button>
        {browserSupportsWebAuthn() && (
          <Button wide icon="key" onClick={() => void signInByPasskey()}>
            {t("auth.passkey")}
          </Button>
        )}
        <Link to="/forgot-password" className="small">
          {t("auth.forgot")}
        </Link>
      </form>
    </AuthFrame>
  );
}
