/** Asks the signed-in person to confirm who they are when a request needs a recent sign-in. */
import { useEffect, useRef, useState } from "react";
import { systemClock } from "../../../core/clock.ts";
import { answer, type Own, own } from "../api/client.ts";
import { ApiProblem, problemOf } from "../api/problem.ts";
import { askNow, askWith } from "../api/step-up.ts";
import { useText } from "../i18n/text.tsx";
import { useSession } from "../session.ts";
import { Button, ButtonAnchor } from "../ui/button.tsx";
import { CodeField, PasswordField } from "../ui/credential-fields.tsx";
import { useForm } from "../ui/form.ts";
import { useStale } from "../ui/mutate.ts";
import { FormDialog } from "../ui/send-form.tsx";
import { ProblemNote } from "../ui/states.tsx";

const EMPTY = { password: "", code: "" };

export function ConfirmSession() {
  const { t } = useText();
  const { user } = useSession();
  const stale = useStale();
  const form = useForm(EMPTY, { unguarded: true });
  const [open, setOpen] = useState(false);
  const settle = useRef<((confirmed: boolean) => void) | null>(null);

  useEffect(() => {
    askWith(() => {
      setOpen(true);
      return new Promise((resolve) => {
        settle.current?.(false);
        settle.current = resolve;
      });
    });
    return () => askWith(async () => false);
  }, []);

  function close(confirmed: boolean) {
    settle.current?.(confirmed);
    settle.current = null;
    form.reset(EMPTY);
    setOpen(false);
  }

  async function confirm(body: Own["ConfirmSessionRequest"]) {
    await answer(own.POST("/session/confirm", { body }));
    await stale("session");
    close(true);
  }

  return (
    <FormDialog
      title={t("confirm.title")}
      lead={t("confirm.lead")}
      action={t("confirm.action")}
      form={form}
      open={open}
      onClose={() => close(false)}
      onSend={({ password, code }) => confirm({ password, ...(code === "" ? {} : { code }) })}
    >
      <PasswordField {...form.bind("password")} />
      {user.totp_enabled && <CodeField hint={t("profile.totp_code_hint")} {...form.bind("code")} />}
      {user.passkeys > 0 && <ConfirmByPasskey onConfirm={confirm} />}
    </FormDialog>
  );
}

/** For accounts with a passkey, in browsers that support passkeys. */
function ConfirmByPasskey(props: {
  onConfirm: (body: Own["ConfirmSessionRequest"]) => Promise<void>;
}) {
  const { t } = useText();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  if (!("PublicKeyCredential" in window)) return null;

  async function ask() {
    setBusy(true);
    setProblem(null);
    try {
      const { askForPasskey } = await import("../api/passkey.ts");
      const response = await askForPasskey();
      if (response) await props.onConfirm({ response });
      else setProblem(new ApiProblem(401, { error: "passkey", message: t("auth.passkey_failed") }));
    } catch (thrown) {
      setProblem(problemOf(thrown));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <Button icon="key" busy={busy} onClick={() => void ask()}>
        {t("confirm.passkey")}
      </Button>
      <ProblemNote problem={problem} />
    </>
  );
}

/**
 * A link to a file that needs a recent sign-in. It asks for confirmation first, because the browser
 * would save the error response as the file.
 */
export function ExportAnchor(props: Parameters<typeof ButtonAnchor>[0] & { href: string }) {
  const { recent_until } = useSession();
  return (
    <ButtonAnchor
      {...props}
      onClick={(event) => {
        if (systemClock.now() < Date.parse(recent_until)) return;
        event.preventDefault();
        const { href, download } = event.currentTarget;
        void askNow().then((confirmed) => {
          if (confirmed) fetchFile(href, download);
        });
      }}
    />
  );
}

function fetchFile(href: string, download: string) {
  const link = Object.assign(document.createElement("a"), { href, download });
  link.click();
}
