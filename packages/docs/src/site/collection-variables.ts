import { exampleIds } from '@kontor/contract'
import { serverUrl } from './document.ts'

/** A variable of the collection, or of the path of a request. */
type Variable = { readonly key: string; readonly value: string }

export const pairs = (values: Readonly<Record<string, string>>): Variable[] =>
  Object.entries(values).map(([key, value]) => ({ key, value }))

const nameOf = (thing: string): string => `${thing}Id`

const ids = Object.entries(exampleIds).map(([thing, id]) => [nameOf(thing), id] as const)

const exampleUploadKey = `attachments/acme/person/${exampleIds.upload}/offer.pdf`

/** Replaces the ids of the examples by the variables that earlier requests set. */
export const withVariables = (text: string): string =>
  ids.reduce(
    (filled, [name, id]) => filled.replaceAll(id, `{{${name}}}`),
    text.replaceAll(exampleUploadKey, '{{uploadKey}}'),
  )

/** The variables, with the ids of the sample data until a request sets them. */
export const variables: Variable[] = pairs({
  baseUrl: serverUrl,
  apiKey: '',
  accessToken: '',
  workspace: 'acme',
  all: '',
  uploadUrl: '',
  uploadKey: exampleUploadKey,
  ...Object.fromEntries(ids),
})

type IdName = `${keyof typeof exampleIds}Id`

/** Returns a line of a script that keeps a member of the response. */
export const keep = (name: IdName | 'uploadUrl' | 'uploadKey', member = 'data.id'): string =>
  `pm.collectionVariables.set('${name}', pm.response.json().${member})`
