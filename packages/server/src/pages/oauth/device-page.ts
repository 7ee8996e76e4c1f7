import { field, form, problem } from '../../http/pages/forms.ts'
import { html } from '../../lib/html.ts'
import type { Page } from '../../http/pages/layout.ts'

type Entry = {
  readonly csrf: string
  readonly action: string
  /** The code from a link or an earlier attempt. */
  readonly typed: string
  readonly error?: string
}

/** Asks a person for the code that a device shows them. */
export const deviceEntryPage = ({ csrf, action, typed, error }: Entry): Page => ({
  title: `${error === undefined ? '' : 'Error: '}Connect a device`,
  body: html`<h1>Connect a device</h1>
<p class="lead">Enter the code that your device or command line shows.</p>
${form(
  { action, csrf },
  html`${field(
    { name: 'user_code', label: 'Code', value: typed, autocomplete: 'off', hint: 'Eight letters, such as BCDF-GHJK.' },
    error === undefined ? {} : { user_code: error },
  )}
<div class="actions"><button>Continue</button></div>`,
)}`,
})

export const deviceDonePage = (isAllowed: boolean, app: string): Page => ({
  title: isAllowed ? 'Device connected' : 'Device not connected',
  body: isAllowed
    ? html`<h1>Connected</h1><p>${app} is let in. Go back to your device; you can close this page.</p>`
    : html`<h1>Not connected</h1><p>${app} was not let in. You can close this page.</p>`,
})

/** Formats a code as it is shown, on the device and here. */
const shownCode = (userCode: string): string => `${userCode.slice(0, 4)}-${userCode.slice(4)}`

/** Warns a person who was sent a link or a code by another person. */
export const deviceWarning = (userCode: string) =>
  problem(
    html`Allow this only if you have just begun it yourself, on a device before you, and that device shows
<span class="whole"><strong>${shownCode(userCode)}</strong></span>. If another person has sent you this code, do not
allow it: it would let them in as you.`,
  )
