import { describeScope, personalScopes, scopes } from '@kontor/contract'
import { choice, choices, field, textArea, ticked, type FieldErrors } from '../http/pages/forms.ts'
import { html, type Html } from '../lib/html.ts'

/** The name in the form for all scopes that a registration need not name. */
export const everything = 'everything'
/** The name in the form for no scope of the API. */
export const signInOnly = 'openid'

const types = [
  { value: 'confidential', label: 'On a server', hint: 'It keeps a secret (a confidential app).' },
  {
    value: 'public',
    label: 'In a browser or on a device',
    hint: 'It cannot keep a secret, and uses PKCE (a public app).',
  },
]

const scopeOptions = [
  { value: everything, label: 'Everything that the person may do' },
  { value: signInOnly, label: 'Only find out who the person is' },
  ...[...scopes, ...personalScopes].map((scope) => ({
    value: scope,
    label: describeScope(scope) ?? scope,
    hint: scope,
  })),
]

type FormValues = Readonly<Record<string, string>>

/** Renders the fields of the registration of an app. */
export const appFields = (given: FormValues, errors: FieldErrors): Html => html`
${field(
  {
    name: 'name',
    label: 'Name',
    autocomplete: 'off',
    value: given['name'] ?? '',
    hint: 'People see it when they are asked to allow the app.',
  },
  errors,
)}
${textArea(
  {
    name: 'redirect_uris',
    label: 'Redirect URIs',
    value: given['redirect_uris'] ?? '',
    hint: 'The addresses that people return to, one in each line. They must match exactly.',
  },
  errors,
)}
${choice(
  { name: 'type', label: 'Where does it run?', options: types, chosen: given['type'] ?? 'confidential' },
  errors,
)}
${choices(
  {
    name: 'scopes',
    label: 'Which permissions may it request?',
    options: scopeOptions,
    chosen: ticked(given, 'scopes'),
  },
  errors,
)}
<div class="actions"><button type="submit">Register the app</button></div>`

/** Returns the faults of missing or ambiguous choices. */
export function appFormFaults(given: FormValues): FieldErrors {
  const wanted = ticked(given, 'scopes')
  const isUnclear = wanted.length > 1 && wanted.some((one) => one === everything || one === signInOnly)
  return {
    ...(!types.some(({ value }) => value === given['type']) && { type: 'Choose where it runs.' }),
    ...(wanted.length === 0 && { scopes: 'Choose the scopes that it may request.' }),
    ...(isUnclear && { scopes: 'Choose all scopes, none, or single ones.' }),
  }
}
