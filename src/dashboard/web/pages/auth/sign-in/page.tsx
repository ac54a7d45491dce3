/** Sign-in with a password and, if enabled, a second factor; or with a passkey. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { answer, own } from "../../../api/client.ts";
import { askForPasskey, browserSupportsWebAuthn } from "../../../api/passkey.ts";
import { ApiProblem } from "../../../api/problem.ts";
import { sessionQuery } from "../../../api/queries.ts";
import { useText } from "../../../i18n/text.tsx";
import { Button } from "../../../ui/button.tsx";
import { PasswordField } from "../../../ui/credential-fields.tsx";
import { TextField } from "../../../ui/field.tsx";
import { useForm } from "../../../ui/form.ts";
import { Skeleton } from "../../../ui/states.tsx";
import { AuthForm, AuthFrame, useEnter } from "../auth-frame.tsx";
import { BadLink, useLinkToken } from "../link-state.tsx";
import { SecondStep } from "../second-step.tsx";

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
  const go = ({ next }: { next: string }) => {
    if (next !== "totp") return enter(requested);
    setStep("totp");
    return Promise.resolve();
  };
  if (step === "totp") return <SecondStep onDone={() => enter(requested)} />;
  return (
    <AuthFrame title={t("auth.sign_in")} lead={t("auth.sign_in_lead")}>
      {known.data?.setup_needed && <p className="note">{t("auth.setup_needed")}</p>}
      <AuthForm
        form={form}
        action={t("auth.sign_in")}
        problem={passkeyProblem}
        onSend={async (values) => go(await answer(own.POST("/sign-in", { body: values })))}
        more={
          <>
            {browserSupportsWebAuthn() && (
              <PasskeyButton onProblem={setPasskeyProblem} onSignedIn={go} />
            )}
            <Link to="/forgot-password" className="small">
              {t("auth.forgot")}
            </Link>
          </>
        }
      >
        <TextField
          label={t("auth.email")}
          type="email"
          autoComplete="username webauthn"
          required
          {...form.bind("email")}
        />
        <PasswordField {...form.bind("password")} />
      </AuthForm>
    </AuthFrame>
  );
}

function PasskeyButton(props: {
  onProblem: (problem: ApiProblem | null) => void;
  onSignedIn: (answer: { next: string }) => Promise<void>;
}) {
  const { t } = useText();

  async function signIn() {
    props.onProblem(null);
    try {
      const response = await askForPasskey();
      if (!response) throw new Error("declined");
      await props.onSignedIn(await answer(own.POST("/sign-in/passkey", { body: { response } })));
    } catch (thrown) {
      props.onProblem(
        thrown instanceof ApiProblem
          ? thrown
          : new ApiProblem(401, { error: "passkey", message: t("auth.passkey_failed") }),
      );
    }
  }

  return (
    <Button wide icon="key" onClick={() => void signIn()}>
      {t("auth.passkey")}
    </Button>
  );
}

/** One-time sign-in link printed by the appliance (demo, setup): signs in immediately. */
function ByLink({ requested }: { requested: unknown }) {
  const { t } = useText();
  const token = useLinkToken("link");
  const enter = useEnter();
  const [state, setState] = useState<"entering" | "bad" | "totp">("entering");
  const begun = useRef(false);

  useEffect(() => {
    // The link works once, so a second run of the effect must not use it.
    if (begun.current) return;
    begun.current = true;
    answer(own.POST("/sign-in/link", { body: { token } }))
      .then(({ next }) => (next === "totp" ? setState("totp") : enter(requested)))
      .catch(() => setState("bad"));
  }, [token, enter, requested]);

  if (state === "totp") return <SecondStep onDone={() => enter(requested)} />;
  if (state === "bad") return <BadLink body={t("auth.link_bad_body")} />;
  return (
    <AuthFrame title={t("auth.entering")}>
      <Skeleton lines={3} />
    </AuthFrame>
  );
}
