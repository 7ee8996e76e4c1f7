import { describeScope } from '@kontor/contract'
import { form } from '../pages/forms.ts'
import { html } from '../pages/html.ts'
import type { Page } from '../pages/layout.ts'
import type { Person } from './services.ts'

type Consent = {
  readonly app: string
  readonly person: Person
  readonly scopes: readonly string[]
  /** What the person has allowed this app before. */
  readonly allowed: readonly string[]
  readonly returnsTo: string
  readonly csrf: string
  readonly action: string
  /** Where to go as somebody else. */
  readonly otherAccount: string
}

/** Where an app gets its answer, as a person may recognise it. */
function placeOf(uri: string): string {
  const { protocol, host, hostname } = new URL(uri)
  if (protocol === 'https:') return host
  return protocol === 'http:' ? `this device (${hostname})` : `the app on this device (${protocol.slice(0, -1)})`
}

/** Asks a person whether an app may do what it wants to do for them. */
export const consentPage = ({ app, person, scopes, allowed, returnsTo, csrf, action, otherAccount }: Consent): Page => ({
  title: `Let ${app} in?`,
  body: html`<h1>Let ${app} in?</h1>
<p class="lead">${app} asks to act for you. It sees and does no more than you may yourself, in each of your workspaces.</p>
<dl class="facts">
<div><dt>Your account</dt><dd>${person.name !== null && html`${person.name}<br>`}${person.email}</dd></div>
<div><dt>App address</dt><dd>${placeOf(returnsTo)}</dd></div>
</dl>
<h2>It asks to</h2>
<ul class="grants">${scopes.map((scope) => html`<li>${describeScope(scope)}${allowed.length > 0 && !allowed.includes(scope) && html` <span class="tag">new</span>`}</li>`)}</ul>
${form(
  { action, csrf },
  html`<div class="actions"><button name="answer" value="allow">Allow</button><button name="answer" value="deny" class="second">Do not allow</button></div>`,
)}
<footer>Allow only apps that you trust. You can take this back at any time, on the page of your account. <a href="${otherAccount}">Use another account</a></footer>`,
})
