import { isStream } from '@kontor/contract'
import { expect, test } from 'vitest'
import { collection } from './collection.ts'
import { operations } from './operations.ts'
import { samplesOf } from './samples.ts'

type Item = {
  readonly name: string
  readonly event?: readonly { readonly listen: string; readonly script: { readonly exec: readonly string[] } }[]
  readonly request: {
    readonly method: string
    readonly description?: string
    readonly auth?: { readonly type: string }
    readonly body?: { readonly mode: string; readonly raw?: string; readonly formdata?: readonly object[] }
    readonly url: string | { readonly path: readonly string[]; readonly variable?: readonly Pair[] }
  }
}
type Pair = { readonly key: string; readonly value: string }

// A program that imports the collection reads it as JSON too.
const items: readonly Item[] = collection.item.flatMap(({ item }) => JSON.parse(JSON.stringify(item)) as Item[])
const idOf = ({ request }: Item): string | undefined => /`(\w+\.\w+)`$/.exec(request.description ?? '')?.[1]
const byOperation = new Map(items.map((item) => [idOf(item), item]))

const defaults = Object.fromEntries(collection.variable.map(({ key, value }) => [key, value]))
const filled = (text: string): string => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => defaults[name] ?? '')

/** Returns a request as a program sends it before another request has set a variable. */
function sentUrl({ request: { url } }: Item): string {
  if (typeof url === 'string') return filled(url)
  const values = Object.fromEntries((url.variable ?? []).map(({ key, value }) => [key, filled(value)]))
  const path = url.path.map((part) => encodeURIComponent(values[part.slice(1)] ?? filled(part)))
  return [defaults['baseUrl'], ...path].join('/')
}

test('the collection sends what the samples send, each operation once', () => {
  expect(items.map(idOf).filter((id) => id !== undefined)).toHaveLength(operations.length)
  for (const operation of operations) {
    const item = byOperation.get(operation.id)
    if (item === undefined) throw new Error(`${operation.id} is not in the collection`)
    expect(samplesOf(operation)[0]?.code).toContain(`'${sentUrl(item)}'`)
    const raw = item.request.body?.raw
    expect(raw === undefined ? undefined : JSON.parse(filled(raw))).toEqual(operation.example.body)
  }
})

test('the collection has a key for all, and says where another credential or none is needed', () => {
  expect(collection.auth.apikey).toContainEqual({ key: 'value', value: 'api-key {{apiKey}}' })
  expect(byOperation.get('workspaces.update')?.request.auth?.type).toBe('bearer')
  expect(byOperation.get('inboundWebhooks.workflow')?.request.auth?.type).toBe('noauth')
})

/** Set by the person who runs the collection. */
const ofReader = ['baseUrl', 'apiKey', 'accessToken', 'workspace', 'all', 'tries']

test('each request of the collection uses variables that an earlier one has set', () => {
  const set = new Set(ofReader)
  for (const { name, request, event = [] } of items) {
    const { url, body } = request
    const used = [...JSON.stringify({ url, body }).matchAll(/\{\{(\w+)\}\}/g)].map(([, variable = '']) => variable)
    expect(
      used.filter((variable) => !set.has(variable)),
      name,
    ).toEqual([])
    const scripts = event.flatMap(({ script }) => script.exec).join('\n')
    for (const [, variable = ''] of scripts.matchAll(/collectionVariables\.set\('(\w+)'/g)) set.add(variable)
  }
})

test('deletions come last in the collection, and endless responses are skipped', () => {
  const methods = items.flatMap((item) => (idOf(item) === undefined ? [] : [item.request.method]))
  expect(methods.slice(methods.indexOf('DELETE'))).not.toContain('GET')
  const remove = items.findIndex((item) => idOf(item) === 'records.remove')
  const unlink = items.findIndex((item) => idOf(item) === 'relationships.remove')
  expect(unlink).toBeLessThan(remove)
  for (const operation of operations.filter(({ endpoint }) => isStream(endpoint)))
    expect(JSON.stringify(byOperation.get(operation.id)?.event)).toContain('skipRequest')
})
