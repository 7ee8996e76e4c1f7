import { describeScope, scopes, isBlank } from '@kontor/contract'
import { newSecret } from '../kernel/ids.ts'
import type { Found, PageAccounts } from './services/accounts.ts'
import type { Browser } from '../http/pages/browser.ts'
import { copyScript } from '../http/pages/copy-script.ts'
import {
  choice,
  choices,
  command,
  errorSummary,
  field,
  form,
  shown,
  ticked,
  type FieldErrors,
} from '../http/pages/forms.ts'
import { html, type Html } from '../lib/html.ts'
import { errorStatus } from './password.ts'
import { forSignedInNow } from './signed-in.ts'
import type { PageRoutes, Visit } from '../http/pages/visit.ts'

/** The name in a form for everything that a person may do. */
const everything = 'everything'

const lives = { '7': '7 days', '30': '30 days', '90': '90 days', '365': 'A year', never: 'No expiry' } as const

const scopeOptions = [
  { value: everything, label: 'Everything that its owner may do' },
  ...scopes.map((scope) => ({ value: scope, label: describeScope(scope) ?? scope, hint: scope })),
]

type SignedIn = Visit & { readonly session: { readonly userId: string; readonly authTime: number } }
type FormValues = Readonly<Record<string, string>>

/** Making an API key without a shell. It is shown once, in the answer to the form. */
export function newKeyPages(routes: PageRoutes, browser: Browser, accounts: PageAccounts): void {
  const here = browser.path('/auth/account/keys/new')
  const signedInNow = (handler: (visit: SignedIn) => Promise<void>) =>
    forSignedInNow(browser, accounts, () => here, handler)

  routes.get(
    '/auth/account/keys/new',
    signedInNow((visit) => show(visit, { kind: 'user', days: '90' }, {})),
  )

  routes.post(
    '/auth/account/keys/new',
    signedInNow(async (visit) => {
      const { form: given } = visit
      const errors = faultsOf(given)
      if (Object.keys(errors).length > 0) return show(visit, given, errors)
      const wanted = ticked(given, 'scopes')
      const { workspace = '', name = '', kind = '', days = '', once = '' } = given
      const wish = {
        workspace,
        name,
        kind: kind === 'workspace' ? 'workspace' : 'user',
        scopes: wanted.filter((scope) => scope !== everything),
        days: days === 'never' ? undefined : Number(days),
        once,
      } as const
      const made = await accounts.keys.create(visit.session.userId, wish)
      if ('errors' in made) return show(visit, given, made.errors)
      const api = `${accounts.apiUrl}/workspaces/${workspace}`
      const body = shownKey({
        title: 'Your new API key',
        key: made.key,
        api,
        example: exampleOf(wanted),
        back: browser.path('/auth/account'),
      })
      visit.show({ title: 'Your new API key', wide: true, body, script: copyScript })
    }),
  )

  async function show(visit: SignedIn, given: FormValues, errors: FieldErrors): Promise<void> {
    const account = await accounts.findAccount(visit.session.userId)
    if (account === undefined) return visit.goTo(browser.signInUrl(here))
    const body = html`<h1>New API key</h1>
<p class="lead">For a program that calls the API. Anyone who has the key can use it.</p>
${errorSummary(errors)}
${form({ action: here, csrf: visit.csrf, hidden: { once: newSecret(16) } }, fieldsOf(account, given, errors))}
<p class="beside"><a href="${browser.path('/auth/account')}">Back to your account</a></p>`
    visit.show(
      { title: Object.keys(errors).length > 0 ? 'Error: new API key' : 'New API key', wide: true, body },
      { status: errorStatus(errors) },
    )
  }
}

function fieldsOf({ memberships }: Found<PageAccounts['findAccount']>, given: FormValues, errors: FieldErrors): Html {
  const [first, ...others] = memberships
  const chosen = given['workspace'] ?? (others.length === 0 ? first?.slug : undefined)
  const kinds = [
    { value: 'user', label: 'Mine: it acts as I do' },
    ...(memberships.some(({ role }) => role === 'admin')
      ? [
          {
            value: 'workspace',
            label: 'The workspace’s: it sees what every member sees, and keeps working when I leave (for admins)',
          },
        ]
      : []),
  ]
  const workspaces = memberships.map(({ slug, workspaceName }) => ({ value: slug, label: workspaceName }))
  const days = Object.entries(lives).map(([value, label]) => ({ value, label }))
  return html`
${field(
  {
    name: 'name',
    label: 'Name',
    autocomplete: 'off',
    value: given['name'] ?? '',
    hint: 'Its purpose, such as “Nightly import”.',
  },
  errors,
)}
${choice(
  { name: 'workspace', label: 'Workspace', options: workspaces, ...(chosen !== undefined && { chosen }) },
  errors,
)}
${choice({ name: 'kind', label: 'Whose key is it?', options: kinds, chosen: given['kind'] ?? 'user' }, errors)}
${choices({ name: 'scopes', label: 'What may it do?', options: scopeOptions, chosen: ticked(given, 'scopes') }, errors)}
${choice({ name: 'days', label: 'When does it expire?', options: days, chosen: given['days'] ?? '90' }, errors)}
<div class="actions"><button type="submit">Create the key</button></div>`
}

function faultsOf(given: FormValues): FieldErrors {
  const wanted = ticked(given, 'scopes')
  const faults = {
    name: isBlank(given['name'] ?? '') && 'Enter a name.',
    workspace: (given['workspace'] ?? '') === '' && 'Choose a workspace.',
    kind: !['user', 'workspace'].includes(given['kind'] ?? '') && 'Choose who the key belongs to.',
    scopes: scopesFault(wanted),
    days: !Object.hasOwn(lives, given['days'] ?? '') && 'Choose when it expires.',
  }
  return Object.fromEntries(Object.entries(faults).filter((fault): fault is [string, string] => fault[1] !== false))
}

function scopesFault(wanted: readonly string[]): string | false {
  if (wanted.length === 0) return 'Choose what it may do.'
  return wanted.length > 1 && wanted.includes(everything) && 'Choose either everything, or what it may do one by one.'
}

/** A path that any key may read. */
export const anyKeysExample = '/limits'

const examples: Readonly<Record<string, string>> = {
  [everything]: '/users',
  'records:read': '/objects/person/resources',
  'lists:read': '/lists',
  'schemas:read': '/schemas',
  'members:read': '/users',
}

/** A path of the workspace that a key may read, and that shows something of it. */
const exampleOf = (wanted: readonly string[]): string =>
  Object.entries(examples).find(([scope]) => wanted.includes(scope))?.[1] ?? anyKeysExample

type ShownKey = {
  readonly title: string
  readonly key: string
  /** The address of the workspace. */
  readonly api: string
  readonly example: string
  readonly back: string
}

/** The one time that a key is shown. */
export const shownKey = ({ title, key, api, example, back }: ShownKey): Html => html`<h1>${title}</h1>
<p class="lead">Copy it now: it is shown only once.</p>
${shown({ 'API key': key })}
<h2>How to use it</h2>
<p>Send it in a header with each request, such as this one:</p>
${command(`curl -H "Authorization: api-key ${key}" ${api}${example}`)}
<p class="soft">Keep it secret like a password: never put it into a web page or a repository.</p>
<div class="actions"><a class="button" href="${back}">I have copied it</a></div>`
