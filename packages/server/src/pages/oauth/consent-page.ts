import { choice as radios, form, problem } from '../../http/pages/forms.ts'
import { html, type Content, type Html } from '../../lib/html.ts'
import type { Page } from '../../http/pages/layout.ts'
import { everyWorkspace, type Choice } from './choice.ts'
import { describeEach, describeScopes } from './scopes.ts'
import type { Person } from './services.ts'

type Consent = {
  readonly app: string
  /** The warning that a person reads before they allow access. */
  readonly warning: Html | undefined
  readonly person: Person
  readonly scopes: readonly string[]
  /** The scopes that the person has allowed this app before. */
  readonly allowed: readonly string[]
  readonly choice: Choice
  /** They have said yes, and not where. */
  readonly isMissing: boolean
  /** Where the app gets its answer, as a person may recognise it. */
  readonly returnsTo: string
  readonly csrf: string
  readonly action: string
  /** Sent along with the answer. */
  readonly hidden?: Readonly<Record<string, string>>
  /** Where to sign in as another person. */
  readonly otherAccount: string
}

/** The address of an app in a person's browser, as they may recognise it. */
export function returnAddress(uri: string): string {
  const { protocol, host, hostname } = new URL(uri)
  if (protocol === 'https:') return host
  return protocol === 'http:' ? `this device (${hostname})` : `the app on this device (${protocol.slice(0, -1)})`
}

/** Where the app is let in: a question where there is something to choose, and otherwise said. */
function whereOf({ workspaces, mayBeAll, chosen }: Choice): Html {
  const [only] = workspaces
  if (only === undefined) return html`<input type="hidden" name="workspace" value="${everyWorkspace}">`
  if (!mayBeAll)
    return html`<input type="hidden" name="workspace" value="${only.id}">
<p>Only in the workspace <strong>${only.name}</strong>.</p>`
  const options = [
    ...workspaces.map(({ id, name }) => ({ value: id, label: name })),
    { value: everyWorkspace, label: 'All my workspaces, including those that I join later' },
  ]
  return radios({ name: 'workspace', label: 'In which workspace?', options, ...(chosen !== undefined && { chosen }) })
}

/** Of an app that has named itself as it liked. */
export const selfRegisteredWarning = problem(
  'This app registered itself and chose its own name. Allow it only if you have just started this sign-in ' +
    'yourself and recognise its address.',
)

/** Lists the permissions that one sentence sums up, folded. */
const inDetail = (texts: readonly string[]): Content =>
  texts.length > 0 &&
  html`<details><summary>Show each permission</summary>
<ul class="grants">${texts.map((text) => html`<li>${text}</li>`)}</ul></details>`

/** Asks a person whether an app may do what it wants to do for them. */
export const consentPage = ({
  app,
  warning,
  person,
  scopes,
  allowed,
  choice,
  isMissing,
  returnsTo,
  csrf,
  action,
  hidden = {},
  otherAccount,
}: Consent): Page => {
  const before = describeScopes(allowed)
  const isNew = (text: string): boolean => before.length > 0 && !before.includes(text)
  return {
    title: `${isMissing ? 'Error: allow' : 'Allow'} ${app} to access your account?`,
    body: html`<h1>Allow ${app} to access your account?</h1>
<p class="lead">${app} will act on your behalf. It can never see or do more than you can.</p>
${isMissing && problem('Choose a workspace.')}
<dl class="facts">
<div><dt>Your account</dt><dd>${person.name !== null && html`${person.name}<br>`}${person.email}</dd></div>
<div><dt>App address</dt><dd>${returnsTo}</dd></div>
</dl>
${warning}
<h2>It will be able to</h2>
<ul class="grants">${describeScopes(scopes).map(
      (text) => html`<li>${text}${isNew(text) && html` <span class="tag">new</span>`}</li>`,
    )}</ul>
${inDetail(describeEach(scopes))}
${form(
  { action, csrf, hidden },
  html`${whereOf(choice)}
<div class="actions"><button name="answer" value="allow">Allow</button><button
  name="answer" value="deny" class="second">Do not allow</button></div>`,
)}
<footer>Allow only apps that you trust. You can disconnect an app at any time on your account page.
<a href="${otherAccount}">Use another account</a></footer>`,
  }
}
