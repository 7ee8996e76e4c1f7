import { expect } from 'vitest'
import type { Json } from '../harness/http.ts'

const methods = ['get', 'patch', 'post', 'put', 'delete'] as const

export type Sample = {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly url: string
  readonly body: Json
  readonly needsUser: boolean
}

/**
 * Orders the calls: first those that read, then those that change and create; those that delete come last, the
 * innermost first.
 */
function orderOf({ method, path, name }: Sample): [number, number] {
  const reads =
    method === 'get' ||
    name === 'search_query' ||
    name.endsWith('_query') ||
    name.endsWith('_aggregate') ||
    name.endsWith('_plan') ||
    name.endsWith('_exportRows')
  // Requests to the address in the samples are sent before another replaces it.
  if (name.endsWith('_rotateAddress')) return [1 + methods.indexOf('post'), 1]
  const takesOthersAlong = /^(records|lists|schemas|users)_remove(Many)?$/.test(name) ? 1000 : 0
  return [
    reads ? 0 : 1 + methods.indexOf(method as (typeof methods)[number]),
    method === 'delete' ? takesOthersAlong - path.length : 0,
  ]
}

/** Returns whether an answer goes on until its caller leaves. */
const isEndless = ({ responses }: Json): boolean => responses['200']?.content?.['text/event-stream'] !== undefined

/** Returns whether an operation answers only those who know what to send along: the check of an address. */
const isCheck = ({ responses, operationId }: Json): boolean =>
  operationId.endsWith('_check') && responses['200']?.content?.['text/plain'] !== undefined

/** Every operation of a document with nothing but what stands in it: the examples of its path and of its body. */
export function samplesOf(document: Json): Sample[] {
  const resolved = (one: Json): Json =>
    one.$ref === undefined ? one : document.components.parameters[(one.$ref as string).split('/').at(-1)!]
  const samples = Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Json>(operations).flatMap(([method, operation]): Sample[] => {
      if (isEndless(operation) || isCheck(operation)) return []
      const parameters: Json[] = (operation.parameters ?? []).map(resolved)
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const { example } = parameters.find((one) => one.in === 'path' && one.name === name)
        if (example === undefined) throw new Error(`${operation.operationId} has no example of ${name}`)
        return encodeURIComponent(example)
      })
      const required = parameters.filter((one) => one.in === 'query' && one.required)
      expect(required, `${operation.operationId} has query parameters that are required`).toEqual([])
      const body = operation.requestBody?.content['application/json'].example
      if (operation.requestBody?.required)
        expect(body, `${operation.operationId} has no example of its body`).toBeDefined()
      const takesKey = (operation.security ?? []).some((scheme: Json) =>
        Object.keys(scheme).some((name) => name.startsWith('apiKey')),
      )
      const sample = {
        name: operation.operationId,
        method,
        path,
        url: `${document.servers[0].url}${filled}`,
        body,
        needsUser: !takesKey,
      }
      return [sample]
    }),
  )
  return samples.toSorted((a, b) => orderOf(a)[0] - orderOf(b)[0] || orderOf(a)[1] - orderOf(b)[1])
}
