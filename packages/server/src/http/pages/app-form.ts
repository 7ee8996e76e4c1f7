import { describeScope, personalScopes, scopes } from '@kontor/contract'
import { choice, choices, field, textArea, ticked, type FieldErrors } from './forms.ts'
import { html, type Html } from '../../lib/html.ts'

/** How the form names all that a registration need not name. */
export const everything = 'everything'
/** How the form names nothing of the API. */
export const signInOnly = 'openid'

const types = [
  { value: 'confidential', label: 'On a server', hint: 'It keeps a secret (a confidential app).' },
  {
    value: 'public',
    label: 'In a browser or on a device',
    hint: 'It can keep no secret, and uses PKCE (a public app).',
  },
]

const scopeOptions = [
  { value: everything, label: 'Everything that the person may do' },
  { value: signInOnly, label: 'Nothing but know who the person is' },
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
    hint: 'As people see it when they are asked to let it in.',
  },
  errors,
)}
${textArea(
  {
    name: 'redirect_uris',
    label: 'Redirect URIs',
    value: given['redirect_uris'] ?? '',
    hint: 'Where people are sent back to, one address a line; compared as they stand.',
  },
  errors,
)}
${choice(
  { name: 'type', label: 'Where does it run?', options: types, chosen: given['type'] ?? 'confidential' },
  errors,
)}
${choices(
  { name: 'scopes', label: 'What may it ask for?', options: scopeOptions, chosen: ticked(given, 'scopes') },
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
