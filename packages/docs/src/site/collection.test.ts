import { expect, test } from 'vitest'
import { collection } from './collection.ts'
import { operations } from './operations.ts'
import { samplesOf } from './samples.ts'

const requests = collection.item.flatMap(({ item }) => item).map(({ request }) => request)

/** What a program sends of a request, once its reader has filled in the variables of the collection. */
function sentUrl({ url }: (typeof requests)[number]): string {
  const values = Object.fromEntries([...url.variable, ...collection.variable].map(({ key, value }) => [key, value]))
  return [values['baseUrl'], ...url.path.map((part) => encodeURIComponent(values[part.slice(1)] ?? part))].join('/')
}

test('the collection sends what the samples send, each operation once', () => {
  const curls = operations.map((operation) => samplesOf(operation)[0]?.code ?? '')
  expect(requests).toHaveLength(curls.length)
  for (const [index, request] of requests.entries()) {
    expect(curls[index]).toContain(`'${sentUrl(request)}'`)
    const body = 'body' in request ? (request.body as { readonly raw: string }).raw : undefined
    expect(body === undefined ? undefined : JSON.parse(body)).toEqual(operations[index]?.example.body)
  }
})

test('the collection has a key for all, and says where another credential or none is needed', () => {
  expect(collection.auth.apikey).toContainEqual({ key: 'value', value: 'api-key {{apiKey}}' })
  const others = requests.flatMap((request, index) =>
    'auth' in request ? [[operations[index]?.id, (request.auth as { readonly type: string }).type]] : [],
  )
  expect(others).toContainEqual(['workspaces.update', 'bearer'])
  expect(others).toContainEqual(['inboundWebhooks.workflow', 'noauth'])
})
