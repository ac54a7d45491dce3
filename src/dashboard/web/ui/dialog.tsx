/**
 * Dialogs: one for forms, one that asks before data is lost. They use the browser's `dialog`: the
 * page behind cannot be reached or read, and Escape closes it.
 */
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";
import { type ApiProblem, problemOf } from "../api/problem.ts";
import { useText } from "../i18n/text.tsx";
import { Button, IconButton } from "./button.tsx";
import { placeOf, stopsIn } from "./focus-restore.ts";
import { ProblemNote } from "./states.tsx";
import { useToasts } from "./toast.tsx";

interface ModalProps {
  readonly className: string;
  /** Id of the element with the dialog's name. `describedBy`: id of the element with more text. */
  readonly labelledBy: string;
  readonly describedBy?: string;
  /** The dialog asks for a decision, so a press outside does not close it. */
  readonly alert?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Keeps the Tab key inside the dialog: the browser would move on to its own controls. */
function holdFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "Tab" || event.defaultPrevented) return;
  const stops = stopsIn(event.currentTarget);
  const [from, to] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
  if (document.activeElement !== from && document.activeElement !== event.currentTarget) return;
  event.preventDefault();
  to?.focus();
}

/**
 * Selectors of the element that gets the focus when a dialog opens; without a match the browser
 * chooses.
 */
const FIRST = ["[data-first]", "form :is(input, select, textarea)"];

/** Open while it is rendered. Afterwards the focus returns to the previous element. */
export function Modal({ alert = false, onClose, ...props }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null);
  const goBack = useRef(placeOf(null));
  useLayoutEffect(() => {
    goBack.current = placeOf(document.activeElement);
    element.current?.showModal();
    for (const first of FIRST) {
      const found = element.current?.querySelector<HTMLElement>(first);
      found?.focus();
      if (found) break;
    }
  }, []);
  const { enterDialog } = useToasts();
  useEffect(() => (element.current ? enterDialog(element.current) : undefined), [enterDialog]);
  useEffect(() => () => goBack.current(), []);
  return createPortal(
    <dialog
      ref={element}
      role={alert ? "alertdialog" : "dialog"}
      className={props.className}
      aria-labelledby={props.labelledBy}
      aria-describedby={props.describedBy}
      onCancel={(event) => {
        // The event of a dialog on top, opened by this one. That dialog handles it.
        if (event.target !== element.current) return;
        event.preventDefault();
        onClose();
      }}
      onKeyDown={holdFocus}
      onClick={({ target, clientX, clientY }) => {
        if (alert || target !== element.current) return;
        const { left, right, top, bottom } = element.current.getBoundingClientRect();
        if (clientX < left || clientX > right || clientY < top || clientY > bottom) onClose();
      }}
    >
      {props.children}
    </dialog>,
    document.body,
  );
}

interface DialogProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

export function Dialog(props: DialogProps) {
  const { t } = useText();
  const id = useId();
  if (!props.open) return null;
  const close = () => props.onOpen(false);
  return (
    <Modal
      className={props.wide ? "dialog wide" : "dialog"}
      labelledBy={`${id}-title`}
      describedBy={props.lead ? `${id}-lead` : undefined}
      onClose={close}
    >
      <div className="dialog-head">
        <div>
          <h2 id={`${id}-title`}>{props.title}</h2>
          {props.lead && (
            <p className="soft small" id={`${id}-lead`}>
              {props.lead}
            </p>
          )}
        </div>
        <IconButton icon="close" label={t("action.close")} onClick={close} />
      </div>
      {props.children}
    </Modal>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly body: ReactNode;
  /** More content under the body. */
  readonly children?: ReactNode;
  readonly action: string;
  /** Default: "danger". */
  readonly variant?: "primary" | "danger";
  /** Default: "Cancel". */
  readonly cancel?: string;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly onConfirm: () => Promise<unknown>;
}

export const Confirm = (props: ConfirmProps) => (props.open ? <Question {...props} /> : null);

/** If the action fails, the dialog stays open and shows the problem. */
function Question(props: ConfirmProps) {
  const { t } = useText();
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const close = () => props.onOpen(false);

  async function confirm() {
    setBusy(true);
    setProblem(null);
    try {
      await props.onConfirm();
      close();
    } catch (thrown) {
      setProblem(problemOf(thrown));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Modal
      alert
      className="dialog"
      labelledBy={`${id}-title`}
      describedBy={`${id}-body`}
      onClose={close}
    >
      <h2 id={`${id}-title`}>{props.title}</h2>
      <p className="soft" id={`${id}-body`}>
        {props.body}
      </p>
      {props.children}
      <ProblemNote problem={problem} />
      <div className="form-foot">
        <Button variant={props.variant ?? "danger"} busy={busy} onClick={() => void confirm()}>
          {props.action}
        </Button>
        <Button variant="ghost" data-first onClick={close}>
          {props.cancel ?? t("action.cancel")}
        </Button>
      </div>
    </Modal>
  );
}

/** Asks about one row of a list; closed while `about` is null. */
export function ConfirmAbout<Thing>(props: {
  about: Thing | null;
  title: (thing: Thing) => string;
  body: ReactNode;
  action: string;
  cancel?: string;
  onClose: () => void;
  onConfirm: (thing: Thing) => Promise<unknown>;
}) {
  const { about } = props;
  return (
    <Confirm
      title={about === null ? "" : props.title(about)}
      body={props.body}
      action={props.action}
      cancel={props.cancel}
      open={about !== null}
      onOpen={props.onClose}
      onConfirm={async () => about !== null && (await props.onConfirm(about))}
    />
  );
}
