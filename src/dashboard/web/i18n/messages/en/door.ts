/** English: signing in and what leads there. */
export const door = {
  "door.email": "E-mail",
  "door.password": "Password",
  "door.password_hint": "At least 12 characters. A few unrelated words are good.",
  "door.name": "Your name",
  "door.sign_in": "Sign in",
  "door.sign_in_lead": "Calls, agents and settings of your company.",
  "door.passkey": "Sign in with a passkey",
  "door.passkey_failed": "The passkey was not accepted. Try again or use your password.",
  "door.forgot": "Forgot the password?",
  "door.setup_needed":
    "Nobody owns this appliance yet. Open the one-time link that it printed when it started, or print a new one with: linevoice setup",
  "door.totp": "Second step",
  "door.totp_lead":
    "Type the six digits that your authenticator shows, or one of your recovery codes.",
  "door.code": "Code",
  "door.owner": "Set up this appliance",
  "door.owner_lead":
    "You become its operator and the owner of the first company. Nothing here has a default password.",
  "door.company": "Company",
  "door.company_hint": "Agents, numbers and calls belong to a company. You can add more later.",
  "door.create": "Create account",
  "door.link_bad": "This link cannot be used",
  "door.link_bad_body":
    "It has been used, has expired, or is mistyped. Owner links live for 30 minutes; print a new one with: linevoice setup",
  "door.reset_bad_body": "It has been used or has expired. Ask for a new one.",
  "door.invitation": "Join {company}",
  "door.invitation_lead": "You are invited as {role} with the address {email}.",
  "door.invitation_account": "You have an account already: type its password.",
  "door.invitation_bad_body":
    "It was accepted, withdrawn or has expired. Ask who invited you to send it again.",
  "door.join": "Join",
  "door.forgot_title": "Set a new password",
  "door.forgot_lead": "We mail a link to your address. It works once.",
  "door.forgot_send": "Send the link",
  "door.forgot_sent": "If there is an account with that address, the mail is on its way.",
  "door.reset_lead": "Choose a new password. You will be signed out everywhere.",
  "door.reset_done": "The new password is set. Sign in with it.",
  "door.back": "Back to sign in",
  "door.entering": "Signing you in …",
} as const;
