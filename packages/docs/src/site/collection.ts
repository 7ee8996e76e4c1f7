import { isOpen, version } from '@kontor/contract'
import { serverUrl } from './document.ts'
import { introduction } from './guides.ts'
import { json, literal } from './literal.ts'
import { domains, type Operation } from './operations.ts'

/** Where the collection stands in the site. */
export const collectionFile = 'kontor.postman_collection.json'

type Pair = { readonly key: string; readonly value: string }

const pairs = (values: Readonly<Record<string, string>>): Pair[] =>
  Object.entries(values).map(([key, value]) => ({ key, value }))

const withKey = {
  type: 'apikey',
  apikey: pairs({ key: 'Authorization', value: 'api-key {{apiKey}}', in: 'header' }),
} as const

const withToken = { type: 'bearer', bearer: pairs({ token: '{{accessToken}}' }) } as const

/** What is not as the collection says. */
function credentialOf({ endpoint, takesKey }: Operation): object {
  if (isOpen(endpoint)) return { auth: { type: 'noauth' } }
  return takesKey ? {} : { auth: withToken }
}

/** The address as these programs write it, with the values of the example; parameters of the query are off. */
function addressOf({ endpoint, parameters, example }: Operation) {
  const path = endpoint.path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1')
  return {
    raw: `{{baseUrl}}/${path}`,
    host: ['{{baseUrl}}'],
    path: path.split('/'),
    variable: pairs(example.path),
    query: parameters
      .filter((one) => one.in === 'query')
      .map(({ name, description = '' }) => ({ key: name, value: '', description, disabled: true })),
  }
}

const requestOf = (operation: Operation) => {
  const { id, summary, description, endpoint, example } = operation
  return {
    name: summary,
    request: {
      method: endpoint.method,
      description: `${description}\n\n\`${id}\``.trim(),
      url: addressOf(operation),
      header: example.body === undefined ? [] : pairs({ 'Content-Type': 'application/json' }),
      ...(example.body !== undefined && {
        body: { mode: 'raw', raw: literal(example.body, json), options: { raw: { language: 'json' } } },
      }),
      ...credentialOf(operation),
    },
  }
}

/**
 * All operations with their examples, in the format of Postman's collections 2.1, which Bruno, Insomnia, Hoppscotch and
 * others read too.
 */
export const collection = {
  info: {
    name: 'Kontor',
    version,
    description: introduction,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  auth: withKey,
  variable: pairs({ baseUrl: serverUrl, apiKey: '', accessToken: '' }),
  item: domains.map(({ title, description, operations }) => ({
    name: title,
    description,
    item: operations.map(requestOf),
  })),
}
